"""`bench`: one file of corpora × linkers × measures; failures stay in their cells, what is there is not run again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import linkassay
from linkassay.bench_files import summary_table
from linkassay.bench_files.plan import chosen_cells, read_plan
from linkassay.cli import app
from linkassay.errors import LinkassayError, UsageError
from linkassay.linkers import LINKERS
from linkassay.runs.stored_run import all_runs
from linkassay.scoring.disambiguation.measures import Measure
from tests.conftest import ROOT
from tests.killing import sweep
from tests.test_kill import assert_survives

MINI = """
report = "out/page.html"

[score]
measures = "recall@1"
by = "zero-shot"
resamples = 100

[[corpora]]
name = "mini"

[[linkers]]
linker = "exact"
"""

#: Linkers that misbehave, as a package that is installed beside linkassay.
PLUGIN = """
import os
from linkassay.linkers import Capabilities

class Unprepared:
    summary = "cannot be prepared"
    capabilities = Capabilities(links=True)
    def prepare(self, kb, train):
        raise RuntimeError("no model at hand")
    def link(self, queries, top):
        return [[] for _ in queries]

class Dying:
    summary = "takes its process down"
    capabilities = Capabilities(links=True)
    def prepare(self, kb, train):
        os._exit(9)
    def link(self, queries, top):
        return [[] for _ in queries]

class Chosen:
    summary = "says what it is told to"
    capabilities = Capabilities(links=True)
    def __init__(self, answer="mesh:D003924"):
        self.answer = answer
    def prepare(self, kb, train):
        pass
    def link(self, queries, top):
        return [[((self.answer,), 1.0)] for _ in queries]

class Stumbling(Chosen):
    summary = "fails on some documents"
    def link(self, queries, top):
        if any(sum(map(ord, query.document)) % 4 == 0 for query in queries):
            raise ValueError("too hard")
        return super().link(queries, top)
"""


@pytest.fixture
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "installed"
    about = folder / "misbehaving-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "misbehaving.py").write_text(PLUGIN)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: misbehaving\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[linkassay.linker]\nunprepared = misbehaving:Unprepared\ndying = misbehaving:Dying\n"
        "chosen = misbehaving:Chosen\nstumbling = misbehaving:Stumbling\n"
    )
    monkeypatch.syspath_prepend(folder)
    LINKERS.__dict__.pop("_plugins", None)
    yield
    LINKERS.__dict__.pop("_plugins", None)


def written(folder: Path, text: str = MINI) -> Path:
    file = folder / "b.toml"
    file.write_text(text, encoding="utf-8")
    return file


def bench(*arguments: str, code: int = 0) -> dict[str, Any]:
    result = CliRunner().invoke(app, ["bench", *arguments, "--json"], catch_exceptions=False)
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


# ---- what a file may say


def test_the_file_of_an_outside_systems_ids_lies_beside_the_bench_file(tmp_path: Path) -> None:
    text = MINI.replace('"exact"', '"command"')
    for how in ("options", "running"):
        plan = read_plan(written(tmp_path, f'{text}{how} = {{ ids = "lists/ids.json" }}\n'))
        assert plan.linkers[0].request.made_with["ids"] == str(tmp_path / "lists/ids.json")
    other = read_plan(written(tmp_path, MINI + 'options = { ids = "D1" }\n'))  # of a plug-in: not ours to read
    assert other.linkers[0].request.options == {"ids": "D1"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('tittle = "x"', "b.toml: unknown key 'tittle'; did you mean 'title'?"),
        ('[[corpora]]\nname = "mini"\nsplit = "test"', r"1: unknown key 'split'; did you mean 'splits'"),
        ('[[corpora]]\nname = "minni"', "unknown corpus 'minni'; did you mean 'mini'?"),
        ('[[linkers]]\nlinker = "exakt"', "unknown linker 'exakt'; did you mean 'exact'?"),
        ('[[linkers]]\nlinker = "exact"\ncorpora = "minni"', "'exact': unknown corpus 'minni'; did you mean 'mini'"),
        ('[[linkers]]\nname = "mine"', r"\[\[linkers\]\] 1: 'linker' is missing"),
        ('[[linkers]]\nlinker = "exact"\ntop = 0', "'top' must be a whole number from 1 on, not 0"),
        ('[[linkers]]\nlinker = "exact"\nstrict = 1', "'strict' must be true or false, not 1"),
        ('[linkers]\nlinker = "exact"', r"write \[\[linkers\]\], not \[linkers\]"),
        ('[score]\nby = ["type", "zero-shoot"]', "score: unknown slice 'zero-shoot'; did you mean 'zero-shot'"),
        ('[score]\nmeasures = "recal@1"', "score: unknown measure 'recal' in 'recal@1'; did you mean 'recall'"),
        ('[score]\nprotocols = "belb/stict"', "score: unknown protocol 'belb/stict'"),
        ('[score]\nsets = "globale"', "score: unknown set 'globale'; did you mean 'global'"),
        ('[score]\nexclude_ids = "lists/ids.txt"', "score: 'exclude_ids': excluded ids need a prefix.*lists/ids.txt"),
        ('[[linkers]]\nlinker = "exact"\noptions = { x = 2020-01-01 }', "1: options of linker 'exact' are texts"),
        ('[score]\nexclude_ids = ["D003924"]', "score: 'exclude_ids': excluded ids need a prefix.*D003924"),
        ('[[kbs]]\nname = "mesch"', "unknown kb 'mesch'; did you mean 'mesh'"),
        ('[[corpora]]\nname = "mini"\nsplits = ["tset"]', "corpus 'mini': unknown split 'tset'; did you mean 'test'"),
        ('[[corpora]]\nname = "mini"\nkb = "minni"', "corpus 'mini': unknown kb 'minni'; did you mean 'mini'"),
        ('[[linkers]]\nlinker = "exact"\nsynonyms = ["cheby"]', "'exact': unknown kb 'cheby'; did you mean 'chebi'"),
        ('[[kbs]]\nname = "mesh"\n[[kbs]]\nname = "mesh"', r"two \[\[kbs\]\] are called 'mesh'"),
        ('[[imports]]\nformat = "nativ"\nfiles = "x"\ncorpus = "mini"\nsystem = "s"', "unknown importer 'nativ'"),
        ('[[imports]]\nformat = "native"\nfiles = "x"\ncorpus = "mini"\nsystem = "s"\nsplit = "dev"',
         "mini is not run on split 'dev'"),
        ('[[corpora]]\nname = "mine"\nformat = "pubtator"', "own files are given as files"),
        ('[[corpora]]\nname = "mine"\nformat = "pubtater"\nfiles = {test = "x"}', "did you mean 'pubtator'"),
        ('[[corpora]]\nname = "mini"\ntypes = ["gene"]', "'types' is for own files; add 'format'"),
        ("title = ", "not valid TOML"),
        ('title = "empty"', "nothing to run"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_said_before_any_work(home: Path, tmp_path: Path, text: str, says: str) -> None:
    corpus = "" if "[[corpora]]" in text or "empty" in text else '\n[[corpora]]\nname = "mini"'
    linker = "" if "linkers]" in text or "empty" in text else '\n[[linkers]]\nlinker = "exact"'
    with pytest.raises(LinkassayError, match=says):
        read_plan(written(tmp_path, text + corpus + linker))
    assert not home.exists()


@pytest.mark.parametrize(
    "given", ['"ncbitaxon:10090, MESH:D003924"', '["ncbitaxon:10090", "MESH:D003924"]', '"lists/ids.txt"']
)
def test_excluded_ids_are_given_as_on_the_command_line(home: Path, tmp_path: Path, given: str) -> None:
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "ids.txt").write_text("ncbitaxon:10090\nMESH:D003924\n")
    (tmp_path / "bench.toml").write_text(MINI.replace("[score]", f"[score]\nexclude_ids = {given}"))
    plan = read_plan(tmp_path / "bench.toml")
    assert plan.score.exclude_ids == ("mesh:D003924", "ncbitaxon:10090")


def test_a_cell_asked_for_twice(home: Path, tmp_path: Path) -> None:
    with pytest.raises(LinkassayError, match="mini test × exact is asked for twice"):
        read_plan(written(tmp_path, MINI + '[[linkers]]\nlinker = "exact"\nabbreviations = "schwartz-hearst"\n'))
    named = MINI + '[[linkers]]\nlinker = "exact"\nabbreviations = "schwartz-hearst"\nname = "exact-sh"\n'
    assert [cell.system for cell in read_plan(written(tmp_path, named)).cells()] == ["exact", "exact-sh"]


def test_cells_and_restrictions(home: Path, tmp_path: Path) -> None:
    plan = read_plan(written(tmp_path, """
        [[corpora]]
        name = "mini"
        splits = ["dev", "test"]
        [[corpora]]
        name = "mini/disease"
        linkers = ["exact"]
        [[linkers]]
        linker = "exact"
        [[linkers]]
        linker = "tfidf"
        [[linkers]]
        linker = "house"
        corpora = ["mini/disease"]
        [[imports]]
        format = "native"
        files = "mine.jsonl"
        corpus = "mini"
        system = "mine"
    """))  # fmt: skip
    whole = ["mini dev × exact", "mini dev × tfidf", "mini test × exact", "mini test × tfidf", "mini test × mine",
             "mini/disease test × exact"]  # fmt: skip
    assert [str(cell) for cell in plan.cells()] == whole
    assert plan.imports[0].files == (tmp_path / "mine.jsonl",)  # relative to the file, wherever one stands
    assert [str(cell) for cell in chosen_cells(plan, ["exact", "mini", "mine"])] == [whole[0], whole[2], whole[4]]
    assert [str(cell) for cell in chosen_cells(plan, ["dev"])] == whole[:2]
    with pytest.raises(UsageError, match=r"--only exakt.*did you mean 'exact'"):
        chosen_cells(plan, ["exakt"])
    with pytest.raises(UsageError, match="no cell of all of these"):
        chosen_cells(plan, ["mine", "dev"])


# ---- what it does


@pytest.mark.usefixtures("no_pictures")
def test_only_what_is_missing_is_run(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path)
    [state] = bench(str(file), "--dry-run")["cells"]
    assert (state["state"], state["needs"]) == ("missing", "corpus mini")
    assert not home.exists()
    first = bench(str(file))
    [cell] = first["cells"]
    assert (cell["state"], cell["failed_documents"], first["failed"]) == ("done", 0, [])
    assert first["report"] == str(tmp_path / "out" / "page.html")
    expected = linkassay.score(linkassay.link("exact", "mini"), "recall@1", by=["zero-shot"], resamples=100).rows()
    assert [{k: v for k, v in row.items() if k not in ("split", "p_holm")} for row in first["rows"]] == expected
    file.write_text(MINI + '[[linkers]]\nlinker = "normalised"\n', encoding="utf-8")
    states = [cell["state"] for cell in bench(str(file), "--dry-run")["cells"]]
    assert states == ["there already", "missing"]
    began: list[dict[str, Any]] = []
    apart = linkassay.bench_files.runner.engine.apart  # type: ignore[attr-defined]
    monkeypatch.setattr(
        "linkassay.engine.apart", lambda function, arguments: (began.append(arguments), apart(function, arguments))
    )
    assert [cell["state"] for cell in bench(str(file))["cells"]] == ["there already", "done"]
    assert [arguments["request"]["linker"] for arguments in began] == ["normalised"]
    assert {cell["state"] for cell in bench(str(file))["cells"]} == {"there already"}
    assert len(began) == 1


@pytest.mark.usefixtures("plugins", "no_pictures")
def test_failures_stay_in_their_cells_and_are_shown(home: Path, tmp_path: Path) -> None:
    linkers = "".join(f'[[linkers]]\nlinker = "{name}"\n' for name in ("unprepared", "dying"))
    told = '[[linkers]]\nlinker = "chosen"\nname = "told"\noptions = { answer = "mesh:D006073" }\n'
    missing = '[[imports]]\nformat = "native"\nfiles = "none.jsonl"\ncorpus = "mini"\nsystem = "absent"\n'
    mute = '[[linkers]]\nlinker = "command"\nname = "mute"\noptions = { cmd = "false", exchange = "jsonl" }\n'
    result = bench(str(written(tmp_path, MINI + linkers + told + mute + missing)), code=1)
    assert [cell["state"] for cell in result["cells"]] == ["done", "failed", "failed", "done", "failed", "failed"]
    errors = {cell["linker"]: cell["error"] for cell in result["failed"]}
    assert errors["unprepared"] == "linker 'unprepared' could not be prepared: RuntimeError: no model at hand"
    assert "its process died" in errors["dying"]
    assert errors["mute"] == "every document failed, the first with: the command ended with exit status 1"
    assert errors["absent"] == f"no such file or folder: {tmp_path / 'none.jsonl'}"
    assert {group for p in linkassay.run("mini/told").predictions() for group in p.groups} == {("mesh:D006073",)}
    page = (tmp_path / "out" / "page.html").read_text(encoding="utf-8")
    assert "no model at hand" in page
    lines = CliRunner().invoke(app, ["bench", str(tmp_path / "b.toml"), "--only", "unprepared"])
    assert lines.exit_code == 1
    assert "mini test × unprepared: linker 'unprepared' could not be prepared" in lines.output


@pytest.mark.usefixtures("no_pictures")
def test_a_corpus_that_cannot_be_had_fails_all_its_cells(home: Path, tmp_path: Path) -> None:
    other = '[[corpora]]\nname = "ncbi_disease"\nraw = "nowhere"\n'
    result = bench(str(written(tmp_path, MINI + other)), code=1)
    assert [cell["state"] for cell in result["cells"]] == ["done", "failed"]
    assert result["cells"][1]["error"] == f"no such file or folder: {tmp_path / 'nowhere'}"


@pytest.mark.usefixtures("no_pictures")
def test_own_data_and_predictions_of_others(home: Path, tmp_path: Path) -> None:
    """A corpus, a knowledge base and predictions of one's own, all beside the file."""
    (tmp_path / "aches.csv").write_text("code,label\n1,Pain\n2,Headache\n")
    (tmp_path / "aches.toml").write_text(
        'name = "aches"\nprefix = "ache"\ntype = "d"\nfiles = "aches.csv"\ndelimiter = ","\nid = "code"\n'
        'names = "label"\n'
    )
    (tmp_path / "train.txt").write_text("1|t|Pain again.\n1|a|\n1\t0\t4\tPain\td\t1\n")
    (tmp_path / "test.txt").write_text(
        "2|t|Headache or head pain.\n2|a|\n2\t0\t8\tHeadache\td\t2\n2\t12\t21\thead pain\td\t2\n"
    )
    (tmp_path / "said.jsonl").write_text('{"document": "2", "spans": [[12, 21]], "candidates": [["X2"]]}\n')
    (tmp_path / "ids.json").write_text('{"X2": "2"}')
    file = written(tmp_path, """
        [score]
        measures = ["recall@1", "coverage"]
        [[kbs]]
        name = "aches"
        description = "aches.toml"
        [[corpora]]
        name = "sore"
        format = "pubtator"
        files = { train = "train.txt", test = "test.txt" }
        kb = "aches"
        [[linkers]]
        linker = "exact"
        [[imports]]
        format = "native"
        files = "said.jsonl"
        corpus = "sore"
        system = "theirs"
        ids = "ids.json"
        prefix = "ache"
    """)  # fmt: skip
    result = bench(str(file))
    values = {(row["system"], row["measure"]): row["value"] for row in result["rows"]}
    assert values == {("exact", "recall@1"): 0.5, ("exact", "coverage"): 0.5,
                      ("theirs", "recall@1"): 0.5, ("theirs", "coverage"): 0.5}  # fmt: skip
    assert linkassay.corpus("sore").splits == ("train", "test")
    for arguments in ([], ["--dry-run"]):
        assert [c["state"] for c in bench(str(file), *arguments)["cells"]] == ["there already", "there already"]
    with (tmp_path / "test.txt").open("a") as more:
        more.write("\n3|t|Pain.\n3|a|\n3\t0\t4\tPain\td\t1\n")
    assert [cell.get("needs") for cell in bench(str(file), "--dry-run")["cells"]] == ["corpus sore", "corpus sore"]
    (tmp_path / "said.jsonl").unlink()
    (tmp_path / "aches.csv").write_text("code,label\n1,Pain\n")
    assert [cell.get("needs") for cell in bench(str(file), "--dry-run")["cells"]] == ["kb aches", "kb aches"]
    assert len(all_runs()) == 2


@pytest.fixture
def beside(shared: Path) -> Path:
    """The bench files of the project, if the real data lie where they say."""
    if not (ROOT.parent / "shared").is_dir():
        pytest.skip("no real data beside the project")
    return ROOT / "benchmarks"


@pytest.mark.parametrize("name", ["linkers.toml", "belb.toml"])
def test_the_files_of_our_bench_files_are_there(home: Path, beside: Path, name: str) -> None:
    plan = read_plan(beside / name)
    paths = [p for kb in plan.kbs.values() for p in kb.raw]
    for corpus in plan.corpora:
        paths += [*corpus.raw, *(path for files in corpus.files.values() for path in files)]
    paths += [p for given in plan.imports for p in (*given.files, *([given.ids] if given.ids else []))]
    assert [path for path in paths if not path.exists()] == []


def test_belb_from_its_bench_file(home: Path, beside: Path, tmp_path: Path) -> None:
    """From nothing: predictions of BELB's systems on what SR4GN recognised, as published (table 4)."""
    result = bench(str(beside / "belb.toml"), "--only", "linnaeus-belb", "-o", str(tmp_path / "page.html"))
    found = {row["system"]: round(row["value"], 4) for row in result["rows"] if row["measure"].endswith("standard)@1")}
    assert found == {"sr4gn": 0.9947, "biosyn": 0.9280, "genbioel": 0.8068, "arboel": 0.7445}


def test_a_corpus_and_a_knowledge_base_from_the_linkers_file(home: Path, beside: Path, tmp_path: Path) -> None:
    """A fresh data home obtains both: two folders with texts and BELB's split list, and Cellosaurus."""
    arguments = [str(beside / "linkers.toml"), "--only", "bioid,exact,test"]
    assert bench(*arguments, "--dry-run")["cells"][0]["needs"] == "corpus bioid"
    result = bench(*arguments, "-o", str(tmp_path / "page.html"))
    corpus = linkassay.corpus("bioid")
    assert [corpus.manifest["splits"][split]["documents"] for split in corpus.splits] == [400, 85, 85]
    [whole] = [row for row in result["rows"] if row["slice"] == "all" and row["measure"].endswith("@1")]
    assert 0.2 < whole["value"] < 0.9
    assert whole["n"] == sum(bool(m.gold) for d in corpus["test"] for m in d.mentions)


def test_several_corpora_in_one_report(home: Path, tmp_path: Path) -> None:
    file = written(tmp_path, MINI + '[[corpora]]\nname = "mini/disease"\nsplits = ["dev", "test"]\n')
    outcome = linkassay.bench(file)
    assert [(s.run.corpus, s.run.split) for s in outcome.scores] == [
        ("mini", "test"), ("mini/disease", "dev"), ("mini/disease", "test"),
    ]  # fmt: skip
    assert outcome.report == tmp_path / "out" / "page.html"
    table = outcome.table().text("md")
    assert table.count("\n") == 4
    assert "recall@1, zero-shot" in table


@pytest.mark.usefixtures("no_pictures")
def test_one_table_with_splits_side_by_side(home: Path, tmp_path: Path) -> None:
    file = written(tmp_path, """
        title = "Both"
        [score]
        measures = ["recall@1", "recall@10"]
        protocols = "bioel/basic"
        by = ["zero-shot"]
        [[corpora]]
        name = "mini/gene"
        splits = ["dev", "test"]
        [[linkers]]
        linker = "exact"
        [[linkers]]
        linker = "normalised"
    """)  # fmt: skip
    out = tmp_path / "table.md"
    rows = bench(str(file), "--write", str(out))["rows"]
    title, said, table, data = out.read_text(encoding="utf-8").strip().split("\n\n")
    assert title == "# Both"
    assert re.search(r"`linkassay bench b.toml`, \d{4}-\d\d-\d\d, linkassay \S+, linkers' code [0-9a-f]{12}\. ", said)
    head, _, *cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert head == ["corpus", "kb", "system", "dev recall@1", "test recall@1", "n", "test recall@10",
                    "test recall@1, zero-shot", "published"]  # fmt: skip
    assert [row[2] for row in cells] == ["exact", "normalised"]
    for row in cells:
        for split in ("dev", "test"):
            [found] = [r for r in rows if (r["split"], r["system"], r["slice"]) == (split, row[2], "all")
                       and r["measure"].endswith("@1") and "corpora" not in r["measure"]]  # fmt: skip
            shown = row[head.index(f"{split} recall@1")]
            assert shown == f"{found['value']:.3f} ({found['low']:.3f}–{found['high']:.3f})"
        assert row[head.index("n")] == str(found["n"])
    assert data.startswith("Data: `mini/gene@")


@pytest.mark.usefixtures("no_pictures", "plugins")
def test_a_row_says_how_many_documents_failed(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    linkers = '[[linkers]]\nlinker = "stumbling"\n'
    file = written(tmp_path, '[[corpora]]\nname = "mini"\nsplits = ["dev", "test"]\n' + linkers)
    plan, outcome = read_plan(file), linkassay.bench(file)
    corpus = linkassay.corpus("mini")
    hard = [sum(sum(map(ord, d.id)) % 4 == 0 and bool(d.mentions) for d in corpus[s]) for s in ("dev", "test")]
    assert min(hard) > 1
    said = [f"{split}: {n} documents failed" for split, n in zip(("dev", "test"), hard, strict=True)]
    assert [row["system"] for row in summary_table.table(plan, outcome)] == [f"stumbling ({'; '.join(said)})"]
    assert [row["system"] for row in outcome.table()] == [
        f"stumbling ({hard[0]} documents failed)", f"stumbling ({hard[1]} documents failed)",
    ]  # fmt: skip
    about = "edition of the knowledge base that the paper used"
    assert about not in summary_table.summary_page(plan, outcome)  # nothing is published of it
    monkeypatch.setattr(summary_table, "published", lambda *_: "arboEL 0.35 (belb 15)")
    assert about in summary_table.summary_page(plan, outcome)


def test_the_best_published_figures_stand_beside_ours(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = Measure.parse("recall(protocol=bioel/basic)@1")
    best = "GenBioEL 0.84 (belb 15), BioSyn 0.81 (belb 15), arboEL 0.8 (belb 15)"
    assert summary_table.published("ncbi_disease", ours) == best
    assert summary_table.published("mini", ours) == ""
    assert summary_table.published("gnormplus", ours) == (
        "arboEL 0.35 (belb 15), GenBioEL 0.2 (belb 15), BioSyn out of memory (belb 15)"
    )
    assert set(re.findall(r"\((\w+) ", summary_table.published("medmentions_st21pv", ours))) == {"belb"}
    assert set(re.findall(r"\((\w+) ", summary_table.published("medmentions_full", ours))) == {"bioel"}  # not of BELB
    assert "belb" not in summary_table.published("ncbi_disease", Measure.parse("recall(protocol=bioel/relaxed)@1"))
    again = {"inputs": {"all": {"sources": [{"file": "SPECIES_Test.PubTator"}]}}}
    monkeypatch.setattr("linkassay.published.literature._made", lambda name: again)
    assert summary_table.published("s800", ours).startswith("not comparable: GenBioEL 0.89 (belb 15), BioSyn 0.83")


def test_killed_at_any_moment_it_ends_as_if_it_had_not_been(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINKASSAY_HOME", str(tmp_path / "prepared"))
    linkassay.get("mini")
    result = sweep(
        ["bench", str(written(tmp_path)), "-o", "page.html"], tmp_path / "sweep", tmp_path / "prepared", limit=6
    )
    assert_survives(result, at_least=5)
