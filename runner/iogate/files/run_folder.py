"""The run folder: everything a run made, each file whole or absent.

plan.json  jobs/<case>.fio  raw/<case>-<rep>.json  raw/<case>-<rep>.log
raw/<case>-<rep>.disturbances.json  logs/<case>-<rep>/…
environment.json  run.json  verdict.json  report.html  junit.xml  summary.md  comment.md
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from io import FileIO
from pathlib import Path
from time import gmtime, strftime
from typing import Any

from iogate.errors import IogateError, RefusedError, RunError, UsageError
from iogate.files import bounded
from iogate.files.bounds import JOB_TEXT_BYTES
from iogate.files.fresh_copy import move_to_fresh
from iogate.files.own_rights import without_passed_on
from iogate.files.whole_file import told_of
from iogate.model.document import disturbances_document, to_document
from iogate.model.measurement import Disturbance, Measurement
from iogate.model.names import is_case_id
from iogate.model.run import Run

DEFAULT_PARENT = "iogate-runs"
LATEST = "latest"
RUN = "run"  # in environment.json
DISTURBANCES = ".disturbances.json"
SERIES_IN_RAW = "run.json would be too large with its time series, which its raw result has"
SERIES_KEPT = "run.json would be too large with its time series, which the history has"
"""In the warnings of a repetition. Who reads run.json puts back what is left out."""
_NS_PER_S = 1_000_000_000
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_ROOM, _ROOM_BYTES = ".room", 4 << 20
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def below_default(name: str) -> Path:
    """The folder of this name in ./iogate-runs. UsageError where that is a link: a checkout may
    bring one."""
    if Path(DEFAULT_PARENT).is_symlink():
        raise UsageError(
            f"./{DEFAULT_PARENT} is a link, and run folders are made through none",
            remedy="name the folder with --output, or remove the link",
        )
    return Path(DEFAULT_PARENT) / name


class RunFolder:
    """One run's folder; ``create`` makes it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def create(cls, run: Run, output: Path | None) -> RunFolder:
        """A new folder for a run: ``output``, which must be empty or absent, else a named
        one under ./iogate-runs, which ``latest`` there then points to."""
        root = (output or below_default(_default_name(run))).absolute()
        if root.exists() and (not root.is_dir() or any(root.iterdir())):
            raise UsageError(
                f"{root} exists and is not an empty directory",
                remedy="name another with --output, or remove it; iogate overwrites no results",
            )
        if output is None:
            _check_latest(root.parent / LATEST)
        with _told(root, RefusedError):
            (root / "jobs").mkdir(parents=True, exist_ok=True)
            (root / "raw").mkdir(exist_ok=True)
            if output is None:
                _point_latest(root)
            _keep_room(root)
        return cls(root)

    def use_room(self) -> None:
        """Give the room back that was kept for the documents: they are about to be written."""
        with suppress(OSError):
            (self.root / _ROOM).unlink(missing_ok=True)

    @property
    def jobs(self) -> Path:
        """The folder of the job files."""
        return self.root / "jobs"

    def job_file(self, case_id: str) -> Path:
        return self.jobs / f"{_checked(case_id)}.fio"

    def job_texts(self, case_ids: Iterable[str]) -> dict[str, str]:
        """The job files that can be read, by case: of an old run some may be gone."""
        texts = {}
        for case_id in case_ids:
            with suppress(OSError, ValueError, RunError):  # no UTF-8, or no path at all
                handle = bounded.open_below(str(self.root), ["jobs", self.job_file(case_id).name])
                texts[case_id] = bounded.read_fd(handle, JOB_TEXT_BYTES).decode("utf-8")
        return texts

    def raw_file(self, case_id: str, repetition: int) -> Path:
        return self.root / "raw" / f"{_checked(case_id)}-{repetition}.json"

    def log_file(self, case_id: str, repetition: int) -> Path:
        return self.root / "raw" / f"{_checked(case_id)}-{repetition}.log"

    def engine_folder(self, case_id: str, repetition: int) -> Path:
        """What an engine may write of the run folder: a folder of this repetition alone. It has
        the result until the engine has ended, and keeps the logs that a job asks for."""
        folder = self.root / "logs" / f"{_checked(case_id)}-{repetition}"
        with _told(folder):
            folder.mkdir(parents=True, exist_ok=True)
        return folder

    def write_disturbances(
        self, case_id: str, repetition: int, disturbances: Sequence[Disturbance]
    ) -> None:
        """Beside the engine's result, which alone would look undisturbed."""
        name = self.relative(self.raw_file(case_id, repetition)).removesuffix(".json")
        self.write_json(f"{name}{DISTURBANCES}", disturbances_document(disturbances))

    def relative(self, path: Path) -> str:
        return str(path.relative_to(self.root))

    def write_run(self, run: Run) -> None:
        """verdict.json once there is one, and run.json. The verdict comes first: it is small, and
        may find room where the other does not."""
        if run.verdict:
            self.write_json("verdict.json", to_document(run.verdict))
        self.write_text("run.json", _run_text(run))

    def write_run_again(self, run: Run) -> None:
        """The same of a run that ended worse than was written. What has no room beside the
        document before takes its place; a verdict that has none even there is gone, as the one
        before may be a pass."""
        if run.verdict and not self._replace("verdict.json", json_text(to_document(run.verdict))):
            with suppress(OSError):
                (self.root / "verdict.json").unlink()
        self._replace("run.json", _run_text(run))

    def _replace(self, name: str, text: str) -> bool:
        try:
            self.write_text(name, text)
        except IogateError:
            return _put_into(self.root / name, text)
        return True

    def write_json(self, name: str, document: Mapping[str, Any], *, indent: int | None = 1) -> None:
        self.write_text(name, json_text(document, indent=indent))

    def write_text(self, name: str, text: str) -> Path:
        """Write a file so that a crash leaves the old one or the new one, never a part. A link
        of its name is replaced, and one that nobody could foresee is written meanwhile."""
        path = self.root / name
        temporary = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        with _told(path), told_of(path):
            try:
                handle = os.open(temporary, _NEW, 0o666)
                with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as out:
                    out.write(text)
                    out.flush()
                    os.fsync(out.fileno())
                temporary.replace(path)
            finally:
                with suppress(OSError):
                    temporary.unlink(missing_ok=True)
            sync_directory(path.parent)
        return path

    def settle(self, case_id: str, repetition: int) -> None:
        """Take what an engine wrote, make it durable, and drop its log if it said nothing. Both
        are files that no process of it has open, whatever it has left behind."""
        raw, log = self.raw_file(case_id, repetition), self.log_file(case_id, repetition)
        written = self.engine_folder(case_id, repetition)
        with _told(raw):
            if _is_regular(written / raw.name):
                move_to_fresh(written / raw.name, raw)
            without_passed_on(written)
            with suppress(OSError):  # logs that the job asked for
                written.rmdir()
                written.parent.rmdir()
            if _is_regular(log) and log.stat().st_size:
                move_to_fresh(log, log)
            elif _is_regular(log):
                log.unlink()
            sync_directory(raw.parent)


def _run_text(run: Run) -> str:
    """What run.json says. One that would be too large to be read leaves out the time series, which
    are most of it and are kept elsewhere."""
    whole = json_text(to_document(run), indent=None)
    if not _is_too_large(whole):
        return whole
    measurements = tuple(_without_series(each) for each in run.measurements)
    short = json_text(to_document(replace(run, measurements=measurements)), indent=None)
    return whole if _is_too_large(short) else short


def _is_too_large(text: str) -> bool:
    return bounded.is_too_large(text.encode(errors="backslashreplace"))


def _without_series(measurement: Measurement) -> Measurement:
    """One without a result in this folder is of a comparison that goes on: the history had it."""
    if not any(job.series for job in measurement.jobs):
        return measurement
    told = SERIES_IN_RAW if measurement.raw_file else SERIES_KEPT
    return replace(
        measurement,
        jobs=tuple(replace(job, series=None) for job in measurement.jobs),
        warnings=(*measurement.warnings, told),
    )


def json_text(document: Mapping[str, Any], *, indent: int | None = 1) -> str:
    """Indented for people, but where histograms of many jobs would make it huge."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(
        document, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators
    )
    return text + "\n"


def _put_into(path: Path, text: str) -> bool:
    """Whether a file that is there holds the text now; else it holds what it did."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        with os.fdopen(handle, "r+b", buffering=0) as file:
            before = file.read()
            if _holds(file, text.encode(errors="backslashreplace")):
                return True
            _holds(file, before)
    return False


def _holds(file: FileIO, data: bytes) -> bool:
    """Whether all of it could be written into the file, which ends there."""
    with suppress(OSError):
        file.seek(0)
        written = file.write(data)
        file.truncate(written)
        os.fsync(file.fileno())
        return written == len(data)
    return False


def _is_regular(path: Path) -> bool:
    """Whether a file is there that is no link: an engine may leave anything in its folder."""
    with suppress(OSError):
        return stat.S_ISREG(path.lstat().st_mode)
    return False


def _keep_room(root: Path) -> None:
    """Room for the documents of a run that fills the disk: they are what tells of it. At most
    a quarter of what is free, and none where the filesystem cannot."""
    with suppress(OSError):
        free = shutil.disk_usage(root).free
        handle = os.open(root / _ROOM, _NEW, 0o600)
        try:
            os.posix_fallocate(handle, 0, max(min(_ROOM_BYTES, free // 4), 1))
        finally:
            os.close(handle)


def read_run_document(root: Path) -> dict[str, Any]:
    """run.json of a run folder. RunError when it is missing or broken."""
    return read_document(root / "run.json")


def read_document(path: Path) -> dict[str, Any]:
    """A JSON object in a file. RunError when it is missing, broken, or no file to be read."""
    try:
        document = bounded.read_json(path)
    except OSError as error:
        raise RunError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise RunError(f"{path} is not JSON: {error}", remedy="measure again") from None
    if not isinstance(document, dict):
        raise RunError(f"{path} is no JSON object", remedy="measure again")
    return document


def own_folder(run: Run) -> Path | None:
    """The folder that a run was measured into, while it is there and holds this run: a history
    from elsewhere names any. None otherwise."""
    root = Path(run.folder)
    if not run.folder or not root.is_absolute() or "\0" in run.folder:
        return None
    with suppress(RunError, OSError):
        if read_run_document(root).get("id") == run.id:
            return root
    return None


def _checked(case_id: str) -> str:
    if not is_case_id(case_id):
        raise RunError(
            f"{case_id[:80]!r} is not an id of a case",
            remedy="the document that names it was changed: restore it, or measure again",
        )
    return case_id


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _told(path: Path, kind: type[IogateError] = RunError) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise kind(
            f"cannot write {error.filename or path}: {error.strerror}",
            remedy="free space there, or put the run folder elsewhere with --output",
        ) from error


def _default_name(run: Run) -> str:
    stamp = strftime("%Y%m%dT%H%M%SZ", gmtime(run.started_ns // _NS_PER_S))
    name = _UNSAFE.sub("-", run.plan.spec_name).strip("-.")[:60] or "run"
    return f"{stamp}-{name}-{run.id[:6]}"


def _check_latest(latest: Path) -> None:
    """RefusedError where something else has the name: a checkout may bring it, and what is read as
    the newest run would be no run of this host."""
    if not latest.is_symlink() and latest.is_dir():
        raise RefusedError(
            f"{latest} is a folder, where iogate puts a link to the newest run",
            remedy="remove it, or name the run folder with --output",
        )


def _point_latest(root: Path) -> None:
    ignore = root.parent / ".gitignore"
    with suppress(FileExistsError), ignore.open("x") as out:
        out.write("*\n")
    temporary = root.parent / f".{LATEST}.{os.getpid()}.{secrets.token_hex(4)}"
    try:
        temporary.symlink_to(root.name)
        temporary.replace(root.parent / LATEST)
    finally:
        temporary.unlink(missing_ok=True)
