"""What of a run folder the machine under test reads and writes: the run folder itself where iogate
runs on that machine, else a folder there that the run makes and removes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from iogate.errors import RunError
from iogate.files.bounds import FETCHED_FILES
from iogate.files.run_folder import RunFolder
from iogate.host.targets.scratch import scratch_directory
from iogate.sut.base import Sut
from iogate.sut.together import later
from iogate.sut.transfer import new_file


@dataclass(frozen=True, slots=True)
class EngineFiles:
    """The files of one repetition, by their names on the machine: the engine writes ``result``
    and what it logs in ``folder``; what it says goes to ``log``. ``kept`` is where the result is
    in the end, in the run folder."""

    job: str
    result: str
    log: str
    folder: str
    kept: str


class WorkFolder:
    """``root`` is the folder on a machine elsewhere, empty where the run folder is that."""

    def __init__(self, sut: Sut, folder: RunFolder, root: str) -> None:
        self._sut, self._folder, self._root = sut, folder, root

    @property
    def jobs(self) -> str:
        """The folder of the job files."""
        return f"{self._root}/jobs" if self._root else str(self._folder.jobs)

    def write_job(self, name: str, text: str) -> None:
        """A job file, where the engine finds it and in the run folder."""
        self._folder.write_text(f"jobs/{name}.fio", text)
        if self._root:
            self._sut.put(self.job_file(name), text.encode())

    def job_file(self, name: str) -> str:
        """Of a job that was written."""
        return f"{self.jobs}/{self._folder.job_file(name).name}"

    def files(self, case_id: str, repetition: int, job: str = "") -> EngineFiles:
        """For one repetition, its folder made; ``job`` names a job file that is not the
        case's."""
        raw = self._folder.raw_file(case_id, repetition)
        folder, log = self._places(case_id, repetition)
        if self._root:
            later(partial(self._sut.make_dir, folder))
        return EngineFiles(
            self.job_file(job or case_id), f"{folder}/{raw.name}", log, folder, str(raw)
        )

    def settle(self, case_id: str, repetition: int) -> None:
        """Take what an engine wrote into the run folder, and make it durable there."""
        if self._root:
            self._fetch(case_id, repetition)
        self._folder.settle(case_id, repetition)

    def _places(self, case_id: str, repetition: int) -> tuple[str, str]:
        """The folder that an engine may write, and the file of what it says."""
        log = self._folder.log_file(case_id, repetition)
        if not self._root:
            return str(self._folder.engine_folder(case_id, repetition)), str(log)
        return f"{self._root}/{case_id}-{repetition}", f"{self._root}/{log.name}"

    def _fetch(self, case_id: str, repetition: int) -> None:
        into = self._folder.engine_folder(case_id, repetition)
        folder, log = self._places(case_id, repetition)
        found = self._sut.read_many([folder, log])
        names = found[folder].names if folder in found else ()
        if len(names) > FETCHED_FILES:
            raise RunError(
                f"the job has left {len(names):,} files there, more than {FETCHED_FILES:,}",
                remedy="let it write fewer logs: per_job_logs=0",
            )
        for name in map(_plain, names):
            self._sut.get(f"{folder}/{name}", str(into / name))
        if log in found and not found[log].is_link:
            own = str(self._folder.log_file(case_id, repetition))
            _keep(self._sut, log, found[log].data, own)
        later(partial(self._sut.remove_tree, folder))
        later(partial(self._sut.remove_file, log))


def _plain(name: str) -> str:
    """RunError for what is no name of a file: the machine chose it, and here it becomes a path."""
    if name in ("", ".", "..") or "/" in name or "\0" in name:
        raise RunError(
            f"the machine names a file {name!r}, which is no name in a folder",
            remedy="do not trust this machine: what answers there is not iogate's agent",
        )
    return name


def _keep(sut: Sut, path: str, data: bytes | None, into: str) -> None:
    """What was read of a file; one too large for that is fetched."""
    if data is None:
        sut.get(path, into)
        return
    with new_file(into, path) as out:
        out.write(data)


@contextmanager
def working(sut: Sut, run_id: str, on_left: Callable[[str], None]) -> Iterator[str]:
    """The ``root`` of a run's work folder, removed on leaving; ``on_left`` is told of one that
    could not be."""
    if sut.is_here:
        yield ""
        return
    with scratch_directory(sut, sut.about().temporary, f"work-{run_id[:12]}", on_left) as root:
        sut.make_dir(f"{root}/jobs")
        yield root
