"""Scores of the end-to-end and rule linkers on the corpora of `../shared/data`: `python -m bench.endtoend_linkers`.

Prints Markdown rows. Variants are looked up in tmVar's forms of dbSNP numbers, made an own knowledge base on the way.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
from pathlib import Path

import linkassay
from linkassay.corpora import stored_corpus as corpora
from linkassay.kbs import stored_kb as kbs
from linkassay.kbs.building.build import build_kb
from linkassay.kbs.readers.own_table import spec_from_toml
from linkassay.scoring.endtoend import figure_rows
from linkassay.scoring.endtoend.run_score import score_run_end_to_end

#: Linker, corpus, its folder, KB, its folder.
END_TO_END = [
    ("spotter", "ncbi_disease", "corpora/ncbi_disease", "medic", "kbs/medic"),
    ("spotter", "bc5cdr", "corpora/bc5cdr", "mesh", "kbs/mesh"),
    ("spotter", "s800", "corpora/pubtator_reannotated", "ncbi_taxonomy", "kbs/ncbi_taxonomy_2013"),
    ("capitals", "wiki_fair_no_coref", "e2e/benchmarks", "wikidata", "e2e/kb"),
    ("capitals", "news_fair_no_coref", "e2e/benchmarks", "wikidata", "e2e/kb"),
]
GIVEN = [
    ("genes", "gnormplus", "corpora/pubtator_reannotated", "ncbi_gene", "kbs/ncbi_gene"),
    ("variants", "osiris", "corpora/snp_osiris", "dbsnp_sample", "kbs/dbsnp_sample"),
    ("variants", "snp", "corpora/snp_osiris", "dbsnp_sample", "kbs/dbsnp_sample"),
    ("variants", "tmvar3", "corpora/pubtator_reannotated", "dbsnp_sample", "kbs/dbsnp_sample"),
]
_CHANGES = {
    "SUB": lambda level, ref, place, alt: f"p.{ref}{place}{alt}" if level == "p" else f"{level}.{place}{ref}>{alt}",
    "FS": lambda level, first, place, *_: f"p.{first}{place}fs",
    "DEL": lambda level, place, what, *_: f"p.{what}{place}del" if level == "p" else f"{level}.{place}del{what}",
    "INS": lambda level, place, what, *_: f"{level}.{place}ins{what}",
    "DUP": lambda level, place, what, *_: f"{level}.{place}dup{what}",
}  # fmt: skip


def dbsnp_sample(data: Path) -> None:
    """An own knowledge base of tmVar's forms: dbSNP numbers with HGVS names, genes as foreign ids and xrefs."""
    symbols: dict[str, str] = {}
    for path in (data / "kbs" / "ncbi_gene").glob("Homo_sapiens*"):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            symbols |= {cells[1]: cells[2] for cells in (line.split("\t") for line in lines)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with gzip.open(data / "kbs/dbsnp_sample/tmVarForm2RSID2Freq.txt.gz", "rt", encoding="utf-8") as lines, \
                (folder / "rs.tsv").open("w", encoding="utf-8") as out:  # fmt: skip
            out.write("id\trs\tname\tgene\tsymbol\tgenes\n")
            for line in lines:
                form, *numbers = line.rstrip("\n").split("\t")
                level, change, *rest = form.split("|")
                hgvs = _CHANGES[change](level, *rest) if change in _CHANGES else ""
                for number in numbers:
                    rs, genes, _ = (part.split(":", 1)[1] for part in number.split("|"))
                    first = genes.split(",")[0]
                    out.write(f"{rs}\t{rs}\t{hgvs}\t{first}\t{symbols.get(first, '')}\t{genes.replace(',', '|')}\n")
        (folder / "rs.toml").write_text(
            'name = "dbsnp_sample"\nprefix = "dbsnp"\ntype = "variant"\nfiles = "rs.tsv"\nid = "id"\n'
            'names = [{column = "rs", kind = "rs"}, {column = "name", kind = "hgvs"}]\nforeign = "gene"\n'
            'foreign_prefix = "ncbigene"\nforeign_name = "symbol"\n'
            'xrefs = {column = "genes", separator = "|", prefix = "ncbigene"}\n', encoding="utf-8")  # fmt: skip
        build_kb(spec_from_toml(folder / "rs.toml"), folder)


def main(data: Path) -> None:
    """Obtain what is missing, link, score, print."""
    for _, corpus, corpus_folder, kb, kb_folder in (*END_TO_END, *GIVEN):
        if corpus not in corpora.corpus_names():
            linkassay.get(corpus, data / corpus_folder)
        if kb == "dbsnp_sample":
            dbsnp_sample(data)
        elif kb not in kbs.kb_names():
            linkassay.get(kb, data / kb_folder)
    print(
        "| linker | corpus (KB) | F1 | P | R | NER F1 | disambiguation | index s | link s |", "|---" * 9 + "|", sep="\n"
    )
    for linker, corpus, _, kb, _ in END_TO_END:
        run = linkassay.link(linker, corpus, kb=kb)
        scored = score_run_end_to_end(run)
        row = figure_rows.figure_row(scored.counts, "ignored", scored.words)
        figures = " | ".join(f"{row[name]:.3f}" for name in ("all_f1", "all_p", "all_r", "ner_f1", "disamb_accuracy"))
        times = f"{run.about['index_seconds']:.0f} | {run.about['link_seconds']:.1f}"
        print(f"| `{linker}` | {corpus} ({kb}) | {figures} | {times} |")
    print("\n| corpus (KB) | linker | recall@1 | recall@10 | of |\n|---|---|---|---|---|")
    for own, corpus, _, kb, _ in GIVEN:
        for linker in ("exact", "normalised", own):
            one, ten = linkassay.score(linkassay.link(linker, corpus, kb=kb), "recall@1,recall@10").rows()
            print(f"| {corpus} ({kb}) | `{linker}` | {one['value']:.3f} | {ten['value']:.3f} | {one['n']:.0f} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("../shared/data"))
