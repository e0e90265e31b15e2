"""Settings of the host: applied, read back, held, and put back."""

from __future__ import annotations

from collections.abc import Sequence

from iogate.errors import RefusedError, RunError
from iogate.host.settings.entries import Setting
from iogate.host.settings.journal import Journal
from iogate.host.settings.knobs import Knob, knobs_of
from iogate.host.settings.restoring import Restorer, before_change, own_of_host, thing_of
from iogate.model.environment import Environment
from iogate.model.tied_settings import chosen, same
from iogate.sut.base import Sut


class Tuning:
    """The settings of a run. ``disks`` are the names of its targets' disks."""

    def __init__(self, sut: Sut, journal: Journal, disks: Sequence[str]) -> None:
        self._sut = sut
        self._journal = journal
        self._disks = tuple(disks)
        self._before: dict[str, Setting] = {}
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
        now = chosen(self._sut.read_text(knob.path) or "")
        if same(now, knob.value):
            return
        self._note(knob.path)
        said = ""
        try:
            self._sut.write_text(knob.path, knob.value)
        except RunError as error:
            said = f" ({error.what})"
        now = chosen(self._sut.read_text(knob.path) or "")
        if not same(now, knob.value):
            raise RefusedError(
                f"environment: {knob.key}: {knob.path} is {now} and does not take "
                f"{knob.value}{said}",
                remedy="give a value that it takes, run as root, or leave it out",
                where=environment.where if environment else None,
            )

    def _note(self, path: str) -> None:
        """What was before the first change of each setting, or pair of them."""
        settings = {thing_of(each): each for each in before_change(self._sut, path)}
        unknown = [each for thing, each in settings.items() if thing not in self._before]
        own = own_of_host(self._sut, path, unknown, self._before.values())
        if fresh := {thing_of(each): each for each in own}:
            self._journal.note(*fresh.values())
            self._before |= fresh

    def _reset(self) -> None:
        """Put back everything that was changed, the last first; the journal stays. RunError
        where a setting does not become what it was."""
        self._held, self._environment = (), None
        if not self._before:
            return
        restorer = Restorer(self._sut, self._before.values())
        for setting in reversed(self._before.values()):
            restorer.restore(setting)  # the journal says it, at the end
        for setting in self._before.values():
            if why := restorer.why_changed(setting):
                raise RunError(why, remedy="write it by hand: something else may set it, too")

    def _check(self) -> None:
        for knob in self._held:
            text = self._sut.read_text(knob.path)
            if text is not None and not same(now := chosen(text), knob.value):
                raise RunError(
                    f"environment: {knob.key}: {knob.path} was set to {knob.value} and has "
                    f"become {now}",
                    remedy="something else tunes this host (tuned, a cron job?): stop it",
                )
