"""What `link` says to a person: speed, failures, warnings, and options that are not of the linker."""

from __future__ import annotations

import pytest
from click.testing import Result
from typer.testing import CliRunner

from linkassay.cli import app


def link(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, ["link", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


@pytest.mark.usefixtures("home_with_mini")
def test_the_speed_is_told() -> None:
    for _ in range(2):
        assert " mentions, " in (said := link("exact", "mini").stdout)
        assert " a second by one worker" in said
    assert said.endswith(" (there already; nothing to do)\n")
