"""The examples of the README and of the guides run as they stand."""

from __future__ import annotations

import doctest
import importlib
import json
import os
import re
import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from endure.httpserver import running
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app
from linkassay.corpora import CORPORA
from linkassay.formats import DOCUMENT_FORMATS
from linkassay.kbs import KBS
from linkassay.linkers import LINKERS
from linkassay.scoring.disambiguation import MEASURES, PROTOCOLS, SETS, SLICES, TIES
from linkassay.scoring.hierarchy import SCENARIOS
from tests.conftest import ROOT
from tests.linkers.external.test_command_and_http import make_tools, write_names
from tests.snapshots import check, run_documented
from tests.standins.services import ADDRESSES, SERVICES
from tests.standins.tools import concept

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = ["README.md", *(path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").rglob("*.md")))]


def test_the_python_examples(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each stands by itself and has five lines of code at most."""
    examples = re.findall(r"```python\n(.*?)```", README, re.S)
    said = []
    for code in examples:
        assert len([line for line in code.splitlines() if line.strip()]) <= 5
        exec(compile(code, "README.md", "exec"), {})
        said.append(capsys.readouterr().out)
    evaluated, grounded, compared = said
    assert re.search(r"recall@1 +all +0\.5000 +2", evaluated)
    assert re.search(r"1 +mesh:D003920 +Diabetes Mellitus +1\.0000", grounded)
    assert re.search(r"^exact +tfidf +0\.36", compared, re.M)


def test_the_page_on_python(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its examples run one after the other, and what they say of the figures is so."""
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.S):
        exec(compile(code, "python.md", "exec"), names)
    assert [row["value"] for row in names["result"].rows()] == pytest.approx([0.5, 1.75 / 3, 2 / 3])
    [shown] = re.findall(r"```text\n(.*?)```", page, re.S)
    assert [line.split() for line in str(names["why"]).splitlines()] == [line.split() for line in shown.splitlines()]
    assert (tmp_path / "recall.svg").read_text(encoding="utf-8").startswith("<svg")
    assert len(names["table"]) == len(names["both"].rows())


def test_the_notebook(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/notebook.ipynb is stored without outputs, runs to its last cell, and shows tables and charts."""
    import sys

    import nbclient
    import nbformat

    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    kernel = tmp_path / "jupyter" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (kernel / "kernel.json").write_text(json.dumps({"argv": command, "display_name": "Python", "language": "python"}))
    notebook = nbformat.read(ROOT / "docs" / "notebook.ipynb", as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in cells)
    nbclient.NotebookClient(notebook, timeout=240, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in cells for output in cell.outputs]
    assert {"text/html", "image/svg+xml"} <= {kind for output in outputs for kind in output.get("data", ())}
    assert [output for output in outputs if output.output_type == "error"] == []
    verbs = {verb for cell in cells for verb in re.findall(r"linkassay\.(\w+)\(", cell.source)}
    assert verbs >= {*linkassay.__all__} - {"bench", "get", "linker", "report", "run", "train"}
    said = "".join(output.get("text", "") or output.get("data", {}).get("text/html", "") for output in outputs)
    for shown in ("or let it be with --allow-leak", "genes was trained on 14 of the 14 documents linked",
                  "<td>matched name</td>", "<td>length of the primary name</td>"):  # fmt: skip
        assert shown in said


def test_the_commands(home: Path, tmp_path: Path, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every `linkassay` line of the README, in order, on real files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "DIR").symlink_to(shared / "corpora" / "ncbi_disease")
    (tmp_path / "KB").symlink_to(shared / "kbs" / "medic")
    (tmp_path / "my.txt").write_text("1|t|BRCA1 again.\n1|a|\n1\t0\t5\tBRCA1\tGene\t672\n", encoding="utf-8")
    lines = re.findall(r"^linkassay (.*?)(?: {2,}#.*)?$", README, re.M)
    assert len(lines) >= 8
    assert lines.pop() == "serve --open"  # it ends when told to: tests/cli/test_serve.py
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
    assert doctest.testfile(str(page), module_relative=False, encoding="utf-8") == (0, 10)
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


def test_the_package_of_the_guide_on_extending(home: Path, plug_in: Callable[..., None]) -> None:
    """All that docs/extending.md adds to linkassay, installed as one package, does what its commands ask for."""
    guide = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    points: dict[str, dict[str, str]] = {}
    for toml in re.findall(r"```toml\n(.*?)```", guide, re.S):
        points |= tomllib.loads(toml)["project"]["entry-points"]
    plug_in("\n\n".join(re.findall(r"```python\n(.*?)```", guide, re.S)), points)
    commands = re.findall(r"^linkassay (.*)$", guide, re.M)
    said = ["link lower mini", *commands, "score mini/lower --json", *(f"{c} --json" for c in commands[2:])]
    results = [CliRunner().invoke(app, shlex.split(command), catch_exceptions=False) for command in said]
    assert [result.output for result in results if result.exit_code] == []
    lower, scored, ties, chosen, slices = (json.loads(result.stdout) for result in results[len(commands) + 1 :])
    [figure] = [r for r in lower["rows"] if (r["measure"], r["slice"]) == ("recall@1", "all")]
    assert 0.3 < figure["value"] < 0.9
    measure = "precision(protocol=current-only,set=long-texts)@1"
    assert {row["measure"] for row in scored["rows"]} == {measure}
    assert {"all", "has-digit", "initial=c"} < {row["slice"] for row in scored["rows"]}
    assert all(row["key"].split("|")[1] == measure and 0 <= (row["value"] or 0) <= 1 for row in scored["rows"])
    assert [row["measure"] for row in ties["rows"]] == ["recall(ties=half)@1", "recall(gold=pairs,set=long-texts)@1"]
    assert chosen["scenario"]["name"] == "triage"
    assert ({chosen["suits"]} if chosen["suits"] else set(chosen["open"])) <= {"exact", "tfidf"}
    assert chosen["reasons"]
    own = [row for row in slices["slices"] if row["name"] in ("has-digit", "initial")]
    assert [row["kind"] for row in own] == ["slice", "grouping"]
    *_, why = linkassay.explain("dm", kb="mini", linker="shortest")
    assert why == {"what": "length of the primary name", "first": 15, "second": 17, "gain": 2}


def test_the_linker_of_the_guide_that_is_kept_in_files(home: Path, tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", guide, re.S)
    plain, kept = (next(code for code in examples if f"class {name}:" in code) for name in ("Lower", "Kept"))
    file = tmp_path / "mylinker.py"
    file.write_text(f"{plain}\n\n{kept}", encoding="utf-8")
    runs = [linkassay.link(f"{file}:{name}", "mini") for name in ("Lower", "Kept")]
    said = [{p.mention: {(frozenset(ids)) for ids in p.groups} for p in run.predictions()} for run in runs]
    assert said[0] == said[1]
    assert [name.partition("-")[0] for name in runs[1].about["prepared"]] == ["kept"]


def test_the_guide_on_extending_names_every_group() -> None:
    """Of each kind of plug-in there is an example or a line in a table."""
    guide = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    tables = (CORPORA, DOCUMENT_FORMATS, KBS, LINKERS, MEASURES, PROTOCOLS, SCENARIOS, SETS, SLICES, TIES)
    assert [each.kind for each in tables if f"linkassay.{each.kind.replace(' ', '_')}" not in guide] == []


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
        ("results.json.gz", real / "belb/gnormplus/gnormplus/native_with_gold.json.gz"),
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


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", text)
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_files_that_are_named_exist(page: str) -> None:
    """Modules and folders, from the root, from `src` or from the package; and what a module is said to have."""
    text = (ROOT / page).read_text(encoding="utf-8")
    places = (ROOT, ROOT / "src", ROOT / "src" / "linkassay", (ROOT / page).parent)
    named = set(re.findall(r"`((?:[\w.-]+/)+[\w-]+\.(?:py|js|toml))`", text))
    named |= set(re.findall(r"(?<!\w)((?:src|tests|docs|bench)/[\w./-]*\w/?)", text))
    named |= {path for path in re.findall(r"`((?:\w+/)+)`", text) if path.partition("/")[0] in ("linkassay", *_rooms())}
    real = {path for path in named if not re.search(r"[A-Z]{3}", path)}  # WORK.toml stands for several
    assert {path for path in real if not any((place / path).exists() for place in places)} == set()
    for name, module in re.findall(r"`(\w+)` of `((?:\w+/)*\w+)\.py`", text):
        assert hasattr(_loaded(f"linkassay.{module.replace('/', '.').removesuffix('.__init__')}"), name), (module, name)


def _rooms() -> list[str]:
    return [path.parent.name for path in (ROOT / "src" / "linkassay").glob("*/__init__.py")]


@pytest.mark.filterwarnings("error::DeprecationWarning")  # an old name is none
@pytest.mark.parametrize("page", PAGES)
def test_names_of_ours_that_are_named_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    groups = {f"linkassay.{kind}" for kind in _kinds()}  # of entry points
    missing = []
    for name in sorted(set(re.findall(r"(?<![\w./@-])linkassay(?:\.\w+)+", text)) - groups):
        try:
            _loaded(name)
        except (AttributeError, ImportError) as error:
            missing.append(f"{name}: {error}")
    for module, names in re.findall(r"from (linkassay[\w.]*) import ([\w, ]+)", text):
        missing += [f"{module}: {name}" for name in names.split(", ") if not hasattr(_loaded(module), name.split()[0])]
    assert missing == []


def _loaded(name: str) -> Any:
    """A module, or what is in one, by its dotted name."""
    found: Any = importlib.import_module("linkassay")
    for part in name.split(".")[1:]:
        if not hasattr(found, part) and hasattr(found, "__path__"):
            importlib.import_module(f"{found.__name__}.{part}")
        found = getattr(found, part)
    return found


def _kinds() -> set[str]:
    """Kinds of things that another package may add."""
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "src" / "linkassay").rglob("*.py"))
    return {kind.replace(" ", "_") for text in texts for kind in re.findall(r"Registry\(\s*\"([\w ]+)\"", text)}


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
