"""Hypothesis strategies: documents, for the round-trip tests of the formats, and damage to files."""

from __future__ import annotations

from endure.mutations import mutate
from hypothesis import strategies as st

from linkassay.formats.reading import Annotation, Reading
from linkassay.ids import IdRule, curie
from linkassay.model import Document, Hyperlink

#: Any character that a file in UTF-8 can hold.
characters = st.characters(exclude_categories=["Cs"])
texts = st.text(characters, max_size=12)
names = texts.filter(str.strip)
ids = (
    st.sampled_from(["mesh:D001249", "wikidata:Q30", "dbpedia:Caf%C3%A9 (x)", "doid:2841", "http://e.org/a#b", "rs5"])
    | st.builds("{}:{}".format, st.sampled_from(["mine", "UMLS", "cl", "http", "taxonomy"]), names)
    | names
)
gold_ids = ids.map(curie).filter(lambda i: not IdRule().is_none(i))
golds = st.lists(st.frozensets(gold_ids, min_size=1, max_size=3), max_size=3, unique=True).map(tuple)


def mutated(data: bytes) -> st.SearchStrategy[bytes]:
    """Bytes with small damage, as `endure` draws it."""
    return st.randoms(use_true_random=False).map(lambda random: mutate(data, random))


@st.composite
def spans(draw: st.DrawFn, text: str, pieces: int) -> tuple[tuple[int, int], ...]:
    """Spans in order that cover something visible of `text`."""
    places = st.integers(0, len(text))
    cuts = sorted(draw(st.lists(places, min_size=2 * pieces, max_size=2 * pieces)))
    found = tuple((a, b) for a, b in zip(cuts[::2], cuts[1::2]) if a < b)
    if not any(text[a:b].strip() for a, b in found):
        at = next(i for i, c in enumerate(text) if c.strip())
        return ((at, at + 1),)
    return found


@st.composite
def documents(draw: st.DrawFn, *, rich: bool = False) -> Document:
    """A verified document; `rich` ones have everything that the model can hold."""
    passages = [("", 0, draw(st.text(characters, min_size=1, max_size=40).filter(str.strip)))]
    if rich:
        passages.append((draw(texts), len(passages[0][2]) + draw(st.integers(0, 3)), draw(texts)))
    text = Reading().document("-", passages, file="").text
    annotations: list[Annotation] = []
    for index in range(draw(st.integers(0, 4))):
        annotation = Annotation(draw(spans(text, 3 if rich else 1)), None, draw(texts), gold=draw(golds))
        if rich:
            parent = draw(st.sampled_from(["", *(a.key for a in annotations)]))
            annotation = annotation._replace(
                key=str(index), id=draw(st.sampled_from(["", f"own {index}"])), parent=parent,
                role="part" if parent else "", raw=draw(texts), optional=draw(st.booleans()),
                coreference=draw(st.sampled_from([None, True, False])),
                kind=draw(st.sampled_from(["", "quantity"])), source_type=draw(texts),
            )  # fmt: skip
        annotations.append(annotation)
    inside = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted).map(tuple)
    return Reading(merge=not rich).document(
        draw(names),
        passages,
        annotations,
        file="",
        title=draw(texts) if rich else "",
        evaluation_spans=draw(st.none() | st.lists(inside, max_size=2).map(tuple)) if rich else None,
        hyperlinks=tuple(draw(st.lists(st.builds(Hyperlink, inside, texts), max_size=2))) if rich else (),
    )
