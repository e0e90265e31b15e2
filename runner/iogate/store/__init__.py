"""Histories of runs: one file a backend, and the registry of them.

To add one: a file in this folder with ``connect(url) -> Store``, and one line in STORES.
"""

from __future__ import annotations

import difflib
import importlib
import re
from pathlib import Path

from iogate.errors import RefusedError, StoreError, UsageError, lacking
from iogate.files.data_folder import data_folder, make_folder
from iogate.files.sqlite_head import BESIDE
from iogate.store.base import ACCEPTED, Store

__all__ = [
    "ACCEPTED",
    "STORES",
    "Store",
    "default_path",
    "open_kept",
    "open_store",
    "open_to_measure",
    "open_to_read",
    "sqlite_files",
    "sqlite_path",
]

STORES = {
    "sqlite": "iogate.store.sqlite.store",
    "influxdb": "iogate.store.influx.v2",
    "influxdb1": "iogate.store.influx.v1",
}
_SCHEME = re.compile(r"([a-z][a-z0-9.-]*)(?:\+[a-z0-9]+)?:")


def default_path() -> Path:
    """Where the history is when nobody says: in the user's data folder."""
    return data_folder() / "history.sqlite"


def open_store(url: str | None = None) -> Store:
    """The store of a URL (``sqlite:///path``, ``influxdb://host/org/bucket``,
    ``influxdb1://host/database``), of a bare path, or the user's own.

    Raises UsageError for a backend that does not exist, StoreError for one that cannot be
    opened; RefusedError where this user's own cannot be made. The caller closes it.
    """
    url = url or _own_history()
    try:
        store: Store = importlib.import_module(STORES[_backend(url)]).connect(url)
    except ModuleNotFoundError as error:
        raise lacking("A history on an InfluxDB server", error, "influx") from None
    return store


def open_to_measure(url: str | None = None) -> Store:
    """The same, before anything is measured: RefusedError for one that cannot be opened."""
    try:
        return open_store(url)
    except StoreError as error:
        raise RefusedError(error.what, remedy=error.remedy) from error


def _own_history() -> str:
    path = default_path()
    if not path.exists():
        make_folder(path.parent, "XDG_DATA_HOME")
    return str(path)


def open_kept(url: str | None = None) -> Store:
    """The same, to read what it holds or to decide on it: UsageError for a named file that is
    not there, which is a mistyped name, and not to be made."""
    path = sqlite_path(url) if url else None
    if path and not path.exists():
        raise UsageError(
            f"there is no history {path}",
            remedy="see the name after --store; the first run that is kept there makes it",
        )
    return open_to_read(url)


def open_to_read(url: str | None = None) -> Store:
    """The same as ``open_store``, to read what it holds: a file on a full or read-only disk is
    read as it stands, and what would change it raises the StoreError of that."""
    try:
        return open_store(url)
    except StoreError as error:
        if sqlite_path(url) is None:
            raise
        from iogate.store.sqlite.store import connect_frozen

        frozen = connect_frozen(url or str(default_path()), error)
        if frozen is None:
            raise
        return frozen


def sqlite_path(url: str | None = None) -> Path | None:
    """The file of a history, None for one on a server."""
    url = url or str(default_path())
    if _backend(url) != "sqlite":
        return None
    from iogate.store.sqlite.store import path_of

    return Path(path_of(url)).expanduser().absolute()


def sqlite_files(url: str | None = None) -> tuple[Path, ...]:
    """The same, with the files that SQLite keeps beside it; none for a history on a server."""
    path = sqlite_path(url)
    return tuple(path.with_name(f"{path.name}{end}") for end in ("", *BESIDE)) if path else ()


def _backend(url: str) -> str:
    match = _SCHEME.match(url)
    if match and match[1] in STORES:
        return match[1]
    if "://" not in url:
        return "sqlite"
    scheme = url.partition("://")[0]
    near = difflib.get_close_matches(scheme, STORES, n=1)
    raise UsageError(
        f"no store is called {scheme!r}",
        remedy=f"did you mean {near[0]}?" if near else f"there are: {', '.join(STORES)}",
    )
