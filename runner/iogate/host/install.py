"""Installs the helper for users who are not root on this machine, and removes it."""

from __future__ import annotations

import json
import os
import pwd
import re
import stat
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from iogate.errors import RefusedError, UsageError
from iogate.host.devices.block_devices import find_device
from iogate.host.helper.base import CHANGED, CONFIG, KEPT, MOUNTS, STATE
from iogate.host.helper.devices import identity_of
from iogate.model.kernel_parameters import is_name, why_not_set
from iogate.sut.base import Sut
from iogate.sut.helped import HELPER, put_back
from iogate.sut.state_folder import HOST_LOCK

SUDOERS = Path("/etc/sudoers.d/iogate")
UNIT = Path("/etc/systemd/system/iogate-restore.service")
WANTED = Path("/etc/systemd/system/multi-user.target.wants/iogate-restore.service")
TMPFILES = Path("/etc/tmpfiles.d/iogate.conf")
_INTERPRETER = "/usr/bin/python3"
_OF_MODEL = ("filesystem", "kernel_parameters", "tied_settings")
_PARTS = ("base", "devices", "settings", "volumes", "undo", "program")
_IMPORT = re.compile(r"^from (?:iogate\S*|__future__) import (?:\([^)]*\)|[^\n(]*)\n", re.MULTILINE)
_USER = re.compile(r"[a-z_][a-z0-9_-]{0,31}", re.ASCII)
_DURABLE = re.compile(r"(block\.[a-z0-9_]+|sysctl\.[A-Za-z0-9_.-]+)", re.ASCII)

_UNIT_TEXT = f"""\
[Unit]
Description=Put back settings of drives that a measurement left when the power failed
ConditionPathExists=/var/lib/iogate/changed

[Service]
Type=oneshot
ExecStart={HELPER} --boot

[Install]
WantedBy=multi-user.target
"""
_TMPFILES_TEXT = f"""\
d {STATE} 0755 root root
d {MOUNTS} 1777 root root
f {HOST_LOCK} 0666 root root
"""


@dataclass(frozen=True, slots=True)
class Served:
    """What the helper serves: users by name, devices by what identifies them, kernel parameters
    beside the usual ones, and which settings (``block.NAME``, ``sysctl.NAME``) outlive a power
    loss here."""

    users: tuple[str, ...] = ()
    devices: tuple[dict[str, Any], ...] = ()
    parameters: tuple[str, ...] = ()
    durable: tuple[str, ...] = ()
    kernel_log: bool = True
    schema: str = field(default="host/1", init=False)


def program_text() -> str:
    """The helper as one file that needs nothing but the system's python3."""
    package = files("iogate")
    sources = [package / f"model/{part}.py" for part in _OF_MODEL]
    sources += [package / f"host/helper/{part}.py" for part in _PARTS]
    bodies = (_IMPORT.sub("", source.read_text("utf-8")) for source in sources)
    head = f"#!{_INTERPRETER} -I\nfrom __future__ import annotations\n\n"
    return head + "\n".join(bodies)


def serve(
    sut: Sut,
    users: Sequence[str],
    devices: Sequence[str],
    *,
    parameters: Sequence[str] = (),
    durable: Sequence[str] = (),
    kernel_log: bool = True,
) -> Served:
    """What is asked for, checked. UsageError for what cannot be served."""
    for name in users:
        if not _USER.fullmatch(name) or name not in {each.pw_name for each in pwd.getpwall()}:
            raise UsageError(f"there is no user {name!r}", remedy="see getent passwd")
    for name in parameters:
        if why := why_not_set(name) if is_name(name) else "it is no name such as vm.swappiness":
            raise UsageError(f"the kernel parameter {name!r} is not set by the helper", remedy=why)
    for name in durable:
        if not _DURABLE.fullmatch(name):
            raise UsageError(f"{name!r} is not a setting", remedy="such as block.write_cache")
    identified = tuple(_identified(sut, path) for path in devices)
    return Served(tuple(users), identified, tuple(parameters), tuple(durable), kernel_log)


def _identified(sut: Sut, path: str) -> dict[str, Any]:
    device = find_device(sut, path)
    if device is None:
        raise UsageError(f"{path} is not a block device", remedy="see lsblk")
    identity = identity_of(device.disk)
    if not identity:
        raise UsageError(
            f"{path} has neither serial nor wwn: nothing tells it from another device",
            remedy="measure on it as root, with destroy: in the spec",
        )
    return identity


def install(served: Served) -> tuple[Path, ...]:
    """Put everything in its place, and say where. RefusedError when this is not root, or
    something in the way is not root's alone."""
    _check_root()
    _check_python()
    _put(Path(HELPER), program_text(), 0o755)
    _put(Path(CONFIG), json.dumps(asdict(served), indent=1) + "\n", 0o644)
    _put(TMPFILES, _TMPFILES_TEXT, 0o644)
    _put(UNIT, _UNIT_TEXT, 0o644)
    WANTED.parent.mkdir(parents=True, exist_ok=True)
    WANTED.unlink(missing_ok=True)
    WANTED.symlink_to(UNIT)
    _make_places()
    _put(SUDOERS, _sudoers(served.users), 0o440)
    _check_works()
    return (Path(HELPER), Path(CONFIG), SUDOERS, UNIT, TMPFILES)


def uninstall() -> tuple[Path, ...]:
    """Put back what the helper has changed, and take everything away, what lets users in
    first; what was there. The log stays. To be called with the host lock held; RunError when
    something cannot be put back."""
    _check_root()
    if any(Path(journal).exists() for journal in (CHANGED, KEPT)):
        put_back()
    there = (SUDOERS, Path(CONFIG), WANTED, UNIT, TMPFILES, Path(HELPER))
    gone = tuple(path for path in there if path.is_symlink() or path.exists())
    for path in gone:
        path.unlink()
    for folder in (Path(CONFIG).parent, Path(HELPER).parent):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    return gone


def installed() -> dict[str, Any] | None:
    """What the helper of this host serves, as its configuration says; None without one."""
    try:
        config: dict[str, Any] = json.loads(Path(CONFIG).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return config if Path(HELPER).is_file() else None


def _sudoers(users: Iterable[str]) -> str:
    """No argument may be given, and no variable is passed on."""
    lines = [f"Defaults!{HELPER} env_reset, !setenv, !requiretty"]
    lines += [f'{user} ALL=(root) NOPASSWD: {HELPER} ""' for user in users]
    return "# Written by 'iogate host install'.\n" + "\n".join(lines) + "\n"


def _check_root() -> None:
    if os.geteuid():
        raise RefusedError(
            "the helper is installed and removed by root",
            remedy="sudo iogate host install …: give the full path of iogate where sudo has none",
        )


def _check_python() -> None:
    code = "import sys; raise SystemExit(sys.version_info < (3, 10))"
    done = None
    if Path(_INTERPRETER).exists():
        done = subprocess.run([_INTERPRETER, "-I", "-c", code], check=False, cwd="/", env={})
    if done is None or done.returncode:
        raise RefusedError(
            f"{_INTERPRETER} is missing, or older than 3.10",
            remedy="install the system's python3: the helper runs with no other",
        )


def _put(path: Path, text: str, mode: int) -> None:
    """A file of root's, whole or not at all. A sudoers file is checked before it counts."""
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    _check_folders(path)
    new = path.with_name(f".{path.name}.new")  # sudo skips names with a dot
    new.unlink(missing_ok=True)
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        os.fchmod(handle, mode)
        os.fchown(handle, 0, 0)
        file.write(text)
        file.flush()
        os.fsync(handle)
    if path == SUDOERS:
        _check_sudoers(new)
    new.replace(path)


def _check_folders(path: Path) -> None:
    """Whoever may write a folder above a file may put another in its place."""
    for folder in path.parents:
        status = folder.lstat()
        if (
            status.st_uid
            or stat.S_IMODE(status.st_mode) & 0o022
            or not stat.S_ISDIR(status.st_mode)
        ):
            raise RefusedError(
                f"{folder} is not root's alone, and {path} would be in it",
                remedy=f"chown root:root {folder}; chmod go-w {folder}",
            )


def _check_sudoers(new: Path) -> None:
    try:
        done = subprocess.run(
            ["/usr/sbin/visudo", "-c", "-q", "-f", str(new)], check=False, capture_output=True
        )
        said = (done.stderr or done.stdout).decode(errors="replace").strip()
    except OSError:
        said, done = "visudo is missing", None
    if done is None or done.returncode:
        new.unlink()
        raise RefusedError(f"no line for sudo can be written: {said}", remedy="apt install sudo")


def _make_places() -> None:
    """What TMPFILES makes at each boot."""
    for folder, mode in ((Path(STATE), 0o755), (Path(MOUNTS), 0o1777)):
        folder.mkdir(parents=True, exist_ok=True)
        os.chown(folder, 0, 0)
        folder.chmod(mode)


def _check_works() -> None:
    done = subprocess.run(
        [HELPER], input=b'{"verb": "hello"}', capture_output=True, check=False, cwd="/", env={}
    )
    if done.returncode:
        said = (done.stdout + done.stderr).decode(errors="replace").strip()
        raise RefusedError(f"the helper does not work here: {said}", remedy="iogate host uninstall")
