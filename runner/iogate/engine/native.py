"""iogate's own engine, ``iogate-engine``."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

from iogate.engine.base import EngineInfo, EngineJob, EngineResult, Progress, Rates, Stop
from iogate.engine.complaints import OURS, Complaint, complaints
from iogate.engine.confined import ask
from iogate.engine.process import (
    line_of,
    log_tail,
    require_orderly_end,
    require_started,
    start_engine,
    supervise,
)
from iogate.engine.report import ask_info, require_jobs_ok
from iogate.engine.result import parse_result
from iogate.engine.upload import uploaded
from iogate.errors import EngineError, RefusedError, RunError
from iogate.files.bounded import parse_json
from iogate.model.confinement import Confinement
from iogate.model.measurement import TRANSFERS
from iogate.model.place import Place
from iogate.model.plan import Case
from iogate.sut.base import Sut
from iogate.sut.together import together

PROGRAM = "iogate-engine"
_REFUSED = 3  # its exit status when it refused for safety
_WARNINGS = 20
_LEAST_ROOM = 64 << 10  # bytes; below that a log may not have been written
_taken: dict[tuple[str, str, int], str] = {}
_NOT_STARTED = "nothing was touched; see what stands there now, and start again"


class NativeEngine:
    """Runs ``iogate-engine`` and reads its status lines and its result."""

    name = "native"

    def __init__(self, sut: Sut, program: str = "") -> None:
        """``program`` is the path of a binary, where it is not the one that is installed."""
        self._sut = sut
        self._program = program
        self._holdable: bool | None = None

    def info(self, confinement: Confinement | None = None) -> EngineInfo:
        program = self._program or find_program(self._sut)
        clock, semantics = _says(self._sut, program, confinement)
        info = ask_info(self._sut, self.name, program, confinement, called=PROGRAM)
        return replace(info, clock=clock, semantics=semantics)

    def complaints(
        self, cases: Iterable[Case], confinement: Confinement | None = None
    ) -> tuple[Complaint, ...]:
        return complaints(self._sut, self._find(), cases, confinement, OURS)

    def run(
        self, job: EngineJob, *, on_progress: Callable[[Progress], None], stop: Stop
    ) -> EngineResult:
        program = self._find()
        argv = [
            program,
            *(self._held_to(job) if self._can_be_held(program, job) else []),
            "--output-format=json+",
            f"--output={job.result_file}",
            "--status-fd={status_fd}",
            *(["--readonly"] if job.readonly else []),
            job.job_file,
        ]

        def on_lines(lines: list[str]) -> None:
            for line in lines:
                if progress := parse_status(line):
                    on_progress(progress)

        process = start_engine(self._sut, argv, job)
        ending = supervise(
            process,
            timeout_s=job.timeout_s,
            stop=stop,
            on_lines=on_lines,
            on_tick=job.on_tick,
        )
        require_started(self._sut, ending, job)
        require_orderly_end(PROGRAM, ending, job)
        text, document = together(
            partial(self._sut.read_text, job.log_file),
            partial(self._sut.read_result, job.result_file),
        )
        text = text or ""
        said = log_tail(text)
        if ending.status == _REFUSED:
            why = _complaint(said) or "it said nothing"
            raise RefusedError(f"{PROGRAM} refused: {why}", remedy=_NOT_STARTED)
        warnings = warnings_of(text)
        result = parse_result(self._document(job, document, ending.status, said))
        require_jobs_ok(PROGRAM, result, ending.status, said)
        return replace(result, warnings=warnings)

    def _document(
        self, job: EngineJob, text: str | None, status: int, said: str
    ) -> dict[str, object]:
        try:
            document: dict[str, object] = parse_json(text or "")
        except ValueError:
            why = _complaint(said) or _silence(self._sut, job)
            raise EngineError(
                f"{PROGRAM} gave no result (status {status}): {why}",
                remedy=f"run it by hand: {PROGRAM} {job.job_file}",
            ) from None
        return document

    def _find(self) -> str:
        """Looked for once: a run has one engine."""
        self._program = self._program or find_program(self._sut)
        return self._program

    def _can_be_held(self, program: str, job: EngineJob) -> bool:
        """An arm of a comparison may bring an engine of an earlier version."""
        if self._holdable is None:
            said = ask(self._sut, [program, "--help"], job.confinement).stdout
            self._holdable = "--expect" in said
        return self._holdable

    def _held_to(self, job: EngineJob) -> list[str]:
        """Nothing in the job file is replaced, and nothing but its places is opened."""
        return ["--literal", *(f"--expect={expectation(self._sut, p)}" for p in job.places)]


def expectation(sut: Sut, place: Place) -> str:
    """A place as ``--expect`` takes it. Of a file that is not there yet it is the directory
    that is known."""
    if identity := place.identity:
        rdev = identity.rdev or "0:0"
        known = (
            f"{identity.device} {identity.inode} {rdev} {identity.diskseq} {identity.size_bytes}"
        )
        return f"{identity.kind} {known} {place.path}"
    parent = sut.stat(place.path.rpartition("/")[0] or "/")
    if parent is None:
        raise RefusedError(f"the directory of {place.path} is gone", remedy="make it again")
    return f"new {parent.device} {parent.inode} 0:0 0 0 {place.path}"


def _says(sut: Sut, program: str, confinement: Confinement | None) -> tuple[str, int | None]:
    """What it takes times by, and the number of what its numbers mean: asked of a job that does no
    I/O. Empty and None when that fails; one of an earlier version has no such number."""
    job = ("--name=clock", "--ioengine=null", "--size=4k", "--output-format=json")
    try:
        engine = parse_result(parse_json(ask(sut, [program, *job], confinement).stdout)).engine
    except (RunError, EngineError, ValueError, AttributeError):
        return "", None
    return engine.clock_source, engine.semantics


def find_program(sut: Sut) -> str:
    """The path of the engine. EngineError that names each place looked at."""
    places = _places(sut)
    for path in places:
        if path and sut.stat(path):
            return path
    if given := sut.about().variables.get("IOGATE_ENGINE"):
        raise EngineError(
            f"there is no {PROGRAM} at $IOGATE_ENGINE, {given}",
            remedy="correct or unset IOGATE_ENGINE",
        )
    looked = ", ".join(path for path in places if path)
    raise EngineError(
        f"{PROGRAM} is not installed (looked at {looked}, and on PATH)",
        remedy="build it with 'make -C native', set IOGATE_ENGINE, or use --engine fio",
    )


def launcher_places(sut: Sut) -> tuple[str, ...]:
    """Where the launcher is looked for: where the engine that came with this iogate is, and where
    there is none, $IOGATE_ENGINE. That may be what is under test, which confines itself badly."""
    return tuple(path for path in (*_installed(sut), *_places(sut)) if path)


def _places(sut: Sut) -> tuple[str | None, ...]:
    """$IOGATE_ENGINE alone when it is set, so that a typo is never papered over; else
    beside this iogate, in the checkout that it was installed from, on the PATH. On another
    machine on its PATH, or a copy of ours there."""
    if given := sut.about().variables.get("IOGATE_ENGINE"):
        return (given,)
    return _installed(sut)


def _installed(sut: Sut) -> tuple[str | None, ...]:
    if not sut.is_here:
        return (_elsewhere(sut),)
    return (*own_places(), sut.which(PROGRAM))


def _elsewhere(sut: Sut) -> str | None:
    """That of another machine's ``PATH``, or a copy of ours, which is checked by its hash: once,
    as long as the same process answers there."""
    machine = sut.about()
    key = sut.name, machine.boot, machine.pid
    if key not in _taken and (path := sut.which(PROGRAM) or uploaded(sut, own_places())):
        _taken[key] = path
    return _taken.get(key)


def own_places() -> tuple[str, ...]:
    """Where the engine that came with this iogate is, on the controller."""
    checkout = Path(__file__).resolve().parents[3] / "native" / "build" / PROGRAM
    return (str(Path(sys.prefix) / "bin" / PROGRAM), str(checkout))


def parse_status(line: str) -> Progress | None:
    """One status line; None for what is not one (a torn line must not end a run)."""
    try:
        status = parse_json(line)
        if status["schema"] != "status/1":
            return None
        return Progress(
            state=str(status["state"]),
            elapsed_ms=int(status["elapsed_ms"]),
            percent=_finite(status["percent"] or 0),
            rates={name: _rates(status[name]) for name in TRANSFERS if _busy(status, name)},
        )
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError):
        return None


def _busy(status: dict[str, dict[str, float]], name: str) -> bool:
    return bool(status.get(name) and status[name].get("ios"))


def _rates(part: dict[str, float]) -> Rates:
    return Rates(
        iops=_finite(part["iops"]),
        bw=_finite(part["bw_bytes"]),
        clat_mean_ns=_known(part.get("clat_mean_ns")),
        clat_p99_ns=_known(part.get("clat_p99_ns")),
    )


def _known(value: float | None) -> float | None:
    return None if value is None else _finite(value)


def _finite(value: float) -> float:
    """ValueError for what cannot be shown as a number."""
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{number} is no number of a status")
    return number


def warnings_of(log: str) -> tuple[str, ...]:
    """What the engine warned of: such numbers may not be what they seem."""
    begins = f"{PROGRAM}: warning: "
    said = [line.removeprefix(begins) for line in log.splitlines() if line.startswith(begins)]
    more = len(said) - _WARNINGS
    told = [f"and {more:,} more warnings, which are in the engine's log"] if more > 0 else []
    return (*map(line_of, said[:_WARNINGS]), *told)


def _complaint(said: str) -> str:
    """What the engine complained of, without what it told before."""
    return said.rpartition(f"{PROGRAM}: ")[2]


def _silence(sut: Sut, job: EngineJob) -> str:
    """Why an engine may have said nothing: its log is where its result should be."""
    folder = job.result_file.rpartition("/")[0]
    room = sut.space(folder)
    full = room is not None and room.free_bytes < _LEAST_ROOM
    return f"No space left in {folder}, not even to say so" if full else "it said nothing"
