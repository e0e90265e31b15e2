#!/usr/bin/python3
"""``IOGATE_SSH`` of a test: OpenSSH's client, whose line is cut when so many bytes have come over
it: the first line after the first of the numbers in ``CUT_AFTER``, the next after the second, and
those for which there is no number never. Each cut is a letter in the file ``CUT_NOTE``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def main() -> int:
    """As the client ends, or 255 where the line was cut."""
    note = Path(os.environ["CUT_NOTE"])
    cuts = len(note.read_text()) if note.exists() else 0
    most = int([*os.environ["CUT_AFTER"].split(), *["0"] * (cuts + 1)][cuts])
    with subprocess.Popen(["ssh", *sys.argv[1:]], stdout=subprocess.PIPE) as client:
        assert client.stdout
        came = 0
        while data := os.read(client.stdout.fileno(), most - came if most else 1 << 16):
            os.write(1, data)
            came += len(data)
            if came == most:
                with note.open("a") as out:
                    out.write("x")
                client.kill()
                return 255
    return client.returncode


sys.exit(main())
