"""Compiled loops: kept for the next process where only the user writes, and never beside the sources."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import disks
from tests.conftest import ROOT

LOOPS = """
from linkassay.machine_code import compiled, inner

@inner
def double(n):
    return 2 * n

@compiled
def total(values):
    found = 0
    for value in values:
        found += double(value)
    return found
"""
ASK = """
import json, sys
import numpy as np
sys.path.insert(0, sys.argv[1])
import loops
{before}
found = int(loops.total(np.arange(5)))
print(json.dumps([found, len(loops.total.stats.cache_hits) if hasattr(loops.total, "stats") else 0]))
"""


def environment(**own: str | Path) -> dict[str, str]:
    """Ours, without a place for compiled code but those that are given."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "LINKASSAY_"))}
    return inherited | {name: str(value) for name, value in own.items()}


def kept(folder: Path) -> list[Path]:
    """Compiled code below a folder."""
    return [path for path in folder.rglob("*") if path.suffix in (".nbi", ".nbc")]


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A folder of sources that has loops."""
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "loops.py").write_text(LOOPS, encoding="utf-8")
    return folder


def ask(sources: Path, before: str = "", **own: str | Path) -> tuple[int, int]:
    """What a new process answers, and how much of it was compiled by one before it."""
    code = ASK.format(before=before)
    done = subprocess.run([sys.executable, "-c", code, str(sources)], env=environment(**own), capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    found, hits = json.loads(done.stdout)
    return found, hits


@pytest.mark.skipif(sys.platform != "linux", reason="the user's folder is elsewhere")
def test_it_is_kept_in_the_users_own_home_whichever_is_in_use(sources: Path, tmp_path: Path) -> None:
    own, shared = tmp_path / "own", tmp_path / "shared"
    assert ask(sources, XDG_DATA_HOME=own, LINKASSAY_HOME=shared) == (20, 0)
    [versions] = {path.relative_to(own / "linkassay" / "compiled").parts[0] for path in kept(own)}
    assert re.fullmatch(r"[\d.]+\w*-numba-[\d.]+\w*", versions)
    assert not shared.exists()
    assert kept(sources) == []
    assert ask(sources, XDG_DATA_HOME=own, LINKASSAY_HOME=tmp_path / "another") == (20, 1)


def test_numbas_own_setting_says_where_else(sources: Path, tmp_path: Path) -> None:
    places = {"NUMBA_CACHE_DIR": tmp_path / "here", "XDG_DATA_HOME": tmp_path / "own"}
    assert [ask(sources, **places), ask(sources, **places)] == [(20, 0), (20, 1)]
    assert kept(tmp_path / "here")
    assert kept(sources) == kept(tmp_path / "own") == []


@pytest.mark.parametrize("setting", ["XDG_DATA_HOME", "NUMBA_CACHE_DIR"])
def test_where_nothing_can_be_written_nothing_is_kept(sources: Path, tmp_path: Path, setting: str) -> None:
    (tmp_path / "file").touch()
    assert ask(sources, **{setting: tmp_path / "file"}) == (20, 0)
    assert kept(tmp_path) == []


def test_a_folder_that_is_gone_stops_nothing(sources: Path, tmp_path: Path) -> None:
    gone = f"import pathlib, shutil; p = pathlib.Path({str(tmp_path / 'here')!r}); shutil.rmtree(p); p.touch()"
    assert ask(sources, gone, NUMBA_CACHE_DIR=tmp_path / "here") == (20, 0)
    assert kept(tmp_path) == []


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_what_is_damaged_is_compiled_again(sources: Path, tmp_path: Path, suffix: str) -> None:
    here = {"NUMBA_CACHE_DIR": tmp_path / "here"}
    assert ask(sources, **here) == (20, 0)
    for path in kept(tmp_path):
        if path.suffix == suffix:
            path.write_bytes(b"")
    assert [ask(sources, **here), ask(sources, **here)] == [(20, 0), (20, 1)]


def test_without_compiling_loops_are_plain_python(sources: Path, tmp_path: Path) -> None:
    assert ask(sources, NUMBA_DISABLE_JIT="1", XDG_DATA_HOME=tmp_path / "own") == (20, 0)


def test_linking_leaves_the_installed_package_as_it_is(tmp_path: Path) -> None:
    installed = tmp_path / "installed"
    shutil.copytree(ROOT / "src" / "linkassay", installed / "linkassay", ignore=shutil.ignore_patterns("__pycache__"))
    before = sorted(installed.rglob("*"))
    own = environment(
        PYTHONPATH=installed,
        PYTHONDONTWRITEBYTECODE="1",
        XDG_DATA_HOME=tmp_path / "own",
        LINKASSAY_HOME=tmp_path / "home",
    )
    code = "import linkassay; linkassay.get('mini'); linkassay.link('tfidf', 'mini'); print(linkassay.__file__)"
    done = subprocess.run([sys.executable, "-c", code], env=own, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith(str(installed))
    assert sorted(installed.rglob("*")) == before
    assert kept(tmp_path / "own")


@pytest.mark.skipif(sys.platform != "linux", reason="mounts as Linux does")
def test_a_package_and_a_user_without_a_place_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the data home, which is named, can be written; commands that compile work all the same."""
    fixed = tmp_path / "fixed"
    (fixed / "user").mkdir(parents=True)
    shutil.copytree(ROOT / "src" / "linkassay", fixed / "linkassay", ignore=shutil.ignore_patterns("__pycache__"))
    before = sorted(fixed.rglob("*"))
    for name in [name for name in os.environ if name.startswith(("NUMBA_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(sys, "path", [str(fixed), *(p for p in sys.path if Path(p).resolve() != ROOT / "src")])
    places = {"HOME": str(fixed / "user")}
    for arguments in (["link", "tfidf", "mini"], ["score", "mini/tfidf"], ["info", "mini"]):
        done = disks.run(arguments, tmp_path / "home", folder=tmp_path, read_only=fixed, **places)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
    where = [sys.executable, "-c", "import linkassay; print(linkassay.__file__)"]
    assert disks.run([], tmp_path, folder=tmp_path, read_only=fixed, program=where).stdout.startswith(str(fixed))
    assert sorted(fixed.rglob("*")) == before
    assert kept(tmp_path) == []


def test_nothing_else_of_the_package_asks_numba_to_compile() -> None:
    package = ROOT / "src" / "linkassay"
    asking = [
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if re.search(r"^\s*(import|from) numba\b", path.read_text(encoding="utf-8"), re.M)
    ]
    assert asking == ["machine_code.py"]
