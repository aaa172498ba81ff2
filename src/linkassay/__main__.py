"""`python -m linkassay`, the same as the program `linkassay`."""

from linkassay.stopping import heeded


def main() -> None:
    """The command line, which can be stopped while it is still being loaded."""
    with heeded():
        from linkassay.cli import main

        main()


if __name__ == "__main__":
    main()
