"""Runs one case under fio and under ours, and says in what they differ, aspect by aspect.

``accepted`` (the file was taken), ``worked`` (every job ended well), ``moved`` (I/Os and bytes by
direction), ``syncs``, ``left`` (files and their sizes), ``visited`` (which offsets), ``logs`` (how
rows are written), ``document`` (paths and types of the JSON).
"""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from differential.cases import HERE, Case
from support.differential import Outcome, outcome_of
from support.engine_runs import paths

Moved = dict[str, tuple[int, int]]
ASPECTS = ("accepted", "worked", "moved", "syncs", "left", "visited", "logs", "document")
RECORD = "visited.iolog"
_RECORDED = re.compile(r"^(?:\d+ )?\S+ (read|write|trim) (\d+) (\d+)$", re.MULTILINE)
# A log of the I/O stands in the way of these, or is what they are about.
_UNRECORDED = re.compile(
    r"numjobs=|^\[[^j]|iolog|io_submit_mode=offload|create_only=1", re.MULTILINE
)
NOT_THERE = "iogate-engine does not have it yet"
FIO_S = 15  # some jobs hang in fio, now and then; a whole one takes a second
_BY_TIME = ("moved", "syncs", "visited", "left", "logs")


@dataclass(frozen=True, slots=True)
class Listed:
    """A difference that is meant: in these aspects, where the job file matches."""

    aspects: tuple[str, ...]
    where: re.Pattern[str]
    why: str  # text of a row of docs/differences.md


def listed() -> tuple[Listed, ...]:
    """The rows of ``listed.toml``."""
    rows = tomllib.loads((HERE / "listed.toml").read_text("utf-8"))["difference"]
    return tuple(
        Listed(tuple(row["aspects"]), re.compile(row["where"], re.MULTILINE), row["why"])
        for row in rows
    )


@dataclass(frozen=True, slots=True)
class Difference:
    """One aspect in which the two differ, and the listed reason, if it has one."""

    aspect: str
    says: str
    why: str | None = None


def compare(engine: Path, fio: str, case: Case, folder: Path) -> Iterator[Difference]:
    """The differences of a case; of one that fio is too old for, whether ours takes it."""
    text = case.text
    if not case.refused and not case.newer and not _UNRECORDED.search(text):
        text += f"write_iolog={RECORD}\n"
    try:
        yield from _compared(engine, fio, case, text, folder)
    except subprocess.TimeoutExpired as late:
        why = "a job that does not end" if late.cmd[0] == fio else None
        yield Difference("worked", f"{late.cmd[0]} does not end", why)


def _compared(engine: Path, fio: str, case: Case, text: str, folder: Path) -> Iterator[Difference]:
    ours = outcome_of(engine, text, folder / "ours", prepare=case.prepare)
    if NOT_THERE in ours.ran.err:
        yield Difference("accepted", ours.ran.err.strip(), NOT_THERE)
        return
    if case.newer:
        if ours.has_worked == case.refused:
            yield Difference("worked", f"{ours.has_worked}: {ours.ran.err}")
        return
    reference = outcome_of(fio, text, folder / "fio", prepare=case.prepare, timeout_s=FIO_S)
    for aspect, says in _differences(reference, ours):
        if case.by_time and aspect in _BY_TIME:
            continue
        yield Difference(aspect, says, _why(case, aspect))


def _why(case: Case, aspect: str) -> str | None:
    rows = (row for row in listed() if aspect in row.aspects and row.where.search(case.text))
    return next((row.why for row in rows), None)


def _differences(reference: Outcome, ours: Outcome) -> Iterator[tuple[str, str]]:
    if reference.is_accepted != ours.is_accepted:
        yield "accepted", f"{reference.is_accepted}, ours {ours.is_accepted}: {_said(ours)}"
        return
    if not ours.is_accepted:
        return
    if reference.has_worked != ours.has_worked or set(reference.errors) != set(ours.errors):
        said = f"{_said(reference)} / {_said(ours)}"
        yield "worked", f"{reference.errors}, ours {ours.errors}: {said}"
    for name in ("moved", "syncs"):
        expected, got = getattr(reference, name), getattr(ours, name)
        if expected != got and not (name == "moved" and _same_drawn(reference, ours)):
            yield name, f"{expected}, ours {got}"
    yield from _files(reference, ours)
    if says := _visited(reference, ours):
        yield "visited", says
    if missing := sorted(_document(reference) - _document(ours)):
        yield "document", f"not in ours: {missing}"


def _same_drawn(reference: Outcome, ours: Outcome) -> bool:
    """Directions of a mix are drawn, and sizes of blocks: the bytes of a map are not."""
    return _same_mix(reference.moved, ours.moved) or _same_sizes(reference, ours)


def _same_sizes(reference: Outcome, ours: Outcome) -> bool:
    sizes = {int(row[2]) for row in _recorded(reference)}
    return len(sizes) > 1 and all(
        abs(count - ours.moved[way][0]) <= 10 + count // 4
        and abs(moved - ours.moved[way][1]) < max(sizes)
        for way, (count, moved) in reference.moved.items()
    )


def _same_mix(expected: Moved, got: Moved) -> bool:
    """Reads and writes of a mix are drawn: each is about as much."""
    (reads, _), (writes, _) = expected["read"], expected["write"]
    room = 10 + (reads + writes) // 8
    near = all(abs(expected[way][0] - got[way][0]) <= room for way in ("read", "write"))
    return bool(reads and writes) and near


def _said(outcome: Outcome) -> str:
    return (outcome.ran.err or outcome.ran.out)[:300].strip()


def _files(reference: Outcome, ours: Outcome) -> Iterator[tuple[str, str]]:
    """Files and sizes; of logs, how their rows are written."""
    expected, got = (
        {k: v for k, v in each.left.items() if _is_data(k)} for each in (reference, ours)
    )
    if expected != got:
        yield "left", f"{expected}, ours {got}"
    logs = [
        {name: _form(each.ran.folder / name) for name in each.left if name.endswith(".log")}
        for each in (reference, ours)
    ]
    if logs[0] != logs[1]:
        yield "logs", f"{logs[0]}, ours {logs[1]}"


def _is_data(name: str) -> bool:
    return not name.endswith((".log", ".log.fz")) and name not in (RECORD, "io")


def _form(log: Path) -> str:
    """Of which kind each column is; '' for an empty log."""
    rows = log.read_text("utf-8").splitlines()
    forms = Counter(re.sub(r"\d+", "N", re.sub(r"0x[0-9a-f]+", "X", row)) for row in rows)
    return " | ".join(sorted(forms))


def _recorded(outcome: Outcome) -> list[tuple[str, ...]]:
    log = outcome.ran.folder / RECORD
    return _RECORDED.findall(log.read_text("utf-8")) if log.exists() else []


def _visited(reference: Outcome, ours: Outcome) -> str:
    """Empty if the same: each I/O in the same order; or, where the order is drawn, as many of each
    size, and where fio covers a region once each block, the same region."""
    expected, got = _recorded(reference), _recorded(ours)
    if expected == got or (not _is_drawn(expected) and sorted(expected) == sorted(got)):
        return ""
    if not _is_drawn(expected):
        return _first_unlike(expected, got)
    if Counter(map(_kind, expected)) != Counter(map(_kind, got)) and not _is_mixed(expected):
        return f"{Counter(map(_kind, expected))}, ours {Counter(map(_kind, got))}"
    if _comes_once(expected) and not _comes_once(got):
        return "each block once, ours some twice"
    return ""


def _comes_once(rows: Sequence[Sequence[str]]) -> bool:
    """Whether no I/O begins before another one has ended: as with a random map."""
    if len({row[0] for row in rows}) > 1:
        return False
    at = sorted((int(row[1]), int(row[2])) for row in rows)
    return all(first + length <= second for (first, length), (second, _) in pairwise(at))


def _kind(row: Sequence[str]) -> tuple[str, str]:
    return row[0], row[2]


def _is_mixed(rows: Sequence[Sequence[str]]) -> bool:
    return len({row[0] for row in rows}) > 1 or len({row[2] for row in rows}) > 1


def _is_drawn(rows: Sequence[Sequence[str]]) -> bool:
    """Whether offsets go back and forth, or what is next is drawn."""
    backward = sum(int(b[1]) < int(a[1]) for a, b in pairwise(rows))
    return backward > 1 or _is_mixed(rows)


def _first_unlike(expected: Sequence[object], got: Sequence[object]) -> str:
    for number, (a, b) in enumerate(zip(expected, got, strict=False)):
        if a != b:
            return f"I/O {number}: {a}, ours {b}"
    return f"{len(expected)} I/Os, ours {len(got)}"


def _document(outcome: Outcome) -> set[tuple[str, str]]:
    """Paths and types; not of options as they were written, nor of what only some I/Os have."""
    every = {each for job in outcome.jobs for each in paths(job)}
    return {each for each in every if not each[0].startswith((".job options.", ".steadystate."))}
