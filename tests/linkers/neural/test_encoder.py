"""Vectors of texts (NEURAL-2), held to what transformers gives one by one, and models that are none."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linkassay.errors import LinkassayError, UsageError
from linkassay.linkers.neural import Encoder, packaged_folder
from tests.linkers.neural.models import WORDS, tiny_model


def one_by_one(folder: Path, texts: list[str], mean: bool, tokens: int = 25) -> Any:
    """The slow way: each text by itself, as transformers does it."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    rows = []
    for text in texts:
        given = tokenizer(text, return_tensors="pt", truncation=True, max_length=tokens)
        with torch.inference_mode():
            states = model(**given).last_hidden_state[0]
        vector = states.mean(0) if mean else states[0]
        rows.append((vector / vector.norm()).numpy())
    return np.array(rows)


def texts_of(number: int) -> list[str]:
    draw = random.Random(number)
    return [" ".join(draw.choices([*WORDS, "b12", "nf-1"], k=draw.randint(0, 9))) for _ in range(number)]


@pytest.mark.parametrize("mean", [False, True])
def test_each_text_has_the_vector_that_it_has_alone(tiny: Path, mean: bool) -> None:
    """Whatever is asked beside it: no padding gets into it, long ones are cut, none changes places."""
    texts = ["", "breast cancer", *texts_of(300), "breast cancer", "the " * 60]
    found = Encoder(tiny, "cpu", pooling="mean" if mean else "cls").encode(texts)
    assert found.dtype == np.float32
    assert np.abs(found - one_by_one(tiny, texts, mean)).max() < 1e-5
    assert (found[1] == found[-2]).all()
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)


def test_how_many_tokens_count(tiny: Path) -> None:
    texts = ["breast cancer of the skin", "breast cancer of the type"]
    short, long = (Encoder(tiny, tokens=tokens).encode(texts) for tokens in (6, 7))
    assert (short[0] == short[1]).all()
    assert (long[0] != long[1]).any()
    for wrong in (2, 65, "7", True):
        with pytest.raises(UsageError, match="a whole number from 3 to 64"):
            Encoder(tiny, tokens=wrong)  # type: ignore[arg-type]


def test_no_texts(tiny: Path) -> None:
    assert Encoder(tiny).encode([]).shape == (0, 16)


def said_pooling(tiny: Path, tmp_path: Path, pooling: Any, modules: Any = None) -> Path:
    shutil.copytree(tiny, tmp_path / "own", dirs_exist_ok=True)
    (tmp_path / "own" / "1_Pooling").mkdir(exist_ok=True)
    (tmp_path / "own" / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    if modules:
        (tmp_path / "own" / "modules.json").write_text(json.dumps([{"type": f"x.{each}"} for each in modules]))
    return tmp_path / "own"


@pytest.mark.parametrize(
    ("said", "mean"),
    [
        ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False, "word_embedding_dimension": 16}, True),
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, False),
        ({"pooling_mode": "mean"}, True),
    ],
)
def test_the_pooling_is_what_the_folder_says(tiny: Path, tmp_path: Path, said: Any, mean: bool) -> None:
    own = said_pooling(tiny, tmp_path, said, ["Transformer", "Pooling", "Normalize"])
    assert np.abs(Encoder(own).encode(["breast cancer"]) - one_by_one(tiny, ["breast cancer"], mean)).max() < 1e-5


def test_a_pooling_that_is_not_known(tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r'asks for pooling \["max"\]; expected is cls or mean'):
        Encoder(said_pooling(tiny, tmp_path, {"pooling_mode_max_tokens": True}))
    own = said_pooling(tiny, tmp_path, {"pooling_mode": "mean"}, ["Transformer", "Pooling", "Dense"])
    with pytest.raises(UsageError, match="modules after its encoder that are not known here: Dense"):
        Encoder(own)
    assert Encoder(own, pooling="mean").width == 16
    with pytest.raises(UsageError, match="pooling is auto, cls or mean, not 'max'"):
        Encoder(tiny, pooling="max")


def test_weights_that_give_no_numbers(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    folder = tiny_model(tmp_path / "own")
    weights = load_file(folder / "model.safetensors")
    weights["encoder.layer.1.output.dense.bias"][3] = float("nan")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(LinkassayError, match=r"numbers that are not finite, e\.g\. for 'skin'"):
        Encoder(folder).encode(["skin"])


def test_weights_that_are_missing_are_not_made_up(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    folder = tiny_model(tmp_path / "own")
    weights = load_file(folder / "model.safetensors")
    kept = {name: weight for name, weight in weights.items() if ".layer.1." not in name and "pooler" not in name}
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UsageError, match=r"lacks 16 of the weights .*, e\.g\. encoder\.layer\.1\."):
        Encoder(folder)


def test_models_that_are_no_encoders(tiny: Path, tmp_path: Path) -> None:
    from transformers import BartConfig, GPT2Config

    for config in (GPT2Config(), BartConfig()):
        own = shutil.copytree(tiny, tmp_path / config.model_type)
        config.save_pretrained(own)
        with pytest.raises(UsageError, match=f"is a model of type '{config.model_type}'; expected is an encoder"):
            Encoder(own)


def test_what_cannot_be_loaded_is_one_sentence(tiny: Path, tmp_path: Path) -> None:
    own = Path(shutil.copytree(tiny, tmp_path / "own"))
    (own / "model.safetensors").write_bytes(b"\x10\x00\x00\x00\x00\x00\x00\x00not json at all")
    with pytest.raises(UsageError, match=r"^the model .*/own cannot be loaded: [^\n]+$"):
        Encoder(own)
    (own / "config.json").write_text('{"model_type": "mine", "auto_map": {"AutoModel": "mine.Model"}}')
    (own / "mine.py").write_text("raise SystemExit('it was run')")
    with pytest.raises(UsageError, match=r"^the model .*/own cannot be loaded: [^\n]+$"):
        Encoder(own)


def test_a_tokenizer_of_another_model(tiny: Path, tmp_path: Path) -> None:
    own = Path(shutil.copytree(tiny, tmp_path / "own"))
    tiny_model(tmp_path / "small", vocab_size=20)
    for name in ("config.json", "model.safetensors"):
        shutil.copy(tmp_path / "small" / name, own / name)
    with pytest.raises(UsageError, match=r"the tokenizer has \d+ tokens, the model 20"):
        Encoder(own)


def test_a_real_model_finds_what_means_the_same() -> None:
    names = ["breast carcinoma", "type 2 diabetes mellitus", "wrinkly skin syndrome", "heart failure"]
    asked = ["tumor of the breast", "adult-onset diabetes", "cutis laxa with wrinkles", "cardiac insufficiency"]
    encoder = Encoder(packaged_folder(), "cpu")
    cosines = encoder.encode(asked) @ encoder.encode(names).T
    assert cosines.argmax(axis=1).tolist() == [0, 1, 2, 3]


def test_without_the_extra_one_sentence_says_what_to_install(tiny: Path) -> None:
    code = (
        "import sys\nsys.modules['torch'] = None\nfrom pathlib import Path\n"
        "from linkassay.linkers.neural import Encoder\n"
        f"try:\n Encoder(Path({str(tiny)!r}))\nexcept Exception as error:\n print(type(error).__name__, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "UsageError encoders need an extra: pip install 'linkassay[neural]'\n"
