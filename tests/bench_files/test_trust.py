"""A bench file that does more than to measure is run when its user has agreed (SAFE-13), and writes in its folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import linkassay
from linkassay.bench_files import read_plan, require_trust, run_plan
from linkassay.bench_files.trust import powers, report_place
from linkassay.cli import app
from linkassay.errors import DataError, UsageError
from tests.bench_files.conftest import MINI, bench, written

COMMAND = '[[linkers]]\nlinker = "command"\nname = "c"\noptions = { cmd = "touch CREATED", exchange = "jsonl" }\n'
HTTP = '[[linkers]]\nlinker = "http"\nname = "h"\noptions = { url = "http://127.0.0.1:9/", exchange = "jsonl" }\n'
CODE = '[[linkers]]\nlinker = "own.py:Own"\n'
OWN = """
from pathlib import Path
from linkassay.linkers import Capabilities
Path(__file__).with_name("LOADED").touch()
class Own:
    summary = "own"
    capabilities = Capabilities(links=True)
    def prepare(self, kb, train):
        pass
    def link(self, queries, top):
        return [[] for _ in queries]
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        (COMMAND, ["runs the command 'touch CREATED'"]),
        (HTTP, ["sends texts of the corpora to 'http://127.0.0.1:9/'"]),
        (CODE, ["runs the code of {folder}/own.py"]),
        (COMMAND + HTTP, ["runs the command 'touch CREATED'", "sends texts of the corpora to 'http://127.0.0.1:9/'"]),
    ],
)
def test_what_a_file_can_do(home: Path, tmp_path: Path, text: str, found: list[str]) -> None:
    plan = read_plan(written(tmp_path, MINI + text))
    assert powers(plan) == [said.format(folder=tmp_path) for said in found]


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_nothing_is_loaded_or_run_before_one_agrees(home: Path, tmp_path: Path, dry: list[str]) -> None:
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    file = written(tmp_path, MINI + CODE)
    result = CliRunner().invoke(app, ["bench", str(file), *dry])
    assert isinstance(result.exception, UsageError)
    assert "b.toml does more than to measure: it runs the code of" in str(result.exception)
    assert "--trust" in str(result.exception)
    assert not (tmp_path / "LOADED").exists()
    with pytest.raises(UsageError, match="does more than to measure"):
        linkassay.bench(file)


@pytest.mark.usefixtures("no_pictures")
def test_agreeing_is_remembered_until_something_changes(home: Path, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    file = written(tmp_path, MINI + CODE)
    bench(str(file), "--only", "own", "--trust")
    assert (tmp_path / "LOADED").exists()
    bench(str(file), "--only", "own")
    assert not list(home.rglob("trusted*"))  # others may have filled that one
    (tmp_path / "own.py").write_text(OWN + "# more\n", encoding="utf-8")
    with pytest.raises(UsageError, match="does more"):
        linkassay.bench(file)
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    require_trust(read_plan(file), trusted=False)
    written(tmp_path, MINI + CODE + "# more\n")
    with pytest.raises(UsageError, match="does more"):
        linkassay.bench(file)
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    (moved / "own.py").write_text(OWN, encoding="utf-8")
    with pytest.raises(UsageError, match="does more"):
        linkassay.bench(written(moved, MINI + CODE))


def test_who_sits_there_is_asked(home: Path, tmp_path: Path) -> None:
    plan, asked = read_plan(written(tmp_path, MINI + COMMAND)), list[str]()

    def answer(yes: bool) -> bool:
        return asked.append("") or yes  # type: ignore[func-returns-value]

    with pytest.raises(UsageError, match="touch CREATED"):
        require_trust(plan, trusted=False, ask=lambda _: answer(False))
    require_trust(plan, trusted=False, ask=lambda _: answer(True))
    require_trust(plan, trusted=False, ask=lambda _: answer(False))
    assert len(asked) == 2


def test_files_of_built_in_linkers_need_no_trust(home: Path, tmp_path: Path, own_home: Path) -> None:
    require_trust(read_plan(written(tmp_path, MINI)), trusted=False)
    assert not own_home.exists()


def test_a_damaged_memory_trusts_nothing(home: Path, tmp_path: Path, own_home: Path) -> None:
    plan = read_plan(written(tmp_path, MINI + COMMAND))
    require_trust(plan, trusted=True)
    [kept] = own_home.rglob("trusted*")
    for text in ("[]", "{", "\0", ""):
        kept.write_text(text, encoding="utf-8")
        with pytest.raises(UsageError):
            require_trust(plan, trusted=False)


@pytest.mark.parametrize("report", ["../page.html", "{outside}/page.html", "link/page.html"])
def test_the_report_stays_in_the_folder(home: Path, tmp_path: Path, report: str) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    for made in (outside, folder):
        made.mkdir()
    (folder / "link").symlink_to(outside)
    text = MINI.replace("out/page.html", report.format(outside=outside))
    plan = read_plan(written(folder, text))
    with pytest.raises(UsageError, match="outside of the folder of the file"):
        run_plan(plan, [])
    assert report_place(plan, outside / "told.html") == outside / "told.html"


@pytest.mark.parametrize("report", ["b.toml", "gold.tsv"])
def test_the_report_takes_the_place_of_pages_only(home: Path, tmp_path: Path, report: str) -> None:
    (tmp_path / "gold.tsv").write_text("precious", encoding="utf-8")
    plan = read_plan(written(tmp_path, MINI.replace("out/page.html", report)))
    with pytest.raises(UsageError, match=f"take the place of {report}, which is no page"):
        run_plan(plan, [])


@pytest.mark.parametrize("report", [r"a\u0000b.html", "~nobody-of-this-name/page.html"])
def test_a_report_that_no_file_can_be(home: Path, tmp_path: Path, report: str) -> None:
    with pytest.raises(DataError, match="'report' must be a text"):
        read_plan(written(tmp_path, MINI.replace("out/page.html", report)))
