"""Stand-ins for tools that are run as commands: `python tools.py NAME ARGUMENT…`. Uses nothing of linkassay.

Names are read from the file STANDIN_NAMES: text, id, type with tabs between. The tools named `misbehave …` do so.
"""

from __future__ import annotations

import os
import re
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

Found = tuple[int, int, str, str, str]  # start, end, text, id, type


def names() -> dict[str, tuple[str, str]]:
    lines = Path(os.environ["STANDIN_NAMES"]).read_text(encoding="utf-8").splitlines()
    return {text: (identifier, type_) for text, identifier, type_ in (line.split("\t") for line in lines)}


def found(text: str, *types: str) -> Iterator[Found]:
    known = {name: about for name, about in names().items() if about[1] in types or not types}
    longest = sorted(map(re.escape, known), key=lambda name: (-len(name), name))
    for match in re.finditer(rf"(?<!\w)(?:{'|'.join(longest)})(?!\w)", text):
        yield (match.start(), match.end(), match[0], *known[match[0]])


def blocks(text: str) -> Iterator[tuple[str, str, list[str]]]:
    """Id, title and abstract as one text, and the lines of each PubTator document."""
    for block in text.strip().split("\n\n"):
        lines = block.splitlines()
        passages = [line.split("|", 2) for line in lines if re.match(r"[^|\t]+\|[ta]\|", line)]
        yield passages[0][0], " ".join(p[2] for p in passages), lines


def pubtator(text: str, spell: dict[str, str], *types: str) -> str:
    """Each document with what was found in it; `spell` has the tool's word for each type, ids are then the tool's."""
    out = []
    for identifier, whole, lines in blocks(text):
        out += [line for line in lines if "\t" not in line]
        for start, end, surface, entity, type_ in found(whole, *types):
            spelled = tool_id(entity) if spell else entity
            out.append(f"{identifier}\t{start}\t{end}\t{surface}\t{spell.get(type_, type_)}\t{spelled}")
        out.append("")
    return "\n".join(out) + "\n"


def tool_id(entity: str) -> str:
    """Ids as these tools write them: MESH:D…, bare numbers of genes and taxa."""
    prefix, local = entity.split(":", 1)
    return f"MESH:{local}" if prefix == "mesh" else local if prefix in ("ncbigene", "ncbitaxon") else entity


def processtext(format_: str, model: str, source: str, target: str) -> None:
    assert (format_, model) == ("PubTator", "model.bin")
    said = pubtator(Path(source).read_text(encoding="utf-8"), {"disease": "Disease"}, "disease")
    Path(target).write_text(said, encoding="utf-8")


def sr4gn(_i: str, source: str, _o: str, target: str) -> None:
    said = pubtator(Path(source).read_text(encoding="utf-8"), {"species": "Species"}, "species")
    Path(target).write_text(said, encoding="utf-8")


def java(*arguments: str) -> None:
    jar, source, target = arguments[arguments.index("-jar") + 1 :][:3]
    for path in sorted(Path(source).iterdir()):
        if jar == "GNormPlus.jar":
            gnormplus(path, Path(target) / path.name)
        else:
            tmvar(path, Path(target) / f"{path.name}.PubTator")


def gnormplus(source: Path, target: Path) -> None:
    """BioC in and out: ids of genes in the infon `NCBI Gene`, families without; species are annotated as well."""
    assert Path("Dictionary").is_dir(), "GNormPlus is run where its Dictionary is"
    tree = ET.parse(source)
    for passage in tree.iter("passage"):
        offset = int(passage.findtext("offset", "0"))
        for n, (start, end, surface, entity, type_) in enumerate(
            found(passage.findtext("text", ""), "gene", "species")
        ):
            annotation = ET.SubElement(passage, "annotation", id=str(n))
            ET.SubElement(annotation, "infon", key="type").text = type_.capitalize()
            key = "NCBI Gene" if type_ == "gene" else "NCBI Taxonomy"
            ET.SubElement(annotation, "infon", key=key).text = tool_id(entity)
            ET.SubElement(annotation, "location", offset=str(offset + start), length=str(end - start))
            ET.SubElement(annotation, "text").text = surface
    tree.write(target, encoding="UTF-8", xml_declaration=True)


def tmvar(source: Path, target: Path) -> None:
    """PubTator; the id of a variant is a list of which the dbSNP number is one part."""
    out = []
    for line in pubtator(source.read_text(encoding="utf-8"), {"variant": "ProteinMutation"}, "variant").splitlines():
        cells = line.split("\t")
        if len(cells) == 6:
            number = cells[5].removeprefix("dbsnp:rs")
            cells[5] = f"tmVar:p|SUB|V|600|E;HGVS:p.V600E;VariantGroup:0;CorrespondingGene:673;RS#:{number}"
        out.append("\t".join(cells))
    target.write_text("\n".join(out) + "\n", encoding="utf-8")


def concept(entity: str) -> str:
    """A concept of the UMLS that stands for an entity."""
    return "C" + "".join(str(ord(c) % 10) for c in entity)[-7:]


def mytool(source: str, target: str) -> None:
    Path(target).write_text(pubtator(Path(source).read_text(encoding="utf-8"), {}), encoding="utf-8")


def metamap(*arguments: str) -> None:
    """Fielded MMI lines for the text on standard input, with concepts of the UMLS."""
    assert arguments == ("-N", "--silent")
    for start, end, surface, entity, _ in found(sys.stdin.read(), "disease"):
        trigger = f'["{surface}"-tx-1-"{surface}"-noun-0]'
        print(f"USER|MMI|3.75|{surface}|{concept(entity)}|[dsyn]|{trigger}|TX|{start}/{end - start}|")


def misbehave(how: str, source: str, target: str) -> None:
    """Fail in the way that is asked for; `crash-on ID` only if that document is there."""
    text = Path(source).read_text(encoding="utf-8")
    how, _, only = how.partition("=")
    if only and f"{only}|t|" not in text:
        how = "nothing-wrong"
    if how == "crash":
        sys.stderr.write("first a warning\nOutOfMemoryError: no heap\n")
        sys.exit(3)
    if how == "hang":
        time.sleep(600)
    if how == "silent":
        return
    said = pubtator(text, {})
    if how == "garbage":
        said = "\x00\x01 no PubTator at all\n"
    if how == "unknown-document":
        said += "99999|t|Gout.\n99999|a|\n99999\t0\t4\tGout\tdisease\tMESH:D006073\n\n"
    if how == "unknown-ids":
        said = re.sub(r"\t[^\t\n]+$", "\tMESH:D999999999", said, flags=re.M)
    if how == "wrong-offsets":
        said = re.sub(
            r"^([^\t\n|]+)\t(\d+)\t(\d+)\t", lambda m: f"{m[1]}\t{int(m[2]) + 1}\t{int(m[3]) + 1}\t", said, flags=re.M
        )
    if how == "empty":
        said = ""
    if how == "half":
        said = said[: len(said) // 2].rpartition("\n\n")[0] + "\n"
    if how == "two-files":
        Path(target).with_name("other").write_text(said, encoding="utf-8")
    Path(target).write_text(said, encoding="utf-8")


if __name__ == "__main__":
    globals()[sys.argv[1].replace("-", "_").removesuffix(".sh").lower()](*sys.argv[2:])
