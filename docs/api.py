"""Writes docs/api.md, the reference of what can be called, from the docstrings: `python docs/api.py`."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import Any, get_origin

#: What users call, in the order of the work: room → names; all of its `__all__` if none are given.
MODULES: dict[str, tuple[str, ...]] = {
    "linkassay": (),
    "linkassay.model": (),
    "linkassay.errors": (),
    "linkassay.corpora": (
        "Corpus", "Split", "GotCorpus", "OwnCorpus", "get_corpus", "get_own_corpus", "Preparation", "marked",
        "sentence_documents",
    ),
    "linkassay.kbs": ("Kb",),
    "linkassay.text.abbreviations": (),
    "linkassay.linkers": (
        "Linker", "MentionLinker", "Annotator", "Explainer", "Capabilities", "capabilities_of", "Query", "Answer",
        "FoundMention", "Candidate", "Reason", "OutOfOrderError",
    ),
    "linkassay.runs": ("LinkRequest", "Run", "all_runs", "link", "find_run"),
    "linkassay.runs.importing": ("ImportOptions", "import_run"),
    "linkassay.scoring.disambiguation": (
        "Score", "Measure", "parse_measures", "Protocol", "Comparison", "MeasureKind", "Outcome", "Slice",
        "EvaluationSet", "Sets", "TiePolicy", "GoldGroups", "First",
    ),
    "linkassay.scoring.results": ("Result",),
    "linkassay.scoring.hierarchy": ("Scenario", "Goal"),
    "linkassay.tables": ("Rows", "Tabular"),
    "linkassay.charts": ("Drawing",),
    "linkassay.bench_files": ("BenchOutcome",),
    "linkassay.engine": ("Engine",),
}  # fmt: skip


def page() -> str:
    """The whole reference as Markdown."""
    parts = ["# Reference\n\nWritten from the docstrings by `python docs/api.py`.\n"]
    for name, wanted in MODULES.items():
        module = importlib.import_module(name)
        parts.append(f"## {name}\n\n{_text(module)}\n")
        parts += [_entry(member, getattr(module, member)) for member in wanted or module.__all__]
    return "\n".join(parts)


def _entry(name: str, thing: Any) -> str:
    if get_origin(thing) is not None:
        return f"### {name}\n\nStands for `{thing}`.\n".replace("collections.abc.", "")
    shown = f"### {name}\n\n```text\n{name}{_signature(thing)}\n```\n\n{_text(thing)}\n"
    members = vars(thing).items() if inspect.isclass(thing) else ()
    lines = [line for member, value in members if not member.startswith("_") and (line := _member(member, value))]
    return shown + ("\n" + "\n".join(f"- {line}" for line in lines) + "\n" if lines else "")


def _member(name: str, value: Any) -> str:
    """A method or property in a line; fields are in the signature already."""
    function = getattr(value, "__func__", None) or getattr(value, "fget", None) or getattr(value, "func", None) or value
    if not inspect.isfunction(function):
        return ""
    first = (inspect.getdoc(function) or "").partition("\n\n")[0].replace("\n", " ")
    plain = not isinstance(value, property) and not hasattr(value, "func")
    return f"`{name}{_signature(function) if plain else ''}` {first}".rstrip()


def _signature(thing: Any) -> str:
    """Parameters as they are written; a default that is no plain value is left open."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    shown = []
    for parameter in signature.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not any(s.startswith("*") for s in shown):
            shown.append("*")
        star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        text = star + parameter.name + _annotated(": ", parameter.annotation)
        if parameter.default is not parameter.empty:
            plain = isinstance(parameter.default, str | int | float | tuple | None)
            text += f" = {parameter.default!r}" if plain else " = …"
        shown.append(text)
    result = signature.return_annotation
    return f"({', '.join(shown)})" + ("" if result in (None, "None") else _annotated(" -> ", result))


def _annotated(sign: str, annotation: Any) -> str:
    if annotation is inspect.Signature.empty:
        return ""
    return sign + (annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation)))


def _text(thing: Any) -> str:
    """The docstring, its examples as code."""
    text = inspect.getdoc(thing) or ""
    return re.sub(r"(?ms)^(>>> .*?)(?=\n\n|\Z)", r"```python\n\1\n```", text).strip()


if __name__ == "__main__":
    Path(__file__).with_name("api.md").write_text(page(), encoding="utf-8")
