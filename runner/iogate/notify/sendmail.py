"""``sendmail: [ADDRESS, …]``: mail by the host's own ``sendmail``, as postfix, exim, msmtp and most
others have it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate

from iogate.errors import RunError, SpecError
from iogate.model.notice import Notice
from iogate.notify.base import Channel, not_taken, one_line
from iogate.notify.details import details_of
from iogate.spec.text.scalars import to_json
from iogate.spec.text.tree import Node

_SECONDS = 60.0
_FOLDERS = ("/usr/sbin", "/usr/lib")  # beside PATH, on which it often is not
_ADDRESS = re.compile(r"[A-Za-z0-9._%+][A-Za-z0-9._%+-]*(@[A-Za-z0-9.-]+)?")


@dataclass(frozen=True, slots=True)
class Sendmail:
    """Addresses that all get a notice in one mail."""

    to: tuple[str, ...]

    def send(self, notice: Notice) -> None:
        """See ``Channel``."""
        folders = os.pathsep.join((os.environ.get("PATH", os.defpath), *_FOLDERS))
        program = shutil.which("sendmail", path=folders)
        if program is None:
            raise RunError(
                "there is no sendmail on this host",
                remedy="install a package that brings it, such as msmtp-mta or postfix",
            )
        try:
            done = subprocess.run(
                [program, "-i", "--", *self.to],
                input=bytes(mail_of(notice, self.to)),
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise not_taken(program, str(error)) from None
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip()[-200:]
            raise not_taken(program, f"it ended with {done.returncode} {said}".rstrip())


def mail_of(notice: Notice, to: tuple[str, ...]) -> EmailMessage:
    """A notice as plain text. No title can add a header: the library refuses line breaks, and
    notices have none."""
    mail = EmailMessage()
    mail["Subject"] = f"[iogate] {notice.title}"
    mail["To"] = ", ".join(to)
    mail["Date"] = formatdate(notice.made_ns / 1e9)
    mail["Auto-Submitted"] = "auto-generated"
    details = "\n".join(map(one_line, details_of(notice)))
    mail.set_content("\n\n".join(filter(None, (notice.text, details, notice.link))))
    return mail


def channel(node: Node) -> Channel:
    """Of a list of addresses; SpecError for what is none."""
    written = to_json(node)
    to = written if isinstance(written, list) else [written]
    if not to or not all(isinstance(each, str) and _ADDRESS.fullmatch(each) for each in to):
        raise SpecError(
            "this is no list of mail addresses",
            remedy="write them as [storage@example.org, nightly@example.org]",
            where=node.where,
        )
    return Sendmail(tuple(to))
