"""BELB (Garda et al. 2023) beside ours: tables 4, 5, 6, 13, 14, 15 from runs, 1, 2, 10 from corpora and KBs at hand.

Systems are compared on what the rule-based one recognised (tables 4, 5, 14), which its own file of results holds: read
as a corpus, `NAME-belb`, it is exact. Without it a run of the rule-based system on the corpus itself gives the scope.
Table 6 pools the runs on corpora with training data; corpora without a run are named.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linkassay.corpora import Corpus, spec_of, unseen_mentions
from linkassay.kbs import Kb, kb_names
from linkassay.published import our_figures
from linkassay.published.literature import scope_of
from linkassay.published.our_figures import AtHand, Reproduced, plain_name, reproduced_row
from linkassay.published.published_table import PublishedFigure, PublishedTable, Work, load_work
from linkassay.tables import Rows

_NOTE = (
    "recall@1 of BELB: any gold id is right; tables 4 and 5: one of several answers is drawn (its mean is exact here), "
    "lenient: any of them counts; table 14: several answers are wrong; table 15: all mentions of the test split. "
    "Corpora and KBs (tables 1, 2, 10) are of the edition at hand, BELB's are of 2023 and synchronised."
)
_SCORED = ",".join(f"recall(protocol=belb/{p})@1" for p in ("standard", "strict", "lenient"))


def belb_beside_ours() -> Reproduced:
    """Every figure of the tables for which something is at hand, and what is missing for the others."""
    belb = load_work("belb")
    systems = _Systems(belb)
    rows = Rows(systems.rows())
    rows += systems.unseen()
    rows += _recognition(belb, systems.hands)
    at_hand = our_figures.corpora_at_hand(belb.corpora.values())
    rows += _corpora(belb, at_hand)
    rows += _kbs(belb)
    rows += _changes(belb, at_hand)
    rows.sort(key=lambda r: r["table"])
    missing = systems.missing()
    if absent := dict.fromkeys(n.partition("/")[0] for n in belb.corpora.values() if n not in at_hand):
        missing.append(f"corpora (tables 1, 10, 15): linkassay get {' '.join(absent)}")
    if lacking := [names[0] for names in belb.kbs.values() if not _edition(names)]:
        missing.append(f"knowledge bases (tables 2, 10): linkassay get {' '.join(lacking)}")
    return Reproduced(_NOTE, rows, missing)


class _Systems:
    """The figures of systems on corpora, each with the run that stands beside it."""

    def __init__(self, belb: Work) -> None:
        self.belb = belb
        self.hands = list(our_figures.at_hand(belb))
        self._scores: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
        self._missing: dict[str, dict[str, list[int]]] = {}

    def rows(self) -> Iterator[dict[str, Any]]:
        for number in (4, 5, 14, 15):
            table = self.belb.tables[number]
            for figure in table.figures():
                if figure.labels["corpus"] in self.belb.corpora and figure.measure == "recall@1":
                    yield from self._row(table, figure)

    def _row(self, table: PublishedTable, figure: PublishedFigure) -> Iterator[dict[str, Any]]:
        printed, variant = figure.labels["corpus"], figure.labels.get("variant", "")
        system = self.belb.system(figure.labels["system"], printed)
        resolved = variant == "abbreviations resolved"
        protocol = "belb/lenient" if variant == "lenient" else table.protocol
        scope = scope_of(self.belb, table, printed)
        found = self._found(self.belb.corpora[printed], plain_name(system) + "ar" * resolved, scope)
        if found is None:
            wanted = system + " with resolved abbreviations" * resolved
            self._missing.setdefault(printed, {}).setdefault(wanted, []).append(table.number)
            return
        hand, inside = found
        scored = self._scored(hand, inside)[f"recall(protocol={protocol})@1"]
        yield reproduced_row(table, figure, scored["value"], scored["n"], corpus=self.belb.corpora[printed],
                  system=f"{system}, {variant}" if variant else system, protocol=protocol, scope=scope,
                  note=hand.note, key=scored["key"])  # fmt: skip

    def unseen(self) -> Iterator[dict[str, Any]]:
        """Table 6: mentions of unseen entities and synonyms, those of all corpora that have training data pooled."""
        table = self.belb.tables[6]
        trained = [f.labels["corpus"] for f in self.belb.tables[1].figures() if f.measure == "unseen entities"]
        for figure in table.figures():
            measure = f"recall(protocol={table.protocol},set={figure.labels['set']})@1"
            found = {printed: row for printed in trained if (row := self._unseen_row(table, figure, printed, measure))}
            absent = [printed for printed in trained if printed not in found]
            if not any(row["n"] for row in found.values()):
                continue
            right, n = (sum(row[x] for row in found.values()) for x in ("right", "n"))
            note = "; ".join(dict.fromkeys(row["doubt"] for row in found.values() if row["doubt"]))
            note += f"{'; ' * bool(note)}pooled over {', '.join(found)}"
            note += f"; not comparable without {', '.join(absent)}" if absent else ""
            row = reproduced_row(table, figure, right / n, n, corpus=f"{len(found)} of {len(trained)} together",
                                 system=figure.labels["system"], protocol=table.protocol, scope=table.scope, note=note,
                                 key=" ".join(row["key"] for row in found.values())) | {"measure": measure}  # fmt: skip
            yield row | ({"difference": None, "agrees": None} if absent else {})

    def _unseen_row(
        self, table: PublishedTable, figure: PublishedFigure, printed: str, measure: str
    ) -> dict[str, Any] | None:
        """How many are right of how many; None without a run on the corpus itself, which has the training data."""
        system = self.belb.system(figure.labels["system"], printed)
        found = self._found(self.belb.corpora[printed], plain_name(system), scope_of(self.belb, table, printed), True)
        if found is None or "train" not in found[0].run.open_corpus().splits:
            return None
        hand, inside = found
        scored = our_figures.scored(hand.run, measure, [inside] if inside else [])[measure]
        right = (scored["value"] or 0.0) * scored["n"]
        return {"right": right, "n": scored["n"], "key": scored["key"], "doubt": hand.doubt}

    def _found(self, corpus: str, system: str, scope: str, trained: bool = False) -> tuple[AtHand, str] | None:
        """The run of a system that has a scope, and that scope as `score` writes it; `trained`: with training data."""
        mine = [h for h in self.hands if (h.corpus, plain_name(h.run.system)) == (corpus, system)]
        whole = [h for h in mine if not h.recognised and h.share_joined >= our_figures.JOINED]
        if scope == "all":
            return (whole[0], "") if whole else None
        if (exact := [h for h in mine if h.recognised]) and not trained:
            return exact[0], ""
        rules = plain_name(scope.removeprefix("recognised"))
        for hand in whole:
            for other in self.hands:
                if other.run.corpus == hand.run.corpus and plain_name(other.run.system) == rules:
                    return hand, f"recognised({other.run.path})"
        return None

    def _scored(self, hand: AtHand, scope: str) -> dict[str, dict[str, Any]]:
        key = str(hand.run.path), scope
        if key not in self._scores:
            self._scores[key] = our_figures.scored(hand.run, _SCORED, [scope] if scope else [])
        return self._scores[key]

    def missing(self) -> list[str]:
        """For each corpus the systems without a run, and how to get one."""
        return [self._how(printed, systems) for printed, systems in self._missing.items()]

    def _how(self, printed: str, systems: dict[str, list[int]]) -> str:
        name, rules = self.belb.corpora[printed], self.belb.system("RBES", printed)
        numbers = sorted({n for of in systems.values() for n in of})
        commands = [f"linkassay get {name}", f"linkassay import belb predictions.json --corpus {name} --system SYSTEM"]
        if rules in self.belb.joint and numbers != [15]:
            own, kb = f"{name.replace('/', '_')}-belb", spec_of(name.partition("/")[0]).kb
            commands = [f"linkassay get --format belb-gold results.json --name {own} --kb {kb}",
                        commands[1].replace(f"--corpus {name} ", f"--corpus {own} ")]  # fmt: skip
        apart = [h for h in self.hands if h.corpus == name and h.share_joined < our_figures.JOINED]
        why = f" ({apart[0].run.name}: only {apart[0].joined} predictions join)" if apart else ""
        tables = f"table{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"
        return (f"{printed}, {tables}: no run of {', '.join(systems)}{why}; with the files of {self.belb.source}: "
                f"{' && '.join(commands)}")  # fmt: skip


def _recognition(belb: Work, hands: list[AtHand]) -> Iterator[dict[str, Any]]:
    """Table 13: of all mentions, which the neural systems' files hold, those in the rule-based one's file."""
    table = belb.tables[13]
    for figure in table.figures():
        name, system = belb.corpora[figure.labels["corpus"]], figure.labels["system"]
        for hand in hands:
            about = hand.run.about.get("import", {})
            if hand.corpus == name and hand.recognised and plain_name(hand.run.system) != plain_name(system):
                total = about["joined"] + about["outside"]
                yield reproduced_row(
                    table,
                    figure,
                    about["joined"] / total,
                    total,
                    corpus=name,
                    system=system,
                    scope="all",
                    note="mentions in both files of results, of those in the neural system's",
                )
                break


def _corpora(belb: Work, at_hand: dict[str, Corpus]) -> Iterator[dict[str, Any]]:
    table = belb.tables[1]
    for figure, corpus in _of_corpora(belb, table, at_hand):
        found = _counts(corpus)
        value = found.get(figure.measure)
        total = found.get("annotations test")
        if figure.measure.endswith(" %") and total and (count := found.get(figure.measure[:-2])) is not None:
            value = 100 * count / total
        if value is not None:
            yield reproduced_row(
                table,
                figure,
                value,
                total if "unseen" in figure.measure else None,
                corpus=corpus.name,
                scope="linked mentions",
            )


def _counts(corpus: Corpus) -> dict[str, Any]:
    """Documents with linked mentions, and these, by split; unseen entities and synonyms of the test split."""
    query = "select split, count(distinct document), count(distinct mention) from gold_ids group by split"
    found: dict[str, Any] = {}
    for split, documents, mentions in corpus.sql(query):
        found |= {f"documents {split}": documents, f"annotations {split}": mentions}
    if kinds := list(unseen_mentions(corpus).values()):
        found |= {"unseen entities": kinds.count("entity"), "unseen synonyms": kinds.count("synonym")}
    return found


def _kbs(belb: Work) -> Iterator[dict[str, Any]]:
    table = belb.tables[2]
    keys = {"entities": "entities", "names": "names", "synonyms": "synonyms_per_entity", "homonyms %": "homonyms",
            "homonyms PN %": "homonyms_primary"}  # fmt: skip
    known: dict[str, dict[str, Any]] = {}
    for figure in table.figures():
        if not (name := _edition(belb.kbs.get(figure.labels["kb"], ()))):
            continue
        kb = Kb.open(name)
        if name not in known:
            known[name] = kb.statistics()
        value = known[name][keys[figure.measure]]
        yield reproduced_row(table, figure, 100 * value if figure.measure.endswith("%") else value, corpus=name,
                  scope="the edition at hand", note=f"{kb.manifest['title']} {kb.revision}")  # fmt: skip


def _changes(belb: Work, at_hand: dict[str, Corpus]) -> Iterator[dict[str, Any]]:
    """Table 10: labels of the test split that the KB at hand has replaced or does not have."""
    table = belb.tables[10]
    found: dict[str, dict[str, float]] = {}
    for figure, corpus in _of_corpora(belb, table, at_hand):
        own = corpus.manifest["kb"].partition("@")[0]
        if not (name := _edition(next((n for n in belb.kbs.values() if own in n), [own]))):
            continue
        if corpus.name not in found:
            found[corpus.name] = _changed(corpus, Kb.open(name))
        if counted := found[corpus.name]:
            yield reproduced_row(table, figure, counted[figure.measure], int(counted["labels"]), corpus=corpus.name,
                                 scope="test labels", note=f"against {name} at hand")  # fmt: skip


def _changed(corpus: Corpus, kb: Kb) -> dict[str, float]:
    """Counts of labels of the test split; empty if it has none."""
    labels = corpus.sql("select entity, count(*) from gold_ids where split = 'test' group by entity")
    now = {entity: kb.current(entity) for entity, _ in labels}
    known = kb.primary_names(i for ids in now.values() for i in ids)
    kept = {entity: [i for i in ids if i in known] for entity, ids in now.items()}
    removed = sum(n for entity, n in labels if not kept[entity])
    replaced = sum(n for entity, n in labels if kept[entity] and now[entity] != (entity,))
    total = sum(n for _, n in labels)
    if not total:
        return {}
    changed = removed + replaced
    return {"replaced": replaced, "removed": removed, "total": changed, "total %": 100 * changed / total,
            "labels": total}  # fmt: skip


def _of_corpora(
    belb: Work, table: PublishedTable, at_hand: dict[str, Corpus]
) -> Iterator[tuple[PublishedFigure, Corpus]]:
    for figure in table.figures():
        if corpus := at_hand.get(belb.corpora.get(figure.labels["corpus"], "")):
            yield figure, corpus


def _edition(names: Any) -> str:
    """The first of some KBs that the data home has."""
    here = kb_names()
    return next((name for name in names if name in here), "")
