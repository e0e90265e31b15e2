"""Notices to channels: each once, and what failed again at the next call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from iogate.errors import RunError
from iogate.model.notice import Event, Notice
from iogate.notify.base import News
from iogate.notify.memory import Memory
from iogate.notify.settings import Told


@dataclass(frozen=True, slots=True)
class Attempt:
    """A notice that is new to a channel, and why it could not be handed over, if it could not."""

    channel: str
    notice: Notice
    error: RunError | None = None


def is_new(told: Told, news: News, memory: Memory) -> bool:
    """Whether a channel is to be told: what it asked for, once, and of an end only where it was
    told of the beginning."""
    event = news.notice.event
    if event is Event.TEST:
        return True
    if event not in told.events or memory.knows(told.name, news):
        return False
    return event is not Event.RECOVERED or memory.knows(told.name, news, Event.ALERT)


def tell(
    channels: Iterable[Told], all_news: Iterable[News], memory: Memory, *, dry_run: bool = False
) -> Iterator[Attempt]:
    """Hand over what is new, and note it. One that fails keeps no other from being told."""
    listed = list(channels)
    for news in all_news:
        for told in listed:
            if not is_new(told, news, memory):
                continue
            notice = news.notice
            yield Attempt(
                told.name, notice, None if dry_run else _handed_over(told, notice, memory)
            )


def _handed_over(told: Told, notice: Notice, memory: Memory) -> RunError | None:
    try:
        told.channel.send(notice)
    except RunError as error:
        return error
    return None if notice.event is Event.TEST else _noted(told, notice, memory)


def _noted(told: Told, notice: Notice, memory: Memory) -> RunError | None:
    """What keeps it from being noted, as a full disk does: the others are told all the same."""
    try:
        memory.note(told.name, notice)
    except OSError as error:
        return RunError(
            f"it was told, which cannot be kept in {error.filename}: {error.strerror}",
            remedy="make room there: until then each iogate notify tells it again",
        )
    return None
