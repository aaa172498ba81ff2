"""The search by lists (NEURAL-5), held to the exact one; and dense alias with it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from linkassay import store
from linkassay.cli import app
from linkassay.errors import LinkassayError, UsageError
from linkassay.linkers.neural import approximate
from linkassay.linkers.neural.approximate import Approximate, opened_search, search_of, store_search
from linkassay.linkers.neural.dense_alias import DenseAlias
from linkassay.linkers.neural.nearest import SAME, Nearest
from linkassay.runs import Run
from linkassay.store import MappedFolder
from tests.linkers.neural.test_nearest import slow, unit


def clustered(seed: int, count: int, width: int = 24) -> Any:
    draw = np.random.default_rng(seed)
    centres = draw.normal(size=(max(1, count // 20), width))
    return unit(centres[draw.integers(0, len(centres), count)] + 0.6 * draw.normal(size=(count, width)))


def looking_at_all(made: Approximate) -> Approximate:
    made.facts = made.facts._replace(lists_searched=made.facts.lists)
    return made


def same(found: Any, expected: Any) -> None:
    for (numbers, scores), (others, their_scores) in zip(found, expected, strict=True):
        assert numbers.tolist() == others.tolist()
        assert scores.tolist() == their_scores.tolist()


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 90), st.integers(1, 4), st.integers(1, 30), st.booleans(), st.booleans())
def test_all_lists_are_the_exact_search(seed: int, count: int, width: int, top: int, some: bool, further: bool) -> None:
    """Coordinates are small whole numbers: many vectors are equal, or equally near."""
    draw = np.random.default_rng(seed)
    rows = draw.integers(-2, 3, (count, width)) + 0.0
    rows[np.abs(rows).sum(axis=1) == 0] = 1
    rows = unit(rows)
    asked = unit(draw.integers(1, 4, (3, width)))
    allowed = draw.random(count) < 0.5 if some else None
    cut = int(draw.integers(0, count)) if further else 0
    found = looking_at_all(Approximate.of(Nearest(np.array_split(rows[cut:], 2))))
    order = np.roll(np.arange(count), -cut)  # further vectors are numbered after the others
    if further:
        found = found.with_further(rows[:cut])
    assert len(found) == count
    answers = found.search(asked, top, None if allowed is None else allowed[order])
    same(answers, Nearest([rows[order]]).search(asked, top, None if allowed is None else allowed[order]))


def test_many_dimensions_and_all_lists() -> None:
    """A byte for each number puts some into another order, which comparing again puts right."""
    rows, asked = clustered(1, 4000, 96), clustered(2, 40, 96)
    rows[7] = rows[3000] = rows[50]
    found = looking_at_all(Approximate.of(Nearest([rows[:1500], rows[1500:]])))
    same(found.search(asked, 10), Nearest([rows]).search(asked, 10))
    [(numbers, scores)] = found.search(rows[50:51], 1)
    assert numbers.tolist() == [7, 50, 3000]
    assert len({*scores.tolist()}) == 1


def test_all_that_are_tied_with_the_last_are_there() -> None:
    """Also where they are more than were looked at first."""
    rows = clustered(3, 600)
    rows[100:500] = rows[0]
    [(numbers, _)] = Approximate.of(Nearest([rows])).search(rows[:1], 2)
    assert numbers.tolist() == [0, *range(100, 500)]


def test_as_many_as_are_asked_for_of_few_that_are_allowed() -> None:
    rows, asked = clustered(4, 3000), clustered(5, 5)
    allowed = np.zeros(3000, dtype=bool)
    allowed[::250] = True
    found = Approximate.of(Nearest([rows]))
    assert found.facts.lists_searched < found.facts.lists
    for top, number in ((5, 5), (12, 12), (40, 12)):
        for numbers, _ in found.search(asked, top, allowed):
            assert len(numbers) == number
            assert allowed[numbers].all()
    same(found.search(asked, 12, allowed), Nearest([rows]).search(asked, 12, allowed))
    assert [len(numbers) for numbers, _ in found.search(asked, 3, np.zeros(3000, dtype=bool))] == [0] * 5


def test_the_recall_that_is_told_is_what_a_slow_search_finds() -> None:
    """Of the ten nearest others of some names; those that are as near as the tenth count as it."""
    rows = clustered(6, 2500)
    made = Approximate.of(Nearest([rows[:1000], rows[1000:]]))
    facts = made.facts
    drawn = np.sort(np.random.default_rng(23).choice(2500, 512, replace=False))[1::2]
    assert (facts.names, facts.measured_on) == (2500, len(drawn))
    right = 0
    for number in drawn.tolist():
        others = np.arange(2500) != number
        tenth = slow(rows, rows[number], 10, others)[9][1]
        [(numbers, scores)] = made.search(rows[number : number + 1], 11)
        right += int((scores[numbers != number][:10] >= tenth - SAME).sum())
    assert facts.recall_at_10 == round(right / 2560, 4)
    assert 0.97 < facts.recall_at_10 <= 1
    assert 1 <= facts.lists_searched < facts.lists == 256
    # With half as many lists those by which it was chosen would not have been found.
    made.facts = facts._replace(lists_searched=facts.lists_searched // 2)
    fewer = np.sort(np.random.default_rng(23).choice(2500, 512, replace=False))[::2]
    if facts.lists_searched > 1:
        best, ours = (made._ten(search, fewer) for search in (Nearest([rows]), made))
        assert approximate._recall(best, ours) < 0.99


def test_stored_and_opened_again(tmp_path: Path) -> None:
    """The same bytes each time, and the same answers, whatever else is asked."""
    rows, asked = clustered(7, 2000), clustered(8, 30)
    files = []
    for name in "ab":
        (tmp_path / name).mkdir()
        files.append(MappedFolder(tmp_path / name))
        made = Approximate.of(Nearest([rows]))
        store_search(made, files[-1])
    assert (tmp_path / "a/lists.faiss").read_bytes() == (tmp_path / "b/lists.faiss").read_bytes()
    opened = opened_search([rows], files[0])
    assert isinstance(opened, Approximate)
    assert opened.facts == made.facts
    same(opened.search(asked, 10), made.search(asked, 10))
    same([opened.search(each[None], 10)[0] for each in asked], made.search(asked, 10))


def test_a_search_without_lists_is_stored_as_that(tmp_path: Path) -> None:
    files, rows = MappedFolder(tmp_path), clustered(9, 30)
    store_search(search_of([rows], "auto"), files)
    assert isinstance(opened_search([rows], files), Nearest)
    assert files.record("about") == {}


def test_what_nothing_is_said_of_goes_by_size(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = clustered(10, 60)
    monkeypatch.setattr(approximate, "_EXACT", 50)
    found = [type(search_of([rows[:count]], wanted)) for count, wanted in (
        (50, "auto"), (51, "auto"), (51, "exact"), (1, "faiss"), (0, "faiss"),
    )]  # fmt: skip
    assert found == [Nearest, Approximate, Nearest, Approximate, Nearest]
    monkeypatch.setitem(sys.modules, "faiss", None)
    monkeypatch.setattr(approximate, "find_spec", lambda name: None)
    assert isinstance(search_of([rows], "auto"), Nearest)


@pytest.mark.parametrize("damage", ["short", "other", "junk", "of others", "gone", "empty", "no facts"])
def test_a_damaged_file_is_said(tmp_path: Path, damage: str) -> None:
    rows, files, file = clustered(11, 500), MappedFolder(tmp_path), tmp_path / "lists.faiss"
    store_search(Approximate.of(Nearest([rows])), files)
    whole = file.read_bytes()
    if damage == "no facts":
        files.put_record("about", {"nearest": "faiss", "names": 500})
    elif damage == "of others":
        rows = clustered(11, 500, 25)
    elif damage == "gone":
        file.unlink()
    else:
        file.write_bytes({"short": whole[:-9000], "other": b"IxFI" + whole[4:], "empty": b"",
                          "junk": whole[:16] + bytes(255 for _ in whole[16:])}[damage])  # fmt: skip
    with pytest.raises(LinkassayError, match=r"lists\.faiss: cannot be read \(.*\); remove its folder"):
        opened_search([rows], files)


def test_without_faiss_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(approximate, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"nearest=faiss needs an extra: pip install 'linkassay\[faiss\]'"):
        DenseAlias(nearest="faiss")
    store_search(Approximate.of(Nearest([clustered(12, 30)])), MappedFolder(tmp_path))
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(UsageError, match="needs an extra"):
        opened_search([clustered(12, 30)], MappedFolder(tmp_path))


def test_a_way_that_is_not_known() -> None:
    with pytest.raises(UsageError, match="nearest is auto, exact or faiss, not 'hnsw'"):
        DenseAlias(nearest="hnsw")


@pytest.mark.parametrize("order", ["torch, faiss", "faiss, torch"])
def test_faiss_and_torch_in_one_process(order: str) -> None:
    """Each brings an OpenMP of its own."""
    code = (
        f"import {order}\nimport numpy as np\n"
        "from linkassay.linkers.neural.approximate import Approximate\n"
        "from linkassay.linkers.neural.nearest import Nearest\n"
        "torch.set_num_threads(2)\nfaiss.omp_set_num_threads(2)\n"
        "rows = np.random.default_rng(0).normal(size=(3000, 32)).astype('f')\n"
        "rows /= np.linalg.norm(rows, axis=1, keepdims=True)\n"
        "for _ in range(3):\n"
        " made = Approximate.of(Nearest([rows]))\n"
        " given = torch.from_numpy(rows)\n"
        " assert (given @ given.T).argmax(1).tolist() == list(range(3000))\n"
        " assert all(n[0] == k for k, (n, _) in enumerate(made.search(rows[:50], 1)))\n"
        "print(faiss.omp_get_max_threads(), torch.get_num_threads())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=240)
    assert (done.returncode, done.stdout) == (0, "2 2\n"), done.stderr


# ---- dense alias


def command(*arguments: str) -> Any:
    result = CliRunner().invoke(app, [*arguments, "--device", "cpu"])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.usefixtures("home_with_mini")
def test_dense_alias_by_lists(tiny: Path) -> None:
    """On so few names the lists lose next to nothing; `prepare` and run tell how much, and two workers do the same."""
    model = ["--model", str(tiny)]
    said = command("prepare", "sapbert", "--kb", "mini", *model, "--option", "nearest=faiss")
    assert "; lists 256, lists_searched " in said
    assert ", nearest faiss, recall_at_10 0.9" in said
    [folder] = (store.home() / "linkers").iterdir()
    lists = (folder / "lists.faiss").read_bytes()
    told = store.read_json(folder / "manifest.json")["about"]
    assert told["recall_at_10"] > 0.95
    runs = {}
    for name, options in {
        "exact": ["--option", "nearest=exact"], "faiss": ["--option", "nearest=faiss"],
        "names": ["--option", "nearest=faiss", "--option", "training_names=true"],
        "two": ["--option", "nearest=faiss", "--again", "--workers", "2"],
    }.items():  # fmt: skip
        runs[name] = json.loads(command("link", "sapbert", "mini", *model, *options, "--json"))
        runs[name]["bytes"] = (Path(runs[name]["path"]) / "predictions.parquet").read_bytes()
    assert runs["faiss"]["parameters"]["nearest"] == "faiss"
    assert runs["faiss"]["prepared"] == [folder.name]
    assert runs["faiss"]["about_prepared"] == {folder.name: told}
    assert "about_prepared" not in runs["exact"]
    assert runs["faiss"]["path"] == runs["two"]["path"] != runs["exact"]["path"]
    assert runs["faiss"]["bytes"] == runs["two"]["bytes"]
    assert runs["names"]["prepared"][0] == folder.name
    both = [Run(Path(runs[name]["path"])).predictions() for name in ("exact", "faiss")]
    answers = [{each.mention: each.groups for each in predictions} for predictions in both]
    alike = sum(answers[0][mention][:1] == answers[1][mention][:1] for mention in answers[0])
    assert alike >= 0.97 * len(answers[0])
    assert (folder / "lists.faiss").read_bytes() == lists


@pytest.mark.usefixtures("home_with_mini")
def test_a_damaged_index_is_made_again(tiny: Path) -> None:
    arguments = ["prepare", "sapbert", "--kb", "mini", "--model", str(tiny), "--option", "nearest=faiss"]
    command(*arguments)
    [file] = (store.home() / "linkers").glob("*/lists.faiss")
    whole = file.read_bytes()
    file.write_bytes(whole[:-100] + bytes(100))
    assert "nothing to do" not in command(*arguments)
    assert file.read_bytes() == whole
    assert "nothing to do" in command(*arguments)
