"""Whether a job reads through the page cache, and does not say so."""

from __future__ import annotations

from iogate.jobs.options import DEFAULT_ENGINE, DEFAULT_RW, transfers_of
from iogate.model.spec import JobSpec

_CHOICES = ("direct", "buffered", "invalidate")  # a job that says one of them has thought of it
# Of the others some never have direct I/O, and some move no data.
_ENGINES = ("io_uring", "libaio", "posixaio", "psync", "pvsync", "pvsync2", "sync", "vsync")


def reads_cached(job: JobSpec) -> bool:
    """Whether what a job reads may come from memory, because it does not say how it reads."""
    if job.command or job.options.get("ioengine", DEFAULT_ENGINE) not in _ENGINES:
        return False
    reads = "read" in transfers_of(job.options.get("rw", DEFAULT_RW))
    return reads and not any(key in job.options for key in _CHOICES)
