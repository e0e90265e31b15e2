"""A history that others write to, as pages: what has not changed is not made again."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from iogate.cli.live_state import RENEWED_S, Asked, State, read_state
from iogate.errors import StoreError
from iogate.files.run_folder import RunFolder, own_folder
from iogate.history.baseline import baseline_of
from iogate.model.run import Run, RunStatus
from iogate.store import open_to_read, sqlite_path
from iogate.store.sqlite.schema import is_older
from iogate_reports import render_report
from iogate_reports.live import Served, make_live
from iogate_reports.runs import render_runs

KEPT_PAGES = 64
SERVER_S = 5
"""How old what is known of a history on a server may be. A file tells when it changes."""
RUNS = "runs"


class LiveHistory:
    """Safe for threads. Nothing is kept in the history by it."""

    def __init__(
        self,
        url: str | None,
        asked: Asked | None = None,
        seen: Callable[[Run], Run] = lambda run: run,
    ) -> None:
        """``seen`` tells a run in progress from one that was killed, where that can be known."""
        self._url = url
        self._asked = asked or Asked()
        self._seen = seen
        self._stamp: object = None
        self._state = State()
        self._reading = threading.Lock()
        self._pages = _Pages()

    def page(self, path: str) -> Served | None:
        """The page of a path without its first slash; None where there is none. StoreError for
        a history that is not there or cannot be read, UsageError for a run that is not."""
        state, stamp = self.state()
        address = f"{path}index.html" if path.endswith("/") or not path else path
        folder, _, name = path.partition("/")
        if path == RUNS:
            made = (RUNS, stamp)
            text = self._pages.kept(made, lambda: render_runs(state.runs, len(state.known)))
        elif folder == RUNS and name:
            text = self._report(name, state, stamp)
        elif address in state.site.makers:
            text = self._pages.kept((address, state.version), state.site.makers[address])
        else:
            return None
        return make_live(text, state.running, state.problems)

    def state(self) -> tuple[State, object]:
        """What the history holds now, and a mark that is another one when that changes."""
        with self._reading:
            stamp = self._look(), self._killed()
            if stamp != self._stamp:
                self._refuse_older()
                with closing(open_to_read(self._url)) as store:
                    self._state = read_state(store, self._asked, self._state, self._seen)
                self._stamp = stamp
            return self._state, stamp

    def _look(self) -> object:
        """A mark of the history that costs nothing to take."""
        path = sqlite_path(self._url)
        hour = int(time.time() // RENEWED_S)
        if path is None:
            return hour, int(time.monotonic() // SERVER_S)
        if not path.exists():
            raise StoreError(
                f"there is no history at {path}",
                remedy="measure with 'iogate run SPEC', or name another with --store",
            )
        return hour, _mark(path), _mark(path.with_name(f"{path.name}-wal"))

    def _killed(self) -> tuple[str, ...]:
        """Runs that were in progress, and are no more: their history does not change by that."""
        running = (run for run, *_ in self._state.running)
        return tuple(run.id for run in running if self._seen(run).status is not RunStatus.RUNNING)

    def _refuse_older(self) -> None:
        """A history of an older iogate would be brought up to date, which is not for readers."""
        path = sqlite_path(self._url)
        if path is not None and is_older(path):
            raise StoreError(
                f"{path} was written by an older iogate, and reading must not change it",
                remedy=f"update it with: iogate history list --store {path}",
            )

    def _report(self, name: str, state: State, stamp: object) -> str:
        _, status = state.known.get(name, ("", RunStatus.RUNNING))
        mark = stamp if status is RunStatus.RUNNING else state.version

        def make() -> str:
            with closing(open_to_read(self._url)) as store:
                run = self._seen(store.run(name))
                baseline = tuple(baseline_of(run, store))
            shown = None if run.plan.comparison else state.trends.get(run.plan.spec_name)
            return render_report(
                run,
                baseline,
                job_files=_job_texts(run),
                trend=shown.trend if shown else None,
                in_folder=False,
            )

        return self._pages.kept((f"{RUNS}/{name}", mark), make)


def _job_texts(run: Run) -> dict[str, str]:
    """Of a run that was measured on this host, where its folder is still there."""
    folder = own_folder(run)
    if folder is None:
        return {}
    return RunFolder(folder).job_texts(case.id for case in run.plan.cases)


class _Pages:
    """The last pages that were made, by address and what they were made from."""

    def __init__(self) -> None:
        self._found: OrderedDict[tuple[str, object], str] = OrderedDict()
        self._lock = threading.Lock()

    def kept(self, key: tuple[str, object], make: Callable[[], str]) -> str:
        """The page, made where it is not known."""
        with self._lock:
            text = self._found.get(key)
        if text is None:
            text = make()
        with self._lock:
            self._found[key] = text
            self._found.move_to_end(key)
            while len(self._found) > KEPT_PAGES:
                self._found.popitem(last=False)
        return text


def _mark(path: Path) -> tuple[int, int, int]:
    try:
        status = path.stat()
    except FileNotFoundError:
        return 0, 0, 0
    return status.st_ino, status.st_mtime_ns, status.st_size
