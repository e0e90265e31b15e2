"""What people are told of a night or of an alert."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from iogate.model.trend import Alert, NightRef


class Event(StrEnum):
    """``alert``: a confirmed regression is open. ``recovered``: one that was told is over.
    ``night``: the newest night failed a limit, or could not be measured to its end. ``test``:
    somebody asks whether notices arrive."""

    ALERT = "alert"
    RECOVERED = "recovered"
    NIGHT = "night"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing to tell, in words (``title`` is a line, ``text`` a few sentences) and as data.

    ``made_ns`` is Unix time. ``link`` is the spec's page in the trend site (of a test, the
    site), empty where the host's configuration does not say where that is. ``alert`` is there
    for ``alert`` and ``recovered``, ``night`` for ``night``."""

    event: Event
    spec: str
    host: str
    machine_id: str
    title: str
    text: str
    made_ns: int
    link: str = ""
    alert: Alert | None = None
    night: NightRef | None = None
