"""A setting is noted as it is, and put back as it was noted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from iogate.errors import RunError
from iogate.host.settings.entries import Setting
from iogate.model.tied_settings import chosen, disk_of, is_back, pair_of, tied_to, undone_by
from iogate.sut.base import Found, Sut

_BY_OWNER = 0o200
_UNSUPPORTED = b"<unsupported>"  # what cpufreq says for a setting of another governor


def thing_of(setting: Setting) -> str:
    """What is noted once: a setting, or a pair of them, of one disk."""
    return f"{pair_of(setting.path)[0]} {setting.disk}"


def before_change(sut: Sut, path: str) -> Iterator[Setting]:
    """What is to be noted before ``path`` is written, in this order: the files that the kernel
    changes as well, and the one that puts ``path`` back."""
    if patterns := tied_to(path):
        found = sut.read_many(patterns)
        for pattern in patterns:
            for other in sorted(_matches(pattern, found)):
                yield _noted(sut, other, (found[other].data or b"").decode(errors="replace"))
    back = undone_by(path, partial(_says, sut))
    if (text := sut.read_text(back)) is not None:
        yield _noted(sut, back, text)


def _matches(pattern: str, found: Mapping[str, Found]) -> Iterator[str]:
    """Those of the files that can be read and written."""
    form = re.compile(re.escape(pattern).replace(r"\*", "[^/]*"))
    for path, entry in found.items():
        is_setting = entry.data and _UNSUPPORTED not in entry.data
        if form.fullmatch(path) and is_setting and entry.stat.mode & _BY_OWNER:
            yield path


def _noted(sut: Sut, path: str, text: str) -> Setting:
    return Setting(path, chosen(text), disk_now(sut, path))


def disk_now(sut: Sut, path: str) -> str:
    """What tells the disk of a setting from one that gets its name later, until the host is
    started again; empty where nothing does, or for a setting of no disk."""
    if not (disk := disk_of(path)):
        return ""
    for name in ("diskseq", "wwid", "device/wwid", "serial", "device/serial"):
        if text := " ".join((sut.read_text(f"/sys/block/{disk}/{name}") or "").split()):
            return f"{name} {text}"[:200]
    return ""


def is_changed(sut: Sut, setting: Setting) -> bool:
    """Whether it is there, and not as it was."""
    if sut.read_text(setting.path) is None or gone(sut, setting):
        return False
    return not is_back(setting.path, setting.before, partial(_says, sut))


def _says(sut: Sut, path: str) -> str:
    return chosen(sut.read_text(path) or "")


def gone(sut: Sut, setting: Setting) -> str:
    """Why there is nothing to put back any more; empty where there is."""
    disk = disk_of(setting.path)
    if disk and sut.stat(f"/sys/block/{disk}") is None:
        return f"{disk} is gone, and with it its settings"
    if sut.read_text(setting.path) is None:
        return f"{setting.path} is gone, and with it the setting"
    if setting.disk and disk_now(sut, setting.path) != setting.disk:
        return f"{disk} is another disk now: the one that was set is gone"
    return ""


def restore(sut: Sut, setting: Setting) -> Iterator[str]:
    """Put it back, and say so. RunError where it does not become what it was."""
    if why := gone(sut, setting):
        yield why
    elif is_changed(sut, setting):
        error = ""
        try:
            sut.write_text(setting.path, setting.before or "\n")
        except RunError as failed:
            error = f" ({failed.what})"
        if why := why_changed(sut, setting):
            raise RunError(f"{why}{error}")
        yield f"{setting.path} is {setting.before or 'empty'} again"


def why_changed(sut: Sut, setting: Setting) -> str:
    """In words that a setting is not what it was; empty where it is, or is gone."""
    if not is_changed(sut, setting):
        return ""
    now = _says(sut, setting.path)
    return f"{setting.path} is {now or 'empty'} and was {setting.before or 'empty'} before"
