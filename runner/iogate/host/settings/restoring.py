"""A setting is noted as it is, and put back as it was noted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from iogate.errors import RunError
from iogate.host.read_ahead import ReadAhead
from iogate.host.settings.entries import Setting, is_setting
from iogate.model.tied_settings import (
    chosen,
    disk_of,
    form_of,
    is_back,
    is_tied,
    pair_of,
    tied_to,
    undone_by,
)
from iogate.sut.base import Found, Sut

_BY_OWNER = 0o200
_IDENTITIES = ("diskseq", "wwid", "device/wwid", "serial", "device/serial")
_UNSUPPORTED = b"<unsupported>"  # what cpufreq says for a setting of another governor


def thing_of(setting: Setting) -> str:
    """What is noted once: a setting, or a pair of them, of one disk."""
    return f"{pair_of(setting.path)[0]} {setting.disk}"


def before_change(sut: Sut, path: str) -> Iterator[Setting]:
    """What is to be noted before ``path`` is written, in this order: the files that the kernel
    changes as well, and the one that puts ``path`` back."""
    disk = disk_now(sut, path)
    if patterns := tied_to(path):
        found = sut.read_many(patterns)
        for pattern in patterns:
            for other in sorted(_matches(pattern, found)):
                text = (found[other].data or b"").decode(errors="replace")
                yield Setting(other, chosen(text), disk)
    back = undone_by(path, partial(_says, sut))
    if (now := sut.read_text(back)) is not None:
        yield Setting(back, chosen(now), disk)


def own_of_host(
    sut: Sut, path: str, settings: Collection[Setting], noted: Collection[Setting]
) -> Iterator[Setting]:
    """What of these is noted before ``path`` is written, after others were ``noted`` and changed:
    the tuning of a scheduler that iogate has brought goes with it. Of ``path`` itself, which is
    about to be changed, it is noted that it was brought."""
    behind = {each: [one for one in noted if _is_behind(one, each)] for each in settings}
    causes = {one for each in behind.values() for one in each}
    restorer = Restorer(sut, causes) if causes else None
    for each in settings:
        brought = any(restorer and restorer.why_changed(one) for one in behind[each])
        if not brought or each.path in pair_of(path):
            yield replace(each, brought=brought)


def _is_behind(cause: Setting, setting: Setting) -> bool:
    return cause.disk == setting.disk and is_tied(setting.path, cause.path)


def _matches(pattern: str, found: Mapping[str, Found]) -> Iterator[str]:
    """Those of the files that can be read and written."""
    form = form_of(pattern)
    for path, entry in found.items():
        says = entry.data and _UNSUPPORTED not in entry.data
        if form.fullmatch(path) and says and entry.stat.mode & _BY_OWNER and is_setting(path):
            yield path


def disk_now(sut: Sut, path: str) -> str:
    """What tells the disk of a setting from one that gets its name later, until the host is
    started again; empty where nothing does, or for a setting of no disk."""
    if not (disk := disk_of(path)):
        return ""
    for name in _IDENTITIES:
        if text := " ".join((sut.read_text(f"/sys/block/{disk}/{name}") or "").split()):
            return f"{name} {text}"[:200]
    return ""


def _says(sut: Sut, path: str) -> str:
    return chosen(sut.read_text(path) or "")


class Restorer:
    """Puts settings of one machine back. All are looked at in one go, and anew after each that
    was written, as it may have changed others."""

    def __init__(self, sut: Sut, settings: Iterable[Setting]) -> None:
        self._sut = sut
        settings = tuple(settings)
        disks = {f"/sys/block/{disk_of(each.path)}" for each in settings if disk_of(each.path)}
        paths = {path for each in settings for path in pair_of(each.path)}
        self._paths = (*paths, *(f"{disk}/{name}" for disk in disks for name in _IDENTITIES))
        self._disks = tuple(disks)
        self._look = self._looked()

    def _looked(self) -> Sut:
        return ReadAhead(self._sut).read(self._paths, self._disks)

    def gone(self, setting: Setting) -> str:
        """Why there is nothing to put back any more; empty where there is."""
        disk = disk_of(setting.path)
        if disk and self._look.stat(f"/sys/block/{disk}") is None:
            return f"{disk} is gone, and with it its settings"
        if self._look.read_text(setting.path) is None:
            return f"{setting.path} is gone, and with it the setting"
        if setting.disk and disk_now(self._look, setting.path) != setting.disk:
            return f"{disk} is another disk now: the one that was set is gone"
        return ""

    def why_changed(self, setting: Setting) -> str:
        """In words that a setting is not what it was; empty where it is, or is gone."""
        says = partial(_says, self._look)
        if self.gone(setting) or is_back(setting.path, setting.before, says):
            return ""
        now, was = says(setting.path) or "empty", setting.before or "empty"
        return f"{setting.path} is {now} and was {was} before"

    def restore(self, setting: Setting) -> str:
        """Put it back, and say so; empty where it is what it was. RunError where it does not
        become that."""
        if why := self.gone(setting):
            return why
        if not self.why_changed(setting):
            return ""
        error = ""
        try:
            self._sut.write_text(setting.path, setting.before or "\n")
        except RunError as failed:
            error = f" ({failed.what})"
        self._look = self._looked()
        if why := self.why_changed(setting):
            raise RunError(f"{why}{error}")
        return f"{setting.path} is {setting.before or 'empty'} again"
