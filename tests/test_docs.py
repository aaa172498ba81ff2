"""The examples of the README and of the guides run as they stand."""

from __future__ import annotations

import doctest
import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from linkassay.cli import app
from linkassay.scoring.disambiguation.protocols import TIES
from tests.conftest import ROOT
from tests.httpserver import running
from tests.linkers.external.test_command_and_http import make_tools, write_names
from tests.snapshots import check, run_documented
from tests.standins.services import ADDRESSES, SERVICES
from tests.standins.tools import concept

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_example(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [code] = re.findall(r"```python\n(.*?)```", README, re.S)
    assert len(code.strip().splitlines()) < 10
    exec(compile(code, "README.md", "exec"), {})
    share, n = re.fullmatch(r"exact match, unambiguous: (0\.\d+) of (\d+)\n", capsys.readouterr().out).groups()  # type: ignore[union-attr]
    assert 0.3 < float(share) < 0.6
    assert int(n) > 300


def test_the_commands(home: Path, tmp_path: Path, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every `linkassay` line of the README, in order, on real files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "DIR").symlink_to(shared / "corpora" / "ncbi_disease")
    (tmp_path / "KB").symlink_to(shared / "kbs" / "medic")
    (tmp_path / "my.txt").write_text("1|t|BRCA1 again.\n1|a|\n1\t0\t5\tBRCA1\tGene\t672\n", encoding="utf-8")
    lines = re.findall(r"^linkassay (.*?)(?: {2,}#.*)?$", README, re.M)
    assert len(lines) >= 8
    for number, line in enumerate(lines):
        run_documented(line, f"readme/{number:02d}", real=True)
    assert (tmp_path / "report.html").exists()


def test_the_page_on_scoring(home: Path) -> None:
    """Its commands run, and what is computed by hand is what the program says."""
    page = ROOT / "docs" / "scoring.md"
    text = page.read_text(encoding="utf-8")
    lines = re.findall(r"^linkassay (.*)$", text, re.M)
    assert len(lines) >= 8
    for number, line in enumerate(lines):
        run_documented(line, f"scoring/{number:02d}")
    assert doctest.testfile(str(page), module_relative=False, encoding="utf-8") == (0, 11)
    by_hand = {row[0].split("`")[1]: row[2:7] for row in map(_cells, text.splitlines()) if len(row) == 8}
    by_program = dict(re.findall(r"^([\w-]+) +((?:[\d.]+ ?){5})$", text, re.M))
    assert by_hand.keys() - {"ties"} == by_program.keys() == TIES.keys()
    for ties, said in by_program.items():
        assert [float(value) for value in by_hand[ties]] == [float(value) for value in said.split()]


@pytest.mark.parametrize("page", ["abbreviations", "reproduce"])
def test_what_a_page_computes_in_python(page: str) -> None:
    failed, tried = doctest.testfile(str(ROOT / "docs" / f"{page}.md"), module_relative=False, encoding="utf-8")
    assert tried > 0
    assert failed == 0


def _cells(line: str) -> list[str]:
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    return cells if "`" in cells[0] else []


def test_the_linker_of_the_guide(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The class in docs/extending.md works as it stands."""
    import linkassay
    from linkassay.linkers import LINKERS

    guide = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", guide, re.S)
    names: dict[str, type] = {}
    exec(compile(code, "extending.md", "exec"), names)
    monkeypatch.setattr(LINKERS, "load", lambda name: names["Lower"])
    [figure] = [
        r
        for r in linkassay.score(linkassay.link("lower", "mini")).rows()
        if (r["measure"], r["slice"]) == ("recall@1", "all")
    ]
    assert 0.3 < figure["value"] < 0.9


def test_the_own_knowledge_base_of_the_guide(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Table, description and command of docs/own-kb.md, and what can be asked of the result."""
    monkeypatch.chdir(tmp_path)
    guide = (ROOT / "docs" / "own-kb.md").read_text(encoding="utf-8")
    for file, kind in (("aches.csv", "csv"), ("aches.toml", "toml")):
        code = re.findall(rf"```{kind}\n(.*?)```", guide, re.S)[0]
        Path(file).write_text(code, encoding="utf-8")
    for number, line in enumerate(("kb add aches.toml", "info aches", "kb map aches mesh", "ls kbs")):
        result = run_documented(line, f"own-kb/{number:02d}")
        assert "ache" in result.output


def test_the_page_on_scoring_end_to_end(
    home: Path, tmp_path: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command of docs/end-to-end.md that is not of mini, in order, on real files."""
    monkeypatch.chdir(tmp_path)
    real = shared / "e2e"
    (tmp_path / "KB").symlink_to(real / "kb")
    (tmp_path / "BENCHMARKS").symlink_to(real / "benchmarks")
    (tmp_path / "linked_articles.jsonl.gz").symlink_to(real / "dev/refined__aida_.wiki-fair.linked_articles.jsonl.gz")
    guide = (ROOT / "docs" / "end-to-end.md").read_text(encoding="utf-8")
    commands = [c for c in re.findall(r"^linkassay (.*?)(?: {2,}#.*)?$", guide, re.M) if " mini" not in c]
    assert len(commands) == 6
    for number, command in enumerate([*commands, "reproduce fair", "info wiki-fair --json"]):
        result = run_documented(command, f"end-to-end/{number:02d}", real=True)
        if command == "reproduce fair":  # its benchmark is at hand, no system on one of the paper
            assert "no run is at hand" in result.output
    properties = json.loads(result.stdout)["critique"]["properties"]
    assert [properties[k] for k in ("mentions", "nil", "optional", "with_alternatives")] == [1761, 152, 455, 120]


def test_the_page_on_scoring_end_to_end_on_mini(home: Path) -> None:
    """Its other commands: slices, sets, hierarchy, comparisons."""
    guide = (ROOT / "docs" / "end-to-end.md").read_text(encoding="utf-8")
    commands = [c for c in re.findall(r"^linkassay (.*)$", guide, re.M) if " mini" in c]
    assert len(commands) == 7
    for number, command in enumerate(commands):
        run_documented(command, f"end-to-end/mini-{number:02d}")


def test_the_import_guide(home: Path, tmp_path: Path, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command of docs/import.md, in order: on its own file, and on real ones."""
    monkeypatch.chdir(tmp_path)
    guide = (ROOT / "docs" / "import.md").read_text(encoding="utf-8")
    [lines] = re.findall(r"```json\n(.*?)```", guide, re.S)
    (tmp_path / "mine.jsonl").write_text(lines, encoding="utf-8")
    real = shared / "predictions"
    for name, path in (
        ("native_with_gold.json.gz", real / "belb/gnormplus/gnormplus/native_with_gold.json.gz"),
        ("predictions.json.gz", real / "belb/gnormplus/genbioel/predictions.json.gz"),
        ("top20.json.gz", real / "biosyn_ncbi_disease_top20.json.gz"),
    ):
        (tmp_path / name).symlink_to(path)
    commands = re.findall(r"^linkassay (.*)$", guide, re.M)
    assert len(commands) == 7
    for number, command in enumerate(commands):
        result = run_documented(command, f"import/{number:02d}", real=True)
        if command.startswith("import native"):
            assert re.search(r"by mention +1\n *by span +1\n *not joined +1", result.output)


#: Guides that need nothing but what they themselves show.
GUIDES = ("evaluate-my-linker", "add-a-corpus", "choose-a-linker", "compare-two-systems", "bench")


@pytest.mark.parametrize("name", GUIDES)
def test_a_guide(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """In order: files are written (a name alone on a line, then its contents), Python is run, commands end well."""
    monkeypatch.chdir(tmp_path)
    guide = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    commands = 0
    for file, kind, code in re.findall(r"^(?:`([\w.-]+)`\n\n)?```(\w*)\n(.*?)^```$", guide, re.S | re.M):
        if file:
            Path(file).write_text(code, encoding="utf-8")
        elif kind == "python":
            exec(compile(code, f"{name}.md", "exec"), {})
        else:
            for command in re.findall(r"^linkassay (.*?)(?: {2,}#.*)?$", code, re.M):
                run_documented(command, f"{name}/{commands:02d}")
                commands += 1
    assert commands >= 4


@pytest.mark.parametrize(
    "page", ["README.md", *(path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").rglob("*.md")))]
)
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", text)
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []


def test_the_reference_is_up_to_date() -> None:
    """docs/api.md is what the docstrings say now."""
    namespace: dict[str, Any] = {"__name__": "api"}
    exec(compile((ROOT / "docs" / "api.py").read_text(encoding="utf-8"), "docs/api.py", "exec"), namespace)
    kept = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert namespace["page"]() == kept, "run: python docs/api.py"


def test_the_page_on_outside_systems(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command of docs/outside-systems.md, against stand-ins for the tools and services that it names."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STANDIN_NAMES", str(tmp_path / "names.tsv"))
    known = write_names(tmp_path / "names.tsv")
    guide = (ROOT / "docs" / "outside-systems.md").read_text(encoding="utf-8")
    for script, code in zip(("mm.py", "sci.py"), re.findall(r"```python\n(.*?)```", guide, re.S), strict=True):
        Path(script).write_text(code, encoding="utf-8")
    make_tools(tmp_path / "bin", "mytool", "ProcessText.sh", "java", "SR4GN.sh", "metamap")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("GNORMPLUS", str(tmp_path / "GNormPlusJava"))
    (tmp_path / "GNormPlusJava" / "Dictionary").mkdir(parents=True)
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests" / "standins" / "site"))
    Path("titles.json").write_text(
        json.dumps({start + i: i for i in known.values() for start in ("Article_", "dbpedia:")})
    )
    Path("cui2mesh.json").write_text(json.dumps({concept(i): i for i in known.values()}))
    commands = re.findall(r"^linkassay (.*)$", guide, re.M)
    assert len(commands) == 13
    with running() as site:
        for name, service in SERVICES.items():
            site.serve(ADDRESSES[name], service)
        for number, line in enumerate(commands):
            line = re.sub(r"http://127\.0\.0\.1:\d+", site.url, line)
            result = CliRunner().invoke(app, [*shlex.split(line), "--json"], catch_exceptions=False)
            assert result.exit_code == 0, (line, result.output)
            about = json.loads(result.stdout)
            check(f"outside-systems/{number:02d}", about)
            if line.startswith("link"):
                assert (about["failures"], about["unknown_ids"]["count"]) == ([], 0), line
                assert about["mentions"] > 20, line
