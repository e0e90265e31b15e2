"""What killed runs have left on this host, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass

from iogate.host.settings.journal import is_left, restore_left
from iogate.host.targets.scratch import is_scratch_left, sweep
from iogate.sut.base import Sut


@dataclass(frozen=True, slots=True)
class Tidied:
    """``done`` was put back, removed or ended; ``left`` could not be, and is tried again by
    each command that measures, and by ``iogate doctor``. A sentence each."""

    done: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def is_untidy(sut: Sut) -> bool:
    """Whether there is anything to look after."""
    return is_left(sut) or is_scratch_left(sut) or bool(sut.orphans())


def tidy(sut: Sut) -> Tidied:
    """End, put back and remove what killed runs have left, each as far as it can be. To be
    called with the host lock held. RefusedError for what nobody but its owner may touch."""
    orphans = sut.orphans()
    for pid in orphans:
        sut.kill(pid)
    ended = [f"process {pid} of a killed run is ended" for pid in orphans]
    left: list[str] = []
    done = restore_left(sut, left.append)
    removed = [f"{path} of a killed run is removed" for path in sweep(sut, left.append)]
    return Tidied((*ended, *done, *removed), tuple(left))
