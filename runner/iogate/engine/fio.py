"""The fio that this system has, as a second engine: to check ours against, and to run
what ours does not know yet."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from iogate.engine.base import EngineInfo, EngineJob, EngineResult, Progress, Rates, Stop
from iogate.engine.complaints import FIOS, Complaint, complaints
from iogate.engine.process import (
    log_tail,
    log_text,
    require_orderly_end,
    require_started,
    start_engine,
    supervise,
)
from iogate.engine.report import ask_info, require_jobs_ok
from iogate.engine.result import parse_result
from iogate.errors import EngineError
from iogate.files.bounded import json_at
from iogate.model.confinement import Confinement
from iogate.model.measurement import TRANSFERS
from iogate.model.plan import Case
from iogate.sut.base import Sut

PROGRAM = "fio"
_PERCENT_DONE = 100.0
_ETA_UNKNOWN_S = 10**8
_TORN_DOCUMENTS = 3


class FioEngine:
    """Runs fio. Its progress comes from the documents that --status-interval appends to
    the result file; the last document is the result."""

    name = "fio"

    def __init__(self, sut: Sut) -> None:
        self._sut = sut

    def info(self, confinement: Confinement | None = None) -> EngineInfo:
        return ask_info(self._sut, self.name, find_program(self._sut), confinement)

    def complaints(
        self, cases: Iterable[Case], confinement: Confinement | None = None
    ) -> tuple[Complaint, ...]:
        return complaints(self._sut, find_program(self._sut), cases, confinement, FIOS)

    def run(
        self, job: EngineJob, *, on_progress: Callable[[Progress], None], stop: Stop
    ) -> EngineResult:
        argv = [
            find_program(self._sut),
            "--output-format=json+",
            f"--output={job.result_file}",
            "--status-interval=1",
            "--eta=never",
            *(["--readonly"] if job.readonly else []),
            job.job_file,
        ]
        tail = _Tail(self._sut, job, on_progress)
        process = start_engine(self._sut, argv, _claiming(job))
        ending = supervise(
            process,
            timeout_s=job.timeout_s,
            stop=stop,
            on_lines=tail.look,
            on_tick=job.on_tick,
        )
        require_started(self._sut, ending, job)
        require_orderly_end(PROGRAM, ending, job)
        said = log_tail(log_text(self._sut, job))
        document = last_document(self._sut.read_result(job.result_file) or "")
        if document is None:
            raise EngineError(
                f"{PROGRAM} ended with status {ending.status} and gave no result: {said}",
                remedy=f"run it by hand: {PROGRAM} {job.job_file}",
            )
        self._sut.write_text(job.result_file, json.dumps(document))
        result = parse_result(document)
        require_jobs_ok(PROGRAM, result, ending.status, said)
        return result


def _claiming(job: EngineJob) -> EngineJob:
    """fio opens a device without claiming it: whoever mounted it meanwhile would be overwritten."""
    if job.confinement is None:
        return job
    return replace(job, confinement=replace(job.confinement, claims=True))


def find_program(sut: Sut) -> str:
    """The path of fio; EngineError when it is not on the PATH."""
    if program := sut.which(PROGRAM):
        return program
    raise EngineError(
        "fio is not installed (looked on PATH)",
        remedy="install it (apt-get install fio), or use --engine native",
    )


def last_document(text: str) -> dict[str, Any] | None:
    """The last whole JSON object; fio mixes messages between its documents. Only the last ones may
    be torn: before more of them nothing is looked for, as each may take long to read."""
    start = len(text)
    for _ in range(_TORN_DOCUMENTS + 1):
        start = text.rfind("\n{", 0, start)
        with suppress(ValueError):
            document = json_at(text, max(start + 1, 0))
            return document if isinstance(document, dict) else None
        if start <= 0:
            break
    return None


class _Tail:
    """Turns the growing result file into progress: differences between documents."""

    def __init__(self, sut: Sut, job: EngineJob, on_progress: Callable[[Progress], None]) -> None:
        self._sut, self._job, self._on_progress = sut, job, on_progress
        self._size = 0
        self._before: dict[str, tuple[int, int]] = {}
        self._before_ms = 0

    def look(self, _lines: list[str]) -> None:
        status = self._sut.stat(self._job.result_file)
        if not status or status.size_bytes == self._size:
            return
        self._size = status.size_bytes
        document = last_document(self._sut.read_result(self._job.result_file) or "")
        if document and document["timestamp_ms"] > self._before_ms:
            self._on_progress(self._progress(document))

    def _progress(self, document: dict[str, Any]) -> Progress:
        now_ms = int(document["timestamp_ms"])
        seconds = max(now_ms - self._before_ms, 1) / 1000 if self._before_ms else 1.0
        totals = {name: _totals(document, name) for name in TRANSFERS}
        rates = {name: self._rates(name, now, seconds) for name, now in totals.items() if now[0]}
        self._before, self._before_ms = totals, now_ms
        elapsed_s = max((job["elapsed"] for job in document["jobs"]), default=0)
        eta_s = max((job["eta"] for job in document["jobs"]), default=0)
        known = eta_s < _ETA_UNKNOWN_S
        percent = _PERCENT_DONE * elapsed_s / max(elapsed_s + eta_s, 1) if known else 0.0
        return Progress("running", elapsed_s * 1000, percent, rates)

    def _rates(self, name: str, now: tuple[int, int], seconds: float) -> Rates:
        ios, size = self._before.get(name, (0, 0))
        return Rates(iops=(now[0] - ios) / seconds, bw=(now[1] - size) / seconds)


def _totals(document: dict[str, Any], name: str) -> tuple[int, int]:
    jobs = document["jobs"]
    return (
        sum(job[name]["total_ios"] for job in jobs),
        sum(job[name]["io_bytes"] for job in jobs),
    )
