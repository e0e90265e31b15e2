"""The one program that runs as root for a user who measures, through sudo.

``iogate host install`` puts this folder and a few files of ``model``, joined to one file, where
only root can write, with a list of the users, devices and kernel parameters that it serves.
It reads one request on stdin, a JSON object ``{"verb": …}``, and answers with one on stdout:
``{"ok": true, …}``, or ``{"ok": false, "error": …}`` after which nothing was done.

| verb | members | what it does |
|---|---|---|
| hello | | says what it serves |
| set | path, value | writes a setting of the tables in ``settings``; what it was is noted first |
| lend | path | lets the caller write a listed device that nothing uses |
| mkfs, mount | argv | as ``model/filesystem.py`` makes it, on a listed device, below MOUNTS |
| unmount | path | one of its own mounts |
| restore | | puts back all that it has changed since the last restore |
| kernel_log | since | records of the kernel's log after a sequence number |

Nothing of the caller's is run, followed or believed: no argument, variable, open file, working
folder, link or name. All verbs but hello and kernel_log are for a run: the host lock must be
held by the process that asks, or one above it.
"""

from __future__ import annotations

import fcntl
import json
import os
import pwd
import resource
import signal
import stat
import sys
import syslog
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from iogate.host.helper.base import (
    CONFIG,
    KEPT,
    PROGRAMS,
    STATE,
    VERSION,
    Caller,
    DeniedError,
    text_of,
)
from iogate.host.helper.devices import lend
from iogate.host.helper.settings import PARAMETERS, set_value
from iogate.host.helper.undo import restore, restored
from iogate.host.helper.volumes import make, mount, unmount
from iogate.model.filesystem import BadArgumentError

HOST_LOCK = "/run/lock/iogate.lock"
AUDIT = "/var/log/iogate/helper.log"
_LONGEST = 65536
_AUDIT_MOST = 4 << 20
_RECORDS, _RECORD_BYTES = 1000, 8192


def _kernel_log(caller: Caller, request: dict[str, Any]) -> dict[str, Any]:
    """Records after number ``since``, and the number of the last; a ``since`` of -1 asks for
    that alone."""
    since = request["since"]
    if not caller.kernel_log or type(since) is not int:
        raise DeniedError("the kernel's log is not read for users here")
    records, last = [], since
    handle = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        with suppress(BlockingIOError):
            while True:
                text = _record(handle)
                number = int(text.split(",")[1]) if text else last
                if number > last or not text:
                    last = number
                    records.append(text)
    finally:
        os.close(handle)
    lost = [""] if len(records) > _RECORDS else []
    return {"records": [*lost, *records[-_RECORDS:]] if since >= 0 else [], "last": last}


def _record(handle: int) -> str:
    """The next one; empty for those that were overwritten unread."""
    try:
        return os.read(handle, _RECORD_BYTES).decode(errors="replace")
    except BrokenPipeError:
        return ""


def _hello(caller: Caller, _request: dict[str, Any]) -> dict[str, Any]:
    return {
        "version": VERSION,
        "devices": caller.devices,
        "parameters": sorted(PARAMETERS | caller.parameters),
        "kernel_log": caller.kernel_log,
    }


Verb = Callable[[Caller, dict[str, Any]], dict[str, Any]]
VERBS: dict[str, tuple[Verb, frozenset[str]]] = {
    "hello": (_hello, frozenset()),
    "kernel_log": (_kernel_log, frozenset({"since"})),
    "set": (set_value, frozenset({"path", "value"})),
    "lend": (lend, frozenset({"path"})),
    "mkfs": (make, frozenset({"argv"})),
    "mount": (mount, frozenset({"argv"})),
    "unmount": (unmount, frozenset({"path"})),
    "restore": (restore, frozenset()),
}
_ANY_TIME = ("hello", "kernel_log")


def answer(caller: Caller, text: bytes) -> dict[str, Any]:
    """Serve one request, and give its answer. DeniedError, BadArgumentError or OSError when it
    is not served."""
    if len(text) > _LONGEST:
        raise DeniedError(f"a request has at most {_LONGEST} bytes")
    try:
        request = json.loads(text)
        verb, members = VERBS[request["verb"]]
        sound = set(request) - {"verb"} == members
    except (ValueError, KeyError, TypeError, RecursionError):
        sound = False
    if not sound:
        raise DeniedError("the request is none that the helper knows")
    if request["verb"] not in _ANY_TIME and caller.uid and not _is_of_the_run():
        raise DeniedError("only the run that holds the host lock alone may ask that")
    return {"ok": True, **verb(caller, request)}


def _is_of_the_run() -> bool:
    """Whether a process above this one holds the host lock, and holds it alone."""
    try:
        status = os.stat(HOST_LOCK, follow_symlinks=False)
    except FileNotFoundError:
        return False
    number = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    with open("/proc/locks", encoding="ascii", errors="replace") as file:
        words = [line.split() for line in file if " WRITE " in line]
    holders = {int(w[4]) for w in words if len(w) > 5 and w[1] == "FLOCK" and w[5] == number}
    pid = os.getpid()
    while pid > 1:
        pid = int(text_of(f"/proc/{pid}/stat").rpartition(")")[2].split()[1])
        if pid in holders:
            return True
    return False


def read_config() -> dict[str, Any]:
    """The configuration. DeniedError unless it is root's alone."""
    handle = os.open(CONFIG, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(handle, encoding="utf-8") as file:
        status = os.fstat(handle)
        if status.st_uid or status.st_mode & 0o022 or not stat.S_ISREG(status.st_mode):
            raise DeniedError(f"{CONFIG} can be written by others than root")
        config: dict[str, Any] = json.load(file)
    if config.get("schema") != "host/1":
        raise DeniedError(f"{CONFIG} is of another version: run iogate host install again")
    return config


def _caller(asked: str, config: dict[str, Any]) -> Caller:
    """Who called sudo; root itself where nobody did."""
    if os.getuid() or os.geteuid():
        raise DeniedError("the helper is run by sudo")
    uid = int(asked) if asked.isdecimal() else 0
    names = {name for name in config["users"] if _uid(name) == uid}
    if uid and not names:
        raise DeniedError(f"user {uid} is not one of {CONFIG}")
    return Caller(uid, config)


def _uid(name: str) -> int:
    try:
        return pwd.getpwnam(name).pw_uid
    except KeyError:
        return -1


def _isolate() -> str:
    """Leave all behind that the caller has set up; the number of the user who called sudo."""
    asked = os.environ.get("SUDO_UID", "")
    os.environ.clear()
    os.environ.update({"PATH": ":".join(PROGRAMS), "LC_ALL": "C"})
    os.chdir("/")
    os.umask(0o022)
    os.closerange(3, 1 << 20)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGTSTP):
        signal.signal(number, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_CPU):
        with suppress(ValueError):  # root of a container may not; a write that fails is told
            resource.setrlimit(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return asked


@contextmanager
def _alone() -> Iterator[None]:
    """One request at a time."""
    os.makedirs(STATE, mode=0o755, exist_ok=True)
    handle = os.open(f"{STATE}/helper.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _boots(caller: Caller) -> bool:
    """Whether the unit of the boot has called. DeniedError for any other argument."""
    if sys.argv[1:] == ["--boot"] and not caller.uid:
        return True
    if sys.argv[1:]:
        raise DeniedError("the helper takes no arguments")
    return False


def _audit(uid: object, text: bytes, end: str) -> None:
    """Who asked for what, and what came of it, where only root reads it."""
    what = text[:1000].decode(errors="replace")
    line = json.dumps({"at": int(time.time()), "uid": uid, "request": what, "end": end})
    with suppress(OSError):
        syslog.openlog("iogate-helper", syslog.LOG_PID, syslog.LOG_AUTHPRIV)
        syslog.syslog(syslog.LOG_NOTICE, line)
        os.makedirs(os.path.dirname(AUDIT), mode=0o700, exist_ok=True)
        if os.path.exists(AUDIT) and os.stat(AUDIT).st_size > _AUDIT_MOST:
            os.replace(AUDIT, f"{AUDIT}.1")
        handle = os.open(AUDIT, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        os.write(handle, (line + "\n").encode())
        os.close(handle)


def main() -> int:
    """Serve what stands on stdin; with ``--boot``, put back what outlived a power loss."""
    uid: object = None
    asked, text = _isolate(), b""
    try:
        caller = _caller(asked, read_config())
        uid = caller.uid
        boots = _boots(caller)
        text = b"" if boots else sys.stdin.buffer.read(_LONGEST + 1)
        with _alone():
            said = {"ok": True, "done": restored(KEPT)} if boots else answer(caller, text)
    except (DeniedError, BadArgumentError, OSError, ValueError, KeyError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        said = {"ok": False, "error": why or type(error).__name__}
    _audit(uid, text, "done" if said["ok"] else str(said["error"]))
    with suppress(OSError):
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()
    return 0 if said["ok"] else 3


if __name__ == "__main__":
    sys.exit(main())
