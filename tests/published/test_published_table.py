"""Published tables: the reader is strict, and the tables agree with themselves except where a note says they do not.

A check is a function of a work that names the cells that do not agree. What it finds must be exactly what the notes of
that check list, so that neither a typing error in our files nor an inconsistency of a paper goes unnoticed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from linkassay.errors import DataError, UsageError
from linkassay.published.published_table import PublishedFigure, PublishedTable, Work, load_work, parse_work

WORKS = ("belb", "bioel", "fair", "hierarchy")
Check = Callable[[Work], Iterator[tuple[int, str]]]
CHECKS: dict[str, tuple[str, Check]] = {}


def check(name: str, of: str) -> Callable[[Check], Check]:
    def register(function: Check) -> Check:
        CHECKS[name] = (of, function)
        return function

    return register


def figure(table: PublishedTable, measure: str = "", **labels: str) -> PublishedFigure | None:
    """The figure with these labels, if one was printed there."""
    found = [f for f in table.figures() if f.measure == (measure or f.measure) and labels.items() <= f.labels.items()]
    assert len(found) <= 1
    return found[0] if found else None


def sure(table: PublishedTable, measure: str = "", **labels: str) -> PublishedFigure:
    found = figure(table, measure, **labels)
    assert found is not None, (table.number, measure, labels)
    return found


def near(printed: PublishedFigure, low: float, high: float) -> bool:
    """Whether a printed figure can be the rounding of something between these bounds."""
    return low - printed.half - 1e-9 <= printed.value <= high + printed.half + 1e-9


# ---- BELB


@check("share of the test annotations", "belb")
def _unseen(belb: Work) -> Iterator[tuple[int, str]]:
    table = belb.tables[1]
    for f in table.figures():
        if f.measure.endswith(" %"):
            count = sure(table, f.measure.removesuffix(" %"), corpus=f.labels["corpus"]).value
            total = sure(table, "annotations test", corpus=f.labels["corpus"]).value
            if not near(f, 100 * count / total, 100 * count / total):
                yield 1, f"{f.labels['corpus']}: {f.measure}"


@check("synonyms = names / entities", "belb")
def _synonyms(belb: Work) -> Iterator[tuple[int, str]]:
    table = belb.tables[2]
    for f in table.figures():
        if f.measure == "synonyms":
            ratio = sure(table, "names", kb=f.labels["kb"]).value / sure(table, "entities", kb=f.labels["kb"]).value
            assert f.value <= ratio < f.value + 0.01  # all are cut off rather than rounded
            if not near(f, ratio, ratio):
                yield 2, f.labels["kb"]


@check("homonyms are per cent", "belb")
def _homonyms(belb: Work) -> Iterator[tuple[int, str]]:
    table = belb.tables[2]
    for f in table.figures():
        if f.measure.endswith("%") and f.value > 100:
            names = sure(table, "names", kb=f.labels["kb"]).value
            share = sure(table, "homonyms PN %", kb=f.labels["kb"])
            assert near(share, 100 * f.value / names, 100 * f.value / names)
            yield 2, f"{f.labels['kb']}: {f.measure}"


def _weights(belb: Work, number: int, corpus: str) -> float:
    """How many mentions of a corpus count: all, or (tables 4 and 14) those that the rule-based system recognised."""
    annotations = sure(belb.tables[1], "annotations test", corpus=corpus).value
    recognised = figure(belb.tables[13], corpus=corpus)
    return annotations * (recognised.value if recognised and number != 15 else 1.0)


def _types(belb: Work, pooled: bool) -> Iterator[tuple[int, str]]:
    for number in (4, 14, 15):
        table = belb.tables[number]
        for f in table.figures():
            members = belb.groups.get(f.labels["corpus"], ())
            parts = [figure(table, corpus=c, system=f.labels["system"]) for c in members]
            if members and all(parts):
                weights = [_weights(belb, number, c) if pooled else 1.0 for c in members]
                mean = sum(w * p.value for w, p in zip(weights, parts, strict=True) if p) / sum(weights)
                half = max(p.half for p in parts if p)
                # Weights are of a recall with two digits: half a per cent of them moves the mean by less than this.
                slack = 0.001 if pooled else 0.0
                if not near(f, mean - half - slack, mean + half + slack):
                    yield number, f"{f.labels['corpus']}/{f.labels['system']}"


@check("entity types pooled over mentions", "belb")
def _pooled(belb: Work) -> Iterator[tuple[int, str]]:
    yield from _types(belb, pooled=True)


@check("entity types neither pooled nor averaged", "belb")
def _neither(belb: Work) -> Iterator[tuple[int, str]]:
    averaged = set(_types(belb, pooled=False))
    yield from (at for at in _types(belb, pooled=True) if at in averaged)


@check("same figures as table 4", "belb")
def _table_5(belb: Work) -> Iterator[tuple[int, str]]:
    for f in belb.tables[5].figures():
        if f.labels["variant"] == "" and f.measure == "recall@1":
            of = {k: f.labels[k] for k in ("system", "corpus")}
            if sure(belb.tables[4], **of).value != f.value:
                yield 5, f"{of['system']}/{of['corpus']}"


@check("change = difference in points", "belb")
def _change(belb: Work) -> Iterator[tuple[int, str]]:
    table = belb.tables[5]
    for f in table.figures():
        if f.measure == "change %":
            new = sure(table, "recall@1", **f.labels).value
            old = sure(table, "recall@1", **{**f.labels, "variant": ""}).value
            if not near(f, 100 * (new - old) - 1, 100 * (new - old) + 1):
                yield 5, f"{f.labels['system']}, {f.labels['variant']}/{f.labels['corpus']}"


@check("strict is not above standard", "belb")
def _strict(belb: Work) -> Iterator[tuple[int, str]]:
    for f in belb.tables[14].figures():
        if f.value > sure(belb.tables[4], **f.labels).value:
            yield 14, f"{f.labels['corpus']}/{f.labels['system']}"


@check("equal parts, equal whole", "belb")
def _whole(belb: Work) -> Iterator[tuple[int, str]]:
    """An entity type whose corpora have the same figures in tables 4 and 14 has the same itself."""
    for f in belb.tables[14].figures():
        members = belb.groups.get(f.labels["corpus"], ())
        values = [[figure(belb.tables[n], corpus=c, system=f.labels["system"]) for c in members] for n in (4, 14)]
        same = [p.value if p else None for p in values[0]] == [p.value if p else None for p in values[1]]
        if members and same and f.value != sure(belb.tables[4], **f.labels).value:
            yield 14, f"{f.labels['corpus']}/{f.labels['system']}"


@check("one scope, one figure", "belb")
def _same_scope(belb: Work) -> Iterator[tuple[int, str]]:
    """Corpora without a joint system have the same mentions in tables 4 and 15."""
    for f in belb.tables[15].figures():
        corpus = f.labels["corpus"]
        alone = corpus in belb.corpora and belb.system("RBES", corpus) not in belb.joint
        if alone and f.value != sure(belb.tables[4], **f.labels).value:
            yield 15, f"{corpus}/{f.labels['system']}"


@check("changed labels", "belb")
def _changes(belb: Work) -> Iterator[tuple[int, str]]:
    table = belb.tables[10]
    for corpus in dict.fromkeys(f.labels["corpus"] for f in table.figures()):
        replaced, removed = (figure(table, m, corpus=corpus) for m in ("replaced", "removed"))
        total, share = sure(table, "total", corpus=corpus), sure(table, "total %", corpus=corpus)
        if total.value != (replaced.value if replaced else 0) + (removed.value if removed else 0):
            yield 10, f"{corpus}: total"
        of = 100 * total.value / sure(belb.tables[1], "annotations test", corpus=corpus).value
        if not near(share, of, of):
            yield 10, f"{corpus}: total %"


# ---- BioEL


@check("corpora of one size in tables 2 and 9", "bioel")
def _sizes(bioel: Work) -> Iterator[tuple[int, str]]:
    sizes = {bioel.corpora[f.labels["corpus"]]: f for f in bioel.tables[2].figures() if f.measure == "mentions"}
    for f in bioel.tables[9].figures():
        if f.measure == "mentions" and f.value != sizes[bioel.corpora[f.labels["corpus"]]].value:
            yield 9, f.labels["corpus"]


@check("recall@5 is not below recall@1", "bioel")
def _five(bioel: Work) -> Iterator[tuple[int, str]]:
    for number in (4, 11):
        for f in bioel.tables[number].figures():
            if f.measure == "recall@1" and f.value > sure(bioel.tables[number], "recall@5", **f.labels).value:
                yield number, f"{f.labels['system']}/{f.labels['corpus']}"


@check("relaxed is not below basic", "bioel")
def _relaxed(bioel: Work) -> Iterator[tuple[int, str]]:
    for f in bioel.tables[11].figures():
        basic = figure(bioel.tables[4], f.measure, **f.labels)
        if basic is None or f.value < basic.value:
            yield 11, f"{f.labels['system']}/{f.labels['corpus']} {f.measure}"


@check("stages of failure sum to 1", "bioel")
def _stages(bioel: Work) -> Iterator[tuple[int, str]]:
    table = bioel.tables[7]
    for f in table.figures():
        if f.measure == "generation-failure@10":
            other = sure(table, "disambiguation-failure@10", **f.labels)
            if abs(f.value + other.value - 1) > 2 * f.half + 1e-9:
                yield 7, f"{f.labels['system']}/{f.labels['corpus']}"


@check("stages of failure fit recall@5", "bioel")
def _fit(bioel: Work) -> Iterator[tuple[int, str]]:
    """Gold within the first 5 is within the first 10: generation fails for at most (1 - r@5)/(1 - r@1) of errors."""
    for f in bioel.tables[7].figures():
        if f.measure == "generation-failure@10":
            one, five = (sure(bioel.tables[4], f"recall@{k}", **f.labels) for k in (1, 5))
            most = (1 - five.value + five.half) / (1 - one.value - one.half)
            if f.value - f.half > most + 1e-9:
                yield 7, f"{f.labels['system']}/{f.labels['corpus']}"


def _partitions(bioel: Work) -> Iterator[tuple[int, tuple[str, ...]]]:
    yield 6, ("has_alias_match", "no_alias_match")
    yield 6, ("train_entity_match", "zero_shot")
    for number in (5, 12):
        yield number, tuple(dict.fromkeys(f.labels["slice"] for f in bioel.tables[number].figures()))


@check("prevalences of a partition sum to 1", "bioel")
def _prevalence(bioel: Work) -> Iterator[tuple[int, str]]:
    for number, slices in _partitions(bioel):
        found = [sure(bioel.tables[number], "prevalence", slice=s) for s in slices]
        if abs(sum(f.value for f in found) - 1) > sum(f.half for f in found) + 1e-9:
            yield number, " + ".join(slices[:2])


@check("differences of a partition balance", "bioel")
def _balance(bioel: Work) -> Iterator[tuple[int, str]]:
    """Slices that share out all mentions: their differences, weighted with their prevalences, sum to 0."""
    for number, slices in _partitions(bioel):
        table = bioel.tables[number]
        for system in dict.fromkeys(f.labels["system"] for f in table.figures() if "system" in f.labels):
            total = slack = 0.0
            for s in slices:
                share, difference = sure(table, "prevalence", slice=s), sure(table, slice=s, system=system)
                total += share.value * difference.value
                slack += share.value * difference.half + abs(difference.value) * share.half
            if abs(total) > slack + 1e-9:
                yield number, f"{system}: {' + '.join(slices[:2])}"


@check("zero-shot is what does not overlap", "bioel")
def _zero_shot(bioel: Work) -> Iterator[tuple[int, str]]:
    overlap = sure(bioel.tables[10], "mention overlap", corpus="MedMentions ST21PV").value
    if not near(sure(bioel.tables[6], "prevalence", slice="zero_shot"), 1 - overlap, 1 - overlap):
        yield 6, "zero_shot"


@check("overall effect lies between those of the corpora", "bioel")
def _overall(bioel: Work) -> Iterator[tuple[int, str]]:
    table = bioel.tables[8]
    for system in table.columns:
        values = [f.value for f in table.figures() if f.labels["system"] == system and f.labels["corpus"] != "Overall"]
        if not min(values) <= sure(table, system=system, corpus="Overall").value <= max(values):
            yield 8, system


# ---- Fair EL


@check("no more linked than recognised", "fair")
def _linked(fair: Work) -> Iterator[tuple[int, str]]:
    table = fair.tables[1]
    for f in table.figures():
        if f.measure == "overall F1" and f.value > sure(table, "NER F1", **f.labels).value:
            yield 1, f.labels["system"]


@check("F1 is about NER F1 times accuracy", "fair")
def _product(fair: Work) -> Iterator[tuple[int, str]]:
    """On one benchmark nearly so; the means of five may differ by a point."""
    table = fair.tables[1]
    for f in table.figures():
        if f.measure == "overall F1":
            recognised, right = (sure(table, m, **f.labels).value / 100 for m in ("NER F1", "disambiguation accuracy"))
            if abs(f.value / 100 - recognised * right) > 0.01:
                yield 1, f.labels["system"]


@check("means of five counts", "fair")
def _fifths(fair: Work) -> Iterator[tuple[int, str]]:
    for f in fair.tables[4].figures():
        if not f.measure.endswith("%") and round(f.value * 10) % 2:
            yield 4, f"{f.labels['system']}: {f.measure}"


@check("the parts are not more than all", "fair")
def _parts(fair: Work) -> Iterator[tuple[int, str]]:
    table = fair.tables[2]
    for f in table.figures():
        if f.value > sure(table, property="all", corpus=f.labels["corpus"]).value:
            yield 2, f"{f.labels['property']}/{f.labels['corpus']}"


@check("scored mentions fit all annotations", "fair")
def _fit_all(fair: Work) -> Iterator[tuple[int, str]]:
    """All less coreference less optional, unless an annotation is both: then the scored ones are more."""
    for corpus in ("Wiki-Fair", "News-Fair"):
        all_, coreference, optional = (
            sure(fair.tables[2], property=p, corpus=corpus).value for p in ("all", "coreference", "optional")
        )
        scored = sure(fair.tables[3], "mentions", corpus=corpus).value
        if not all_ - coreference - optional <= scored <= all_ - max(coreference, optional):
            yield 3, corpus


@check("per cent", "fair")
def _per_cent(fair: Work) -> Iterator[tuple[int, str]]:
    for number in (1, 3, 4):
        for f in fair.tables[number].figures():
            if (f.measure.endswith("%") or number == 1) and not 0 <= f.value <= 100:
                yield number, f"{f.labels}: {f.measure}"


# ---- the hierarchical evaluation


@check("accuracy is the same in both tables", "hierarchy")
def _same(hierarchy: Work) -> Iterator[tuple[int, str]]:
    for f in hierarchy.tables[2].figures():
        if f.measure == "accuracy" and f.value != sure(hierarchy.tables[1], **f.labels).value:
            yield 2, f"{f.labels['system']} {f.labels['set']}"


@check("errors sum to 100", "hierarchy")
def _errors(hierarchy: Work) -> Iterator[tuple[int, str]]:
    table = hierarchy.tables[2]
    for f in table.figures():
        if f.measure == "accuracy":
            kinds = [sure(table, m, **f.labels) for m in ("braveness", "cautiousness", "orthogonality")]
            if abs(sum(k.value for k in kinds) - 100) > sum(k.half for k in kinds) + 1e-9:
                yield 2, f"{f.labels['system']} {f.labels['set']}"


@check("coverage and specificity follow from the errors", "hierarchy")
def _follow(hierarchy: Work) -> Iterator[tuple[int, str]]:
    """Coverage = accuracy + cautiousness × errors, specificity = accuracy + braveness × errors."""
    table = hierarchy.tables[2]
    for f in table.figures():
        if f.measure == "accuracy":
            for whole, part in (("coverage", "cautiousness"), ("specificity", "braveness")):
                kind = sure(table, part, **f.labels)
                bounds = [
                    a + (kind.value + d) / 100 * (100 - a)
                    for a in (f.value - f.half, f.value + f.half)
                    for d in (-kind.half, kind.half)
                ]
                if not near(sure(table, whole, **f.labels), min(bounds), max(bounds)):
                    yield 2, f"{f.labels['system']} {f.labels['set']}: {whole}"


@check("a smaller set is not easier", "hierarchy")
def _smaller(hierarchy: Work) -> Iterator[tuple[int, str]]:
    table = hierarchy.tables[1]
    for system in table.columns:
        values = [sure(table, system=system, set=s).value for s in ("global", "global-unique", "novel", "novel-unique")]
        if sorted(values, reverse=True) != values:
            yield 1, system


# ---- what holds of all


@pytest.mark.parametrize("name", CHECKS)
def test_inconsistent_is_exactly_what_the_notes_say(name: str) -> None:
    of, function = CHECKS[name]
    noted = {(t.number, at) for t in load_work(of).tables.values() for n in t.notes if n.check == name for at in n.at}
    assert set(function(load_work(of))) == noted


@pytest.mark.parametrize("name", WORKS)
def test_notes_name_checks_that_there_are(name: str) -> None:
    for table in load_work(name).tables.values():
        for note in table.notes:
            assert bool(note.check) == bool(note.at)
            assert not note.check or CHECKS[note.check][0] == name


@pytest.mark.parametrize("name", WORKS)
def test_every_table_says_where_it_is_from(name: str) -> None:
    of = load_work(name)
    assert of.citation
    for table in of.tables.values():
        assert table.title
        assert table.scope or table.number == 3  # what the models of BioEL need
        for printed in {f.labels["corpus"] for f in table.figures() if "corpus" in f.labels}:
            assert printed in of.corpora or printed in of.groups or printed == "Overall"


def test_the_tables_that_there_must_be() -> None:
    assert list(load_work("belb").tables) == [1, 2, 4, 5, 6, 10, 13, 14, 15]
    assert list(load_work("bioel").tables) == list(range(2, 13))
    assert list(load_work("fair").tables) == [1, 2, 3, 4]
    assert list(load_work("hierarchy").tables) == [1, 2]


def test_belb_row_of_table_10_that_is_of_another_corpus() -> None:
    """11 changed labels are 0.25 % of BC5CDR's diseases, not of NCBI Disease."""
    belb = load_work("belb")
    total = sure(belb.tables[1], "annotations test", corpus="BC5CDR (D)").value
    share = sure(belb.tables[10], "total %", corpus="NCBI Disease")
    assert near(share, 1100 / total, 1100 / total)


def test_figures_keep_what_was_printed() -> None:
    found = sure(load_work("bioel").tables[6], slice="zero_shot", system="KRISSBERT")
    assert (found.value, found.digits, found.mark, found.half) == (-0.559, 3, "‡", 0.0005)
    assert sure(load_work("belb").tables[4], corpus="Gene", system="arboEL").digits == 2  # 0.30
    assert figure(load_work("belb").tables[4], corpus="GNormPlus", system="BioSyn") is None  # out of memory
    assert load_work("belb").tables[4].value(corpus="GNormPlus", system="BioSyn") is None
    with pytest.raises(UsageError, match="name 3 figures"):
        load_work("belb").tables[4].value(corpus="GNormPlus")
    with pytest.raises(UsageError, match="no published tables 'belp'; did you mean 'belb'"):
        load_work("belp")


SMALL = """
title = "T"
citation = "C"
[[table]]
number = 1
title = "t"
keys = ["system"]
across = "corpus"
columns = ["a", "b"]
measures = ["recall@1", "recall@5"]
rows = [["s", [0.10, "0.2*"], ["-", 1]]]
"""


def test_a_small_work() -> None:
    [table] = parse_work("small", SMALL).tables.values()
    assert [(f.labels["corpus"], f.measure, f.value, f.digits, f.mark) for f in table.figures()] == [
        ("a", "recall@1", 0.1, 2, ""), ("a", "recall@5", 0.2, 1, "*"), ("b", "recall@5", 1.0, 0, ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "T"', 'titel = "T"', "small.toml: unknown key 'titel'; did you mean 'title'"),
        ('keys = ["system"]', 'key = ["system"]', "small.toml, table 1: unknown key 'key'; did you mean 'keys'"),
        ('title = "t"\n', "", "small.toml, table 1: 'title' is missing"),
        ('"a", "b"', '"a"', r"the row \('s',\) has 3 cells, not 2"),
        ('["-", 1]', '"-"', r"a cell of \('s',\) has 1 parts, not 2"),
        ('across = "corpus"', 'across = "measure"', "`measures` are named unless"),
        ("number = 1", 'number = 1\nunit = "permille"', "'unit' must be share, percent or count, not 'permille'"),
        ("rows = [", 'rows = [["s", ["-", "-"], ["-", "-"]], ', r"the row \('s',\) is there twice"),
        ("number = 1", "number = 1\nnotes = [{ txt = 1 }]", "table 1: notes: unknown key 'txt'; did you mean 'text'"),
        ("number = 1", 'number = "1"', "table 1: 'number' must be a whole number, not '1'"),
        ('"a", "b"', '"a", 2', "table 1: 'columns' must be a text, not 2"),
        ("number = 1", "number = ", "small.toml: Invalid value"),
        ("[[table]]", 'name = "x"\n[[table]]', "`name` and `tables` are given by"),
    ],
)  # fmt: skip
def test_what_is_odd_in_a_file_is_an_error_that_says_where(old: str, new: str, message: str) -> None:
    assert old in SMALL
    with pytest.raises(DataError, match=message):
        parse_work("small", SMALL.replace(old, new, 1))


def test_a_table_cannot_be_there_twice() -> None:
    with pytest.raises(DataError, match="table 1 is there twice"):
        parse_work("small", SMALL + SMALL[SMALL.index("[[table]]") :])
