"""The file of a host that says who is told of what.

version: 1
site: https://perf.example.org/storage
channels:
  lab:  { webhook: "https://hooks.example.org/iogate" }
  mail: { sendmail: [storage@example.org], events: [alert, recovered] }
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from iogate.errors import RefusedError, SpecError, UsageError
from iogate.files import bounded, bounds
from iogate.model.notice import Event
from iogate.notify.base import Channel
from iogate.notify.post import address
from iogate.spec.text.problems import listed, suggest
from iogate.spec.text.scalars import to_json
from iogate.spec.text.tree import Mapping as Tree
from iogate.spec.text.tree import Node, parse_tree

VARIABLE = "IOGATE_NOTIFY"
SYSTEM_FILE = Path("/etc/iogate/notify.yaml")
DEFAULT_EVENTS = frozenset((Event.ALERT, Event.NIGHT))
_KEYS = ("version", "site", "channels")
_CHOICES = tuple(event.value for event in Event if event is not Event.TEST)


@dataclass(frozen=True, slots=True)
class Told:
    """A channel, by the name that the file gives it, and what it is told."""

    name: str
    channel: Channel
    events: frozenset[Event] = DEFAULT_EVENTS


@dataclass(frozen=True, slots=True)
class Settings:
    """``site`` is the address of the published trend site, empty where there is none."""

    channels: tuple[Told, ...] = field(default=())
    site: str = ""


def settings_file() -> Path:
    """That of the variable, of the user, or of the host: the first there is. UsageError where
    there is none."""
    named = os.environ.get(VARIABLE, "")
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path("~/.config").expanduser())
    places = [Path(named)] if named else [config / "iogate/notify.yaml", SYSTEM_FILE]
    for place in places:
        if place.is_file():
            return place
    raise UsageError(
        f"nothing says whom to tell: there is no {listed(map(str, places))}",
        remedy="write one, such as: version: 1, and below it channels: { mail: { sendmail:"
        " [you@example.org] } }; webhook: and slack: take an address",
    )


def read_settings(path: Path, ways: Mapping[str, Callable[[Node], Channel]]) -> Settings:
    """What the file says. SpecError with the place of what is wrong; RefusedError where others
    than its owner and root could have written it."""
    try:
        status = path.stat()
        text = bounded.read_text(path, bounds.SPEC_BYTES)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"cannot read {path}: {error}") from None
    others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if others or status.st_uid not in (0, os.geteuid()):
        raise RefusedError(
            f"{path} may have been written by others, and says where results are sent",
            remedy=f"let it belong to you or to root, and: chmod go-w {path}",
        )
    return _settings(parse_tree(text, str(path)), ways)


def _settings(tree: Node, ways: Mapping[str, Callable[[Node], Channel]]) -> Settings:
    top = _mapping(tree, _KEYS)
    version = top.get("version")
    if version is None or to_json(version) != 1:
        where = version.where if version else tree.where
        raise SpecError("this file has no version: 1", remedy="begin with it", where=where)
    channels = top.get("channels")
    if channels is None:
        raise SpecError("this file has no channels:", remedy="name one", where=tree.where)
    named = _mapping(channels)
    told = tuple(_told(name, entry.value, ways) for name, entry in named.entries.items())
    site = top.get("site")
    return Settings(told, address(site) if site else "")


def _told(name: str, node: Node, ways: Mapping[str, Callable[[Node], Channel]]) -> Told:
    entries = _mapping(node, (*ways, "events"))
    used = [way for way in ways if way in entries.entries]
    if len(used) != 1:
        raise SpecError(
            f"channel {name} needs one of {listed(ways)}",
            remedy="give each way a channel of its own",
            where=node.where,
        )
    events = entries.get("events")
    channel = ways[used[0]](entries.entries[used[0]].value)
    return Told(name, channel, _events(events) if events else DEFAULT_EVENTS)


def _events(node: Node) -> frozenset[Event]:
    written = to_json(node)
    if not isinstance(written, list) or not all(each in _CHOICES for each in written):
        raise SpecError(
            "this is no list of events",
            remedy=f"events are {listed(_CHOICES)}: events: [{', '.join(_CHOICES)}]",
            where=node.where,
        )
    return frozenset(Event(each) for each in written)


def _mapping(node: Node, known: tuple[str, ...] = ()) -> Tree:
    """The node, where it is a mapping of these keys (or of any); SpecError else."""
    if not isinstance(node, Tree):
        raise SpecError("keys and values are expected here", where=node.where)
    for key, entry in node.entries.items():
        if known and key not in known:
            raise SpecError(
                f"unknown key {key!r}",
                remedy=suggest(key, known) or f"known are {listed(known)}",
                where=entry.key_at,
            )
    return node
