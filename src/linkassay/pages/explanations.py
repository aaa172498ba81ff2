"""What the report explains: definitions, each in one place."""

from __future__ import annotations

from typing import NamedTuple

from linkassay.explorer import SLICE_NAMES
from linkassay.scoring.results import STAGE_K

#: Term → what it means, in the order of the page's list of terms.
DEFINITIONS = {
    "coverage": "Share of the scored mentions for which the system gave at least one candidate.",
    "recall@k": "Share of the scored mentions with a gold entity among the first k candidates. "
    "A mention without an answer is a miss. Recall@1 is also called accuracy.",
    "tied candidates": "Candidates at the same rank count as if put into random order: a mention is worth the chance "
    "that gold is among the first k. One gold among three tied first candidates is worth 1/3 at k = 1.",
    "gold": "The entities the corpus gives for a mention, brought to the current ids of the knowledge base. "
    "Any one of them counts as right, also of several alternatives or of a composite mention.",
    "recognised": "Only those mentions count whose span a system that finds mentions itself has recognised, mostly the "
    "easier ones: recognised(SR4GN) are those that SR4GN found.",
    "protocol": "How tied candidates count. One drawn by chance (belb/standard), or what that is worth on average "
    "(expected, bioel/basic): at rank 1 these mean the same.",
    "n": "Number of mentions a figure is computed over: those with a gold entity. Mentions without one are left out.",
    "95 % interval": "How far the figure would move with other documents of the same kind: each document is left out "
    "in turn, mentions of one document counting as belonging together. 95 of 100 such intervals hold the true figure.",
    "unseen entity": "None of the mention's gold entities occurs in the training or development data.",
    "unseen synonym": "A gold entity occurs in training or development data, but no mention there has this text "
    "(lower-cased).",
    "seen": "Neither an unseen entity nor an unseen synonym.",
    "candidate generation": f"The mention is wrong at rank 1 and gold is not among the first {STAGE_K} candidates: "
    "the system never had a chance to choose it. No answer belongs here.",
    "disambiguation": f"The mention is wrong at rank 1, but gold is among the first {STAGE_K} candidates: "
    "the system had it and preferred another.",
    "MRR": "Mean reciprocal rank: a mention counts 1 if gold is first, 1/2 if it is second, 1/3 if third …; 0 if it "
    "is not there.",
    "mean over corpora": "The mean of the figures of the corpora, each weighing the same whatever its size.",
    "told apart": "Two systems on the same mentions are told apart if a paired permutation test over documents gives "
    "p < 0.05, after Holm's correction over the systems compared with the best. For means over corpora the test is "
    "Student's t over the documents of each corpus.",
    "slice": "A part of the scored mentions, by what the mention is, what training data have seen of it, or what the "
    "knowledge base knows of it.",
    "difference to all": "The figure of a slice minus that of all mentions of the same system, both on the same "
    "documents.",
    "alias match": "The mention's text, abbreviations written out and case not regarded, is a name of a gold entity "
    "in the knowledge base; a wrong alias match is one with a name of another entity. Texts seen in training are "
    "compared in the same way.",
    "zero-shot": "No gold entity of the mention occurs in the training split.",
    "abbreviation": "A mention whose document defines its text as a short form.",
    "speed": "Mentions of the split per second of wall time that one worker took to link, without preparing. The times "
    "of several workers are added up: n workers side by side are up to n times as fast.",
    "CPU": "Processor time of indexing, training and linking, over all threads and workers, that of a command "
    "included, that of a service not. A linker that several workers prepared counts once.",
    "peak memory": "The most memory that the process, or a command that it ran, had while it prepared and linked.",
    "correlation": "Pearson's correlation of what the mentions are worth to two systems; for right or wrong it is phi.",
    "best possible ensemble": "The share of mentions that at least one of the systems has right.",
    "overspecific": "The predicted entity is a descendant of gold.",
    "underspecific": "The predicted entity is an ancestor of gold.",
    "orthogonal": "Neither the one nor the other: the way from gold to the prediction goes up and down again.",
    "virtual root": "A root above all roots, where entities without a common ancestor meet: they are orthogonal, and "
    "have a distance all the same.",
    "characteristics": "Accuracy is the share of exact matches; exact or underspecific, of these two; specificity, of "
    "exact and overspecific ones. Braveness, cautiousness and orthogonality are the shares of over-, underspecific "
    "and orthogonal ones among these three.",
    "location": "Where gold lies between a root (0) and its nearest leaf (1).",
    "precision, recall, F1": "Right ones among the predicted, right ones among the gold mentions, and their harmonic "
    "mean.",
    "NER": "Recognition: the span counts, whatever entity was given.",
    "disambiguation accuracy": "Right entities among the mentions whose span was found.",
    "NIL": "A mention whose entity is not in the knowledge base. Ignored: such mentions count nothing.",
}

#: Slice → its name in the page.
SLICES = SLICE_NAMES

#: Which system is called best.
_BEST = "Best is the highest recall@1; among equals the highest recall@5, then coverage."
_BEST_FOUND = "Of systems that all found their mentions best is the highest F1."


class SectionWords(NamedTuple):
    """A part of the page in words: what it shows, how to read it, and the terms that it uses."""

    title: str
    shows: str
    read: str
    terms: tuple[str, ...] = ()
    short: str = ""  # the title where there is little room


#: Parts of the page, in its order.
SECTIONS = {
    "overview": SectionWords(
        "All corpora",
        "How good each system is over all corpora, each corpus weighing the same, and how it does on each.",
        "The figure is in percent, below it its 95 % interval. The best of a column is bold; ≈ marks those not "
        "told apart from it (p ≥ 0.05). A system that lacks a corpus stands below those that have all: its mean is of "
        "its own corpora and is not compared. Choose a figure to see its mentions.",
        ("mean over corpora", "recall@k", "95 % interval", "told apart"),
    ),
    "matrix": SectionWords(
        "By entity type and corpus",
        "Recall@1 for the mentions of each entity type in each corpus that has them, and over all corpora of the type.",
        "Read a line from left to right: systems on the same mentions, the best one bold. The line of a type pools its "
        "mentions, so that large corpora weigh more.",
        ("recall@k", "n"),
        short="Types × corpora",
    ),
    "leaderboard": SectionWords(
        "Leaderboard",
        "How good each system is, and how sure one can be of it.",
        "Each row is a system: the figure in percent, below it its 95 % interval, drawn as dot and line from 0 to "
        "100. ≈ marks systems that are not told apart from the best (p ≥ 0.05). Choose a figure to see its "
        "mentions.",
        ("coverage", "recall@k", "MRR", "n", "95 % interval", "told apart"),
    ),
    "given": SectionWords(
        "On gold mentions only",
        "What these systems answer where a gold mention stands, as if the mentions had been given to them.",
        "A mention that a system did not find is wrong here, and what it found beside gold does not count: how good it "
        "is end to end stands above. Otherwise as a leaderboard: the figure in percent, below it its 95 % interval.",
        ("coverage", "recall@k", "MRR", "n", "95 % interval", "told apart"),
        short="Gold mentions",
    ),
    "curve": SectionWords(
        "Recall@k",
        "How much a system would gain if someone chose the right one among its first k candidates.",
        "A line that climbs means that gold is found but not ranked first; a flat one, that more candidates would not "
        "help. The vertical axis may begin above 0.",
        ("recall@k", "tied candidates"),
    ),
    "failures": SectionWords(
        "Failure stage",
        "Where the mentions that are wrong at rank 1 are lost.",
        f"A bar is as long as many mentions are wrong: those whose gold is not among the first {STAGE_K} candidates "
        "(candidate generation), and those whose gold is there but not first (disambiguation). A mention that is "
        "partly right through ties is wrong by the missing part. No answer is a part of candidate generation.",
        ("candidate generation", "disambiguation"),
        short="Failures",
    ),
    "types": SectionWords(
        "Entity types",
        "The measure for the mentions of each entity type.",
        "Left of each figure is the difference to all mentions of the same system, in points. Blue is better, orange "
        "worse; deeper means further away. * marks differences that chance does not explain (p < 0.05, Holm over all "
        "types). A mention of several types counts for each of them.",
        ("recall@k", "difference to all"),
        short="Types",
    ),
    "slices": SectionWords(
        "Slices",
        "Kinds of mentions that are easier or harder, as differences to all mentions of the same system.",
        "A dot right of 0 is better than that system's average, left is worse; the line is the 95 % interval. Full "
        "dots and * mark differences that chance does not explain (p < 0.05, Holm over the table; slices of fewer than "
        "10 documents are not tested). The second table tests as BioEL does (its tables 5 and 6).",
        ("difference to all", "alias match", "zero-shot", "slice"),
    ),
    "unseen": SectionWords(
        "Unseen entities and synonyms",
        "How much is owed to what the training data showed.",
        "Seen, then a known entity under a new text, then an entity that training never had. A system that only "
        "remembers falls from line to line.",
        ("seen", "unseen synonym", "unseen entity"),
        short="Unseen",
    ),
    "abbreviations": SectionWords(
        "Effect of abbreviations",
        "What writing out abbreviations before linking changes, on the abbreviated mentions.",
        "Each pair of runs differs in nothing else. The difference is in points, with its 95 % interval; p is a paired "
        "permutation test over documents, z that of BioEL (its table 8).",
        ("abbreviation", "recall@k"),
        short="Abbreviations",
    ),
    "cost": SectionWords(
        "Accuracy against time and memory",
        "What a system costs, and what it gives for it.",
        "Up is better; right is faster in the first plot and hungrier in the second. Times and memory are measured by "
        "linkassay on the machine that ran the system; imported predictions have none.",
        ("speed", "CPU", "peak memory", "recall@k"),
        short="Cost",
    ),
    "agreement": SectionWords(
        "Agreement of systems",
        "Whether systems are right on the same mentions.",
        "Near 1 two systems succeed and fail together; near 0 they complement each other. The best possible ensemble "
        "picks, for each mention, a system that has it right: how much there is to gain from combining.",
        ("correlation", "best possible ensemble", "told apart"),
        short="Agreement",
    ),
    "hierarchy": SectionWords(
        "How wrong is wrong",
        "Where wrong answers lie in the hierarchy of the knowledge base, seen from gold.",
        "Overspecific answers lie below gold, underspecific ones above it, orthogonal ones elsewhere; distance counts "
        "steps. The first picture shows the characteristics of each system, the next how many of its mismatches lie "
        "how far away, or have their gold how deep. Choose a cell to see its mentions. Candidates tied for first place "
        "count in parts, and a mention with several gold entities counts once for each, so that a cell's number may be "
        "smaller or larger than that of the mentions in it.",
        ("overspecific", "underspecific", "orthogonal", "virtual root", "characteristics", "location"),
        short="Hierarchy",
    ),
    "endtoend": SectionWords(
        "End to end",
        "How good systems are that find the mentions themselves: spans and entities together.",
        "A wrong entity on a right span is one false positive and one false negative. NER asks for the span only; "
        "disambiguation is the share of right entities among right spans. Categories say which mistakes are made, each "
        "against what it could have been. By type and kind, what was missed belongs to those of gold, a false "
        "positive to those of the prediction. Choose a figure to see its labels and predictions.",
        ("precision, recall, F1", "NER", "disambiguation accuracy", "NIL"),
    ),
    "published": SectionWords(
        "Published figures beside ours",
        "What the literature reports for this corpus, beside the figures of this report.",
        "A published figure is comparable only if protocol and scope are the same; where they are not, or not known, "
        "the row says so. The difference is that of our system of the same name, else of our best one. In the picture "
        "what is published is grey, and hollow where it is not comparable.",
        ("recall@k",),
        short="Published",
    ),
    "orientation": SectionWords(
        "For orientation: the literature on the same kinds of entities",
        "For this corpus no published figures are stored. Here is what the literature reports for the same kinds of "
        "entities on other corpora, beside what the systems of this report reach on the mentions of that kind.",
        "No row of the literature is comparable with ours: other texts, other mentions, often another knowledge base "
        "or edition of it. Read it as the range that is usual for a kind of entity: far below it there may be "
        "something to mend; far above it the corpus may be easy, or the knowledge base small. Which system is better "
        "only figures on one corpus can tell. Choose a figure of this report to see its mentions.",
        ("recall@k", "recognised", "protocol", "n"),
        short="Published",
    ),
    "mentions": SectionWords(
        "Mentions",
        "The mentions behind the figures, in their text.",
        "Right: gold is first. Partly: gold shares the first rank. Wrong: another entity is first. No answer: no "
        "candidate.",
        ("gold", "tied candidates"),
    ),
    "run": SectionWords(
        "What was run",
        "What the figures depend on: data and their revisions, parameters, software, machine.",
        "Speed is mentions linked per second by one worker, without indexing the knowledge base and training.",
        ("speed", "CPU", "peak memory"),
        short="Runs",
    ),
    "failed": SectionWords(
        "What failed",
        "What was asked for and could not be run. The figures of the report are without it.",
        "Mend the cause and run the same file again: what is done is not done twice.",
    ),
    "further": SectionWords(
        "Further measures",
        "The measures and slices that were asked for beside those of every report.",
        "A measure is written as on the command line; a difference is to all mentions of the same system and measure, "
        "its p corrected by Holm over the table.",
        ("difference to all", "95 % interval"),
    ),
    "plan": SectionWords("What was asked for", "", ""),
    "terms": SectionWords("Terms", "", ""),
}


def best(found: bool) -> str:
    """What systems are ranked by; `found`: a corpus has only such as found their mentions themselves."""
    return f"{_BEST} {_BEST_FOUND}" if found else _BEST
