"""``slack: ADDRESS``: an incoming webhook of Slack, or of what understands the same (Mattermost,
Rocket.Chat, Discord's address with ``/slack`` at its end)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from iogate.model.notice import Notice
from iogate.notify.post import address, post
from iogate.spec.text.tree import Node

# What would begin a link or call people, whatever a spec named its workloads.
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "@\u200b", "`": "'", "*": "\u2217"}
_TABLE = str.maketrans(_ESCAPES)
_IN_ADDRESS = re.compile(r"(?<=:)(?=//)|(?<=\bwww)(?=\.)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Slack:
    """A room to write in."""

    url: str

    def send(self, notice: Notice) -> None:
        """See ``Channel``."""
        post(self.url, {"text": text_of(notice)})


def text_of(notice: Notice) -> str:
    """A notice in Slack's own markup."""
    lines = [f"*{_plain(notice.title)}*", _plain(notice.text)]
    return "\n".join([*lines, f"<{notice.link}>"] if notice.link else lines)


def _plain(text: str) -> str:
    """Text in which nothing acts: an address alone would be a link."""
    return _IN_ADDRESS.sub("\u200b", text.translate(_TABLE))


def channel(node: Node) -> Slack:
    """Of the address; SpecError for what is none."""
    return Slack(address(node))
