"""Who comes to the agent of a host without its key, and is the agent's own user."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from iogate.sut import door, open_sut
from support.devices import needs_root
from support.elsewhere import DISK
from support.ssh_host import SshHost, ssh_host

pytestmark = needs_root
_OWN = """
import os, socket, sys
for said in b"x" * 32, b"x", b"NAME" * 8:
    line = socket.socket(socket.AF_UNIX)
    line.connect("\\x00NAME")
    line.settimeout(20)
    try:
        line.send(said)
        line.shutdown(socket.SHUT_WR)
        print(line.recv(100) or "nobody answers")
    except ConnectionError:
        print("nobody answers")
"""


@pytest.fixture
def host(tmp_path: Path) -> Iterator[SshHost]:
    with ssh_host(tmp_path) as there:
        yield there


def test_an_engine_of_the_same_user_does_not_take_the_line(host: SshHost) -> None:
    with closing(open_sut(host.machine)) as there:
        text = there.run(["cat", "/proc/net/unix"]).stdout
        name = re.findall(r" @([0-9a-f]{32})$", text, re.MULTILINE)[-1]
        out = f"{DISK}/own"
        words = ["python3", "-c", _OWN.replace("NAME", name)]
        process = there.start(words, cwd=DISK, stdout=out, stderr=out)
        end = time.monotonic() + 30
        while process.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        assert there.read_text(out) == "nobody answers\n" * 3
        os.kill(host.client(), signal.SIGKILL)
        assert there.read_text(out) == "nobody answers\n" * 3
        commands = there.run(["sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' '\\n'"]).stdout
        assert name in commands  # the relay's; and not what it is a digest of
        assert not any(door.socket_name(word) == name for word in re.findall(r"\w{32}", commands))
