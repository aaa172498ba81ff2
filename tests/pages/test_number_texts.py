"""Numbers and tables that the script writes itself are those that Python writes."""

from __future__ import annotations

import random
from typing import Any

import pytest

from linkassay.pages import front_end
from linkassay.tables import NUMBER_FORMS, fixed, writer, written
from tests.report_helpers import HOSTILE

FORMATS = {"TSV": "tsv", "Markdown": "md", "LaTeX": "latex"}
TEXTS = [HOSTILE, "a_b & c|d", "50 % – ± ≈", "x\ty\nz\u2028w\x1fv", "\\~^{}#$", "[1] *", "", "شلل", "*", "`k`[]"]


@pytest.fixture(scope="module")
def script(driver: Any) -> Any:
    """The browser with the module's functions in the window."""
    names = "{ fixed, numberText, intervalText, tableText }"
    text = front_end.script("number_texts.js").removesuffix("}\n") + f"Object.assign(window, {names});}}\n"
    driver.get("about:blank")
    driver.execute_script(text)
    return driver


def _numbers() -> list[float]:
    chance = random.Random(3)
    halves = [n / 2000 for n in range(0, 2001, 3)] + [n / 80 for n in range(81)] + [n / 32 for n in range(33)]
    spread = [chance.uniform(0, 1) * 10 ** chance.randrange(-12, 13) for _ in range(2000)]
    ratios = [chance.randrange(1000) / chance.randrange(1, 1000) for _ in range(2000)]
    return [0.0, 1.0, 1e-300, 5e-324, 9.9999, 119.95, 7199.99, 999_999_999.0, *halves, *spread, *ratios]


@pytest.mark.parametrize("form", ["percent", "count", "seconds", "bytes", "rate", "decimal"])
def test_numbers_are_written_as_python_does(script: Any, form: str) -> None:
    values = _numbers()
    found = script.execute_script("return arguments[1].map(value => numberText(arguments[0], value))", form, values)
    assert [(v, text) for v, text in zip(values, found, strict=True) if text != NUMBER_FORMS[form](v)] == []
    assert script.execute_script("return numberText(arguments[0], null)", form) == writer(form, ())(None)


@pytest.mark.parametrize(("digits", "shift"), [(0, 0), (1, 2), (3, 0), (4, -6)])
def test_rounding_is_that_of_python(script: Any, digits: int, shift: int) -> None:
    values = [sign * value for value in _numbers() for sign in (1, -1)]
    asked = "return arguments[0].map(value => fixed(value, arguments[1], arguments[2]))"
    found = script.execute_script(asked, values, digits, shift)
    wanted = [fixed(value, digits, shift=shift) for value in values]
    assert [(v, a, b) for v, a, b in zip(values, found, wanted, strict=True) if a != b] == []


@pytest.mark.parametrize("name", FORMATS)
def test_tables_are_written_as_python_does(script: Any, name: str) -> None:
    columns = [
        {"label": "a|b", "form": "text"}, {"label": "F1", "form": "percent", "interval": True},
        {"label": "F1", "form": "percent", "interval": True}, {"label": "time_s", "form": "seconds"},
    ]  # fmt: skip
    chance = random.Random(5)
    rows = [
        [{"v": text}, {"v": chance.random(), "low": 0.1, "high": 0.95, "mark": "*"}, {"v": None},
         {"v": 10 ** chance.uniform(-4, 5)}]
        for text in TEXTS
    ]  # fmt: skip
    found = script.execute_script("return tableText(...arguments)", name, columns, rows)
    lines, wanted = found.splitlines(), written(FORMATS[name], columns, rows).text().splitlines()
    if name == "TSV":  # numbers are unrounded, each language writes them its own way
        lines, wanted = (
            [[_number(cell) for cell in line.split("\t")] for line in said] for said in (found.split("\n")[:-1], wanted)
        )
    assert lines == wanted


def _number(cell: str) -> str | float:
    try:
        return float(cell)
    except ValueError:
        return cell
