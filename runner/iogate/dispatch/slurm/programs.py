"""Slurm as its own programs show it: nodes, jobs, and what may be done with them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from iogate.errors import RefusedError, RunError

_TIMEOUT_S = 60.0
_NODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*", re.ASCII)
_ID = re.compile(r"[0-9]+", re.ASCII)
_SIGNS = "*~#!%$@^-+"
_NOT_ANSWERING = "*"
_AWAY = frozenset(
    ("down", "drained", "draining", "drain", "fail", "failing", "error", "unknown", "future")
)
_ENDED = frozenset(
    (
        *("BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL"),
        *("OUT_OF_MEMORY", "PREEMPTED", "REVOKED", "TIMEOUT"),
    )
)
_NODE_LOST = frozenset(("BOOT_FAIL", "NODE_FAIL", "PREEMPTED", "REVOKED"))
GONE = "GONE"
"""Of a job that Slurm knows no more."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node, and why it is not in use, where somebody said so."""

    name: str
    state: str
    features: frozenset[str]
    why: str = ""

    @property
    def is_up(self) -> bool:
        return self.state.rstrip(_SIGNS) not in _AWAY and _NOT_ANSWERING not in self.state

    def __str__(self) -> str:
        return f"{self.name} is {self.state}" + (f" ({self.why})" if self.why else "")


@dataclass(frozen=True, slots=True)
class Job:
    """A job, or a task of an array; ``why`` it waits."""

    state: str = GONE
    node: str = ""
    why: str = ""

    @property
    def has_ended(self) -> bool:
        return self.state in _ENDED or self.state == GONE

    @property
    def lost_its_node(self) -> bool:
        return self.state in _NODE_LOST


def nodes(partition: str) -> list[Node]:
    """All of them, of one partition or of the default one."""
    words = ["sinfo", "-h", "-N", "-o", "%N|%T|%f|%E|%P"]
    found = {}
    for line in _asked([*words, *([f"--partition={partition}"] if partition else [])]).splitlines():
        if line.count("|") < 4:  # of a reason, which is anybody's text, in several lines
            continue
        name, state, features, rest = line.split("|", 3)
        why, _, of = rest.rpartition("|")
        if not _NODE.fullmatch(name) or not (partition or of.rstrip().endswith("*")):
            continue
        own = frozenset(features.split(",")) - {"(null)"}
        found[name] = Node(name, state, own, "" if why in {"none", "(null)"} else why)
    return list(found.values())


def submit(script: str, options: Sequence[str]) -> str:
    """The id of the new job. RefusedError for what Slurm does not take."""
    said = _asked(["sbatch", "--parsable", *options, "--", script])
    number = said.strip().partition(";")[0]
    if not _ID.fullmatch(number):
        raise RunError(f"sbatch gave no number of a job: {said.strip()[:80]!r}")
    return number


def jobs(ids: Collection[str]) -> dict[str, Job]:
    """What Slurm knows of jobs, by ``ID`` or ``ID_TASK``."""
    words = ["squeue", "-h", "-r", "-t", "all", f"--jobs={','.join(ids)}", "-o", "%i|%T|%N|%r"]
    try:
        said = _asked(words)
    except RefusedError as error:
        if "Invalid job id" in error.what:
            return {}
        raise
    rows = (line.split("|", 3) for line in said.splitlines() if line.count("|") >= 3)
    return {name: Job(state, node, why) for name, state, node, why in rows}


def cancel(ids: Collection[str], *, at_once: bool = False) -> None:
    """End them; those that have ended already stay as they are."""
    if ids:
        _asked(["scancel", "--quiet", *(["--signal=KILL", "--full"] if at_once else []), *ids])


def _asked(words: Sequence[str]) -> str:
    try:
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT_S,
            check=False,
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # a Ctrl-C is for iogate
        )
    except OSError as error:
        raise RefusedError(
            f"cannot start {words[0]}: {error.strerror}",
            remedy="call it where Slurm's programs are (Debian: slurm-client)",
        ) from error
    except subprocess.TimeoutExpired as error:
        raise RefusedError(f"{words[0]} does not answer", remedy="try 'scontrol ping'") from error
    if done.returncode:
        said = done.stderr.strip().rpartition("\n")[2] or f"it ended with {done.returncode}"
        raise RefusedError(f"{words[0]}: {said}", remedy="see 'sinfo' and 'scontrol ping'")
    return done.stdout
