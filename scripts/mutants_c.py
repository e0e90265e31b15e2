#!/usr/bin/env python3
"""Change the engine's sources one token at a time, and see whether a test of the room notices.

usage: scripts/mutants_c.py [--sample N] [--seed N] [--whole] [ROOM…]
       scripts/mutants_c.py --again 'FILE:LINE: `WAS` became `BECOMES`'

Of each room (all of them unless named) --sample mutants are tried, chosen by --seed; with --whole
every one. --again tries one change, as it was printed.

The mutants come from universalmutator (MIT; releases since 2016, the last one this year), by the
rules of mutants_c.rules. Mull changes LLVM's code and is thorough, but is in none of the registries
that this project takes tools from, and needs a newer clang; unimut is a few months old; others are
for other languages, or no longer kept. What universalmutator has to run mutants knows one file and
one command, so that is done here: in a copy of the checkout, which itself is never changed, a
mutant is compiled without debug information, left out where its objects are those of the original
or of an earlier mutant, and tried by the room's C tests, then by a few quick tests of the engine's
command line. As root all of this has a /tmp and processes of its own, which end with it, however
it ends.

Exit status: 0 when at least 90 % of the mutants of each room are noticed, those in
tests/mutants.toml apart; 1 when fewer are; 2 when the tests fail without a change, or the call is
wrong. Run by scripts/mutants, which makes the environment with universalmutator.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copy2
from tempfile import TemporaryDirectory, gettempdir

from mutants_report import ROOT, Change, Outcome, RoomReport, known_equivalents, parsed

VENV = Path(os.environ.get("IOGATE_VENV", ROOT / ".venv"))
MAKE = ("make", "--silent", "--directory=native", "CFLAGS=-O2 -w")
ENGINE = "build/iogate-engine"
# A mutant may make a test wait for ever: this many times what the tests take by themselves, and
# this much for a machine that is busy.
PATIENCE, GRACE_S = 5, 10
COMPILE_S = 600
# A mutant may write for ever, too; no test needs a larger file.
FILE_BYTES_MAX = 1 << 30
APART = "IOGATE_MUTANTS_APART"  # set where /tmp is this program's own


@dataclass(frozen=True, slots=True)
class Room:
    """Sources below native/src, and what looks at them below tests/native."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]
    python: tuple[str, ...] = ()


ROOMS: Mapping[str, Room] = {
    "accounting": Room(("worker/account.[ch]",), ("worker/test_*.c",)),
    "histogram": Room(("stats/*.[ch]",), ("stats/test_*.c",)),
    "pattern": Room(("pattern/*.[ch]",), ("pattern/test_*.c",), ("test_iolog.py",)),
    "units": Room(("util/units.[ch]",), ("util/test_units.c",)),
    "target": Room(
        ("target/*.[ch]",), ("target/test_*.c",), ("test_expected.py", "test_in_use.py")
    ),
}


class Stopped(Exception):  # noqa: N818
    """Why nothing can be said of any mutant."""


def copy_checkout(tree: Path) -> None:
    """The checkout's files, without what was built."""
    command = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"]
    command += ["--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in sorted(set(listed.stdout.split("\0")) - {""}):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            copy2(ROOT / name, tree / name, follow_symlinks=False)


def files_of(tree: Path, folder: str, patterns: Iterable[str]) -> list[str]:
    """The files that the patterns below a folder stand for, relative to the tree, sorted."""
    paths = {path for pattern in patterns for path in (tree / folder).glob(pattern)}
    return sorted(str(path.relative_to(tree)) for path in paths)


def ends_well(tree: Path, command: Sequence[str], limit_s: float) -> bool | None:
    """Whether the command's status is 0; None when it did not end in time."""
    with subprocess.Popen(
        command,
        cwd=tree,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            return process.wait(limit_s) == 0
        except subprocess.TimeoutExpired:
            return None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def detach_loops() -> None:
    """Detach the loop devices that failed tests left, known by where their images are."""
    if APART not in os.environ:
        return
    device = Path(gettempdir()).stat().st_dev
    command = ["losetup", "--list", "--json", "--output", "NAME,BACK-MAJ:MIN"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    for loop in json.loads(listed)["loopdevices"] if listed.strip() else []:
        if loop["back-maj:min"].strip() == f"{os.major(device)}:{os.minor(device)}":
            subprocess.run(["umount", "--quiet", "--all-targets", loop["name"]], check=False)
            subprocess.run(["losetup", "--detach", loop["name"]], check=False)


class Bench:
    """A room in a copy of the checkout: built, changed, tested and put back."""

    def __init__(self, tree: Path, room: Room) -> None:
        """Build the room and run its tests. Stopped when they fail without a change."""
        self.tree = tree
        self.tests = [
            "build/tests/" + test.removeprefix("tests/native/").removesuffix(".c")
            for test in files_of(tree, "tests/native", room.tests)
        ]
        if not ends_well(tree, [*MAKE, ENGINE, *self.tests], COMPILE_S):
            raise Stopped("the engine or its tests do not compile without a change")
        self.commands = [[f"native/{test}"] for test in self.tests]
        if room.python:
            pytest = [str(VENV / "bin" / "python"), "-m", "pytest", "-xq", "-p", "no:cacheprovider"]
            self.commands += [[*pytest, *(f"tests/native/{name}" for name in room.python)]]
        self.limits_s = [self.limit_of(command) for command in self.commands]
        self.seen: set[bytes] = set()
        self.objects = self.compiled()

    def limit_of(self, command: Sequence[str]) -> float:
        """How long a test may take. Stopped when it fails without a change."""
        started = time.monotonic()
        if not ends_well(self.tree, command, COMPILE_S):
            raise Stopped(f"{' '.join(command)} fails without a change")
        return PATIENCE * (time.monotonic() - started) + GRACE_S

    def compiled(self) -> dict[Path, bytes]:
        """The engine's objects."""
        paths = (self.tree / "native" / "build" / "src").rglob("*.o")
        return {path: path.read_bytes() for path in sorted(paths)}

    def outcome_of_tests(self) -> Outcome:
        """What the tests say of the tree as it is built; those in C are first, they are quick."""
        for command, limit_s in zip(self.commands, self.limits_s, strict=True):
            passed = ends_well(self.tree, command, limit_s)
            if not passed:
                detach_loops()
                return "timed out" if passed is None else "noticed"
        return "survived"

    def try_mutant(self, file: str, code: str) -> Outcome | None:
        """What the tests say when the file holds this code; None when that is no new program."""
        path = self.tree / file
        original = path.read_text(encoding="utf-8")
        path.write_text(code, encoding="utf-8")
        try:
            return self.outcome_of_build()
        finally:
            path.write_text(original, encoding="utf-8")
            for compiled, content in self.objects.items():
                compiled.write_bytes(content)  # newer than the source: not compiled again

    def outcome_of_build(self) -> Outcome | None:
        """As try_mutant(), of the tree as it is."""
        if not ends_well(self.tree, [*MAKE, ENGINE], COMPILE_S):
            return None
        changed = b"".join(
            str(path).encode() + content
            for path, content in self.compiled().items()
            if content != self.objects[path]
        )
        if not changed or changed in self.seen:
            return None
        self.seen.add(changed)
        if not ends_well(self.tree, [*MAKE, *self.tests], COMPILE_S):
            return None
        return self.outcome_of_tests()


@dataclass(slots=True)
class Chosen:
    """The mutants of a room in the order that they are tried in, until there are enough."""

    room: str
    mutants: Sequence[tuple[Change, str]]
    enough: int
    outcomes: list[tuple[Change, Outcome]] = field(default_factory=list)

    def report(self, tree: Path) -> RoomReport:
        """Try them, saying so on standard error. Those that are no new program do not count."""
        known = known_equivalents()
        bench = Bench(tree, ROOMS[self.room])
        for change, code in self.mutants:
            if len(self.outcomes) == self.enough:
                break
            listed = any(entry.covers(change) for entry in known)
            outcome = "equivalent" if listed else bench.try_mutant(change.file, code)
            if outcome:
                self.outcomes.append((change, outcome))
                count = f"{self.room} {len(self.outcomes)}/{self.enough}"
                print(f"[{count}] {outcome}: {change}", file=sys.stderr, flush=True)
        return RoomReport("c", self.room, self.outcomes)


def chosen(tree: Path, name: str, options: argparse.Namespace) -> Chosen:
    """The mutants of a room, as the options choose them."""
    from mutants_c_made import all_mutants

    files = files_of(tree, "native/src", ROOMS[name].sources)
    mutants = [mutant for file in files for mutant in all_mutants(tree, file)]
    if options.whole:
        return Chosen(name, mutants, len(mutants))
    random.Random(f"{options.seed} {name}").shuffle(mutants)  # noqa: S311
    return Chosen(name, mutants, options.sample)


def again(tree: Path, change: Change) -> Chosen:
    """One mutant, in its room. Stopped when its line is another today."""
    from mutants_c_made import without_comments

    text = (tree / change.file).read_text(encoding="utf-8")
    lines = without_comments(text).splitlines(keepends=True)
    if len(lines) < change.line or lines[change.line - 1].strip() != change.was:
        raise Stopped(f"{change.file}:{change.line} is not `{change.was}` today")
    lines[change.line - 1] = f"{change.becomes}\n"
    for name, room in ROOMS.items():
        if change.file in files_of(tree, "native/src", room.sources):
            return Chosen(name, [(change, "".join(lines))], 1)
    raise Stopped(f"{change.file} is in none of the rooms {', '.join(ROOMS)}")


def reports(options: argparse.Namespace) -> Iterator[RoomReport]:
    """A report on each room that was asked for."""
    with TemporaryDirectory(prefix="iogate-mutants-") as work:
        tree = Path(work)
        tree.chmod(0o711)  # tests become another user, too
        copy_checkout(tree)
        if options.again:
            yield again(tree, options.again).report(tree)
            return
        for name in options.rooms or ROOMS:
            yield chosen(tree, name, options).report(tree)


def go_apart(arguments: Sequence[str]) -> None:
    """As root: start again, with processes and a /tmp that end with this program."""
    if os.geteuid() or APART in os.environ:
        return
    # A checkout below /tmp would be hidden: there only a folder of /tmp is this program's own.
    hidden = Path(__file__).resolve().is_relative_to("/tmp") or sys.executable.startswith("/tmp/")  # noqa: S108
    own = tempfile.mkdtemp(prefix="iogate-mutants-") if hidden else "/tmp"  # noqa: S108
    # The shell stays as the first process: it reaps what tests leave.
    script = f'mount -t tmpfs iogate-mutants {own} && "$@"; exit $?'
    command = [
        *("setpriv", "--pdeathsig", "KILL"),
        *("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"),
        *("sh", "-c", script, "sh", sys.executable, str(Path(__file__).resolve()), *arguments),
    ]
    os.execvpe(command[0], command, {**os.environ, APART: "1", "TMPDIR": own})  # noqa: S606


def main(arguments: Sequence[str]) -> int:
    """Report on every room; the exit status."""
    options = parsed(arguments, of="the engine", whole="hours", rooms=ROOMS)
    go_apart(arguments)
    # Asked to end, take the copy away first.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES_MAX, FILE_BYTES_MAX))
    enough = True
    try:
        for report in reports(options):
            print(*report.lines(), sep="\n", flush=True)
            enough = enough and report.enough
    except Stopped as stopped:
        print(stopped, file=sys.stderr)
        return 2
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
