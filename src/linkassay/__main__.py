"""`python -m linkassay`, the same as the program `linkassay`."""

from linkassay.cli import main

if __name__ == "__main__":
    main()
