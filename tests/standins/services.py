"""Stand-ins for services over HTTP, as behaviours of `endure.httpserver`: BERN2, REL, Spotlight, and one for NIF."""

from __future__ import annotations

import json
import re
from urllib.parse import parse_qs

from endure.httpserver import Behaviour, Exchange

from tests.standins.tools import found, tool_id


def json_of(value: object) -> dict[str, bytes]:
    return {"body": json.dumps(value).encode()}


def bern2(exchange: Exchange) -> None:
    """Ids in lists with prefixes of its own, `CUI-less` where it has none; what is not called JSON is refused."""
    if not exchange.headers["Content-Type"].startswith("application/json"):
        exchange.answer(415)
        return
    text = json.loads(exchange.body)["text"]
    rows = []
    for start, end, surface, entity, type_ in found(text):
        prefix, local = entity.split(":", 1)
        spelled = {"ncbitaxon": f"NCBI:txid{local}", "ncbigene": f"EntrezGene:{local}"}.get(prefix, entity)
        rows.append({"id": [spelled], "is_neural_normalized": False, "mention": surface, "obj": type_, "prob": 0.99,
                     "span": {"begin": start, "end": end}})  # fmt: skip
    rows.append(
        {"id": ["CUI-less"], "mention": text[:1], "obj": "disease", "prob": 0.5, "span": {"begin": 0, "end": 1}}
    )
    exchange.answer(200, **json_of({"annotations": rows, "text": text, "timestamp": "Mon Nov 16"}))


def rel(exchange: Exchange) -> None:
    """Titles of Wikipedia with underscores; given spans are [start, length]."""
    asked = json.loads(exchange.body)
    spans = {tuple(span) for span in asked["spans"]}
    rows = [
        [start, end - start, surface, f"Article_{entity}", 0.7, 0.9, "ORG"]
        for start, end, surface, entity, _ in found(asked["text"])
        if not spans or (start, end - start) in spans
    ]
    exchange.answer(200, **json_of(rows))


def spotlight(exchange: Exchange) -> None:
    """All numbers are texts; `Resources` is missing where there are none. It answers in HTML if not asked for JSON.

    All that is posted is read from the form, nothing from the address.
    """
    if exchange.headers["Accept"] != "application/json":
        exchange.answer(200, b"<html></html>", Content_Type="text/html")
        return
    text = parse_qs(exchange.body.decode())["text"][0]
    rows = [
        {"@URI": f"http://dbpedia.org/resource/{entity}", "@support": "12", "@types": "", "@surfaceForm": surface,
         "@offset": str(start), "@similarityScore": "0.97"}
        for start, _, surface, entity, _ in found(text)
    ]  # fmt: skip
    answer = {"@text": text, "@confidence": "0.5"} | ({"Resources": rows} if rows else {})
    exchange.answer(200, **json_of(answer))


def nif(exchange: Exchange) -> None:
    """The context as it came, with phrases added; knows Turtle only as we write it."""
    turtle = exchange.body.decode()
    context, end = re.findall(r"<([^>]+)#char=0,(\d+)>\n    a nif:Context", turtle)[0]
    text = json.loads(re.findall(r'nif:isString ("(?:[^"\\]|\\.)*")', turtle)[0])
    for start, stop, surface, entity, _ in found(text):
        turtle += (
            f"\n<{context}#char={start},{stop}> a nif:Phrase ; nif:referenceContext <{context}#char=0,{end}> ;\n"
            f'  nif:beginIndex "{start}" ; nif:endIndex "{stop}" ; nif:anchorOf {json.dumps(surface)} ;\n'
            f"  itsrdf:taIdentRef <http://identifiers.org/{entity.replace(':', '/', 1)}> .\n"
        )
    exchange.answer(200, turtle.encode(), Content_Type="application/x-turtle")


def pubtator_service(exchange: Exchange) -> None:
    from tests.standins.tools import pubtator

    exchange.answer(200, pubtator(exchange.body.decode(), {}).encode())


SERVICES: dict[str, Behaviour] = {"bern2": bern2, "rel": rel, "spotlight": spotlight, "nif": nif}
#: Where the real ones answer, once installed: BERN2's README, REL's server, Spotlight's web service.
ADDRESSES = {"bern2": "/plain", "rel": "/", "spotlight": "/rest/annotate", "nif": "/nif"}
__all__ = ["ADDRESSES", "SERVICES", "bern2", "nif", "pubtator_service", "rel", "spotlight", "tool_id"]
