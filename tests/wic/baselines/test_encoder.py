"""The encoder baseline: fine-tuning with a model made here, and the measured accuracy of a real one on BioWiC."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linkassay.errors import UsageError
from linkassay.files import expand_paths
from linkassay.wic import pair_files, scores
from linkassay.wic.baselines.encoder import Encoder
from linkassay.wic.baselines.protocol import run_baseline
from tests.wic.test_scores import flipped, made


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Several would wait for each other where other tests run beside these, and cost twice the time."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A BERT of a few thousand weights, whose words are those of the made-up pairs."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizer

    folder = tmp_path_factory.mktemp("tiny")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", '"', "a", "the", "cold", "colds", "fever", "hot", "sun",
             "warm", "ice", "snow", "frost", "winter"]  # fmt: skip
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    torch.manual_seed(0)
    config = BertConfig(vocab_size=len(words), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                        intermediate_size=32, max_position_embeddings=64)  # fmt: skip
    BertModel(config).save_pretrained(folder / "bert")
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder / "bert")
    transformer = Transformer(str(folder / "bert"))
    pooling = Pooling(16)
    SentenceTransformer(modules=[transformer, pooling], device="cpu").save(str(folder / "model"))
    return str(folder / "model")


@pytest.mark.parametrize("method", ["cosine", "logistic", "finetune"])
def test_labels_of_test_change_no_prediction(tiny: str, method: str) -> None:
    train, dev, test = made(40), made(20, 2), made(20, 3)
    one, other = (run_baseline(Encoder(tiny, method, rate=1e-3), train, dev, each) for each in (test, flipped(test)))
    assert one.cut == other.cut
    assert (one.scores == other.scores).all()


def test_fine_tuning_learns_and_keeps_the_best_epoch(tiny: str) -> None:
    train, dev, test = made(200), made(60, 2), made(100, 3)
    gold = np.array([p.label for p in test])
    frozen = run_baseline(Encoder(tiny), [], dev, test)
    tuned = run_baseline(Encoder(tiny, "finetune", epochs=8, rate=1e-2, batch=16), train, dev, test)
    assert (frozen.labels == gold).mean() < 0.85
    assert (tuned.labels == gold).mean() > 0.9


def test_marks_change_what_the_encoder_sees(tiny: str) -> None:
    test = made(10, 3)
    quotes, none = (run_baseline(Encoder(tiny, mark=mark), [], made(20, 2), test).scores for mark in ("quotes", "none"))
    assert (quotes != none).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [({"method": "guess"}, "--method is one of cosine, logistic, finetune"), ({"mark": "bold"}, "--mark is one of"),
     ({"model": "no/such/folder"}, "cannot be loaded")],
)  # fmt: skip
def test_bad_requests(options: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UsageError, match=message):
        Encoder(**options)


def test_without_training_pairs_there_is_no_training(tiny: str) -> None:
    for method in ("logistic", "finetune"):
        with pytest.raises(UsageError, match="no pairs in train"):
            run_baseline(Encoder(tiny, method), [], made(4), made(4, 2))


#: Of every nth pair: the accuracy in each slice. All of them are those of issue 8; encoding them takes two minutes.
ACCURACY = {
    1: {"all": 0.672, "term_identity": 0.631, "abbreviations": 0.720, "synonyms": 0.676, "label_similarity": 0.765},
    5: {"all": 266 / 400, "term_identity": 110 / 172, "abbreviations": 21 / 31, "synonyms": 110 / 163,
        "label_similarity": 25 / 34},
}  # fmt: skip


@pytest.mark.timeout(900)  # much longer where other work goes on
def test_accuracy_on_the_published_test_set(shared: Path) -> None:
    """All-MiniLM-L6-v2, term in quotes, cosine, cut from dev. With LINKASSAY_ALL_PAIRS=1 on all pairs."""
    every = 1 if os.environ.get("LINKASSAY_ALL_PAIRS") else 5
    dev, test = (
        list(pair_files.read_biowic(expand_paths([shared / "corpora" / "biowic" / f"{s}.json.gz"])[0]))[::every]
        for s in ("dev", "test")
    )
    found = run_baseline(Encoder(), [], dev, test)
    rows = {row["slice"]: row for row in scores.wic_figures({"encoder": found.labels}, test)}
    for name, expected in ACCURACY[every].items():
        other = max(0.01, 1.01 / rows[name]["n"])  # a hundredth, or one pair
        assert rows[name]["accuracy"] == pytest.approx(expected, abs=other), name
