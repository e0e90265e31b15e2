"""An initramfs, as GNU cpio reads it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from iogate.vm import cpio


def test_cpio_unpacks_what_was_packed(tmp_path: Path) -> None:
    items = {
        "/usr/bin/tool": cpio.file(b"#!/bin/sh\n", runs=True),
        "/bin": cpio.link("usr/bin"),
        "/etc/odd": cpio.file(b"x"),
        "/tmp": cpio.folder(0o1777),
    }
    data = cpio.archive(items)
    assert data == cpio.archive(dict(reversed(items.items())))
    subprocess.run(
        ["cpio", "-idm", "--quiet", "--no-absolute-filenames"],
        input=data, cwd=tmp_path, check=True,
    )  # fmt: skip
    assert (tmp_path / "bin/tool").read_bytes() == b"#!/bin/sh\n"
    assert (tmp_path / "usr/bin/tool").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "etc/odd").read_bytes() == b"x"
    assert (tmp_path / "tmp").stat().st_mode & 0o7777 == 0o1777
