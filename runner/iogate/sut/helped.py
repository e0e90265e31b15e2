"""This machine, for a user who is not root: what needs root is asked of the helper that
``iogate host install`` has put there, one request a call."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from iogate.errors import RunError
from iogate.files.bounded import parse_json
from iogate.sut.base import Completed, KernelLog
from iogate.sut.local import LocalSut

HELPER = "/usr/lib/iogate/iogate-helper"
CHANGED = "/run/iogate/changed"  # there while the helper has changed something
MOUNTS = "/var/lib/iogate/mnt"
_SUDO = "/usr/bin/sudo"
_SETTINGS = ("/sys/", "/proc/sys/")
_TIMEOUT_S = 60.0
_SBIN = "/usr/sbin:/sbin"


def is_installed() -> bool:
    """Whether this host has a helper."""
    return Path(HELPER).is_file()


def ask_helper(request: Mapping[str, Any], *, timeout_s: float = _TIMEOUT_S) -> dict[str, Any]:
    """The helper's answer. RunError, with what it says, when it does not do it."""
    argv = [HELPER] if os.geteuid() == 0 else [_SUDO, "-n", "--", HELPER]
    done = LocalSut().run(argv, stdin=json.dumps(request), timeout_s=timeout_s)
    try:
        said = parse_json(done.stdout)
        ok, error = bool(said["ok"]), str(said.get("error", ""))
    except (ValueError, KeyError, TypeError, AttributeError):
        lines = done.stderr.strip().splitlines()
        ok, error = False, lines[0][:200] if lines else "it gave no answer"
    if not ok:
        raise RunError(
            f"the helper refuses {request['verb']}: {error}",
            remedy="'iogate host show' says what it serves; root changes that with "
            "'iogate host install'",
        )
    answer: dict[str, Any] = said
    return answer


def put_back() -> tuple[str, ...]:
    """What the helper has changed is undone, and said. RunError when that is refused."""
    return tuple(map(str, ask_helper({"verb": "restore"})["done"]))


class HelpedSut(LocalSut):
    """Whatever this user may do is done as on any machine; the rest goes to the helper."""

    mounts = MOUNTS if os.geteuid() else ""

    def write_text(self, path: str, text: str) -> None:
        if not path.startswith(_SETTINGS) or os.access(path, os.W_OK):
            super().write_text(path, text)
        else:
            ask_helper({"verb": "set", "path": path, "value": text.strip()})

    def run(
        self,
        argv: Sequence[str],
        *,
        timeout_s: float = 30.0,
        env: Mapping[str, str] | None = None,
        stdin: str = "",
    ) -> Completed:
        request = _as_request(argv) if os.geteuid() else None
        if request is None:
            return super().run(argv, timeout_s=timeout_s, env=env, stdin=stdin)
        try:
            said = ask_helper(request, timeout_s=timeout_s)
        except RunError as error:
            return Completed(tuple(argv), 1, "", error.what)
        ended = (str(said.get(name, "")) for name in ("stdout", "stderr"))
        return Completed(tuple(argv), int(said.get("status", 0)), *ended)

    def which(self, program: str) -> str | None:
        """Also where only root's PATH leads: the helper runs what is there."""
        return super().which(program) or shutil.which(program, path=_SBIN)

    def borrow(self, path: str) -> None:
        if not (os.access(path, os.R_OK) and os.access(path, os.W_OK)):
            ask_helper({"verb": "lend", "path": path})

    def put_back(self) -> tuple[str, ...]:
        return put_back() if Path(CHANGED).exists() else ()

    def kernel_log(self) -> KernelLog | None:
        own = super().kernel_log()
        if own is not None:
            return own
        try:
            return _AskedLog()
        except RunError:
            return None


class _AskedLog:
    """The kernel's log, as the helper reads it."""

    def __init__(self) -> None:
        self._last = int(ask_helper({"verb": "kernel_log", "since": -1})["last"])

    def records(self) -> list[str] | None:
        try:
            said = ask_helper({"verb": "kernel_log", "since": self._last})
        except RunError:
            return None
        self._last = int(said["last"])
        return [str(text) for text in said["records"]]

    def close(self) -> None:
        """Nothing is open."""


def _as_request(argv: Sequence[str]) -> dict[str, Any] | None:
    """What the helper does in the place of a command; None for one that needs no root."""
    if argv[0] == "umount":
        return {"verb": "unmount", "path": argv[-1]}
    if argv[0] == "mount" or argv[0].startswith("mkfs."):
        return {"verb": argv[0].partition(".")[0], "argv": list(argv)}
    return None
