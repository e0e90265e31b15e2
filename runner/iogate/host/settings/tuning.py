"""Settings of the host: applied, read back, held, and put back."""

from __future__ import annotations

from collections.abc import Sequence

from iogate.errors import RefusedError, RunError
from iogate.host.settings.entries import Setting
from iogate.host.settings.journal import Journal, current
from iogate.host.settings.knobs import Knob, beside, knobs_of, undone_by
from iogate.model.environment import Environment
from iogate.sut.base import Sut


class Tuning:
    """The settings of a run. ``disks`` are the names of its targets' disks."""

    def __init__(self, sut: Sut, journal: Journal, disks: Sequence[str]) -> None:
        self._sut = sut
        self._journal = journal
        self._disks = tuple(disks)
        self._before: dict[str, str] = {}
        self._environment: Environment | None = None
        self._held: tuple[Knob, ...] = ()

    def hold(self, environment: Environment | None) -> None:
        """Make the host as the environment says, and nothing else: what an earlier one set
        and this one does not is put back. RefusedError for a setting that the host does not
        have or does not take; RunError when one was changed behind our back."""
        if environment == self._environment:
            self._check()
            return
        self._reset()
        wanted = knobs_of(self._sut, environment, self._disks) if environment else ()
        for knob in wanted:
            self._set(knob, environment)
        self._held, self._environment = wanted, environment

    def _set(self, knob: Knob, environment: Environment | None) -> None:
        now = current(self._sut.read_text(knob.path) or "")
        if same(now, knob.value):
            return
        for path in (*beside(self._sut, knob.path), undone_by(self._sut, knob.path)):
            self._note(path)
        said = ""
        try:
            self._sut.write_text(knob.path, knob.value)
        except RunError as error:
            said = f" ({error.what})"
        now = current(self._sut.read_text(knob.path) or "")
        if not same(now, knob.value):
            raise RefusedError(
                f"environment: {knob.key}: {knob.path} is {now} and does not take "
                f"{knob.value}{said}",
                remedy="give a value that it takes, run as root, or leave it out",
                where=environment.where if environment else None,
            )

    def _note(self, path: str) -> None:
        if path in self._before:
            return
        before = self._sut.read_text(path)
        if before is not None:
            self._journal.note(Setting(path, current(before)))
            self._before[path] = current(before)

    def _reset(self) -> None:
        """Put back everything that was changed, the last first; the journal stays."""
        self._held, self._environment = (), None
        for path, before in reversed(self._before.items()):
            now = self._sut.read_text(path)
            if now is not None and current(now) != before:
                self._sut.write_text(path, before)

    def _check(self) -> None:
        for knob in self._held:
            text = self._sut.read_text(knob.path)
            if text is not None and not same(now := current(text), knob.value):
                raise RunError(
                    f"environment: {knob.key}: {knob.path} was set to {knob.value} and has "
                    f"become {now}",
                    remedy="something else tunes this host (tuned, a cron job?): stop it",
                )


def same(says: str, wanted: str) -> bool:
    """Whether two texts of a setting mean the same: as words, or as numbers."""
    says, wanted = " ".join(says.split()), " ".join(wanted.split())
    if says == wanted:
        return True
    try:
        return float(says) == float(wanted)
    except ValueError:
        return False
