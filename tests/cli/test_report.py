"""The verb `report`: what it warns of is what the page warns of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app


@pytest.mark.usefixtures("home_with_mini")
def test_found_mentions_are_a_warning_only_where_they_are_not_scored(tmp_path: Path) -> None:
    """A system that finds mentions is judged end to end by itself; beside one that was given them it is not."""
    linkassay.link("spotter", "mini", give="text")
    linkassay.link("exact", "mini")

    def kinds(*names: str) -> set[str]:
        out = tmp_path / "page.html"
        done = CliRunner().invoke(app, ["report", *names, "-o", str(out), "--json"], catch_exceptions=False)
        assert done.exit_code == 0
        page = json.loads(out.read_text(encoding="utf-8").split('id="data">')[1].split("</script>")[0])
        said = json.loads(done.stdout)["warnings"]
        assert said == page["warnings"]
        return {each["kind"] for each in said}

    assert "found-mentions" not in kinds("mini/spotter")
    assert "found-mentions" in kinds("mini/spotter", "mini/exact")
