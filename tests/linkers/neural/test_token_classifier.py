"""Mentions by a token classifier (COMP-2), on tiny models whose weights say what each word is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkassay.errors import LinkassayError, UsageError
from linkassay.linkers.neural.token_classifier import Token, TokenClassifier, mentions_of
from linkassay.model import Document
from linkassay.runs import LinkRequest
from linkassay.runs.execute import link
from tests.linkers.neural.models import tiny_model

LABELS = ["O", "B-Disease", "I-Disease"]


def classifier(folder: Path, labels: list[str] = LABELS, **wanted: str) -> Path:
    """A model that gives each word of its vocabulary the label `wanted`, and all others the first: by its embedding."""
    import torch
    from transformers import BertConfig, BertForTokenClassification, BertTokenizerFast

    tiny_model(folder)
    words = (folder / "vocab.txt").read_text(encoding="utf-8").split()
    config = BertConfig.from_pretrained(folder, num_hidden_layers=0, id2label=dict(enumerate(labels)))
    model = BertForTokenClassification(config)
    with torch.no_grad():
        for weights in model.parameters():
            weights.zero_()
        model.bert.embeddings.LayerNorm.weight.fill_(1.0)
        for number, word in enumerate(words):
            model.bert.embeddings.word_embeddings.weight[number, labels.index(wanted.get(word, labels[0]))] = 1.0
        for number in range(len(labels)):
            model.classifier.weight[number, number] = 1.0
    model.save_pretrained(folder)
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return classifier(
        tmp_path_factory.mktemp("classifier") / "ner", skin="B-Disease", disease="I-Disease", breast="B-Disease"
    )


def found(model: Path, text: str) -> list[tuple[str, str]]:
    (marks,) = TokenClassifier(str(model)).annotate([Document("d", text, ())], 10)
    return [(text[slice(*mark.spans[0])], mark.type) for mark in marks]


def test_mentions_are_where_labels_say(model: Path) -> None:
    text = "The Skin disease, type breast of skin.  Disease of the skin disease"
    assert found(model, text) == [
        ("Skin disease", "disease"), ("breast", "disease"), ("skin", "disease"), ("Disease", "disease"),
        ("skin disease", "disease"),
    ]  # fmt: skip
    assert found(model, "of the type") == []
    assert found(model, "") == []


def test_a_sentence_longer_than_the_model_takes_is_read_to_its_end(model: Path) -> None:
    text = "of " * 150 + "skin disease " + "the " * 150 + "breast"
    assert found(model, text) == [("skin disease", "disease"), ("breast", "disease")]


@given(st.lists(st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y"]), max_size=12))
def test_labels_as_a_slow_reading_has_them(labels: list[str]) -> None:
    text = "ab " * len(labels)
    tokens = [Token(3 * n, 3 * n + 2, label, True) for n, label in enumerate(labels)]
    wanted: list[tuple[tuple[int, int], str]] = []
    at = 0
    while at < len(labels):
        if labels[at] == "O":
            at += 1
            continue
        kind, last = labels[at][2:], at
        while last + 1 < len(labels) and labels[last + 1] == f"I-{kind}":
            last += 1
        wanted.append(((3 * at, 3 * last + 2), kind.lower()))
        at = last + 1
    assert mentions_of(tokens, text) == wanted


def test_the_first_piece_of_a_word_decides(model: Path) -> None:
    pieces = [Token(0, 4, "B-X", True), Token(4, 8, "O", False), Token(9, 10, "I-X", True), Token(10, 12, "B-X", False)]
    assert mentions_of(pieces, "skinless ofe") == [((0, 12), "x")]


def test_a_run_of_spotted_mentions(model: Path, home_with_mini: Path) -> None:
    run, _ = link(LinkRequest("exact", "mini", options={"spot": f"ner:{model}"}))
    assert run.system == "ner.ner+exact"
    assert run.about["parameters"]["spot"] == "ner:ner"
    assert len(run.about["parameters"]["spot_sha256"]) == 64
    assert any("disease" in str(each.type) for each in run.predictions())


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: classifier(folder, ["LABEL_0", "LABEL_1"]), "none of its labels is 'O'"),
        (tiny_model, "lacks 2 of the weights"),
        (lambda folder: folder.mkdir(), "has no config.json"),
    ],
)
def test_what_is_no_token_classifier(tmp_path: Path, spoil: Any, said: str) -> None:
    spoil(tmp_path / "model")
    with pytest.raises(UsageError, match=said):
        found(tmp_path / "model", "skin")


def test_a_model_that_was_changed(model: Path) -> None:
    with pytest.raises(LinkassayError, match="has been changed since the run was begun"):
        TokenClassifier(str(model), "0" * 64).annotate([Document("d", "skin", ())], 10)
