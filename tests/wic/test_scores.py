"""Words in context (WIC-18 to WIC-25): scores, agreement of annotators, and baselines whose cut never sees test."""

from __future__ import annotations

import csv
import dataclasses
import json
import re
import shlex
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from linkassay.cli import app
from linkassay.errors import DataError, LinkassayError, UsageError
from linkassay.published import biowic as published
from linkassay.wic import pair_files, scores, sheet
from linkassay.wic.baselines.network import Logistic, Mlp
from linkassay.wic.baselines.protocol import blind, run_baseline, threshold
from linkassay.wic.baselines.simple import Random, Term
from linkassay.wic.baselines.static import Static
from linkassay.wic.baselines.vectors import averages, read_vectors, tokens
from tests.conftest import ROOT
from tests.helpers import raw


def made(n: int, seed: int = 1, **changes: Any) -> list[pair_files.TermPair]:
    """Pairs about warm and cold things: the same if both sentences are of the same kind."""
    dice = np.random.default_rng(seed)
    words = {True: ["fever", "hot", "sun", "warm"], False: ["ice", "snow", "frost", "winter"]}
    pairs = []
    for number in range(n):
        label = bool(number % 2)
        kinds = dice.random() < 0.5, label
        first, second = kinds[0], kinds[0] == label
        one = f"a cold {' '.join(dice.choice(words[first], 3))} {number}"
        two = f"the colds {' '.join(dice.choice(words[second], 3))} {seed}"
        group = ["term_identity", "synonyms"][number // 2 % 2]
        pairs.append(
            pair_files.TermPair("cold", "colds", one, two, (2, 6), (4, 9), group, label, f"{seed}-{number}", **changes)
        )
    return pairs


def write(path: Path, pairs: list[pair_files.TermPair]) -> Path:
    path.write_text(pair_files.pairs_text(pairs), encoding="utf-8")
    return path


def flipped(pairs: list[pair_files.TermPair]) -> list[pair_files.TermPair]:
    """Other labels, entities and groups: nothing that a system may look at."""
    return [
        dataclasses.replace(p, label=not p.label, entity1="x:1", entity2="x:2", category="abbreviations") for p in pairs
    ]


@settings(max_examples=200)
@given(st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9]), st.booleans()), min_size=1, max_size=12))
def test_the_cut_is_the_best_there_is(rows: list[tuple[float, bool]]) -> None:
    def right(cut: float) -> int:
        return sum((value >= cut) == label for value, label in rows)

    cut = threshold([value for value, _ in rows], [label for _, label in rows])
    values = sorted({value for value, _ in rows})
    assert right(cut) == max(map(right, [*values, 2.0]))
    assert all(right(value) < right(cut) for value in values if value < cut)  # the lowest of the best


class Spy:
    """A baseline that keeps what it is shown."""

    cut = 0.5

    def fit(self, train: Any, dev: Any) -> None:
        self.fitted = [*train, *dev]

    def scores(self, pairs: Any) -> Any:
        self.shown = pairs
        return np.zeros(len(pairs))


def test_labels_of_test_are_never_shown() -> None:
    spy, test = Spy(), made(6, 3, entity1="e:1", entity2="e:2")
    run_baseline(spy, made(4), made(4, 2), test)
    assert spy.shown == [blind(p) for p in flipped(test)]  # the same whatever the labels
    assert not {p.sentence1 for p in spy.fitted} & {p.sentence1 for p in test}


@pytest.mark.parametrize("make", [Random, Term, lambda: Static(epochs=3)], ids=["random", "term", "static"])
def test_labels_of_test_change_no_prediction(make: Any) -> None:
    train, dev, test = made(80), made(40, 2), made(40, 3)
    one, other = (run_baseline(make(), train, dev, each) for each in (test, flipped(test)))
    assert one.cut == other.cut
    assert (one.scores == other.scores).all()


def test_the_network_learns_what_no_line_divides() -> None:
    dice = np.random.default_rng(0)
    rows = dice.normal(size=(600, 2))
    labels = (rows[:, 0] * rows[:, 1]) > 0
    network = Mlp(epochs=40).fit(rows[:400], labels[:400])
    assert ((network.scores(rows[400:]) > 0.5) == labels[400:]).mean() > 0.93
    again = Mlp(epochs=40).fit(rows[:400], labels[:400])
    assert (network.scores(rows) == again.scores(rows)).all()
    line = Logistic().fit(rows[:400], labels[:400])
    assert ((line.scores(rows[400:]) > 0.5) == labels[400:]).mean() < 0.7


def test_logistic_regression_is_at_its_optimum() -> None:
    dice = np.random.default_rng(0)
    rows = dice.normal(size=(200, 3))
    labels = rows @ [1.0, -2.0, 0.5] + dice.normal(size=200) > 0.3
    fitted = Logistic().fit(rows, labels)
    x, w = fitted._features(rows), fitted._weights
    gradient = x.T @ (fitted.scores(rows) - labels) + np.array([1, 1, 1, 0]) * w
    assert np.abs(gradient).max() < 1e-5


def test_static_vectors_tell_warm_from_cold(tmp_path: Path) -> None:
    lines = [f"{w} {x} 1 0" for w, x in [("fever", 2), ("hot", 2), ("sun", 3), ("warm", 2), ("ice", -2), ("snow", -2),
                                         ("frost", -3), ("winter", -2), ("cold", 0), ("a", 0)]]  # fmt: skip
    (tmp_path / "v.txt").write_text("\n".join(lines) + "\n")
    test = made(100, 3)
    found = run_baseline(Static(str(tmp_path / "v.txt")), made(300), made(60, 2), test)
    assert (found.labels == [p.label for p in test]).mean() > 0.85


def test_vector_files() -> None:
    words = {"cold", "the flu", "flu"}
    glove = read_vectors(raw("v.txt", "cold 1 2\nthe flu 3 4\nother 5 6\ncold 9 9\n"), words)
    assert {w: v.tolist() for w, v in glove.items()} == {"cold": [1, 2], "the flu": [3, 4]}
    word2vec = read_vectors(raw("v.txt", "2 2\ncold 1 2\nflu 3 4\n"), words)
    assert {w: v.tolist() for w, v in word2vec.items()} == {"cold": [1, 2], "flu": [3, 4]}
    content = b"2 2\ncold " + struct.pack("<2f", 1, 2) + b"\nflu " + struct.pack("<2f", 3, 4) + b"\n"
    binary = read_vectors(raw("v.bin", content), words)
    assert {w: v.tolist() for w, v in binary.items()} == {"cold": [1, 2], "flu": [3, 4]}
    assert tokens("IL-2, n=3") == ["IL", "-", "2", ",", "n", "=", "3"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("v.txt", "cold 1 2\nflu 3\n", "v.txt:2: expected a word and 2 numbers, found 2 cells"),
        ("v.txt", "cold 1 x\n", "v.txt:1: expected 2 finite numbers after the word"),
        ("v.txt", "cold 1 nan\n", "v.txt:1: expected 2 finite numbers after the word"),
        ("v.bin", "hello\n", "v.bin: expected the number of words and of dimensions in the first line"),
        ("v.bin", "2 2\ncold abc", "v.bin: the file ends within a vector"),
    ],
)
def test_broken_vector_files(name: str, content: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        read_vectors(raw(name, content), {"cold", "flu"})
    assert str(error.value) == message


def test_vectors_for_none_of_the_words(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("other 1 2\n")
    with pytest.raises(UsageError, match="none of the words"):
        averages(str(tmp_path / "v.txt"), ["a cold"])


def test_figures_and_comparison_by_hand() -> None:
    pairs = made(8)
    gold = np.array([p.label for p in pairs])
    good, bad = gold.copy(), ~gold
    good[0], bad[1] = not good[0], gold[1]
    train = [dataclasses.replace(pairs[0], term1="Colds", term2="warm", sentence1="Colds", span1=(0, 5))]
    rows = {(r["system"], r["slice"]): r for r in scores.wic_figures({"good": good, "bad": bad}, pairs, train)}
    assert (rows["good", "all"]["accuracy"], rows["good", "all"]["right"], rows["good", "all"]["n"]) == (0.875, 7, 8)
    assert rows["good", "all"]["to_human"] == pytest.approx(0.075)
    assert rows["good", "all"]["kappa"] == pytest.approx(0.75)
    assert (rows["good", "term_identity"]["right"], rows["good", "term_identity"]["n"]) == (3, 4)
    assert (rows["good", "seen"]["n"], rows["good", "unseen"]["n"]) == (8, 0)  # "colds" is in train
    assert rows["good", "unseen"]["accuracy"] is None
    assert rows["good", "all"]["low"] <= 0.875 <= rows["good", "all"]["high"]
    [test] = scores.compare_systems({"good": good, "bad": bad}, pairs)
    assert (test["only_first"], test["only_second"], test["difference"]) == (6, 0, -0.75)
    assert test["mcnemar_p"] == test["mcnemar_p_holm"] == 0.03125
    assert test["kappa"] == pytest.approx(scores.kappa(good, bad))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('{"item": 2, "label": 1}', "x.jsonl:1: item 2: the data have items 0 to 1"),
        ('{"item": 0, "label": 1}\n{"item": 0, "label": 1}', "x.jsonl:2: item 0 occurs twice"),
        ('{"item": 0, "label": 3}', "x.jsonl:1: label of item 0: expected 0 or 1, found 3"),
        ('{"item": 0, "label": 1}', "x.jsonl: 1 of 2 items have no prediction, the first is item 1"),
        ('{"item": 0, "label": 1, "id": "other"}', "x.jsonl:1: item 0 is 1-0, not 'other': predictions of other data?"),
        ('{"label": 1}', "x.jsonl:1: value: 'item' is missing, found {\"label\": 1}"),
    ],
)
def test_broken_predictions(lines: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        scores.read_predictions(raw("x.jsonl", lines), made(2))
    assert str(error.value) == message


def test_general_wic_is_read() -> None:
    data = "cold\tN\t2-1\tHe had colds .\tA cold day .\n"
    files = [raw("train.data.txt", data), raw("train.gold.txt", "F\n")]
    [pair] = pair_files.read_pairs(files)
    assert (pair.term1, pair.term2, pair.label, pair.category) == ("colds", "cold", False, "wic")
    assert (pair.sentence1[slice(*pair.span1)], pair.sentence2[slice(*pair.span2)]) == ("colds", "cold")
    line = {"word": "cold", "sentence1": "Colds.", "sentence2": "A cold.", "start1": 0, "end1": 5, "start2": 2,
            "end2": 6, "label": True}  # fmt: skip
    [pair] = pair_files.read_pairs([raw("train.jsonl", json.dumps(line))])
    assert (pair.term1, pair.term2, pair.label) == ("Colds", "cold", True)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([("a.data.txt", "x")], "a.data.txt: its labels are missing: give a.gold.txt as well"),
        ([("a.gold.txt", "T")], "a.gold.txt: labels without their pairs: give the *.data.txt as well"),
        ([("a.data.txt", "c\tN\t0-0\tc\tc\n"), ("a.gold.txt", "T\nF\n")], "a.gold.txt: 2 labels for 1 pairs"),
        ([("a.data.txt", "c\tN\t0-5\tc\tc\n"), ("a.gold.txt", "T\n")],
         "a.data.txt:1: a sentence has no token at place 0-5"),
        ([("a.data.txt", "c\tN\tx\tc\tc\n"), ("a.gold.txt", "T\n")],
         "a.data.txt:1: expected two places such as 3-7, found 'x'"),
        ([("a.jsonl", '{"sentence1": "a", "sentence2": "b", "start1": 0, "end1": 9, "start2": 0, "end2": 1}')],
         "a.jsonl:1: span 0-9 lies outside sentence1 of 1 characters"),
    ],
)  # fmt: skip
def test_broken_general_wic(files: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(DataError) as error:
        pair_files.read_pairs([raw(*file) for file in files])
    assert str(error.value) == message


def test_subsets_share_what_is_asked() -> None:
    one, two = sheet.subsets(200, 100, 50, 2, seed=1)
    assert (len(set(one)), len(set(two)), len(set(one) & set(two))) == (100, 100, 50)
    assert sheet.subsets(200, 100, 50, 2, seed=1) == [one, two]
    assert sheet.subsets(200, 100, 50, 2, seed=2) != [one, two]
    with pytest.raises(UsageError, match="need 150 pairs, there are 149"):
        sheet.subsets(149, 100, 50, 2, seed=1)


def test_sheets_go_out_without_labels_and_come_back(home: Path, tmp_path: Path) -> None:
    pairs = made(40)
    pairs[0] = dataclasses.replace(pairs[0], sentence1="=cold()", span1=(1, 5))
    data = write(tmp_path / "test.json", pairs)
    out = tmp_path / "sheets"
    arguments = ["wic", "sheet", str(data), "--out", str(out), "--size", "20", "--shared", "10"]
    assert CliRunner().invoke(app, arguments, catch_exceptions=False).exit_code == 0
    again = CliRunner().invoke(app, arguments)
    assert isinstance(again.exception, UsageError)  # labels that people made are never overwritten
    sheets, expected = [], []
    for number in (1, 2):
        with (out / f"annotator{number}.tsv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        assert len(rows) == 20
        assert all(row["label"] == "" for row in rows)
        assert not any(cell.startswith("=") for row in rows for cell in row.values())
        wrong = 0
        for place, row in enumerate(rows):
            pair = pairs[int(row["item"])]
            assert "**cold**" in row["sentence1"]
            wrong += place < number
            row["label"] = str(int(pair.label != (place < number)))
        with (out / f"annotator{number}.tsv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, sheet.COLUMNS, delimiter="\t")
            writer.writeheader()
            writer.writerows(rows)
        sheets.append(str(out / f"annotator{number}.tsv"))
        expected.append(1 - wrong / 20)
    result = CliRunner().invoke(
        app, ["wic", "agreement", *sheets, "--data", str(data), "--json"], catch_exceptions=False
    )
    found = json.loads(result.stdout)
    assert [row["accuracy"] for row in found["annotators"]] == pytest.approx(expected)
    assert found["human_ceiling"] == pytest.approx(sum(expected) / 2)
    [between] = found["between"]
    assert between["n"] == 10
    assert 0 < between["kappa"] <= 1
    other = write(tmp_path / "other.json", made(40, 5))
    strange = CliRunner().invoke(app, ["wic", "agreement", *sheets, "--data", str(other)])
    assert isinstance(strange.exception, DataError)
    assert "other data" in str(strange.exception)


def test_a_sheet_without_all_labels_is_refused() -> None:
    pairs = made(2)
    name = scores.data_name(pairs)
    with pytest.raises(DataError, match="label '' of item 1: expected 1 or 0"):
        sheet.read_sheet(raw("a.tsv", f"item\tdata\tlabel\n0\t{name}\tT\n1\t{name}\t\n"), pairs)


def test_baselines_on_the_command_line(home: Path, tmp_path: Path) -> None:
    for split, seed in (("train", 1), ("dev", 2), ("test", 3)):
        write(tmp_path / f"{split}.json", made(40, seed))
    given_ = [f"--{split}={tmp_path / f'{split}.json'}" for split in ("train", "dev", "test")]
    outs = []
    for name in ("random", "term"):
        outs.append(str(tmp_path / f"{name}.jsonl"))
        result = CliRunner().invoke(app, ["wic", "baseline", name, *given_, "--out", outs[-1]], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        assert "human ceiling 0.80" in result.output
    arguments = ["wic", "score", *outs, "--data", str(tmp_path / "test.json"), "--json"]
    found = json.loads(CliRunner().invoke(app, arguments, catch_exceptions=False).stdout)
    assert {row["slice"] for row in found["rows"]} >= {"all", "term_identity", "seen", "unseen"}
    assert [row["first"] for row in found["tests"]] == ["random"]
    refused = CliRunner().invoke(app, ["wic", "baseline", "static", given_[2]])
    assert isinstance(refused.exception, LinkassayError)
    assert "no pairs in train" in str(refused.exception)
    unknown = CliRunner().invoke(app, ["wic", "baseline", "randm", given_[2]])
    assert "did you mean 'random'" in str(unknown.exception)


def test_published_figures_stand_beside_ours(home: Path) -> None:
    paper = published.published()
    assert {"citation", "protocol", "scope"} <= paper.keys()
    assert sum(each["seen"] + each["unseen"] for each in paper["seen"] if each["group"] != "all") == 2000
    assert [(e["seen"], e["unseen"]) for e in paper["seen"] if e["group"] == "all"] == [(1457, 543)]
    best = {e["system"]: (e["seen"], e["unseen"], e["wic"], e["all"]) for e in paper["accuracy"]}
    assert len(best) == 9
    assert best["BioBERT"] == (0.79, 0.67, 0.64, 0.76)
    folder = home / "wic" / paper["test"]
    folder.mkdir(parents=True)
    for system, train, seen in (("biobert", 17156, 1450), ("mine", 1000, 600)):
        rows = [{"slice": "all", "accuracy": 0.75, "n": 2000}, {"slice": "seen", "accuracy": 0.8, "n": seen}]
        (folder / f"{system}.json").write_text(json.dumps({"system": system, "about": {"train": train}, "rows": rows}))
    found = json.loads(CliRunner().invoke(app, ["reproduce", "biowic", "--json"], catch_exceptions=False).stdout)[
        "rows"
    ]
    [row] = [r for r in found if (r["system"], r["measure"], r["table"]) == ("BioBERT", "accuracy, all", "table 6")]
    assert (row["published"], row["ours"], row["difference"]) == (0.76, 0.75, -0.01)
    assert [r["ours"] for r in found if r["system"] == "mine"] == [0.75, 0.8]
    [row] = [r for r in found if (r["table"], r["measure"]) == ("table 5", "pairs, seen")]
    assert (row["published"], row["ours"], row["difference"]) == (1457, 1450, -7)


def test_the_page_on_words_in_context(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command of docs/words-in-context.md, in order."""
    monkeypatch.chdir(tmp_path)
    guide = (ROOT / "docs" / "words-in-context.md").read_text(encoding="utf-8")
    commands = re.findall(r"^linkassay (.*?)(?: {2,}#.*)?$", guide, re.M)
    assert len(commands) == 7
    for command in commands:
        result = CliRunner().invoke(app, shlex.split(command), catch_exceptions=False)
        assert result.exit_code == 0, (command, result.output)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item\tdata\tlabel\r0\tDATA\t1\r", ""),  # line ends of old
        ("item\tdata\tlabel\n0\tDA\rTA\t1\n", "one.tsv:"),
        ("item\tdata\tlabel\n0\tDATA\t" + "1" * 200_000 + "\n", "one.tsv:2: label '1111"),
        ("item\tdata\tlabel\n" + "9" * 5000 + "\tDATA\t1\n", "one.tsv:2: item '9999"),
        ("item\tdata\tlabel\n٣\tDATA\t1\n", "one.tsv:2: item '٣'"),
        ("item\tdata\tlabel\n0\n", "one.tsv:2: "),
        ('item\tdata\tlabel\n0\tDATA\t"1\n', ""),
    ],
)
def test_odd_sheets_are_data_errors(text: str, said: str) -> None:
    pairs = made(4)
    file = raw("one.tsv", text.replace("DATA", scores.data_name(pairs)))
    if not said:
        assert sheet.read_sheet(file, pairs) == {0: True}
        return
    with pytest.raises(DataError) as error:
        sheet.read_sheet(file, pairs)
    assert str(error.value).startswith(said)
    assert len(str(error.value)) < 300


def test_numbers_of_thousands_of_digits(tmp_path: Path) -> None:
    many = "9" * 5000
    with pytest.raises(DataError, match="expected two places such as 3-7"):
        list(pair_files.read_wic(raw("a.txt", f"w\tN\t{many}-1\ta b\tc d\n"), raw("gold.txt", "T\n")))
    with pytest.raises(DataError, match="expected the number of words and of dimensions"):
        read_vectors(raw("v.bin", f"{many} {many}\nword 1 2\n"), {"word"})
    assert list(read_vectors(raw("v.txt", f"{many} {many}\nword 1\n"), {"word"})) == ["word"]
