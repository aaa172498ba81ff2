"""Tiny models for tests: a BERT of two layers whose tokens are letters and some words."""

from __future__ import annotations

import string
from pathlib import Path
from typing import Any

WORDS = ["syndrome", "disease", "cancer", "breast", "skin", "wrinkly", "diabetes", "mellitus", "type", "of", "the"]


def tiny_model(folder: Path, seed: int = 0, **config: Any) -> Path:
    """A folder with a model of random weights, the same for a seed, as transformers writes it."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer

    folder.mkdir(parents=True, exist_ok=True)
    signs = [*string.ascii_lowercase, *string.digits, *"-,.()/'+"]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *signs, *(f"##{sign}" for sign in signs)]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(seed)
    shape = {"vocab_size": len(words), "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
             "intermediate_size": 32, "max_position_embeddings": 64, "initializer_range": 0.5}  # fmt: skip
    BertModel(BertConfig(**(shape | config))).save_pretrained(folder)
    return folder
