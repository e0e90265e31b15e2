"""The repetitions of a run folder, as the engine itself wrote them: for a run that was killed, or
whose other records are lost."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from iogate.engine.base import EngineResult
from iogate.engine.result import parse_result
from iogate.errors import RunError
from iogate.files.run_folder import DISTURBANCES, read_document
from iogate.model.document import disturbances_from_document
from iogate.model.measurement import Disturbance, Measurement
from iogate.model.plan import Plan

_RAW = re.compile(r"([0-9a-f]{16})-(\d{1,9})\.json")
_WARNING = "read from the engine's result, as no other record of it was left"
_UNKNOWN = Disturbance("unknown", 1.0, 0.0, "", "what disturbed it cannot be read any more")
_UNTOLD = Disturbance("unknown", 1.0, 0.0, "", "iogate ended before it told what disturbed it")


def raw_measurements(root: Path, plan: Plan, broken: list[str]) -> Iterator[Measurement]:
    """The repetitions of the plan's cases that ended well, in the order in which they did. A
    sentence goes to ``broken`` for each other."""
    yield from sorted(_ended_well(root, plan, broken), key=lambda m: m.started_ns + m.duration_ns)


def _ended_well(root: Path, plan: Plan, broken: list[str]) -> Iterator[Measurement]:
    ids = {case.id for case in plan.cases}
    for path in sorted(_results(root, broken), key=lambda each: each.lstat().st_mtime_ns):
        name = _RAW.fullmatch(path.name)
        if not name or name[1] not in ids:
            continue
        address = str(path.relative_to(root))
        try:
            result = parse_result(read_document(path))
        except RunError as error:
            broken.append(f"{address}: {error.what.replace(str(path), 'it')}")
            continue
        if result.interrupted or any(job.error for job in result.jobs):
            broken.append(f"{address}: the engine was interrupted, or a job failed")
            continue
        made = _with_arm(_measurement(path, name, result, address), plan)
        settled = path.parent.name == "raw"
        yield replace(made, disturbances=_disturbances(path, broken) if settled else (_UNTOLD,))


def _results(root: Path, broken: list[str]) -> Iterator[Path]:
    """Where results are: in raw, and in the engine's own folder where iogate was killed before it
    took them from there."""
    for name, pattern in (("raw", "*.json"), ("logs", "*")):
        folder = root / name
        if folder.is_symlink():
            broken.append(f"{name}: it is a link, and links are not followed")
            continue
        for path in folder.glob(pattern):
            result = path if name == "raw" else path / f"{path.name}.json"
            if name == "logs" and os.path.lexists(root / "raw" / result.name):
                continue  # it was taken from there
            if name == "raw" or (not path.is_symlink() and os.path.lexists(result)):
                yield result


def _disturbances(path: Path, broken: list[str]) -> tuple[Disturbance, ...]:
    """What disturbed the repetition whose result is at ``path``. A record of it that cannot be
    read counts as one that disturbed: nothing is judged by what may not count."""
    beside = path.with_name(path.name.removesuffix(".json") + DISTURBANCES)
    if not beside.is_symlink() and not beside.exists():
        return ()
    try:
        return disturbances_from_document(read_document(beside))
    except RunError as error:
        broken.append(f"raw/{beside.name}: {error.what.replace(str(beside), 'it')}")
        return (_UNKNOWN,)


def _measurement(
    path: Path, name: re.Match[str], result: EngineResult, address: str
) -> Measurement:
    """When it began is worked out: from when it ended, as the result says, else from when its
    file was written, and how long its jobs ran."""
    longest = max((job.runtime_ns // max(job.jobs, 1) for job in result.jobs), default=0)
    return Measurement(
        case_id=name[1],
        repetition=int(name[2]),
        started_ns=max((result.ended_ns or path.stat().st_mtime_ns) - longest, 0),
        duration_ns=longest,
        engine=result.engine,
        jobs=result.jobs,
        disks=result.disks,
        raw_file=address,
        warnings=(_WARNING,),
    )


def _with_arm(made: Measurement, plan: Plan) -> Measurement:
    """In a comparison the repetition says which arm it was, and in which block."""
    if plan.comparison is None:
        return made
    place = plan.comparison.place_of(made.repetition)
    return replace(made, arm=place.arm.name, block=place.block)
