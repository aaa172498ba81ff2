"""What a bench file says, read: paths beside it, ids, and the files of our own bench files."""

from __future__ import annotations

from pathlib import Path

import pytest

from linkassay.bench_files.plan_file import read_plan
from linkassay.errors import DataError
from tests.bench_files.conftest import MINI, written


def test_the_file_of_an_outside_systems_ids_lies_beside_the_bench_file(tmp_path: Path) -> None:
    text = MINI.replace('"exact"', '"command"')
    for how in ("options", "running"):
        plan = read_plan(written(tmp_path, f'{text}{how} = {{ ids = "lists/ids.json" }}\n'))
        assert plan.linkers[0].request.made_with["ids"] == str(tmp_path / "lists/ids.json")
    other = read_plan(written(tmp_path, MINI + 'options = { ids = "D1" }\n'))  # of a plug-in: not ours to read
    assert other.linkers[0].request.options == {"ids": "D1"}


@pytest.mark.parametrize(
    "given", ['"ncbitaxon:10090, MESH:D003924"', '["ncbitaxon:10090", "MESH:D003924"]', '"lists/ids.txt"']
)
def test_excluded_ids_are_given_as_on_the_command_line(home: Path, tmp_path: Path, given: str) -> None:
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "ids.txt").write_text("ncbitaxon:10090\nMESH:D003924\n")
    (tmp_path / "bench.toml").write_text(MINI.replace("[score]", f"[score]\nexclude_ids = {given}"))
    plan = read_plan(tmp_path / "bench.toml")
    assert plan.score.exclude_ids == ("mesh:D003924", "ncbitaxon:10090")


def test_what_the_report_holds_is_said_at_the_top(tmp_path: Path) -> None:
    assert [getattr(read_plan(written(tmp_path, MINI)), key) for key in ("mentions", "text")] == ["", ""]
    for said, meant in (("500", 500), ('"all"', "all"), ('"errors"', "errors")):
        plan = read_plan(written(tmp_path, f'mentions = {said}\ntext = "snippet"\n{MINI}'))
        assert (plan.mentions, plan.text) == (meant, "snippet")
    for wrong in ("mentions = 0", 'mentions = "some"', 'text = "half"'):
        with pytest.raises(DataError, match=wrong.split()[0]):
            read_plan(written(tmp_path, f"{wrong}\n{MINI}"))


@pytest.mark.parametrize("name", ["linkers.toml", "belb.toml"])
def test_the_files_of_our_bench_files_are_there(home: Path, beside: Path, name: str) -> None:
    plan = read_plan(beside / name)
    paths = [p for kb in plan.kbs.values() for p in kb.raw]
    for corpus in plan.corpora:
        paths += [*corpus.raw, *(path for files in corpus.files.values() for path in files)]
    paths += [p for given in plan.imports for p in (*given.files, *([given.ids] if given.ids else []))]
    assert [path for path in paths if not path.exists()] == []
