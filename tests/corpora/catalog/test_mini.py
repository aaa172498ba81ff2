"""The embedded benchmark keeps the promises of its guide; its reader says what is wrong and where."""

from __future__ import annotations

import contextlib
import gzip
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkassay.corpora.catalog.mini import SPEC, packaged_files
from linkassay.errors import DataError
from linkassay.formats.reading import Units
from linkassay.kbs.catalog.mini import packaged_files as kb_files
from linkassay.kbs.readers.json_lines import read_entities, read_history
from linkassay.kbs.schema import Entity
from linkassay.model import Document, Mention
from linkassay.problems import Problems
from tests.helpers import raw

SPLITS = ("train", "dev", "test")
FEWEST = {"disease": 60, "chemical": 60, "gene": 60, "species": 60, "cell_line": 40, "variant": 40}


def read(train: str, dev: str = "", test: str = "") -> list[Document]:
    files = [raw("train.txt", train), raw("dev.txt", dev), raw("test.txt", test)]
    return [document for _, document in SPEC.read(files, SPEC.reading(Problems()))]


@cache
def corpus() -> dict[str, list[Document]]:
    splits: dict[str, list[Document]] = {split: [] for split in SPLITS}
    for split, document in SPEC.read(packaged_files(), SPEC.reading(Problems(skip=False))):
        splits[split].append(document)
    return splits


@cache
def entities() -> dict[str, Entity]:
    found = [entity for file in kb_files()[:-1] for entity in read_entities(file, {})]
    assert len({e.id for e in found}) == len(found)
    return {e.id: e for e in found}


@cache
def history() -> dict[str, str]:
    return {h.old: h.new for h in read_history(kb_files()[-1], {})}


@cache
def ids_by_name() -> dict[str, set[str]]:
    """Exact name → current entities that go by it."""
    found: dict[str, set[str]] = defaultdict(set)
    for entity in entities().values():
        if not entity.obsolete:
            for name, _ in entity.names:
                found[name].add(entity.id)
    return found


def documents() -> list[Document]:
    return [document for split in SPLITS for document in corpus()[split]]


def mentions(*splits: str) -> list[Mention]:
    return [m for split in splits or SPLITS for d in corpus()[split] for m in d.mentions]


def current(mention: Mention) -> frozenset[str]:
    return frozenset(filter(None, (history().get(i, i) for i in mention.ids)))


def names(mention: Mention) -> set[str]:
    """All names of the gold entities."""
    return {name for i in current(mention) for name, _ in entities()[i].names}


# -- The guide's promises, one small function each --------------------------------------------


def definitions() -> Iterator[tuple[Document, Mention]]:
    """Short forms in brackets right after a mention of the same thing."""
    for document in documents():
        longs = {(m.end, m.gold, m.type) for m in document.mentions}
        for m in document.mentions:
            before, after = document.text[m.start - 2 : m.start], document.text[m.end : m.end + 1]
            if (before, after) == (" (", ")") and len(m.text) < 7 and (m.start - 2, m.gold, m.type) in longs:
                yield document, m


def later_uses() -> list[Mention]:
    short = {(d.id, m.text): m.start for d, m in definitions()}
    return [m for m in mentions() if m.start > short.get((m.document, m.text), math.inf)]


def ambiguous_abbreviations() -> set[str]:
    meanings: dict[str, dict[str, frozenset[str]]] = defaultdict(dict)
    for m in mentions():
        if m.text.isupper() and 2 <= len(m.text) <= 5 and m.ids and m.type != "variant":
            meanings[m.text][m.document] = m.ids
    return {text for text, by in meanings.items() for a in by.values() for b in by.values() if not a & b}


def cross_species() -> set[str]:
    taxa: dict[str, set[str]] = defaultdict(set)
    for m in mentions():
        if m.type == "gene":
            taxa[m.text.lower()] |= {entities()[i].foreign_id for i in current(m)}
    return {text for text, found in taxa.items() if len(found) > 1}


def nested() -> list[Mention]:
    found = []
    for document in documents():
        for m in document.mentions:
            around = (o for o in document.mentions if o is not m and len(o.spans) == 1)
            if any(o.start <= m.start and m.end <= o.end and o.spans != m.spans for o in around):
                found.append(m)
            elif len(m.spans) > 1 and any(o is not m and o.end == m.end for o in document.mentions):
                found.append(m)  # shares its last word with the mention it is coordinated with
    return found


def seen() -> tuple[set[str], set[str]]:
    known = mentions("train", "dev")
    return {i for m in known for i in current(m)}, {m.text.lower() for m in known}


def wrong_alias() -> list[Mention]:
    return [m for m in mentions() if m.ids and ids_by_name()[m.text] and not ids_by_name()[m.text] & current(m)]


def fold(text: str) -> str:
    """One spelling for British and American, hyphens, Greek letters and plural."""
    text = unicodedata.normalize("NFKC", text).lower()
    for letter in "αβγδκ":
        text = text.replace(letter, unicodedata.name(letter).rsplit(" ", 1)[-1].lower())
    text = text.replace("ae", "e").replace("oe", "e").replace("our", "or").replace("sulph", "sulf")
    return re.sub(r"[\W_]", "", text).removesuffix("s")


def spelling_variants() -> list[Mention]:
    def plain(text: str) -> str:
        return text.lower().removesuffix("s")

    return [
        m for m in mentions()
        if plain(m.text) not in {plain(n) for n in names(m)} and fold(m.text) in {fold(n) for n in names(m)}
    ]  # fmt: skip


def distance(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
    return row[-1]


def misspellings() -> list[Mention]:
    """Full names of species, whose spelling is fixed, one or two letters away from all their names."""
    found = []
    for m in mentions():
        if m.type == "species" and len(m.text) > 12:
            near = min((distance(m.text.lower(), name.lower()) for name in names(m)), default=9)
            found += [m] if 1 <= near <= 2 else []
    return found


def general() -> list[Mention]:
    parents = {parent for e in entities().values() for parent, _ in e.parents}
    return [m for m in mentions() if current(m) & parents]


def longer() -> list[Mention]:
    """The text holds a whole name of the entity, and says more."""
    found = []
    for m in mentions():
        texts = [f" {n.lower()} " for n in names(m) if len(n) > 3]
        if m.text.lower() not in {t.strip() for t in texts} and any(t in f" {m.text.lower()} " for t in texts):
            found.append(m)
    return found


def case_or_plural() -> list[Mention]:
    found = []
    for m in mentions():
        folded = {n.lower().removesuffix("s") for n in names(m)}
        if m.text not in names(m) and m.text.lower().removesuffix("s") in folded:
            found.append(m)
    return found


CASES: dict[str, Callable[[], object]] = {
    "abbreviation defined in the text": definitions,
    "later use of an abbreviation": later_uses,
    "abbreviations with different meanings in different documents (texts)": ambiguous_abbreviations,
    "gene name shared by several species (texts)": cross_species,
    "composite": lambda: [m for m in mentions() if any(len(ids) > 1 for ids in m.gold)],
    "discontinuous": lambda: [m for m in mentions() if len(m.spans) > 1],
    "obsolete id": lambda: [m for m in mentions() if any(history().get(i) for i in m.ids)],
    "removed id": lambda: [m for m in mentions() if any(history().get(i) == "" for i in m.ids)],
    "NIL": lambda: [m for m in mentions() if not m.gold],
    "optional": lambda: [m for m in mentions() if m.optional],
    "alternative gold": lambda: [m for m in mentions() if len(m.gold) > 1],
    "alternative span": lambda: [m for d in documents() for m in d.annotations if m.role == "alternative"],
    "nested": nested,
    "unseen entity (test)": lambda: [m for m in mentions("test") if m.ids and not current(m) & seen()[0]],
    "unseen synonym (test)": lambda: [
        m for m in mentions("test") if current(m) & seen()[0] and m.text.lower() not in seen()[1]
    ],
    "homonym: the text names several entities": lambda: [m for m in mentions() if len(ids_by_name()[m.text]) > 1],
    "easy: the text is a name of the entity": lambda: [m for m in mentions() if m.text in names(m)],
    "wrong alias: the text names only other entities": wrong_alias,
    "case or plural differs from the name": case_or_plural,
    "spelling variant: British, hyphen, Greek letter": spelling_variants,
    "misspelling": misspellings,
    "general: the knowledge base has something more specific": general,
    "longer than the name it contains": longer,
    "Greek letter": lambda: [m for m in mentions() if re.search("[Α-ω]", m.text)],
    "character beyond the basic plane": lambda: [m for m in mentions() if any(ord(c) > 0xFFFF for c in m.text)],
}


def promises() -> dict[str, int]:
    guide = (resources.files("linkassay") / "mini" / "GUIDE.md").read_text(encoding="utf-8")
    return {case: int(least) for case, least in re.findall(r"^\| (.+) \| (\d+) \|$", guide, re.MULTILINE)}


def count(found: object) -> int:
    return sum(1 for _ in found)  # type: ignore[attr-defined]


def test_every_promise_of_the_guide_is_counted() -> None:
    assert set(promises()) == set(CASES)


@pytest.mark.parametrize("case", CASES)
def test_hard_cases_are_there(case: str) -> None:
    assert count(CASES[case]()) >= promises()[case]


# -- Documents and gold --------------------------------------------------------------------------


def test_counts_are_those_of_the_spec() -> None:
    assert {
        split: {
            "documents": len(found),
            "annotations": sum(len(d.mentions) for d in found),
            "labels": sum(len(d.annotations) for d in found),
        }
        for split, found in corpus().items()
    } == SPEC.expected


def test_size_and_balance() -> None:
    assert len(documents()) >= 100
    assert len(mentions()) >= 500
    for split, fewest in zip(SPLITS, (50, 10, 25), strict=True):
        types = Counter(m.type for m in mentions(split))
        assert set(types) == set(SPEC.types)
        assert min(types.values()) >= fewest


def test_documents_are_unique() -> None:
    found = documents()
    assert len({d.id for d in found}) == len(found)
    assert len({d.passages[1].text for d in found}) == len(found)
    assert len({d.title for d in found}) == len(found)
    sentences = [s for d in found for s in re.split(r"(?<=\.) ", d.passages[1].text) if len(s) > 20]
    assert len(set(sentences)) == len(sentences)


def test_documents_read_like_abstracts() -> None:
    for document in documents():
        title, abstract = document.passages
        assert (title.kind, abstract.kind, abstract.offset) == ("title", "abstract", len(title.text) + 1)
        assert 150 <= len(abstract.text) <= 800, document.id
        assert abstract.text.endswith("."), document.id
        assert not re.search(r"\[\[|\]\]|\||  ", document.text), document.id
        assert len(document.mentions) >= 4, document.id


def test_every_gold_id_is_known() -> None:
    unknown = {(m.document, i) for d in documents() for m in d.annotations for i in m.ids
               if i not in entities() and i not in history()}  # fmt: skip
    assert not unknown


def test_gold_is_of_the_mentions_type() -> None:
    for document in documents():
        for m in document.annotations:
            assert all(entities()[i].type == m.type for i in current(m)), m


def test_annotators_agree_with_themselves() -> None:
    """Within a document one text of one type is linked alike, genes of several species apart."""
    for document in documents():
        gold: dict[tuple[str, str, str], set[frozenset[str]]] = defaultdict(set)
        for m in document.annotations:
            if len(m.gold) == 1:
                taxon = next((entities()[i].foreign_id for i in current(m) if m.type == "gene"), "")
                gold[m.type, m.text, taxon].add(current(m))
        assert not {text for text, found in gold.items() if len(found) > 1}, document.id


# -- Knowledge base ------------------------------------------------------------------------------


def test_knowledge_base_sizes() -> None:
    types = Counter(e.type for e in entities().values())
    assert all(types[type_] >= least for type_, least in FEWEST.items())
    defined = sum(bool(e.definition) for e in entities().values()) / len(entities())
    assert 0.4 <= defined <= 0.6


def test_names_are_clean() -> None:
    for entity in entities().values():
        texts = [name for name, _ in entity.names]
        assert len(set(texts)) == len(texts), entity.id
        assert all(text == text.strip() and text for text in texts), entity.id


def test_parents_exist_and_have_no_cycle() -> None:
    kb = entities()
    done: set[str] = set()

    def climb(i: str, below: tuple[str, ...]) -> None:
        assert i not in below, f"cycle through {i}"
        if i not in done:
            for parent, _ in kb[i].parents:
                assert kb[parent].type == kb[i].type
                climb(parent, (*below, i))
            done.add(i)

    for i in kb:
        climb(i, ())


def test_species_lead_to_the_root() -> None:
    kb = entities()
    for i, entity in kb.items():
        if entity.type == "species":
            while kb[i].parents:
                ((i, _),) = kb[i].parents
            assert i == "ncbitaxon:1"


def test_foreign_ids_exist() -> None:
    kb = entities()
    wanted = {"gene": "species", "cell_line": "species", "variant": "gene"}
    for entity in kb.values():
        if entity.type in wanted:
            assert kb[entity.foreign_id].type == wanted[entity.type]
        else:
            assert not entity.foreign_id


def test_history_ends_in_current_entities() -> None:
    assert len(history()) == len(list(read_history(kb_files()[-1], {})))
    assert sum(not new for new in history().values()) >= 2
    for old, new in history().items():
        assert not new or (new in entities() and new not in history() and not entities()[new].obsolete)
        assert old not in entities() or entities()[old].obsolete


# -- Against the real sources ----------------------------------------------------------------------


def rows(path: Path, separator: str = "\t") -> Iterator[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            yield [cell.strip() for cell in line.split(separator)]


def primary(prefix: str) -> dict[str, str]:
    return {i.partition(":")[2]: e.names[0][0] for i, e in entities().items() if i.startswith(prefix + ":")}


def test_mesh_headings_are_real(shared: Path) -> None:
    ours, real = primary("mesh"), {}
    for file in ("mesh_id_label_mappings.tsv.gz", "mesh_supp_id_label_mappings.tsv.gz"):
        real |= {row[0]: row[1] for row in rows(shared / "kbs/mesh" / file) if row[0] in ours}
    assert ours == real


def test_genes_are_real(shared: Path) -> None:
    ours, real = primary("ncbigene"), {}
    for file in sorted((shared / "kbs/ncbi_gene").glob("*.gz")):
        real |= {row[1]: (row[0], row[2]) for row in rows(file) if row[1] in ours}
    assert {i: (entities()[f"ncbigene:{i}"].foreign_id.removeprefix("ncbitaxon:"), s) for i, s in ours.items()} == real


def test_taxa_are_real(shared: Path) -> None:
    ours, folder = primary("ncbitaxon"), shared / "kbs/ncbi_taxonomy_2013"
    names = (row for row in rows(folder / "names.dmp.gz", "|") if row[0] in ours and row[3] == "scientific name")
    assert ours == {row[0]: row[1] for row in names}
    merged = {f"ncbitaxon:{row[0]}": f"ncbitaxon:{row[1]}" for row in rows(folder / "merged.dmp.gz", "|")}
    assert all(merged[old] == new for old, new in history().items() if old.startswith("ncbitaxon:"))


def test_cell_lines_are_real(shared: Path) -> None:
    real: dict[str, set[str]] = defaultdict(set)
    for name, accession, species in rows(shared / "kbs/cellosaurus/Cellosaurus_clulab_2021.tsv.gz"):
        real[accession.removeprefix("CVCL_")] |= {name, species}
    for i, entity in entities().items():
        if entity.type == "cell_line" and i.partition(":")[2] in real:
            found = real[i.partition(":")[2]]
            assert {name for name, _ in entity.names[1:]} <= found, i
            assert entities()[entity.foreign_id].names[0][0] in found, i


def test_variants_are_real(shared: Path) -> None:
    """Where the sample of dbSNP has a variant at all, it places it in the same gene."""
    genes: dict[str, set[str]] = defaultdict(set)
    for row in rows(shared / "kbs/dbsnp_sample/tmVarForm2RSID2Freq.txt.gz"):
        for rs, ids in re.findall(r"RS:(rs\d+)\|Gene:([\d,]+)", " ".join(row[1:])):
            genes[f"dbsnp:{rs}"].update(ids.split(","))
    ours = [e for e in entities().values() if e.type == "variant"]
    assert sum(e.id in genes for e in ours) > 75
    assert not [e.id for e in ours if e.id in genes and e.foreign_id.removeprefix("ncbigene:") not in genes[e.id]]


# -- The reader ----------------------------------------------------------------------------------

NIL = "[[x|gene|NIL]]"


def test_markup() -> None:
    (document,) = read(
        "% remark\n# a\n[[Aspirin|chemical|mesh:D001241]] in\n\n"
        "[[acute|disease|mesh:D1|#a]] and [[chronic [[pain|#a]]|disease|mesh:D2/mesh:D3+mesh:D4|optional]].\n"
        "[[Old [[mice|species|ncbitaxon:10090|alternative]]|species|NIL]] and 𝛽.\n"
    )
    assert document.text == "Aspirin in acute and chronic pain. Old mice and 𝛽."
    assert [(m.text, m.spans, [sorted(g) for g in m.gold], m.optional, m.role) for m in document.annotations] == [
        ("Aspirin", ((0, 7),), [["mesh:D001241"]], False, ""),
        ("acute pain", ((11, 16), (29, 33)), [["mesh:D1"]], False, ""),
        ("chronic pain", ((21, 33),), [["mesh:D2"], ["mesh:D3", "mesh:D4"]], True, ""),
        ("Old mice", ((35, 43),), [], False, ""),
        ("mice", ((39, 43),), [["ncbitaxon:10090"]], False, "alternative"),
    ]
    assert document.annotations[4].parent == document.annotations[3].id
    assert document.title == "Aspirin in"


@pytest.mark.parametrize("units", ["byte", "utf16"])
def test_units_of_a_reading_do_not_matter(units: Units) -> None:
    files = [raw(f"{split}.txt", "# d\n\U0001f642\nThe [[flu|disease|NIL]] is here.\n") for split in SPLITS]
    [(_, document), *_] = SPEC.read(files, replace(SPEC.reading(Problems()), units=units))
    assert [m.text for m in document.annotations] == ["flu"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no header\n", "train.txt:1: text before the first document; begin it with `# id`"),
        ("# a\ntitle\n", "train.txt:1: document a: expected a title line and at least one line of text"),
        ("# a\nt\n[[x|gene|NIL\n", "train.txt:3: document a: `[[` without `]]` on the same line"),
        ("# a\nt\nx]] y\n", "train.txt:3: document a: `]]` without `[[`"),
        (
            "# a\nt\n[[x]]\n",
            "train.txt:3: document a: 'x': expected [[text|type|ids]], [[text|type|ids|flags]] or [[text|#key]]",
        ),
        (
            "# a\nt\n[[x|genes|NIL]]\n",
            "train.txt:3: document a: unknown type 'genes'; known are: "
            "disease, chemical, gene, species, cell_line, variant",
        ),
        (
            "# a\nt\n[[x|gene|NIL|maybe]]\n",
            "train.txt:3: document a: unknown flag 'maybe'; known are: optional, alternative and #key",
        ),
        (
            "# a\nt\n[[x|gene|ncbigene:1/NIL]]\n",
            "train.txt:3: document a: 'NIL' is no id; write prefix:local, joined by + or /, or NIL alone",
        ),
        ("# a\nt\n[[x|gene|NIL|#a]] [[y|gene|NIL|#a]]\n", "train.txt:3: document a: two mentions have the key #a"),
        ("# a\nt\n[[y|#b]]\n", "train.txt:3: document a: no mention has the key #b"),
        (
            "# a\nt\n[[y|gene|NIL|alternative]]\n",
            "train.txt:3: document a: 'y': an alternative must stand inside another mention",
        ),
        (
            "# a\nt\n[[|gene|NIL]] x\n",
            "train.txt:3: the span is empty or reversed; document a, span 2-2 "
            "(use --skip-bad to leave such annotations out, counted)",
        ),
    ],
)
def test_broken_markup(text: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        read(text)
    assert str(error.value) == message


@given(st.lists(st.sampled_from(["[[", "]]", "|", "#a", "# a", "\n", "x", "gene", "NIL", " ", "alternative", "%"])))
def test_any_text_is_read_or_refused(pieces: list[str]) -> None:
    with contextlib.suppress(DataError):  # anything else is a fault of the reader
        read("# a\nt\n" + "".join(pieces))
