"""Made-up knowledge bases of any size in the files of the true ones. The same size and seed give the same bytes."""

from __future__ import annotations

import argparse
import bz2
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

#: Rows that are made at once.
CHUNK = 500_000
#: RefSNP records in one compressed stream; a file is several streams, one after the other.
RECORDS = 20_000

# ruff: noqa: SIM905 (syllables read better as one text)
_START = (
    "Ab Ac Al Am An Ar As Ba Be Bo Bra Ca Ce Chi Cla Co Cy De Di Do El En Ep Eu Fa Fe Ga Ge Gly Ha He Hy La Le Li Ma "
    "Me Mi Mo My Na Ne No Oc Oph Or Pa Pe Phy Pi Po Pseu Py Rha Ro Sa Sce Se Si Spi Ste Sy Ta Te Tri Va Xe Ze"
).split()
_MIDDLE = "ba bri ca cho co da do fi ga la li lo ma mo na no pha pho po ra ri ro sa so ta tho ti to tro va xi".split()
_GENUS = "bium ca cera cola da don ella fera ia lia lus mys nema nia pora psis ra ris soma stoma sus thrix us".split()
_SPECIES = "alis ana anum ata ensis eri escens ica icola ii ina inus ior oides osa osum ulata ulus um us".split()
_CLASSES = ["synonym", "authority", "common name", "equivalent name", "misspelling", "includes", "type material"]
_RANKS = ["species", "species", "species", "species", "no rank", "genus", "subspecies", "family", "strain", "order"]

_COURSE = (
    "acute;chronic;recurrent;congenital;juvenile;familial;idiopathic;secondary;primary;severe;mild;benign;malignant;"
    "bilateral;left;right;diffuse;focal;hereditary;postoperative;drug-induced;viral;bacterial;autoimmune;neonatal;"
    "gestational;sporadic;progressive;transient;metastatic"
).split(";")
_PLACE = (
    "renal;hepatic;cardiac;pulmonary;gastric;colonic;cerebral;spinal;retinal;corneal;dermal;muscular;bone;femoral;"
    "tibial;humeral;cervical;thoracic;lumbar;pancreatic;splenic;thyroid;adrenal;pituitary;ovarian;uterine;prostatic;"
    "testicular;bladder;biliary;esophageal;duodenal;ileal;rectal;nasal;laryngeal;tracheal;bronchial;pleural;"
    "pericardial;mitral;aortic;venous;arterial;lymphatic;bone marrow;optic nerve;vagus nerve;inner ear;skin"
).split(";")
_DISORDER = (
    "carcinoma;adenoma;fracture;stenosis;insufficiency;infection;inflammation;hemorrhage;thrombosis;infarction;edema;"
    "atrophy;hypertrophy;dysplasia;fibrosis;necrosis;abscess;cyst;ulcer;rupture;dislocation;neoplasm;sarcoma;lymphoma;"
    "anomaly;obstruction;perforation;calcification;degeneration;dystrophy;ischemia;aneurysm;fistula;prolapse;pain;"
    "injury;transplantation;biopsy;resection;repair"
).split(";")
_NOTE = (
    ";, initial encounter;, subsequent encounter;, sequela;, unspecified;, stage I;, stage II;, stage III;, grade 1;"
    ", grade 2;, in remission;, type 1;, type 2;, with complication;, without complication; (disorder); (procedure);"
    " (finding);, adult;, child;, with fever;, in pregnancy;, of unknown origin;, confirmed;, suspected"
).split(";")
_CAUSE = (
    "; due to trauma; due to radiation; due to alcohol; due to infection; due to surgery; caused by fungus; in diabetes"
    "; in renal failure; in old age; after vaccination; associated with obesity; following stroke; complicating labor"
    "; without symptoms; with pain; with anemia; with shock; by computed tomography; by ultrasound; under treatment"
).split(";")


def umls(folder: Path, concepts: int = 4_000_000, seed: int = 1) -> None:
    """`MRCONSO`, `MRSTY`, `MRREL` and `MRCUI`: two names for a concept, a parent, one retired for twenty that are not.

    Half of the names are of words of medicine, half of organisms that there are not.
    """
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(seed)
    what = pa.array([f"{course} {place} " for course in _COURSE for place in _PLACE])
    phrase = pa.array([f"{disorder}{cause}{note}" for disorder in _DISORDER for cause in _CAUSE for note in _NOTE])
    genera, epithets = _words(_START, _MIDDLE, _GENUS), _words(_MIDDLE, _MIDDLE, _SPECIES)
    types, sources = pa.array([f"T{n:03d}" for n in range(1, 128)]), pa.array(["MSH", "SNOMEDCT_US", "NCI", "MTH"])
    with (folder / "MRCONSO.RRF").open("wb") as file:
        atoms = 0
        for begin, end in _chunks(1, concepts + 1):
            names = 1 + random.integers(0, 3, end - begin)
            ids = np.repeat(np.arange(begin, end), names)
            first = pa.array(np.diff(ids, prepend=0) > 0)
            number = _text(np.arange(atoms, atoms := atoms + len(ids)))
            medical = pc.binary_join_element_wise(_pick(what, random, len(ids)), _pick(phrase, random, len(ids)), "")
            natural = pc.binary_join_element_wise(
                _pick(genera, random, len(ids)), _pick(epithets, random, len(ids)), " "
            )
            name = pc.if_else(pa.array(ids % 2 == 0), medical, natural)
            file.write(_lines(
                _cui(ids), "|ENG|", pc.if_else(first, "P", "S"), "|L", number, "|PF|S", number, "|Y|A", number, "||||",
                _pick(sources, random, len(ids)), "|", pc.if_else(first, "PT", "SY"), "|", number, "|", name,
                "|0|N||\n",
            ))  # fmt: skip
    with (folder / "MRSTY.RRF").open("wb") as file:
        for begin, end in _chunks(1, concepts + 1):
            ids = np.arange(begin, end)
            file.write(_lines(_cui(ids), "|", _pick(types, random, len(ids)), "|A1|Made up|AT", _text(ids), "||\n"))
    with (folder / "MRREL.RRF").open("wb") as file:
        for begin, end in _chunks(2, concepts + 1):
            ids = np.arange(begin, end)
            parents = _cui(np.maximum(1, (ids * random.uniform(0.3, 0.95, len(ids))).astype(int)))
            number = _text(ids)
            file.write(_lines(_cui(ids), "||CUI|PAR|", parents, "||CUI||R", number, "||MSH|MSH|||N||\n"))
    with (folder / "MRCUI.RRF").open("wb") as file:
        for begin, end in _chunks(concepts + 1, concepts + 1 + concepts // 20):
            new = _cui(random.integers(1, concepts + 1, end - begin))
            gone = pa.array(random.random(end - begin) < 0.3)
            file.write(_lines(
                _cui(np.arange(begin, end)), "|2020AA|", pc.if_else(gone, "DEL", "SY"), "|||",
                pc.if_else(gone, "", new), "|", pc.if_else(gone, "", "Y"), "|\n",
            ))  # fmt: skip


def taxonomy(folder: Path, names: int = 2_000_000, merged: int = 400_000, seed: int = 1) -> None:
    """`names.dmp`, `nodes.dmp` and `merged.dmp`: two taxa for every three names, a tree about 30 deep."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(seed)
    taxa = max(1, names * 2 // 3)
    genera, epithets = _words(_START, _MIDDLE, _GENUS), _words(_MIDDLE, _MIDDLE, _SPECIES)
    with (folder / "names.dmp").open("wb") as file:
        extra = np.sort(random.integers(1, taxa + 1, names - taxa))
        for begin, end in _chunks(1, taxa + 1):
            of_these = extra[np.searchsorted(extra, begin) : np.searchsorted(extra, end)]
            ids = np.concatenate([np.arange(begin, end), of_these])
            classes = np.concatenate([np.zeros(end - begin, int), random.integers(1, len(_CLASSES) + 1, len(of_these))])
            order = np.argsort(ids, kind="stable")
            name = pc.binary_join_element_wise(_pick(genera, random, len(ids)), _pick(epithets, random, len(ids)), " ")
            kinds = pa.array(["scientific name", *_CLASSES]).take(pa.array(classes[order]))
            file.write(_lines(_text(ids[order]), "\t|\t", name, "\t|\t\t|\t", kinds, "\t|\n"))
    with (folder / "nodes.dmp").open("wb") as file:
        rest = "\t|\t\t|\t8\t|\t0\t|\t1\t|\t0\t|\t0\t|\t0\t|\t0\t|\t0\t|\t\t|\n"
        for begin, end in _chunks(1, taxa + 1):
            ids = np.arange(begin, end)
            parents = np.maximum(1, (ids * random.uniform(0.3, 0.95, len(ids))).astype(int))
            ranks = _pick(pa.array(_RANKS), random, len(ids))
            file.write(_lines(_text(ids), "\t|\t", _text(parents), "\t|\t", ranks, rest))
    with (folder / "merged.dmp").open("wb") as file:
        for begin, end in _chunks(taxa + 1, taxa + 1 + merged):
            old = np.arange(begin, end)
            # One in a hundred leads to another old id, a smaller one, so that there are chains but no circles.
            new = np.where(random.random(len(old)) < 0.01, taxa + 1 + (old - taxa - 1) // 2, 0)
            new = np.where((new == 0) | (new == old), random.integers(1, taxa + 1, len(old)), new)
            file.write(_lines(_text(old), "\t|\t", _text(new), "\t|\n"))


def dbsnp(folder: Path, records: int = 5_000_000, files: int = 4, seed: int = 1, processes: int | None = None) -> None:
    """`refsnp-chr1.json.bz2` and so on, and `refsnp-merged.json.bz2` with one record for every fifty of the others."""
    folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for chromosome in range(1, files + 1):
            first, last = records * (chromosome - 1) // files, records * chromosome // files
            blocks = [(chromosome, b, min(b + RECORDS, last), seed) for b in range(first, last, RECORDS)]
            with (folder / f"refsnp-chr{chromosome}.json.bz2").open("wb") as file:
                file.writelines(pool.map(_variants, blocks))
        merged = [(records, b, min(b + RECORDS, records // 50), seed) for b in range(0, records // 50, RECORDS)]
        with (folder / "refsnp-merged.json.bz2").open("wb") as file:
            file.writelines(pool.map(_merged, merged))


#: A record with the keys, and the order of the keys, of the true files: one or two assemblies, a transcript, a protein.
_VARIANT = (
    '{"refsnp_id":"%(rs)d","create_date":"2013-06-28T13:34Z","last_update_date":"2022-10-15T20:54Z",'
    '"last_update_build_id":"156","dbsnp1_merges":[%(merge)s],"citations":[],"lost_obs_movements":[],'
    '"present_obs_movements":[],"primary_snapshot_data":{"placements_with_allele":[%(placements)s],'
    '"allele_annotations":[{"frequency":[],"clinical":[],"submissions":[],"assembly_annotation":[]},'
    '{"frequency":[],"clinical":[],"submissions":[],"assembly_annotation":[{"seq_id":"%(sequence)s",'
    '"annotation_release":"GCF_000001405.40-RS_2022_04","genes":[%(gene)s]}]}],"support":[],'
    '"anchor":"%(sequence)s:%(at)010d:1:snv","variant_type":"snv","ga4gh":{}},"mane_select_ids":[]}\n'
)
_PLACEMENT = (
    '{"seq_id":"%(on)s","is_ptlp":%(main)s,"placement_annot":{"seq_type":"%(kind)s","mol_type":"%(molecule)s",'
    '"seq_id_traits_by_assembly":[],"is_aln_opposite_orientation":false,"is_mismatch":false},"alleles":['
    '{"allele":{"spdi":{"seq_id":"%(on)s","position":%(before)d,"deleted_sequence":"%(one)s","inserted_sequence":'
    '"%(one)s"}},"hgvs":"%(on)s:%(same)s"},{"allele":{"spdi":{"seq_id":"%(on)s","position":%(before)d,'
    '"deleted_sequence":"%(one)s","inserted_sequence":"%(other)s"}},"hgvs":"%(on)s:%(changed)s"}]}'
)
_GENE = (
    '{"name":"made-up gene %(gene)d","id":%(gene)d,"locus":"SYN%(gene)d","is_pseudo":false,"orientation":"plus",'
    '"sequence_ontology":[],"rnas":[{"id":"NM_%(gene)06d.1","sequence_ontology":[],"product_id":"NP_%(gene)06d.1"}]}'
)
_CHANGES = [(one, other) for one in "ACGT" for other in "ACGT" if one != other]
_RESIDUES = [("A", "Ala"), ("G", "Gly"), ("L", "Leu"), ("R", "Arg"), ("S", "Ser"), ("V", "Val")]


def _variants(block: tuple[int, int, int, int]) -> bytes:
    chromosome, first, last, seed = block
    random = np.random.default_rng([seed, first])
    steps = random.integers(1, 12, last - first)
    place = 10_000 + first * 6 + np.cumsum(steps)
    changes, kinds = random.integers(0, len(_CHANGES), last - first), random.random(last - first)
    sequence, older = f"NC_{chromosome:06d}.11", f"NC_{chromosome:06d}.10"
    lines = []
    for number, at, change, kind in zip(
        range(first, last), place.tolist(), changes.tolist(), kinds.tolist(), strict=True
    ):
        one, other = _CHANGES[change]
        places = [_place(sequence, "true", "refseq_chromosome", "genomic", at, one, other, f"g.{at + 1}{one}")]
        if number % 4 == 0:  # the older assembly has it too
            stem = f"g.{at - 76}{one}"
            places.append(_place(older, "false", "refseq_chromosome", "genomic", at - 77, one, other, stem))
        gene = ""
        if kind < 0.4:  # in a gene, and half of these in the coding part of it
            gene_id = 1 + at // 40_000
            gene = _GENE % {"gene": gene_id}
            if kind < 0.2:
                cds = at % 40_000
                on = f"NM_{gene_id:06d}.1"
                places.append(_place(on, "false", "refseq_mrna", "rna", cds, one, other, f"c.{cds + 1}{one}"))
                (a, ala), (b, beta) = _RESIDUES[change % 6], _RESIDUES[(change + 1) % 6]
                protein = {
                    "on": f"NP_{gene_id:06d}.1", "main": "false", "kind": "refseq_prot", "molecule": "protein",
                    "before": cds // 3, "one": a, "other": b, "same": f"p.{ala}{cds // 3 + 1}=",
                    "changed": f"p.{ala}{cds // 3 + 1}{beta}",
                }  # fmt: skip
                places.append(_PLACEMENT % protein)
        rs = 3 * number + 1
        merge = f'{{"merged_rsid":"{rs + 1}","revision":"150","merge_date":"2017-11-09T09:10Z"}}' if kind > 0.98 else ""
        record = {
            "rs": rs,
            "merge": merge,
            "placements": ",".join(places),
            "sequence": sequence,
            "at": at,
            "gene": gene,
        }
        lines.append(_VARIANT % record)
    return bz2.compress("".join(lines).encode(), 1)


def _place(on: str, main: str, kind: str, molecule: str, before: int, one: str, other: str, stem: str) -> str:
    return _PLACEMENT % {
        "on": on, "main": main, "kind": kind, "molecule": molecule, "before": before, "one": one, "other": other,
        "same": stem + "=", "changed": f"{stem}>{other}",
    }  # fmt: skip


def _merged(block: tuple[int, int, int, int]) -> bytes:
    records, first, last, seed = block
    into = np.random.default_rng([seed, first, 1]).integers(0, records, last - first).tolist()
    return bz2.compress("".join(
        f'{{"refsnp_id":"{3 * number + 3}","create_date":"2013-06-28T13:34Z","last_update_date":"2022-10-15T20:54Z",'
        '"last_update_build_id":"156","dbsnp1_merges":[],"citations":[],"lost_obs_movements":[],'
        '"present_obs_movements":[],"merged_snapshot_data":{"proxy_time":"2020-04-27T20:38Z","proxy_build_id":"154",'
        f'"merged_into":["{3 * new + 1}"]}},"mane_select_ids":[]}}\n'
        for number, new in zip(range(first, last), into, strict=True)
    ).encode(), 1)  # fmt: skip


def _chunks(begin: int, end: int) -> Iterator[tuple[int, int]]:
    return ((at, min(at + CHUNK, end)) for at in range(begin, end, CHUNK))


def _words(first: list[str], second: list[str], third: list[str]) -> pa.Array:
    return pa.array([a + b + c for a in first for b in second for c in third])


def _pick(words: pa.Array, random: np.random.Generator, count: int) -> pa.Array:
    return words.take(pa.array(random.integers(0, len(words), count)))


def _text(numbers: np.ndarray) -> pa.Array:
    return pa.array(numbers).cast(pa.string())


def _cui(numbers: np.ndarray) -> pa.Array:
    return pc.binary_join_element_wise("C", pc.utf8_lpad(_text(numbers), 7, "0"), "")


def _lines(*parts: pa.Array | str) -> memoryview:
    """The parts of each line joined; an Arrow array of texts is these lines one after the other already."""
    joined = pc.binary_join_element_wise(*parts, "")
    return memoryview(joined.buffers()[2])[: sum(pc.binary_length(joined).to_numpy())]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["taxonomy", "dbsnp", "umls"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("size", type=int, help="number of names, of records, or of concepts")
    options = parser.parse_args()
    begin = time.perf_counter()
    if options.kind == "taxonomy":
        taxonomy(options.folder, options.size, options.size // 5)
    elif options.kind == "dbsnp":
        dbsnp(options.folder, options.size)
    else:
        umls(options.folder, options.size)
    size = sum(path.stat().st_size for path in options.folder.iterdir())
    print(f"{size:,} bytes in {time.perf_counter() - begin:.1f} s")


if __name__ == "__main__":
    main()
