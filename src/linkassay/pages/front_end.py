"""The front end as one script, one style sheet and the HTML around them: its files joined, without a tool to build it.

Modules are plain ES modules that import each other by name. Joined, they stand in one block, each behind those that it
imports; so names at their top are unique over all of them, which a test holds them to.
"""

from __future__ import annotations

import html
import re
from functools import cache
from importlib.resources import files
from string import Template

#: The module that starts everything.
ENTRY = "app.js"

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|let|class) )", re.MULTILINE)


@cache
def script(entry: str = ENTRY) -> str:
    """A module and all that it needs as one classic script, none of whose names becomes a property of the window."""
    joined = "\n".join(_EXPORT.sub("", _IMPORT.sub("", module(name))) for name in modules(entry))
    return '"use strict";\n{\n' + joined + "}\n"


@cache
def vendored() -> str:
    """The library that draws charts, as `vendor/README.md` describes it."""
    return asset("vendor/vega.min.js")


@cache
def style() -> str:
    """All style sheets as one: that of the page first, then those of its parts by name."""
    folder = files("linkassay.pages").joinpath("style")
    parts = sorted(each.name for each in folder.iterdir() if each.name.endswith(".css"))
    return "\n".join([asset("page.css"), *(asset(f"style/{name}") for name in parts)])


def page(title: str, *, style: str, script: str, policy: str = "") -> str:
    """The HTML around the front end; style, script and policy are elements, the title is text."""
    return Template(asset("page.html")).substitute(title=html.escape(title), style=style, script=script, policy=policy)


@cache
def modules(entry: str = ENTRY) -> tuple[str, ...]:
    """A module and all that it needs, each behind those that it imports, as far as they do not import each other."""
    found: dict[str, None] = {}
    begun: set[str] = set()

    def visit(name: str) -> None:
        if name not in begun:
            begun.add(name)
            for other in _IMPORT.findall(module(name)):
                visit(other)
            found[name] = None

    visit(entry)
    return tuple(found)


def module(name: str) -> str:
    """The text of one module."""
    return asset(f"script/{name}")


def asset(name: str) -> str:
    """A file of the front end."""
    return files("linkassay.pages").joinpath(name).read_text(encoding="utf-8")
