"""What a bench file cannot mean is said before any work."""

from __future__ import annotations

from pathlib import Path

import pytest

from linkassay.bench_files.plan_file import read_plan
from linkassay.errors import LinkassayError
from tests.bench_files.conftest import MINI, written


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('tittle = "x"', "b.toml: unknown key 'tittle'; did you mean 'title'?"),
        ('[[corpora]]\nname = "mini"\nsplit = "test"', r"1: unknown key 'split'; did you mean 'splits'"),
        ('[[corpora]]\nname = "minni"', "unknown corpus 'minni'; did you mean 'mini'?"),
        ('[[linkers]]\nlinker = "exakt"', "unknown linker 'exakt'; did you mean 'exact'?"),
        ('[[linkers]]\nlinker = "exact"\ncorpora = "minni"', "'exact': unknown corpus 'minni'; did you mean 'mini'"),
        ('[[linkers]]\nname = "mine"', r"\[\[linkers\]\] 1: 'linker' is missing"),
        ('[[linkers]]\nlinker = "exact"\ntop = 0', "'top' must be a whole number from 1 on, not 0"),
        ('[[linkers]]\nlinker = "exact"\nstrict = 1', "'strict' must be true or false, not 1"),
        ('[linkers]\nlinker = "exact"', r"write \[\[linkers\]\], not \[linkers\]"),
        ('[score]\nby = ["type", "zero-shoot"]', "score: unknown slice 'zero-shoot'; did you mean 'zero-shot'"),
        ('[score]\nmeasures = "recal@1"', "score: unknown measure 'recal' in 'recal@1'; did you mean 'recall'"),
        ('[score]\nprotocols = "belb/stict"', "score: unknown protocol 'belb/stict'"),
        ('[score]\nsets = "globale"', "score: unknown set 'globale'; did you mean 'global'"),
        ('[score]\nexclude_ids = "lists/ids.txt"', "score: 'exclude_ids': excluded ids need a prefix.*lists/ids.txt"),
        ('[[linkers]]\nlinker = "exact"\noptions = { x = 2020-01-01 }', "1: options of linker 'exact' are texts"),
        ('[score]\nexclude_ids = ["D003924"]', "score: 'exclude_ids': excluded ids need a prefix.*D003924"),
        ('[[kbs]]\nname = "mesch"', "unknown kb 'mesch'; did you mean 'mesh'"),
        ('[[corpora]]\nname = "mini"\nsplits = ["tset"]', "corpus 'mini': unknown split 'tset'; did you mean 'test'"),
        ('[[corpora]]\nname = "mini"\nkb = "minni"', "corpus 'mini': unknown kb 'minni'; did you mean 'mini'"),
        ('[[linkers]]\nlinker = "exact"\nsynonyms = ["cheby"]', "'exact': unknown kb 'cheby'; did you mean 'chebi'"),
        ('[[kbs]]\nname = "mesh"\n[[kbs]]\nname = "mesh"', r"two \[\[kbs\]\] are called 'mesh'"),
        ('[[imports]]\nformat = "nativ"\nfiles = "x"\ncorpus = "mini"\nsystem = "s"', "unknown importer 'nativ'"),
        ('[[imports]]\nformat = "native"\nfiles = "x"\ncorpus = "mini"\nsystem = "s"\nsplit = "dev"',
         "mini is not run on split 'dev'"),
        ('[[corpora]]\nname = "mine"\nformat = "pubtator"', "own files are given as files"),
        ('[[corpora]]\nname = "mine"\nformat = "pubtater"\nfiles = {test = "x"}', "did you mean 'pubtator'"),
        ('[[corpora]]\nname = "mini"\ntypes = ["gene"]', "'types' is for own files; add 'format'"),
        ("title = ", "not valid TOML"),
        ('title = "empty"', "nothing to run"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_said_before_any_work(home: Path, tmp_path: Path, text: str, says: str) -> None:
    corpus = "" if "[[corpora]]" in text or "empty" in text else '\n[[corpora]]\nname = "mini"'
    linker = "" if "linkers]" in text or "empty" in text else '\n[[linkers]]\nlinker = "exact"'
    with pytest.raises(LinkassayError, match=says):
        read_plan(written(tmp_path, text + corpus + linker))
    assert not home.exists()


def test_a_cell_asked_for_twice(home: Path, tmp_path: Path) -> None:
    with pytest.raises(LinkassayError, match="mini test × exact is asked for twice"):
        read_plan(written(tmp_path, MINI + '[[linkers]]\nlinker = "exact"\nabbreviations = "schwartz-hearst"\n'))
    named = MINI + '[[linkers]]\nlinker = "exact"\nabbreviations = "schwartz-hearst"\nname = "exact-sh"\n'
    assert [cell.system for cell in read_plan(written(tmp_path, named)).cells()] == ["exact", "exact-sh"]
