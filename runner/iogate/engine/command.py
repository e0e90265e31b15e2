"""A program in an engine's place. ``iogate-engine --meter`` starts it: that times it where it runs,
bounds what it says, and lets nothing of it live on.

It is not in the registry of engines: nobody chooses it for a run; a case that is a command has it.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from iogate.engine.base import EngineJob, EngineResult, Progress, Stop
from iogate.engine.native import find_program
from iogate.engine.printed import find_printed
from iogate.engine.process import (
    log_tail,
    log_text,
    require_orderly_end,
    require_started,
    signal_name,
    start_engine,
    supervise,
)
from iogate.engine.programs import found_programs
from iogate.engine.result import parse_result
from iogate.errors import EngineError
from iogate.files.bounded import parse_json
from iogate.files.bounds import SAID_BYTES, size
from iogate.metrics import metric
from iogate.model.measurement import COMMAND
from iogate.model.spec import Command
from iogate.sut.base import Sut

TARGET = "{target}"
_SCHEMA = "meter/1"
_SHOWN_CHARACTERS = 100
_NO_I_O: Mapping[str, object] = {"total_ios": 0}


class CommandEngine:
    """Runs the command of a job: what it prepares, then the program that is measured."""

    name = COMMAND

    def __init__(self, sut: Sut) -> None:
        self._sut = sut

    def run(
        self, job: EngineJob, *, on_progress: Callable[[Progress], None], stop: Stop
    ) -> EngineResult:
        """As ``Engine.run``; RefusedError for a program that the machine does not have."""
        assert job.command is not None
        command = job.command
        programs = found_programs(self._sut, program_names(command))
        for argv in command.prepare:
            on_progress(Progress("layout", 0, 0.0))
            self._step(argv, programs, job, stop)
        if command.prepare:
            job.on_prepared()
        on_progress(Progress("running", 0, 0.0))
        metered, said = self._step(command.argv, programs, job, stop)
        document = _document(job.command_name, command, metered, said)
        self._sut.write_text(job.result_file, json.dumps(document))
        result = parse_result(document)
        return EngineResult(result.engine, result.jobs, warnings=_lacking(command, document))

    def _step(
        self, argv: Sequence[str], programs: Mapping[str, str], job: EngineJob, stop: Stop
    ) -> tuple[Mapping[str, Any], str]:
        """What a program took, and what it said. EngineError unless it ended well."""
        before = len(log_text(self._sut, job))
        meter = job.confinement.launcher if job.confinement else find_program(self._sut)
        words = [word.replace(TARGET, job.places[0].path) for word in argv[1:]]
        started = [meter, "--meter", "--", programs[argv[0]], *words]
        process = start_engine(self._sut, started, job)
        ending = supervise(
            process,
            timeout_s=job.timeout_s,
            stop=stop,
            on_lines=lambda _lines: None,
            on_tick=job.on_tick,
        )
        require_started(self._sut, ending, job)
        what = _shown(argv)
        require_orderly_end(what, ending, job)
        said, metered = _metered(log_text(self._sut, job)[before:])
        if metered is None:
            raise EngineError(
                f"{what} was not measured: {log_tail(said) or 'iogate-engine said nothing'}",
                remedy="is that the iogate-engine of this iogate? See iogate doctor",
            )
        _require_success(what, metered, said)
        return metered, said


def program_names(command: Command) -> tuple[str, ...]:
    """The programs that a command starts, each once."""
    return tuple(dict.fromkeys(argv[0] for argv in (*command.prepare, command.argv)))


def _metered(text: str) -> tuple[str, Mapping[str, Any] | None]:
    """What a program said, and the line behind it, which it cannot write; None where there is
    none."""
    said, _, last = text.rstrip("\n").rpartition("\n")
    try:
        metered = parse_json(last)
        if metered["schema"] == _SCHEMA:
            return said, metered
    except (ValueError, KeyError, TypeError):
        pass
    return text, None


def _require_success(what: str, metered: Mapping[str, Any], said: str) -> None:
    if metered["errno"]:
        raise EngineError(f"{what} does not start: {os.strerror(metered['errno'])}")
    if metered["said_too_much"]:
        raise EngineError(
            f"{what} said more than {size(SAID_BYTES)} and was ended",
            remedy="let it say less, such as with an option that makes it quiet",
        )
    last = log_tail(said) or "it said nothing"
    if number := metered["signal"]:
        raise EngineError(f"{what} was killed by {signal_name(number)}: {last}")
    if status := metered["status"]:
        raise EngineError(
            f"{what} ended with status {status}: {last}",
            remedy="run it by hand in a folder of the target: elsewhere it may not write, and it "
            "reads nothing of a user's and has no network",
        )


def _document(name: str, command: Command, metered: Mapping[str, Any], said: str) -> dict[str, Any]:
    """A result such as an engine's, of one job without I/O."""
    wall_ns = max(int(metered["wall_ns"]), 1)
    found = find_printed(said, {each.name: each.pattern for each in command.metrics})
    kept_as = {each.name: metric(each.name, (each,)).kept_as for each in command.metrics}
    scales = {each.name: each.scale for each in command.metrics}
    job = {
        "jobname": name,
        "error": 0,
        "usr_cpu": 100 * metered["user_ns"] / wall_ns,
        "sys_cpu": 100 * metered["system_ns"] / wall_ns,
        "ctx": metered["context_switches"],
        "majf": metered["major_faults"],
        "minf": metered["minor_faults"],
        "job_runtime": wall_ns // 1_000_000,
        **dict.fromkeys(("read", "write", "trim"), _NO_I_O),
        "iogate": {
            "jobs": 1,
            "runtime_ns": wall_ns,
            "values": {kept_as[each]: value * scales[each] for each, value in found.items()},
        },
    }
    extra = {"schema": "result/1", "engine": COMMAND, "version": ""}
    return {"jobs": [job], "iogate": {**extra, "command": list(command.argv)}}


def _lacking(command: Command, document: Mapping[str, Any]) -> tuple[str, ...]:
    values = document["jobs"][0]["iogate"]["values"]
    return tuple(
        f"{each.name} has no value: no line that {command.argv[0]} printed matches {each.pattern!r}"
        for each in command.metrics
        if metric(each.name, (each,)).kept_as not in values
    )


def _shown(argv: Sequence[str]) -> str:
    text = " ".join(word if word.startswith(TARGET) else shlex.quote(word) for word in argv)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
