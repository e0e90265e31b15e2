"""The helper that root installs for users, on a host of a test's own: asked as a run asks it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.bare_host import BareHost, bare_host, loop_in

IOGATE = f"{Path(sys.executable).parent}/iogate"
HELPER = "/usr/lib/iogate/iogate-helper"
# Holds the host as a run does, and asks the helper what stands on stdin, a request a line.
ASK = f"""\
import fcntl, os, subprocess, sys
lock = os.open("/run/lock/iogate.lock", os.O_RDWR | os.O_CREAT, 0o666)
fcntl.flock(lock, fcntl.LOCK_EX)
for line in sys.stdin:
    done = subprocess.run(["sudo", "-n", "{HELPER}"], input=line.encode(), capture_output=True)
    print(done.stdout.decode().strip() or done.stderr.decode().strip(), flush=True)
"""


@contextmanager
def host_of_users(folder: Path) -> Iterator[BareHost]:
    """The host, with the users ``runner`` and ``other``. ``folder`` is made, and covered in it."""
    folder.mkdir()
    with bare_host(folder) as made:
        made.sh("useradd --create-home runner && useradd --create-home other")
        yield made


@contextmanager
def lendable_in(host: BareHost, folder: Path) -> Iterator[str]:
    """A loop device; its node is afterwards as it was, whatever a test has left."""
    with loop_in(host, folder, 320) as path:
        node = Path(path).stat()
        try:
            yield path
        finally:
            os.chown(path, node.st_uid, node.st_gid)
            Path(path).chmod(node.st_mode)


def install(host: BareHost, *words: str) -> None:
    """Install the helper for the user ``runner``."""
    host.sh(f"{IOGATE} host install --user runner {' '.join(words)}")


def ask(host: BareHost, *requests: object, user: str = "runner") -> list[dict[str, object]]:
    """Requests of one run, and the answers."""
    lines = [each if isinstance(each, str) else json.dumps(each) for each in requests]
    host.sh("cat > ~/ask.py", user=user, stdin=ASK)
    said = host.sh("python3 ask.py", user=user, stdin="\n".join(lines) + "\n")
    return [json.loads(line) for line in said.splitlines()]
