"""A machine by ssh: a real client and a real sshd, in a machine with another root."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from iogate.errors import RefusedError, RunError, UsageError
from iogate.sut import open_sut, ssh
from iogate.sut.ssh import agent_archive
from support.devices import needs_root
from support.elsewhere import DISK
from support.ssh_host import SshHost, ssh_host

pytestmark = needs_root
SAYS_NOTHING_RIGHT = """#!/bin/sh
for _ in boot agent; do printf '\\0iogate: the line is open\\n'; done
printf '%b' "$ANSWER"
exec cat > /dev/null
"""


@pytest.fixture
def host(tmp_path: Path) -> Iterator[SshHost]:
    with ssh_host(tmp_path) as there:
        yield there


@pytest.mark.parametrize(
    "address",
    ["", "-oProxyCommand=touch /tmp/x", "a b", "root@", "@host", "host:0", "host:70000", "[::1",
     "host;id", "[fe80::1%]", "[::1%-x y]", "u@-host", "host\n", "$(id)", "ssh://host"],
)  # fmt: skip
def test_what_is_no_address_reaches_no_client(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IOGATE_SSH", "/no/such/client")
    with pytest.raises(UsageError, match="machine"):
        open_sut(f"ssh:{address}")


@pytest.mark.parametrize(
    "address", ["lab3", "root@lab3", "lab-3.example:2222", "u@[fe80::1%eth0.7]:22"]
)
def test_what_is_one_does(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IOGATE_SSH", "/no/such/client")
    with pytest.raises(RefusedError, match="cannot start /no/such/client"):
        open_sut(f"ssh:{address}")


def test_a_host_that_nobody_knows_or_with_another_key_is_refused(host: SshHost) -> None:
    host.forget()
    with pytest.raises(RefusedError, match="no ED25519 host key is known for") as told:
        open_sut(host.machine)
    assert f"'ssh -p {host.port} root@127.0.0.1 true'" in told.value.remedy
    host.disguise()
    with pytest.raises(RefusedError, match="its key is not the known one"):
        open_sut(host.machine)
    assert "Accepted" not in host.log()


def test_why_there_is_no_line_is_told(host: SshHost, tmp_path: Path) -> None:
    (tmp_path / "config").write_text(f"UserKnownHostsFile {tmp_path}/known_hosts\n")
    with pytest.raises(RefusedError, match=r"let this user in \(root@127.0.0.1: Permission denied"):
        open_sut(host.machine)
    with pytest.raises(RefusedError, match=r"cannot reach 127.0.0.1:1: .*refused"):
        open_sut("ssh:127.0.0.1:1")


def test_what_the_client_is_told_in_its_own_configuration_holds(
    host: SshHost, tmp_path: Path
) -> None:
    """A jump, a connection that is kept for others, and a command that is meant for people."""
    there = f"  HostName 127.0.0.1\n  Port {host.port}\n  User root\n"
    with (tmp_path / "config").open("a") as config:
        config.write(f"Host jump\n{there}Host far\n{there}  ProxyJump jump\n")
        config.write(f"  ControlMaster auto\n  ControlPath {tmp_path}/c\n  ControlPersist 60\n")
        config.write("  RemoteCommand echo hello\n  RequestTTY force\n")
    client = ["ssh", "-F", str(tmp_path / "config")]
    try:
        for _ in range(2):
            with closing(open_sut("ssh:far")) as far:
                assert far.run(["hostname"]).stdout.startswith("elsewhere-")
                subprocess.run([*client, "-O", "exit", "far"], check=True, capture_output=True)
                assert far.run(["hostname"]).stdout.startswith("elsewhere-")
    finally:
        subprocess.run([*client, "-O", "exit", "far"], check=False, capture_output=True)


@pytest.mark.parametrize(
    ("shell", "told"),
    [
        ("PATH=/no/such", "it has no python3"),
        ("alias() { :; }; python3() { /usr/bin/false; }", "ssh ended with 1"),
        ("python3() { echo Python 3.9 is too old >&2; return 1; }", "is older than 3.11"),
        ("echo not found >&2; echo Not for you.; exit 1", "cannot reach .*: not found"),
        ("echo This account is not available.; exit 1", "cannot reach .*: This account is not"),
        ("head -c 70000 /dev/zero >&2; echo; echo out of order >&2; exit 1", ": .*out of order"),
    ],
)
def test_a_machine_on_which_no_python_starts_is_told(host: SshHost, shell: str, told: str) -> None:
    (bashrc,) = host.folder.glob("*-disk/home/.bashrc")
    bashrc.write_text(shell + "\n")
    with pytest.raises(RefusedError, match=told):
        open_sut(host.machine)


def test_a_host_that_is_silent_is_not_waited_for_without_end(
    host: SshHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It lets the user in, and then its shell waits for something."""
    monkeypatch.setattr(ssh, "SILENT_S", 1.0)
    (bashrc,) = host.folder.glob("*-disk/home/.bashrc")
    bashrc.write_text("echo mounting /home\nsleep 4715\n")
    with pytest.raises(RefusedError, match="not answer within 1 s, and said last: mounting /home"):
        open_sut(host.machine)
    with pytest.raises(subprocess.CalledProcessError):
        host.client()


def test_a_host_that_is_silent_when_the_line_is_opened_again(
    host: SshHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssh, "AWAY_S", 2.0)
    with closing(open_sut(host.machine)) as there:
        (bashrc,) = host.folder.glob("*-disk/home/.bashrc")
        bashrc.write_text("sleep 4716\n")
        os.kill(host.client(), signal.SIGKILL)
        with pytest.raises(RunError, match="is lost"):
            there.clocks()


def test_nothing_stays_there(host: SshHost) -> None:
    with closing(open_sut(host.machine)) as there:
        before = there.run(["find", DISK, "/tmp", "/run", "/there/home"]).stdout
    with closing(open_sut(host.machine)) as there:
        assert there.run(["find", DISK, "/tmp", "/run", "/there/home"]).stdout == before
    assert agent_archive() == agent_archive()


def test_a_line_that_is_cut_is_opened_again(host: SshHost, tmp_path: Path) -> None:
    with closing(open_sut(host.machine)) as there:
        out = f"{DISK}/out"
        process = there.start(["sleep", "4712"], cwd=DISK, stdout=out, stderr=out)
        before = there.about()
        for _ in range(3):
            os.kill(host.client(), signal.SIGKILL)
            assert process.poll() is None
        there.put(f"{DISK}/large", b"x" * (5 << 20))
        os.kill(host.client(), signal.SIGKILL)
        assert there.get(f"{DISK}/large", str(tmp_path / "large"))
        assert (tmp_path / "large").stat().st_size == 5 << 20
        assert there.about() == before
        process.kill_group()


def test_a_call_in_which_the_line_is_cut_is_done_once(host: SshHost) -> None:
    with closing(open_sut(host.machine)) as there:
        client = host.client()
        cutter = threading.Timer(0.5, os.kill, (client, signal.SIGKILL))
        cutter.start()
        done = there.run(["sh", "-c", f"echo once >> {DISK}/calls; sleep 2; echo done"])
        assert done.stdout == "done\n"
        assert host.client() != client
        assert there.read_text(f"{DISK}/calls") == "once\n"


def lines() -> set[str]:
    """The names of sockets as an agent has one."""
    text = Path("/proc/net/unix").read_text()
    return set(re.findall(r" @([0-9a-f]{32})$", text, re.MULTILINE))


def test_nobody_else_takes_the_line(host: SshHost) -> None:
    """Another user of the host may know the socket's name: it stands in /proc/net/unix."""
    others = lines()
    with closing(open_sut(host.machine)) as there:
        name = (lines() - others).pop()
        out = f"{DISK}/other"
        process = there.start(["python3", "-c", _OTHER % name], cwd=DISK, stdout=out, stderr=out)
        end = time.monotonic() + 20
        while process.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        assert there.read_text(out) == "nobody answers\n"


def test_what_ran_there_ends_when_nobody_comes_back(
    host: SshHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssh, "AWAY_S", 1.0)
    there = open_sut(host.machine)
    out = f"{DISK}/out"
    mark = f"4711.{os.getpid()}"
    there.start(["sleep", mark], cwd=DISK, stdout=out, stderr=out)
    os.kill(host.client(), signal.SIGKILL)
    time.sleep(3)
    with pytest.raises(RunError, match=r"the line to root@127.0.0.1:[0-9]+ is lost") as lost:
        there.clocks()
    assert "puts back what was changed" in lost.value.remedy
    with pytest.raises(RunError, match="is lost"):
        there.stat("/")
    there.close()
    with closing(open_sut(host.machine)) as again:
        end = time.monotonic() + 20
        while mark in again.run(["cat", *processes(again)]).stdout:
            assert time.monotonic() < end, "it runs on"
            time.sleep(0.1)


_OTHER = """
import os, socket
os.setuid(65534)
line = socket.socket(socket.AF_UNIX)
line.settimeout(20)
try:
    line.connect("\\x00%s")
    line.send(b"x" * 8)
    print(line.recv(100) or "nobody answers")
except ConnectionError:
    print("nobody answers")
"""


def test_a_machine_that_greets_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = tmp_path / "ssh"
    client.write_text("#!/bin/sh\nhead -c 100000 /dev/zero\nexec cat > /dev/null\n")
    client.chmod(0o755)
    monkeypatch.setenv("IOGATE_SSH", str(client))
    with pytest.raises(RefusedError, match="cannot reach there"):
        open_sut("ssh:there")


@pytest.mark.parametrize(
    "answer",
    [
        r"\0377\0377\0377\0377",
        r"\0005\0000\0000\0000[1,2]",
        r"\0004\0000\0000\0000nono",
        r"\0002\0000\0000\0000{}",
        r"\0013\0000\0000\0000{\"error\":1}",
    ],
)
def test_a_machine_that_says_nonsense_is_an_error(
    answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = tmp_path / "ssh"
    client.write_text(SAYS_NOTHING_RIGHT)
    client.chmod(0o755)
    monkeypatch.setenv("IOGATE_SSH", str(client))
    monkeypatch.setenv("ANSWER", answer)
    with pytest.raises(RunError):
        open_sut("ssh:there")


def processes(there: object) -> list[str]:
    names = there.list_dir("/proc")  # type: ignore[attr-defined]
    return [f"/proc/{name}/cmdline" for name in names if name.isdigit()]
