"""``webhook: ADDRESS``: each notice is posted as JSON, as ``schemas/notice.schema.json`` says."""

from __future__ import annotations

from dataclasses import dataclass

from iogate.model.document import to_document
from iogate.model.notice import Notice
from iogate.notify.post import address, post
from iogate.spec.text.tree import Node


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address that takes notices as they are."""

    url: str

    def send(self, notice: Notice) -> None:
        """See ``Channel``."""
        post(self.url, to_document(notice))


def channel(node: Node) -> Webhook:
    """Of the address; SpecError for what is none."""
    return Webhook(address(node))
