"""What a person decided about an alert of a trend."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

FOREVER = 0
_CALENDAR_ENDS_NS = 253_402_214_400 * 10**9  # with the year 9999


class Action(StrEnum):
    """``ack``: known, say no more. ``accept``: the new level is the one to compare with.
    ``confirm``: a comparison of the revisions on either side has seen it; it is no suspect.
    ``reopen``: none of these any longer."""

    ACK = "ack"
    ACCEPT = "accept"
    CONFIRM = "confirm"
    REOPEN = "reopen"


@dataclass(frozen=True, slots=True)
class SeriesKey:
    """One line of a trend."""

    case_id: str
    metric: str


@dataclass(frozen=True, slots=True)
class Decision:
    """Who decided what, when and why, about which change.

    An alert is derived anew from the history each time, and its estimate may move by some
    nights; so a decision carries what it is about: the host, the environment, the series,
    and the time from the last night before the change (``from_ns``) to the first one that is
    certainly after it (``to_ns``). ``expires_ns`` FOREVER means that it does not. All times
    are Unix time in ns.
    """

    alert: str
    action: Action
    author: str
    reason: str
    at_ns: int
    spec: str
    machine_id: str
    environment: str
    from_ns: int
    to_ns: int
    series: tuple[SeriesKey, ...]
    expires_ns: int = FOREVER

    @property
    def lapses(self) -> bool:
        """Whether there is a day on which it does."""
        return self.expires_ns != FOREVER and self.expires_ns < _CALENDAR_ENDS_NS

    def in_force(self, now_ns: int) -> bool:
        """Whether it still holds; a reopening takes another decision back and never lapses."""
        return self.expires_ns == FOREVER or now_ns < self.expires_ns
