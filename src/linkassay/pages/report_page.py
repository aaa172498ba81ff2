"""Writes the report: data, style and script in one HTML file that needs nothing else.

Text from corpora is data: it is embedded as JSON that cannot end its element, or compressed, and the script puts
it into the page as text only. The content security policy names the script and the style by their
hashes, so that nothing else could run even if it got in.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from linkassay import store
from linkassay.explorer import Embedded
from linkassay.explorer import embed as held_in_page
from linkassay.pages import front_end
from linkassay.pages.page_data import about_page, gather_page
from linkassay.pages.sections.hierarchy import section as hierarchy_section
from linkassay.scoring.disambiguation import SETS, Score
from linkassay.scoring.hierarchy import LOCATIONS, Profile
from linkassay.scoring.results import Result

#: What could end a script element or a JavaScript line, as JSON escapes.
_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def write_report(
    of: Result | Sequence[Score],
    out: Path,
    failed: Sequence[Mapping[str, str]] = (),
    about: Mapping[str, Any] | None = None,
    *,
    mentions: str | int = "",
    text: str = "",
    title: str = "",
) -> Path:
    """Write the report of a result, or of some scores; returns where it is.

    `failed` are planned runs that could not be made (`corpus`, `linker`, `error`), `about` is what was asked for.
    `mentions` that the page holds: `all`, `errors` or how many; else all up to 50 000, and a sample of more. `text`:
    `full`, `snippet` or `none`; else as the licence of each corpus allows.
    """
    result = of if isinstance(of, Result) else Result(of)
    data = gather_page(result, failed, about, title=title)
    store.write_text(out, render_report(data, held_in_page(result.cohorts, mentions, text)))
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
    data = gather_page(result, about=about, before=[hierarchy_section])
    store.write_text(out, render_report(data, held_in_page(result.cohorts)))
    return out


def render_report(data: dict[str, Any], held: Embedded) -> str:
    """The whole page as text: what it says, and what it holds of mentions, cases and documents."""
    style, scripts = front_end.style(), (front_end.vendored(), front_end.script())
    allowed = " ".join(f"'{_hash(text)}'" for text in scripts)
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    said = embed(data | {"about": about_page(data, held)})
    return front_end.page(
        f"{data['title']} · linkassay",
        policy=f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy)}">',
        style=f"<style>{style}</style>",
        script=f'<script type="application/json" id="data">{said}</script>\n'
               f'<script type="application/octet-stream" id="columns">{packed(held)}</script>\n'
               + "\n".join(f"<script>{text}</script>" for text in scripts),
    )  # fmt: skip


def embed(data: Any) -> str:
    r"""JSON that is safe inside a script element.

    >>> embed({"text": "</script>&"})
    '{"text":"\\u003c/script\\u003e\\u0026"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_ESCAPES)


def packed(held: Embedded) -> str:
    """The columns as text that is safe inside a script element; the same columns give the same text."""
    text = json.dumps(held, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("utf-8"), 6, mtime=0)).decode("ascii")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
