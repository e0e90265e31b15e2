"""What a journal holds: a change that iogate makes, as a line of JSON and back.

A line is believed only where iogate can have made that change: whoever can forge a journal sets
nothing else by it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from iogate.host.devices.arrays import plain
from iogate.host.devices.signatures import is_stamp
from iogate.model.kernel_parameters import is_name, is_put_back
from iogate.model.tied_settings import CPU, TIED

_SWITCH = re.compile(
    rf"{CPU}/(cpufreq/policy[0-9]{{1,5}}/scaling_governor|intel_pstate/no_turbo|cpufreq/boost"
    r"|smt/control)|/sys/block/[A-Za-z0-9_!.-]{1,64}/queue/[a-z][a-z0-9_]{0,63}",
    re.ASCII,
)
_PARAMETERS = "/proc/sys/"
_POINT = re.compile(r"/(.+/)?iogate-[0-9A-Za-z]{1,12}-[0-9]{1,6}/mnt", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Setting:
    """A file of the kernel's, and what it said before. ``disk`` is what tells the disk that it is
    of from others; empty where that is not known. ``brought``: an earlier change of iogate's
    brought the file along, and it goes with that."""

    path: str
    before: str
    disk: str = ""
    brought: bool = False


@dataclass(frozen=True, slots=True)
class Mounted:
    """A mount that iogate made."""

    point: str


@dataclass(frozen=True, slots=True)
class Assembled:
    """An array that iogate made of devices, by its UUID; their paths."""

    uuid: str
    members: tuple[str, ...]


Entry = Setting | Mounted | Assembled


def to_json(entry: Entry) -> dict[str, Any]:
    """A line for a journal."""
    if isinstance(entry, Assembled):
        return {"array": entry.uuid, "members": entry.members}
    if isinstance(entry, Mounted):
        return {"mounted": entry.point}
    disk = {"disk": entry.disk} if entry.disk else {}
    brought = {"brought": True} if entry.brought else {}
    return {"set": entry.path, "before": entry.before, **disk, **brought}


def of_json(document: dict[str, Any]) -> Entry:
    """What a line says. ValueError for what iogate cannot have changed; KeyError or TypeError for
    what is no such line."""
    if "mounted" in document:
        return Mounted(_checked(str(document["mounted"]), _POINT.fullmatch))
    if "array" in document:
        return _array_of(str(document["array"]), [str(each) for each in document["members"]])
    path = _checked(str(document["set"]), is_setting)
    disk, brought = str(document.get("disk", "")), document.get("brought") is True
    return Setting(path, str(document["before"]), disk, brought)


def _array_of(uuid: str, members: list[str]) -> Assembled:
    for path in members:
        _checked(path, lambda text: text.startswith("/dev/"))
    if not is_stamp(plain(uuid)):
        raise ValueError(uuid)
    return Assembled(uuid, tuple(members))


def is_setting(path: str) -> bool:
    """A file that a spec's environment can mean (``knobs``), or that changes with one."""
    if _SWITCH.fullmatch(path) or TIED.fullmatch(path):
        return True
    name = path.removeprefix(_PARAMETERS).replace("/", ".")
    return path.startswith(_PARAMETERS) and is_name(name) and is_put_back(name)


def _checked(path: str, is_one: Callable[[str], object]) -> str:
    if not is_one(path) or posixpath.normpath(path) != path:
        raise ValueError(path)
    return path
