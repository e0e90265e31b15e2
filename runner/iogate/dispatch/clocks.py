"""Clocks of other hosts. A node of a queue dates its run by its own, and the history that all runs
go into is ordered by time."""

from __future__ import annotations

from dataclasses import replace

from iogate.model.run import Run

_APART_NS = 300 * 10**9
"""So much is no matter: nights are hours apart."""


def dated_here(run: Run, since_ns: int, now_ns: int) -> tuple[Run, tuple[str, ...]]:
    """The run by the clock here, and what is wrong with the one there. It was measured between
    ``since_ns`` and ``now_ns`` (Unix time in ns here); a run that says otherwise is moved to where
    these begin or end."""
    ahead_ns = max(run.started_ns, run.finished_ns) - now_ns
    behind_ns = since_ns - run.started_ns
    if max(ahead_ns, behind_ns) <= _APART_NS:
        return run, ()
    off_ns = ahead_ns if ahead_ns > 0 else -behind_ns
    way = "ahead of" if off_ns > 0 else "behind"
    note = (
        f"the clock there is {abs(off_ns) / 1e9:,.0f} s or more {way} the one here: the run is"
        " dated by the one here; let both follow a time server"
    )
    moved = tuple(replace(each, started_ns=each.started_ns - off_ns) for each in run.measurements)
    finished_ns = run.finished_ns - off_ns if run.finished_ns else 0
    started_ns = run.started_ns - off_ns
    return replace(run, started_ns=started_ns, finished_ns=finished_ns, measurements=moved), (note,)
