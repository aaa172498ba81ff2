"""Writes the report: data, style and script in one HTML file that needs nothing else.

Text from corpora is data: it is embedded as JSON that cannot end its element, and the script puts
it into the page as text only. The content security policy names the script and the style by their
hashes, so that nothing else could run even if it got in.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from linkassay import store
from linkassay.pages.page_data import gather_page
from linkassay.pages.sections.hierarchy import section as hierarchy_section
from linkassay.scoring.disambiguation import SETS, Score
from linkassay.scoring.hierarchy import LOCATIONS, Profile
from linkassay.scoring.results import Result

#: The parts of the script, in the order in which they use each other.
SCRIPTS = ("dom.js", "tables.js", "charts.js", "blocks.js", "mentions.js", "page.js")

#: What could end a script element or a JavaScript line, as JSON escapes.
_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def write_report(
    of: Result | Sequence[Score],
    out: Path,
    failed: Sequence[Mapping[str, str]] = (),
    about: Mapping[str, Any] | None = None,
) -> Path:
    """Write the report of a result, or of some scores; returns where it is.

    `failed` are planned runs that could not be made (`corpus`, `linker`, `error`), `about` is what was asked for.
    """
    store.write_text(out, render_report(gather_page(of, failed, about)))
    return out


def write_profile_page(profiles: Sequence[Profile], sets: Sequence[str], out: Path) -> Path:
    """Write the part of the report that is about a hierarchy, of these profiles and evaluation sets."""
    first = profiles[0]
    run, hierarchy, choices = first.score.run, first.relations.hierarchy, first.choices
    about = {
        "title": f"How wrong is wrong: {run.corpus}, {run.split}",
        "hierarchy": f"{choices or run.kb}: {len(hierarchy):,} entities, {len(hierarchy.roots):,} roots, depth "
                     f"{hierarchy.depth}",
        "counted": f"denominator {choices.denominator}, gold {choices.gold}, items {choices.items}",
        "location": LOCATIONS[choices.location],
        "corpus": f"{run.corpus}@{run.about['corpus_revision']}",
    } | {f"set {set_}": SETS[set_].summary for set_ in sets}  # fmt: skip
    result = Result(profile.score for profile in profiles)
    for cohort in result.cohorts:
        cohort.show_profiles(profiles, sets)
    store.write_text(out, render_report(gather_page(result, about=about, before=[hierarchy_section])))
    return out


def render_report(data: dict[str, Any]) -> str:
    """The whole page as text."""
    style = _asset("page.css")
    # one block, so that no name of ours becomes a property of the window
    script = '"use strict";\n{\n' + "\n".join(_asset(name) for name in SCRIPTS) + "}\n"
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return Template(_asset("page.html")).substitute(
        policy=html.escape(policy), title=html.escape(f"{data['title']} · linkassay"),
        style=style, script=script, data=embed(data),
    )  # fmt: skip


def embed(data: Any) -> str:
    r"""JSON that is safe inside a script element.

    >>> embed({"text": "</script>&"})
    '{"text":"\\u003c/script\\u003e\\u0026"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_ESCAPES)


def _asset(name: str) -> str:
    return files("linkassay.pages").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
