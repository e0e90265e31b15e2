"""A host of a test's own: this machine, with folders of the system that a test may change and
that are gone with it, and users that nobody else has."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from repository.tree import ROOT

_CHANGED = ("/etc", "/usr/lib", "/usr/local", "/opt", "/var/lib", "/var/log", "/root")
_SET_UP = """
set -e
mount --make-rprivate /
mount -t tmpfs tmpfs "$1"
mkdir "$1/checkout"
mount --rbind "$2" "$1/checkout"
for folder in {folders}; do
  mkdir -p "$1$folder/upper" "$1$folder/work"
  chmod --reference="$folder" "$1$folder/upper"
  mount -t overlay overlay -o "lowerdir=$folder,upperdir=$1$folder/upper,workdir=$1$folder/work" \
    "$folder"
done
if [ ! -e "$2/runner" ]; then # an overlay does not show what is mounted below it
  mkdir -p "$2"
  mount --rbind "$1/checkout" "$2"
fi
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -m 1777 /run/lock
mount -t tmpfs -o mode=1777 tmpfs /run/lock
mkdir -p /home
mount -t tmpfs -o mode=755 tmpfs /home
echo ready
exec sleep infinity
"""


class BareHost:
    """Runs commands in it: as root, or as a user as after a login."""

    def __init__(self, pid: int) -> None:
        # With its root: of tests in a chroot that is not the root of the namespace.
        self._enter = ["nsenter", f"--target={pid}", "--mount", "--root", "--wd=/", "--"]

    def run(
        self, command: str, *, user: str = "root", stdin: str = "", timeout_s: float = 600
    ) -> subprocess.CompletedProcess[str]:
        """A line of a shell, in the user's home."""
        return subprocess.run(
            [*self._enter, "su", "-", user, "-s", "/bin/bash", "-c", command],
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout_s,
        )

    def start(self, command: str, *, user: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*self._enter, "su", "-", user, "-s", "/bin/bash", "-c", command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def sh(self, command: str, *, user: str = "root", stdin: str = "") -> str:
        """One that must work; what it says."""
        done = self.run(command, user=user, stdin=stdin)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout


@contextmanager
def everybodys_folder() -> Iterator[Path]:
    """A folder that all users can look into, as pytest's own are not, on this machine and on
    the host of a test."""
    with TemporaryDirectory(dir="/var/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@contextmanager
def bare_host(folder: Path) -> Iterator[BareHost]:
    """The host, for as long as the block goes. ``folder`` is covered in it."""
    script = _SET_UP.format(folders=" ".join(_CHANGED))
    with subprocess.Popen(
        ["unshare", "--mount", "sh", "-c", script, "sh", str(folder), str(ROOT)],
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        try:
            assert holder.stdout.readline() == "ready\n", "no namespace could be made"
            yield BareHost(holder.pid)
        finally:
            holder.kill()


@contextmanager
def loop_in(host: BareHost, folder: Path, size_mib: int = 32) -> Iterator[str]:
    """A loop device that is attached in the host: elsewhere, in a chroot, its image has another
    name. Its path."""
    image = folder / f"image-{time.monotonic_ns()}"
    with image.open("wb") as out:
        out.truncate(size_mib << 20)
    path = host.sh(f"losetup --find --show {image}").strip()
    try:
        yield path
    finally:
        host.run(f"losetup --detach {path}")
        image.unlink()
