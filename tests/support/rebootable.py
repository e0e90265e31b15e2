"""A host by ssh whose boots are made up: what the kernel says of itself are files there, and a
command of the site's own, called here, changes them. All else is real."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.elsewhere import DISK
from support.ssh_host import SshHost, ssh_host

SAYS = """
mkdir there/disk/says there/disk/home/usual
for path in sys/kernel/random/boot_id sys/kernel/osrelease sys/kernel/version cmdline; do
  cat "proc/$path" > "there/disk/says/${path##*/}"
  mount --bind "there/disk/says/${path##*/}" "proc/$path"
done
cp there/disk/says/osrelease there/disk/says/version there/disk/says/cmdline there/disk/home/usual
"""
_BOOTS = """\
#!/bin/sh
echo "$1" >> {folder}/calls
[ "$1" != refuses ] || {{ echo "no such profile" >&2; exit 3; }}
[ "$1" != stays ] || exit 0
cd {disk}/says
case $1 in
  new | away) echo 6.99.1 > osrelease; echo root=/dev/vda quiet > cmdline ;;
  other) echo 5.10.0 > osrelease ;;
  *) for name in osrelease version cmdline; do cat ../home/usual/$name > $name; done ;;
esac
# Last: who sees that it is another boot reads the rest.
cat /proc/sys/kernel/random/uuid > boot_id
[ "$1" = away ] && mv {folder}/known_hosts {folder}/known_hosts.away
[ "$1" != power ] || mv {folder}/known_hosts.away {folder}/known_hosts
exit 0
"""
_KEXEC = """\
cd {disk}
if [ "$1" = -e ]; then
  echo 6.99.1 > says/osrelease
  echo "#1 SMP" > says/version
  cat loaded.cmdline > says/cmdline
  cat /proc/sys/kernel/random/uuid > says/boot_id
elif [ "$1" = -u ]; then
  rm loaded.*
else
  cat "$3" > loaded.image
  for word; do
    case $word in
      --initrd=*) cat "${{word#*=}}" > loaded.initrd ;;
      --command-line=*) echo "${{word#*=}}" > loaded.cmdline ;;
    esac
  done
fi
"""
_REBOOT = """\
cd {disk}/says
for name in osrelease version cmdline; do cat ../home/usual/$name > $name; done
cat /proc/sys/kernel/random/uuid > boot_id
"""
NEW = "6.99.1"
KERNELS = {
    name: {"release": NEW, "cmdline": "quiet"}
    for name in ("new", "other", "away", "stays", "refuses", "panics")
}


@dataclass(frozen=True, slots=True)
class Rebootable:
    """The host. ``boots`` is the command here that boots it into a kernel by name; ``power`` is the
    one that switches it off and on."""

    host: SshHost
    disk: Path

    @property
    def boots(self) -> str:
        return str(self.host.folder / "boots")

    @property
    def calls(self) -> list[str]:
        """Which kernels it was booted into, in turn."""
        path = self.host.folder / "calls"
        return path.read_text().split() if path.exists() else []

    @property
    def release(self) -> str:
        return (self.disk / "says/osrelease").read_text().strip()

    def reboot(self, kernel: str) -> None:
        """What the kernel says of itself from now on."""
        (self.disk / "says/boot_id").write_text(f"{kernel}-0000\n")

    def program(self, name: str, script: str, *, alone: bool = False) -> None:
        """A program that is found first there, or alone."""
        place = self.disk / "bin"
        place.mkdir(exist_ok=True)
        (place / name).write_text(f"#!/bin/sh\n{script}\n")
        (place / name).chmod(0o755)
        with (self.disk / "home/.bashrc").open("a") as rc:
            rc.write(f"export PATH={DISK}/bin{'' if alone else ':$PATH'}\n")

    def boot_by_kexec(self) -> None:
        """By programs that write down what they are told: it then runs ``NEW``, whatever that
        is."""
        self.program("kexec", _KEXEC.format(disk=DISK))
        self.program("reboot", _REBOOT.format(disk=DISK))

    def describe(self, **changed: object) -> str:
        """``host:FILE``, with other keys than usual; None leaves one out."""
        said: dict[str, object] = {
            "version": 1,
            "address": self.host.address,
            "boot": {"command": [self.boots, "{kernel}"]},
            "kernels": KERNELS,
            "boot_seconds": 2,
            "power": [self.boots, "power"],
            **changed,
        }
        path = self.host.folder / "lab.yaml"
        path.write_text(json.dumps({k: v for k, v in said.items() if v is not None}))
        return f"host:{path}"


@contextmanager
def rebootable(folder: Path) -> Iterator[Rebootable]:
    """The host, for as long as the block goes."""
    with ssh_host(folder, SAYS) as host:
        (disk,) = folder.glob("*-disk")
        there = Rebootable(host, disk)
        script = Path(there.boots)
        script.write_text(_BOOTS.format(folder=folder, disk=disk))
        script.chmod(0o755)
        yield there
