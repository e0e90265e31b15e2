"""What one job file did, told in the same words whichever engine ran it.

``outcome_of`` runs a program on a job file in an empty folder and says what can be compared:
whether the file was taken, how the run ended, what was moved by direction, and which files are
left. ``differences`` names what two outcomes do not share.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.engine_runs import TIMEOUT_S, Ran, files, run

DIRECTIONS = ("read", "write", "trim", "mixed")  # the last with unified_rw_reporting


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run of a job file did. ``moved`` has I/Os and bytes by direction, of all jobs."""

    ran: Ran
    jobs: tuple[dict[str, Any], ...]  # of the JSON; none where the file was refused
    errors: tuple[int, ...]  # each job's errno
    moved: dict[str, tuple[int, int]]
    syncs: int
    left: dict[str, int]  # bytes of each file, by name

    @property
    def is_accepted(self) -> bool:
        """Whether any job ran: a file that is refused has no results."""
        return bool(self.jobs)

    @property
    def has_worked(self) -> bool:
        """Whether it was taken and every job ended well."""
        return self.is_accepted and self.ran.status == 0 and not any(self.errors)


def _jobs(out: str) -> tuple[dict[str, Any], ...]:
    """The jobs of a document, which may stand behind notes."""
    start = out.find("{\n")
    if start < 0:
        return ()
    try:
        document, _ = json.JSONDecoder().raw_decode(out[start:])
    except ValueError:
        return ()
    return tuple(document["jobs"])


def _left(folder: Path) -> dict[str, int]:
    """The files of a folder; not those in which fio keeps what it verified."""
    return {n: s for n, s in files(folder).items() if not n.endswith("-verify.state")}


def outcome_of(
    program: str | Path,
    text: str,
    folder: Path,
    arguments: Sequence[str] = (),
    *,
    prepare: Callable[[Path], None] | None = None,
    timeout_s: float = TIMEOUT_S,
) -> Outcome:
    """Run the job file ``text`` in ``folder``, which ``prepare`` may fill before."""
    folder.mkdir(parents=True, exist_ok=True)
    if prepare:
        prepare(folder)
    ran = run(program, ["--output-format=json", *arguments, "-"], folder, text, timeout_s=timeout_s)
    jobs = _jobs(ran.out)
    return Outcome(
        ran=ran,
        jobs=jobs,
        errors=tuple(job["error"] for job in jobs),
        moved={
            each: (
                sum(job[each]["total_ios"] for job in jobs if each in job),
                sum(job[each]["io_bytes"] for job in jobs if each in job),
            )
            for each in DIRECTIONS
        },
        syncs=sum(job["sync"]["total_ios"] for job in jobs if "sync" in job),
        left=_left(folder),
    )


def differences(reference: Outcome, ours: Outcome) -> Iterator[str]:
    """What the two do not share, a line each; exit statuses only as worked or not."""
    if reference.is_accepted != ours.is_accepted:
        yield f"accepted: {reference.is_accepted}, ours {ours.is_accepted}: {ours.ran.err}"
        return
    for name in ("has_worked", "errors", "moved", "syncs", "left"):
        expected, got = getattr(reference, name), getattr(ours, name)
        if expected != got:
            yield f"{name}: {expected}, ours {got}"
