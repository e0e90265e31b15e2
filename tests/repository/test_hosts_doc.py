"""docs/hosts.md is followed on a bare host, line by line."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.bare_host import BareHost, bare_host, everybodys_folder, loop_in
from support.devices import needs_root
from support.quiet import limits_text

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs/hosts.md").read_text()
USERS = {"#": "root", "$": "runner"}

pytestmark = [
    needs_root,
    pytest.mark.skipif(not shutil.which("sudo"), reason="sudo is not installed"),
]


def commands() -> Iterator[tuple[str, str]]:
    """Each command with its user; one with a document in it is several lines."""
    for block in re.findall(r"^```console\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE):
        for match in re.finditer(r"^([#$]) (.*<<'END'\n(?:.*\n)*?END|.*)$", block, re.MULTILINE):
            yield USERS[match[1]], match[2]


def here(command: str, device: str, destroy: str) -> str:
    """With this machine's words for the project's address and for the drive, half a second for
    a measurement, and without systemd, which does not run on a host of a test."""
    words = {
        "https://github.com/OWNER/iogate": str(ROOT),
        "/dev/nvme1n1": device,
        "destroy: { serial: S5GXNX0T123456 }": destroy,
        "runtime: 10s": "runtime: 500ms",
        "enable --now": "enable",
    }
    for word, instead in words.items():
        command = command.replace(word, instead)
    return command


def destroy_of(host: BareHost, device: str) -> str:
    """What iogate advises where the spec names another identity."""
    host.sh("sed -i 's/destroy: .*/destroy: { size: 1 }/' nightly.yaml", user="runner")
    done = host.run("/opt/iogate/.venv/bin/iogate run --trust nightly.yaml", user="runner")
    assert done.returncode in {2, 3}, device
    found = re.search(r"destroy: \{[^}]*\}(?!.*destroy: \{)", done.stderr, re.DOTALL)
    assert found, done.stderr
    return found[0]


def test_from_a_bare_host_to_a_nightly_run(tmp_path: Path) -> None:
    folder = tmp_path / "host"
    folder.mkdir()
    with (
        everybodys_folder() as images,
        bare_host(folder) as host,
        loop_in(host, images, 128) as device,
    ):
        destroy = "destroy: { size: 1 }"
        for user, command in commands():
            if "iogate run --trust nightly.yaml" in command and user == "runner":
                found = destroy_of(host, device)
                host.sh(f"sed -i 's|destroy: .*|{found}|' nightly.yaml", user="runner")
            host.sh(here(command, device, destroy), user=user)
            if command.startswith("useradd"):
                keep_quiet(host)
        nightly(host)


def keep_quiet(host: BareHost) -> None:
    """A busy machine would leave no repetition to show."""
    file = "~/.local/state/iogate/validity.json"
    make = f"mkdir -p {file.rpartition('/')[0]} && cat > {file} && chmod 600 {file}"
    host.sh(make, user="runner", stdin=limits_text())


def nightly(host: BareHost) -> None:
    """What the timer starts, as systemd would start it."""
    folder = "/etc/systemd/system"
    assert host.sh(f"readlink {folder}/timers.target.wants/iogate-nightly-nightly.timer")
    said = host.run("systemd-analyze verify iogate-nightly-nightly.timer iogate-restore.service")
    assert said.returncode == 0, said.stderr
    unit = host.sh(f"cat {folder}/iogate-nightly-nightly.service")
    settings = dict(line.split("=", 1) for line in unit.splitlines() if "=" in line)
    for command in ("ExecStart", "ExecStopPost"):
        host.sh(f"cd {settings['WorkingDirectory']} && {settings[command]}", user=settings["User"])
    assert host.sh("ls /home/runner/site/index.html", user="runner")
    runs = host.sh("/opt/iogate/.venv/bin/iogate history", user="runner")
    assert runs.count("nightly") == 2
    assert "changed" not in host.sh("ls /run/iogate")
