"""A user who is not root measures: directories by himself, devices through the helper that root
has installed. On a host of the test's own, with real users and the real sudo."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.bare_host import BareHost, everybodys_folder, loop_in
from support.devices import needs_root, sh
from support.helper import ASK, HELPER, IOGATE, ask, host_of_users, install, lendable_in
from support.settings import HARMLESS, kept

from .conftest import wait_for

pytestmark = [
    needs_root,
    pytest.mark.skipif(not shutil.which("sudo"), reason="sudo is not installed"),
]
MOUNTS = "/var/lib/iogate/mnt"
DIRECTORY = """\
version: 1
targets: { disk: { directory: . } }
workloads:
  w: { fio: { rw: write, bs: 64k, size: 1m }, repetitions: 1, thresholds: { write.iops: "> 1" } }
"""
# Lets user 1 and everybody use a node, by its access control list, where this user owns it.
ALLOW = """\
import os, struct
def allow(node):
    entries = [(1, 6, 0xFFFFFFFF), (2, 6, os.getuid()), (2, 6, 1), (4, 6, 0xFFFFFFFF),
               (16, 6, 0xFFFFFFFF), (32, 6, 0xFFFFFFFF)]
    if os.stat(node).st_uid == os.getuid():
        os.setxattr(node, "system.posix_acl_access", struct.pack("<I", 2)
                    + b"".join(struct.pack("<HHI", *entry) for entry in entries))
"""


@pytest.fixture
def host(tmp_path: Path) -> Iterator[BareHost]:
    with host_of_users(tmp_path / "host") as made:
        yield made


@pytest.fixture
def device(host: BareHost) -> Iterator[str]:
    with everybodys_folder() as folder, lendable_in(host, folder) as path:
        yield path


def spec(host: BareHost, text: str) -> None:
    host.sh("cat > ~/spec.yaml", user="runner", stdin=text)


def run(host: BareHost, *words: str) -> tuple[int, str]:
    done = host.run(f"{IOGATE} run spec.yaml --quiet {' '.join(words)}", user="runner")
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout + done.stderr


def on_device(host: BareHost, device: str, more: str = "") -> str:
    """A spec that writes it, with the identity that iogate itself names."""
    plain = DIRECTORY.replace("directory: .", f"device: {device}{more}")
    spec(host, plain)
    host.sh(f"chmod 666 {device}")
    _code, text = run(host)
    host.sh(f"chmod 660 {device}")
    found = re.search(r"destroy: \{.*?\}", text)
    assert found, text
    return plain.replace(f"device: {device}", f"device: {device}, {found[0]}")


def owner(path: str) -> tuple[int, int, int]:
    found = Path(path).stat()
    return found.st_uid, found.st_gid, found.st_mode


def test_a_directory_needs_no_root_and_no_helper(host: BareHost) -> None:
    spec(host, DIRECTORY)
    code, text = run(host)
    assert code == 0, text
    left = host.sh("find . -path ./iogate-runs -prune -o -print; ls /run/lock", user="runner")
    assert "./.local/share/iogate/history.sqlite" in left
    assert "iogate-2" not in left
    assert "journal" not in left


@pytest.mark.parametrize("name", ["XDG_STATE_HOME", "XDG_DATA_HOME"])
def test_a_folder_that_cannot_be_written_is_named(host: BareHost, name: str) -> None:
    spec(host, DIRECTORY)
    done = host.run(f"{name}=/etc {IOGATE} run spec.yaml", user="runner")
    assert done.returncode == 3, done.stderr
    assert "/etc/iogate" in done.stderr
    assert f"set {name} to a folder that can be written" in done.stderr
    assert host.run("ls iogate-runs", user="runner").returncode != 0


def test_a_user_without_a_home(host: BareHost) -> None:
    host.sh("useradd --home-dir /nonexistent homeless; mkdir -m 777 /opt/measured")
    host.sh("cat > /opt/measured/spec.yaml", stdin=DIRECTORY)
    run_it = f"cd /opt/measured; {IOGATE} run spec.yaml"
    done = host.run(run_it, user="homeless")
    assert done.returncode == 3, done.stderr
    assert "XDG_" in done.stderr
    done = host.run(f"export XDG_STATE_HOME=/opt/measured XDG_DATA_HOME=/opt/measured; {run_it}",
                    user="homeless")  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_a_device_is_lent_for_a_run(host: BareHost, device: str) -> None:
    before = owner(device)
    text = on_device(host, device)
    spec(host, text)
    assert run(host)[0] == 3
    install(host, "--device", device)
    code, said = run(host)
    assert code == 0, said
    assert owner(device)[:2] == before[:2]
    with everybodys_folder() as folder, loop_in(host, folder) as other:
        spec(host, on_device(host, other))
        code, said = run(host)
        assert code == 3
        assert "not a device of /etc/iogate/host.json" in said


FILESYSTEM = f"""\
version: 1
targets:
  raw: {{ RAW }}
  fs: {{ filesystem: {{ on: raw, type: ext4 }} }}
environment:
  block: {{ read_ahead_kb: 64 }}
  sysctl: {{ {HARMLESS}: 5 }}
  drop_caches: before-case
workloads:
  w: {{ target: fs, fio: {{ rw: write, bs: 64k, size: 1m FIO }}, repetitions: 1 }}
"""


def filesystem(host: BareHost, device: str, fio: str = "") -> str:
    found = re.search(r"device: [^}]*\{.*?\}", on_device(host, device))
    assert found
    return FILESYSTEM.replace("RAW", found[0]).replace("FIO", fio)


def is_as_before(host: BareHost, device: str) -> bool:
    name = Path(device).name
    mounts = host.sh("cat /proc/mounts; ls /run/iogate /var/lib/iogate/mnt")
    ahead = Path(f"/sys/block/{name}/queue/read_ahead_kb").read_text().strip()
    return f"{device} " not in mounts and "changed" not in mounts and ahead != "64"


def test_settings_and_filesystems_are_made_and_put_back(host: BareHost, device: str) -> None:
    spec(host, filesystem(host, device))
    assert run(host, "--trust")[0] == 3
    install(host, "--device", device)
    with kept(HARMLESS) as (path,):
        before, was = path.read_text(), owner(device)
        code, said = run(host, "--trust")
        assert code == 0, said
        assert path.read_text() == before
        assert owner(device)[:2] == was[:2]
    assert is_as_before(host, device)
    log = host.sh("cat /var/log/iogate/helper.log")
    for verb in ("set", "mkfs", "mount", "unmount", "lend"):
        assert f'{{\\"verb\\": \\"{verb}\\"' in log


@pytest.mark.parametrize("who", ["runner", "root"])
def test_what_a_killed_run_left_is_put_back(host: BareHost, device: str, who: str) -> None:
    install(host, "--device", device)
    spec(host, filesystem(host, device, ", time_based: true, runtime: 60s"))
    with kept(HARMLESS) as (path,):
        before, was = path.read_text(), owner(device)
        child = host.start(f"exec {IOGATE} run --trust spec.yaml", user="runner")
        wait_for(lambda: f"{device} " in host.sh("cat /proc/mounts"))
        assert path.read_text() == "5\n"
        host.sh(f"pkill -KILL -u runner -f '{IOGATE} run'")
        child.communicate()
        done = host.run(f"cd /; {IOGATE} doctor", user=who)
        assert "again" in done.stdout + done.stderr
        assert path.read_text() == before
        assert owner(device)[:2] == was[:2]
    assert is_as_before(host, device)


def hostile(device: str) -> list[object]:
    name = Path(device).name
    queue = f"/sys/block/{name}/queue"
    mkfs = ["mkfs.ext4", "-q", "-F"]
    mount = ["mount", "--internal-only", "-t", "ext4", "-o"]
    point = "/var/lib/iogate/mnt/x/mnt"
    return [
        "", "{", "[]", "1", "null", '"hello"', "[" * 3000, '{"verb": ["set"]}', '{"verb": "shell"}',
        '{"verb": "hello", "more": 1}', '{"verb": "set", "path": "/proc/sys/vm/swappiness"}',
        json.dumps({"verb": "hello", "x": "y" * 70000}),
        *({"verb": "set", "path": path, "value": value} for path, value in (
            ("/etc/passwd", "1"), ("/proc/sys/kernel/core_pattern", "|/tmp/x"),
            ("/proc/sys/kernel/modprobe", "/tmp/x"), ("/proc/sys/kernel/sysrq", "1"),
            ("/proc/sys/vm/../kernel/sysrq", "1"), ("/proc/sys/vm/swappiness/", "1"),
            ("/proc/sys/vm/swappiness\n", "1"), ("/proc/sys/vm/swappiness", "1\n2"),
            ("/proc/sys/vm/swappiness", "1;2"), ("/proc/sys/vm/swappiness", 1),
            ("/proc/sys/vm/swappiness", None), ("/proc/sys/vm/swappiness", "9" * 99),
            ("/proc/sys/vm/drop_caches", "4"), ("/proc/sysrq-trigger", "b"),
            (f"{queue}/../../../../etc/passwd", "1"), (f"/sys/block/../block/{name}/queue/x", "1"),
            (f"{queue}/scheduler", "none\n"), (f"{queue}/zoned", "1"),
            (f"{queue}/scheduler", "../../x"), ("/sys/block/loop7/queue/nr_requests", "64"),
            ("/sys/power/state", "mem"), ("/sys/kernel/uevent_helper", "/tmp/x"),
            (f"/sys/block/{name}/device/delete", "1"), ("", ""), ("/proc/self/mem", "1"),
        )),
        *({"verb": "lend", "path": path} for path in (
            "/dev/loop7", "/dev/vda", "/dev/mem", "/dev/../etc/shadow", "/etc/shadow", "/dev/null",
            "/dev/watchdog", f"/tmp/../dev/{name}", f"{device}\n", f"/home/runner/{name}", 7,
            ["/dev/null"], "/dev/mapper/x", "",
        )),
        *({"verb": "mkfs", "argv": argv} for argv in (
            [*mkfs, "/dev/loop7"], [*mkfs, "-d", "/etc", device], [*mkfs, "-J", "device=/dev/vda",
            device], ["mkfs.ext4", device, device, device], ["sh", "-c", "id"], [],
            ["mkfs.xfs", "-q", "-f", "-d", "file,name=/etc/shadow", device], "mkfs.ext4",
            ["mkfs.ext4/../sh", "-q", "-F", device], [*mkfs, "-e", "panic", device],
            ["mkfs.ext4", "-q", "-F", "-z", "/tmp/undo", device], [*mkfs, device, device],
            [*mkfs, "-L", "a\0b", device], [*mkfs, 1, device], ["mkfs.minix", "-q", "-F", device],
            [*mkfs, "-O", "journal_dev", "/dev/loop7"], [*mkfs, "-J", "device=/etc/shadow", device],
            ["mkfs.xfs", "-q", "-f", "-l", "logdev=/dev/loop7", device], [*mkfs, "-J", device],
            ["mkfs.xfs", "-q", "-f", "-r", "rtdev=/etc/shadow", device],
            ["mkfs.xfs", "-q", "-f", "-l", f"logdev={device},file,name=/etc/x", device],
            ["mkfs.btrfs", "-q", "-f", device, "/dev/loop7"], ["mkfs.btrfs", "-q", "-f", "/", "/"],
            ["mkfs.f2fs", "-q", "-f", "-c", "/dev/loop7", device],
        )),
        *({"verb": "mount", "argv": argv} for argv in (
            [*mount, "nosuid,nodev", device, "/etc"], [*mount, "nosuid,nodev", device, "/mnt"],
            [*mount, "nodev", device, point], [*mount, "nosuid,nodev,suid", device, point],
            [*mount, "nosuid,nodev,bind", device, point], [*mount, "nosuid,nodev", "/etc", point],
            [*mount, "nosuid,nodev", device, "/var/lib/iogate/mnt/../../../etc/mnt"],
            [*mount, "nosuid,nodev", device, "/var/lib/iogate/mnt/../mnt"],
            [*mount, "nosuid,nodev", device, "/var/lib/iogate/mnt/link/mnt"],
            [*mount, "nosuid,nodev", device, "/var/lib/iogate/mnt/roots/mnt"],
            [*mount, "nosuid,nodev,errors=panic", device, point], ["mount", "-a"],
            [*mount[:3], "tmpfs", "-o", "nosuid,nodev", device, point], [*mount, "", "", ""],
            [*mount[:3], "xfs", "-o", "nosuid,nodev,logdev=/dev/loop7", device, point],
            [*mount[:3], "xfs", "-o", "nosuid,nodev,rtdev=/etc/shadow", device, point],
            [*mount[:3], "btrfs", "-o", "nosuid,nodev,device=/dev/loop7", device, point],
            [*mount[:3], "xfs", "-o", f"logdev={device},nosuid", device, point],
        )),
        *({"verb": "unmount", "path": path} for path in (
            "/", "/run/lock", "/home", f"{MOUNTS}/link/mnt", f"{MOUNTS}/../../lock",
            f"{MOUNTS}/roots/mnt", f"{MOUNTS}/./mnt", 1,
        )),
        {"verb": "kernel_log", "since": "0"}, {"verb": "kernel_log", "since": True},
    ]  # fmt: skip


def test_the_helper_serves_nothing_else(host: BareHost, device: str) -> None:
    install(host, "--device", device)
    host.sh(
        f"ln -s {device} ~/{Path(device).name}; ln -s /etc /var/lib/iogate/mnt/link; "
        "mkdir -p /var/lib/iogate/mnt/x/mnt",
        user="runner",
    )
    host.sh("mkdir -p /var/lib/iogate/mnt/roots/mnt /etc/mnt")
    before = host.sh(
        "sha256sum /etc/passwd /etc/shadow; cat /proc/mounts; ls -lR /var/lib/iogate/mnt"
    )
    found, requests = owner(device), hostile(device)
    sum_before = sh("sha256sum", device)
    answers = ask(host, *requests)
    served = [pair for pair in zip(requests, answers, strict=True) if pair[1]["ok"] is not False]
    assert served == []
    assert all(len(str(each["error"])) < 300 for each in answers)
    after = host.sh(
        "sha256sum /etc/passwd /etc/shadow; cat /proc/mounts; ls -lR /var/lib/iogate/mnt"
    )
    assert after == before
    assert (owner(device), sh("sha256sum", device)) == (found, sum_before)
    log = host.sh("cat /var/log/iogate/helper.log")
    assert log.count('"uid": 1') == len(requests)
    assert "\\n2" in log  # what was asked for stands in one line


def test_no_access_outlives_what_a_user_did_to_a_lent_node(host: BareHost, device: str) -> None:
    install(host, "--device", device)
    before = owner(device)
    host.sh("cat > ~/acl.py", user="runner", stdin=ALLOW)
    program = ASK.replace("for line", "import runpy\nfor line", 1).replace(
        "    print(", f"    runpy.run_path('acl.py')['allow']('{device}')\n    print("
    )
    host.sh("cat > ~/ask.py", user="runner", stdin=program)
    lines = [{"verb": "lend", "path": device}, {"verb": "restore"}]
    said = host.sh(
        "python3 ask.py; ! cat " + device,
        user="runner",
        stdin="".join(json.dumps(each) + "\n" for each in lines),
    )
    assert said.count('{"ok": true') == 2
    assert "system.posix_acl_access" not in os.listxattr(device)
    assert owner(device) == before


def test_a_mount_whose_folder_was_renamed_is_found(host: BareHost, device: str) -> None:
    install(host, "--device", device)
    mine = "/var/lib/iogate/mnt/mine"
    host.sh(f"mkdir -p {mine}/mnt", user="runner")
    mkfs = {"verb": "mkfs", "argv": ["mkfs.ext4", "-q", "-F", device]}
    argv = ["mount", "--internal-only", "-t", "ext4", "-o", "nosuid,nodev,defaults", device]
    said = ask(host, mkfs, {"verb": "mount", "argv": [*argv, f"{mine}/mnt"]})
    assert [(each["ok"], each["status"]) for each in said] == [(True, 0)] * 2, said
    line = next(x for x in host.sh("cat /proc/mounts").splitlines() if x.startswith(f"{device} "))
    assert "nosuid,nodev" in line
    host.sh(f"touch {mine}/mnt/file; mv {mine} {mine}2; ln -s /run {mine}", user="runner")
    host.sh("ln -s /run/lock /run/mnt")
    assert ask(host, {"verb": "unmount", "path": f"{mine}/mnt"})[0]["ok"] is False
    (said_last,) = ask(host, {"verb": "restore"})
    assert said_last == {"ok": True, "done": [f"{mine}2/mnt is unmounted"]}
    mounts = host.sh("cat /proc/mounts")
    assert f"{device} " not in mounts
    assert "/run/lock" in mounts


def test_a_filesystem_over_two_devices_of_the_list(host: BareHost, device: str) -> None:
    with everybodys_folder() as folder, loop_in(host, folder, 340) as log:
        install(host, "--device", device, "--device", log)
        mine = f"{MOUNTS}/two"
        host.sh(f"mkdir -p {mine}/mnt", user="runner")
        mkfs = ["mkfs.xfs", "-q", "-f", "-l", f"logdev={log}", device]
        options = f"nosuid,nodev,logdev={log}"
        mount = ["mount", "--internal-only", "-t", "xfs", "-o", options, device, f"{mine}/mnt"]
        said = ask(
            host, *({"verb": argv[0].partition(".")[0], "argv": argv} for argv in (mkfs, mount))
        )
        assert [(each["ok"], each.get("status")) for each in said] == [(True, 0)] * 2, said
        (taken,) = ask(host, {"verb": "lend", "path": log})
        assert "in use" in str(taken["error"])
        (put_back,) = ask(host, {"verb": "restore"})
        assert put_back == {"ok": True, "done": [f"{mine}/mnt is unmounted"]}
        (journal,) = ask(
            host,
            {
                "verb": "mkfs",
                "argv": ["mkfs.ext4", "-q", "-F", "-O", "journal_dev", "-b", "4096", log],
            },
        )
        assert journal["status"] == 0, journal


def test_a_device_that_is_in_use_is_not_lent(host: BareHost, device: str) -> None:
    install(host, "--device", device)
    host.sh(f"mkfs.ext4 -q {device}; mkdir /opt/kept; mount {device} /opt/kept")
    try:
        (said,) = ask(host, {"verb": "lend", "path": device})
        assert "in use" in str(said["error"])
    finally:
        host.sh("umount /opt/kept")
    assert ask(host, {"verb": "lend", "path": device})[0] == {"ok": True}


def test_only_a_run_that_holds_the_host_may_change_it(host: BareHost) -> None:
    install(host)
    request = json.dumps({"verb": "set", "path": "/proc/sys/vm/swappiness", "value": "1"})
    done = host.run(f"sudo -n {HELPER}", user="runner", stdin=request)
    assert done.returncode == 3
    assert "only the run that holds the host lock" in done.stdout
    done = host.run(f"sudo -n {HELPER}", user="other", stdin=request)
    assert "password is required" in done.stderr


def test_nothing_of_the_callers_is_run(host: BareHost) -> None:
    install(host)
    evil = "open('/etc/owned', 'w')"
    host.sh(
        f"mkdir -p evil; cd evil; for name in json os sitecustomize usercustomize encodings re; do "
        f'echo "{evil}" > $name.py; done; '
        f"printf '#!/bin/sh\\ntouch /etc/owned\\n' > mkfs.ext4; cp mkfs.ext4 python3; chmod +x *; "
        "mkdir -p ~/.local/lib/python3.11/site-packages; "
        "cp *.py ~/.local/lib/python3.11/site-packages",
        user="runner",
    )
    tricks = "PYTHONPATH=$PWD PYTHONHOME=$PWD PYTHONSTARTUP=$PWD/os.py LD_PRELOAD=$PWD/x.so "
    tricks += "LD_LIBRARY_PATH=$PWD BASH_ENV=$PWD/mkfs.ext4 PYTHONINSPECT=1 SUDO_UID=0 "
    hello = '{"verb": "hello"}'
    for command in (
        f"cd evil; {tricks} PATH=$PWD:$PATH sudo -n {HELPER}",
        f"cd evil; ulimit -f 0; ulimit -n 16; sudo -n {HELPER}",
    ):
        assert json.loads(host.sh(command, user="runner", stdin=hello))["ok"]
    for command in (
        f"sudo -n {HELPER} --boot",
        f"sudo -n {HELPER} x",
        f"sudo -n -E {HELPER}",
        f"sudo -n PYTHONPATH=$PWD {HELPER}",
        f"sudo -n --chdir=/home/runner/evil {HELPER}",
        f"cp {HELPER} h; sudo -n $PWD/h",
        f"ln -sf {HELPER} l; sudo -n $PWD/l",
        "sudo -n /usr/bin/python3",
        f"{HELPER}",
    ):
        assert host.run(command, user="runner", stdin=hello).returncode, command
    assert host.run("ls /etc/owned").returncode != 0


def test_what_outlives_a_power_loss_is_put_back_at_boot(host: BareHost, device: str) -> None:
    install(host, "--device", device, "--durable", "block.read_ahead_kb")
    path = Path(f"/sys/block/{Path(device).name}/queue/read_ahead_kb")
    before = path.read_text().strip()
    assert ask(host, {"verb": "set", "path": str(path), "value": "64"})[0]["ok"]
    assert path.read_text().strip() == "64"
    host.sh("rm -rf /run/iogate; sed -i 's/\"boot\": \"[^\"]*/\"boot\": \"another/' "
            "/var/lib/iogate/changed")  # fmt: skip
    unit = host.sh("cat /etc/systemd/system/multi-user.target.wants/iogate-restore.service")
    command = re.search("ExecStart=(.*)", unit)
    assert command
    assert json.loads(host.sh(command[1]))["done"] == [f"{path} is {before} again"]
    assert path.read_text().strip() == before
    assert host.run("ls /var/lib/iogate/changed").returncode != 0


def test_installing_is_for_root_and_into_folders_of_root(host: BareHost) -> None:
    def code(words: str, user: str = "root") -> int:
        return host.run(f"{IOGATE} host {words}", user=user).returncode

    assert code("install --user runner", "runner") == 3
    assert code("install --user nobody-here") == 2
    assert code("install --user 'runner ALL'") == 2
    assert code("install --user runner --device /etc/passwd") == 2
    assert code("install --user runner --parameter kernel.core_pattern") == 2
    assert code("install --user runner --durable /etc") == 2
    assert (code("show"), code("helper", "runner")) == (3, 3)
    host.sh("mkdir -p /usr/lib/iogate; chmod 777 /usr/lib/iogate")
    assert code("install --user runner") == 3
    host.sh("chmod 755 /usr/lib/iogate; ln -s /home/runner/x /usr/lib/iogate/iogate-helper")
    install(host)
    assert host.run("ls /home/runner/x").returncode != 0
    assert "runner" in host.sh(f"{IOGATE} host show")
    assert host.run("visudo -c").returncode == 0
    done = host.run("systemd-analyze verify iogate-restore.service")
    assert done.returncode == 0, done.stderr
    host.sh(f'chmod 666 /etc/iogate/host.json; cd /; ! echo \'{{"verb": "hello"}}\' | {HELPER}')


def test_uninstalling_puts_back_and_leaves_nothing(host: BareHost, device: str) -> None:
    install(host, "--device", device)
    before = owner(device)
    assert ask(host, {"verb": "lend", "path": device})[0]["ok"]
    assert owner(device) != before
    host.sh(f"{IOGATE} host uninstall")
    assert owner(device) == before
    assert host.sh("find /etc /usr/lib -name '*iogate*'") == ""
    assert host.run(f"{IOGATE} host uninstall").returncode == 0
    assert host.run(f"{IOGATE} host uninstall", user="runner").returncode == 3
