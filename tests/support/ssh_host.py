"""A host by ssh: a real sshd in a machine as ``support.elsewhere`` makes it."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from support.elsewhere import machine_that
from support.lineage import lineage

_WAIT = "while [ ! -e /there/disk/sshd_config ]; do sleep 0.05; done\n"
_SSHD = """
mkdir -m 755 run/sshd
sed -i "s,^root:.*,root:x:0:0:root:/there/disk/home:/bin/bash," etc/passwd
echo "root:*:19000:0:99999:7:::" > etc/shadow
printf 'export TMPDIR=/there/disk\\n%s\\n' "echo Welcome to $(hostname)" > there/disk/home/.bashrc
exec /usr/sbin/sshd -D -e -f /there/disk/sshd_config >/there/disk/sshd.log 2>&1
"""
_CONFIG = """
ListenAddress 127.0.0.1
Port {port}
HostKey /there/disk/host_key
AuthorizedKeysFile /there/disk/user_key.pub
StrictModes no
UsePAM no
PidFile none
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
"""
_START_S = 20.0


@dataclass(frozen=True, slots=True)
class SshHost:
    """A host, and the client's configuration that knows it. ``server`` is the number of its first
    process here."""

    folder: Path
    port: int
    server: int

    @property
    def machine(self) -> str:
        """As ``--machine`` takes it."""
        return f"ssh:root@127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        """As ``--to ssh:`` takes it."""
        return self.machine.removeprefix("ssh:")

    @property
    def variables(self) -> Mapping[str, str]:
        """Make iogate use that configuration."""
        return {"IOGATE_SSH": shlex.join(["ssh", "-F", str(self.folder / "config")])}

    def client(self) -> int:
        """The process that keeps the line to it."""
        words = ["pgrep", "-n", "-f", f"^ssh .*-p {self.port} "]
        return int(subprocess.run(words, capture_output=True, text=True, check=True).stdout)

    def engines(self) -> list[int]:
        """The processes of engines that run a job file there."""
        words = ["pgrep", "-f", r"^[^ ]*iogate-engine.* /there/disk/.*\.fio"]
        found = subprocess.run(words, capture_output=True, text=True, check=False).stdout.split()
        return [int(pid) for pid in found if self._is_there(pid)]

    def hold(self, group: Path) -> None:
        """Everything that runs there, and will, is in this cgroup from now on."""
        for entry in Path("/proc").glob("[0-9]*"):
            if entry.name == str(self.server) or self._is_there(entry.name):
                with suppress(ProcessLookupError):  # it has ended since
                    (group / "cgroup.procs").write_text(entry.name)

    def end_agents(self) -> None:
        """Kill what answers there."""
        words = ["pgrep", "-f", "^python3 -I -c import os, struct, sys"]
        found = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
        for pid in filter(self._is_there, found):
            os.kill(int(pid), signal.SIGKILL)

    def _is_there(self, pid: str) -> bool:
        """Also what is in a namespace of processes within that of the host."""
        with suppress(OSError):
            own = Path(f"/proc/{self.server}/ns/pid_for_children").readlink()
            return any(Path(f"/proc/{each}/ns/pid").readlink() == own for each in lineage(int(pid)))
        return False

    def log(self) -> str:
        """What sshd has said."""
        (path,) = self.folder.glob("*-disk/sshd.log")
        return path.read_text()

    def forget(self) -> None:
        """The client knows no key of the host."""
        (self.folder / "known_hosts").write_text("")

    def disguise(self) -> None:
        """The host has another key than the one that the client knows."""
        _make_key(self.folder / "other")
        self._know(self.folder / "other.pub")

    def _know(self, key: Path) -> None:
        kind, text, *_ = key.read_text().split()
        known = f"[127.0.0.1]:{self.port} {kind} {text}\n"
        (self.folder / "known_hosts").write_text(known)


@contextmanager
def ssh_host(folder: Path, first: str = "") -> Iterator[SshHost]:
    """The host, and ``IOGATE_SSH`` set for it, for as long as the block goes. ``first`` is done
    there before all else, by a shell."""
    port = _free_port()
    with machine_that(first + _WAIT + _SSHD, folder) as (process, name):
        host = SshHost(folder, port, process.pid)
        _configure(host, folder / f"{name}-disk")
        _until_it_listens(host)
        with patch.dict(os.environ, host.variables):
            yield host


@contextmanager
def ssh_hosts(folder: Path, count: int) -> Iterator[list[SshHost]]:
    """Several hosts, and ``IOGATE_SSH`` set for all of them."""
    with ExitStack() as stack:
        hosts = []
        for number in range(count):
            own = folder / f"host-{number}"
            own.mkdir()
            hosts.append(stack.enter_context(ssh_host(own)))
        keys = "".join(f"IdentityFile {host.folder}/key\n" for host in hosts)
        known = " ".join(f"{host.folder}/known_hosts" for host in hosts)
        config = folder / "config"
        config.write_text(
            f"{keys}IdentitiesOnly yes\nUserKnownHostsFile {known}\n"
            "GlobalKnownHostsFile /dev/null\n"
        )
        words = shlex.join(["ssh", "-F", str(config)])
        stack.enter_context(patch.dict(os.environ, {"IOGATE_SSH": words}))
        yield hosts


def _configure(host: SshHost, disk: Path) -> None:
    _make_key(disk / "host_key")
    _make_key(host.folder / "key")
    (disk / "user_key.pub").write_bytes((host.folder / "key.pub").read_bytes())
    host._know(disk / "host_key.pub")
    (host.folder / "config").write_text(
        f"IdentityFile {host.folder}/key\nIdentitiesOnly yes\n"
        f"UserKnownHostsFile {host.folder}/known_hosts\nGlobalKnownHostsFile /dev/null\n"
    )
    whole = disk / "sshd_config.new"
    whole.write_text(_CONFIG.format(port=host.port))
    whole.rename(disk / "sshd_config")


def _make_key(path: Path) -> None:
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)]
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _until_it_listens(host: SshHost) -> None:
    end = time.monotonic() + _START_S
    while time.monotonic() < end:
        with suppress(OSError), socket.create_connection(("127.0.0.1", host.port), 1):
            return
        time.sleep(0.05)
    raise AssertionError("sshd does not listen")
