"""Telling people of alerts and failed nights. The registry of ways to tell is this table.

Pure but for the ways themselves: a trend and the last runs come in, `notices` says what there is to
tell, `told` remembers what was. Where notices go is said by a file of the host (`settings`),
never by a spec, which may come with a pull request.

To add a way: a file in this folder with a function from what stands under its name in the settings
to a `Channel`, and one line in ``WAYS``.
"""

from __future__ import annotations

from collections.abc import Callable

from iogate.notify import sendmail, slack, webhook
from iogate.notify.base import Channel
from iogate.spec.text.tree import Node

WAYS: dict[str, Callable[[Node], Channel]] = {
    "webhook": webhook.channel,
    "slack": slack.channel,
    "sendmail": sendmail.channel,
}
