"""Sockets in the filesystem of another network, which the kernel lists nowhere near."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from support.confining import confined, listener_at, place, plan_of
from support.devices import needs_root, sh

_CONNECT = """
import socket, sys
with socket.socket(socket.AF_UNIX) as s:
    try:
        s.connect(sys.argv[1])
    except OSError as error:
        print(error.strerror)
    else:
        print("connected")
"""


@needs_root
def test_below_run_they_are_out_of_reach(engine: Path, tmp_path: Path) -> None:
    """As one of the host's that a container was given."""
    path = Path(f"/run/iogate-test-{os.getpid()}/socket")
    words = ("/usr/bin/python3", "-I", "-c", _CONNECT, str(path))
    path.parent.mkdir()
    try:
        with listener_at(path):
            apart = ("unshare", "--net")
            done = confined(engine, plan_of(place(tmp_path)), *words, through=apart)
            assert done.stdout.strip() == "Connection refused", done.stderr
            assert sh(*words) == "connected"
    finally:
        shutil.rmtree(path.parent)
