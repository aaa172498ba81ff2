"""Commands do without pandas and PyTorch where they are installed, and who imports them has them."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

_COMMANDS = """
import sys
import linkassay.cli as c
def run(*command):
    sys.argv = ["linkassay", *command]
    try:
        c.main()
    except SystemExit as end:
        assert not end.code, command
"""


def _done(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", _COMMANDS + code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1]


@pytest.mark.skipif(find_spec("pandas") is None, reason="pandas is not installed")
def test_no_verb_loads_pandas(home_with_mini: Path, tmp_path: Path) -> None:
    """pyarrow would, with its first array; that takes as long as all of `score` on a small run."""
    page = str(tmp_path / "report.html")
    commands = [["link", "exact", "mini"], ["link", "normalised", "mini"], ["score", "mini/exact", "--by", "zero-shot"],
                ["compare", "mini/exact", "mini/normalised"], ["report", "mini/exact", "-o", page], ["check", "mini"],
                ["profile", "mini/exact"], ["info", "mini"]]  # fmt: skip
    assert _done(f"for each in {commands!r}: run(*each)\nprint('pandas' in sys.modules)") == "False"


@pytest.mark.skipif(find_spec("pandas") is None, reason="pandas is not installed")
def test_all_others_find_it(home_with_mini: Path) -> None:
    """A linker of one's own may import it, and pyarrow loads it where a data frame is wanted."""
    assert _done(
        "run('link', 'exact', 'mini')\n"
        "import pyarrow as pa\n"
        "assert 'pandas' not in sys.modules\n"
        "frame = pa.table({'a': [1, 2]}).to_pandas()\n"
        "import pandas\n"
        "print(type(frame) is pandas.DataFrame, pa.array(pandas.Series([1.0, None])).null_count)"
    ) == "True 1"  # fmt: skip


@pytest.mark.skipif(None in (find_spec("torch"), find_spec("spacy")), reason="PyTorch or spaCy is not installed")
@pytest.mark.parametrize(
    ("code", "loaded"),
    [
        ("run('score', 'mini/exact', '--task', 'end-to-end', '--preset', 'elevant')", "True False"),
        ("NoTorchForSpacy.install()\nimport spacy", "True True"),
    ],
)
def test_words_are_counted_without_pytorch(code: str, loaded: str, home_with_mini: Path) -> None:
    """SpaCy would load it; who loads spaCy for something else has both."""
    assert _done(
        "from linkassay.cli.unneeded_imports import NoTorchForSpacy\n"
        f"run('link', 'exact', 'mini')\n{code}\n"
        "print('spacy' in sys.modules, 'torch' in sys.modules)"
    ) == loaded  # fmt: skip
