"""The data home: where it is, which format it has, and how what lies in it is named."""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from linkassay.errors import LinkassayError, UsageError

#: The format of a data home, which its `home.json` tells; one without that file is of format 0, or empty. All that
#: formats from `OLDEST_FORMAT` on have is read, or named with the command that makes it again.
FORMAT, OLDEST_FORMAT = 1, 0
#: The folders whose contents have a format; raw files are as others made them.
_FORMATTED = ("corpora", "kbs", "runs", "wic")


def home() -> Path:
    """The data home, if this version can read it: `LINKASSAY_HOME`, else the per-user data folder of this system."""
    path = home_folder()
    if (path / "home.json").exists() or OLDEST_FORMAT > 0:
        _check_format(path)
    return path


def _check_format(path: Path) -> None:
    about: Any = {"format": 0 if is_filled(path) else FORMAT}
    with suppress(FileNotFoundError):
        try:
            about = json.loads((path / "home.json").read_text(encoding="utf-8"))
        except ValueError:
            about = None
    found = about.get("format") if isinstance(about, dict) else None
    if not isinstance(found, int):
        raise LinkassayError(f"{path / 'home.json'} does not say which format the data home has; remove this file")
    if found > FORMAT:
        needed = f"'linkassay>={about['linkassay']}'" if "linkassay" in about else "linkassay"
        raise LinkassayError(f"the data home {path} has format {found} and this linkassay knows formats up to "
                             f"{FORMAT}: pip install -U {needed}")  # fmt: skip
    if found < OLDEST_FORMAT:
        raise LinkassayError(f"the data home {path} has format {found}, which this linkassay no longer reads; make it "
                             "again elsewhere: LINKASSAY_HOME=FOLDER linkassay get NAME")  # fmt: skip


def is_filled(path: Path) -> bool:
    """Whether anything that has a format lies in a data home."""
    return any(True for room in _FORMATTED for _ in (path / room).glob("*/*"))


def home_folder() -> Path:
    """Where the data home is, or will be, whatever its format; one that is there stays in use."""
    if given := os.environ.get("LINKASSAY_HOME"):
        return Path(given).expanduser()
    return user_home()


def user_home() -> Path:
    """The data home where none is named: the per-user data folder of this system."""
    from platformdirs import user_data_path

    former = _former_folder()
    return former if former.is_dir() else user_data_path("linkassay", appauthor=False)


def _former_folder() -> Path:
    """Where the home was first; the same place but for `XDG_DATA_HOME` on macOS, or where that is a relative path."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "linkassay"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "linkassay"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "linkassay"


def valid_name(name: str, what: str) -> str:
    """`name` if it can name a folder everywhere, else a clear error."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}", name):
        raise UsageError(f"{name!r} cannot name a {what}: use letters, digits and _ . + - (at most 100)")
    return name


def current(folder: Path) -> str | None:
    """The revision that `folder`'s name alone stands for: the one obtained last."""
    try:
        revision = (folder / "current").read_text(encoding="utf-8").strip()
        return revision if (folder / revision / "manifest.json").exists() else None
    except (OSError, ValueError):  # not there, or damaged
        return None
