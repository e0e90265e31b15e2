"""Units of systemd that measure a spec every night and tell what came of it.

A night is a service with these commands: measure; then, however that ended, write the trend site
and tell people. systemd keeps what they print, and a night that fails is a unit that failed.
"""

from __future__ import annotations

import os
import pwd
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from iogate.errors import RefusedError, RunError, UsageError
from iogate.files.whole_file import write_whole

SYSTEM_FOLDER = Path("/etc/systemd/system")
_MARK = "# Made by 'iogate nightly install'. 'iogate nightly uninstall' removes it."
_PLAIN = re.compile(r"[A-Za-z0-9_./:=@,+-]+", re.ASCII)
_NAME = re.compile(r"[^a-z0-9]+")
_MEASURES = "ExecStart="
_ENDINGS = ("service", "timer")


@dataclass(frozen=True, slots=True)
class Nights:
    """What is done when. ``at`` is a calendar expression of systemd. ``user`` is whose nights
    they are where root asks, empty for the user who asks. ``machine`` is what ``--machine`` names,
    empty for this one, which ``measure`` has as well. ``measure`` and ``after`` are calls of
    iogate, without the program; those of ``after`` run whatever ``measure`` came to."""

    name: str
    at: str
    folder: Path
    measure: tuple[str, ...]
    after: tuple[tuple[str, ...], ...] = ()
    user: str = ""
    machine: str = ""

    @property
    def unit(self) -> str:
        """The name of both units, without their endings."""
        return unit_name(self.name, self.machine)


def unit_name(spec: str, machine: str = "") -> str:
    """That of the units of a spec: ``iogate-nightly-oltp``, and on another machine than this one
    ``iogate-nightly-oltp-ssh-lab3``."""
    words = (_NAME.sub("-", text.lower()).strip("-")[:80] for text in (spec, machine))
    first, *more = words
    return "-".join(("iogate-nightly", first or "spec", *filter(None, more)))


def check_there(nights: Nights) -> None:
    """UsageError where the folder is none, or there is no such user: every night would fail."""
    if not nights.folder.is_dir():
        raise UsageError(
            f"there is no folder {nights.folder} to measure in", remedy="make it, or name another"
        )
    try:
        if nights.user:
            pwd.getpwnam(nights.user)
    except KeyError:
        raise UsageError(f"this host has no user {nights.user}") from None


def check_free(nights: Nights, folder: Path) -> None:
    """RefusedError where units of that name measure another spec, which would be left unmeasured
    from then on."""
    service = folder / f"{nights.unit}.service"
    if not service.exists():
        return
    _check_ours(service)
    lines = service.read_text("utf-8", "replace").splitlines()
    measures = next((line for line in lines if line.startswith(_MEASURES)), "")
    if not measures.endswith(f" {_word(nights.measure[-1])}"):
        raise RefusedError(
            f"{service} measures another spec: {measures.removeprefix(_MEASURES)}",
            remedy="give this spec another name, or remove those units first: iogate nightly"
            f" uninstall {shlex.quote(nights.name)}",
        )


def unit_folder() -> Path:
    """Where the units of who asks are kept: root's are the system's."""
    if os.geteuid() == 0:
        return SYSTEM_FOLDER
    config = os.environ.get("XDG_CONFIG_HOME") or Path("~/.config").expanduser()
    return Path(config) / "systemd/user"


def unit_texts(nights: Nights) -> dict[str, str]:
    """Both files, by name. UsageError for what no unit can say."""
    _check_time(nights.at)
    service = "\n".join(_service(nights))
    timer = "\n".join(_timer(nights))
    return {f"{nights.unit}.service": service, f"{nights.unit}.timer": timer}


def write_units(folder: Path, texts: dict[str, str]) -> tuple[Path, ...]:
    """Put them there, and say where. RefusedError for a file of that name that is not ours."""
    paths = tuple(folder / name for name in texts)
    for path in paths:
        _check_ours(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in zip(paths, texts.values(), strict=True):
            write_whole(path, text)
    except OSError as error:
        raise RunError(f"cannot write {error.filename}: {error.strerror}") from error
    return paths


def remove_units(folder: Path, unit: str) -> tuple[Path, ...]:
    """Take them away, and say what was there. RefusedError for a file that is not ours."""
    paths = tuple(folder / f"{unit}.{ending}" for ending in _ENDINGS)
    there = tuple(path for path in paths if path.exists())
    for path in there:
        _check_ours(path)
    for path in there:
        path.unlink()
    return there


def _service(nights: Nights) -> Iterator[str]:
    yield _MARK
    yield "[Unit]"
    yield f"Description=Measure {_text(_what(nights))}"
    yield ""
    yield "[Service]"
    yield "Type=oneshot"
    if nights.user:
        yield f"User={nights.user}"
    yield f"WorkingDirectory={_text(str(nights.folder))}"
    yield "# Addresses and tokens that commands need, such as INFLUX_TOKEN: NAME=VALUE a line."
    yield "EnvironmentFile=-%E/iogate/environment"
    yield f"{_MEASURES}{_command(nights.measure)}"
    yield from (f"ExecStopPost={_command(words)}" for words in nights.after)
    yield "# A night that is stopped puts the host back first."
    yield "KillMode=mixed"
    yield "TimeoutStopSec=10min"
    yield ""


def _timer(nights: Nights) -> Iterator[str]:
    yield _MARK
    yield "[Unit]"
    yield f"Description=Measure {_text(_what(nights))} every night"
    yield ""
    yield "[Timer]"
    yield f"OnCalendar={_text(nights.at)}"
    yield "# A night that was missed as the host was off is made up for."
    yield "Persistent=true"
    yield ""
    yield "[Install]"
    yield "WantedBy=timers.target"
    yield ""


def _what(nights: Nights) -> str:
    return f"{nights.name} on {nights.machine}" if nights.machine else nights.name


def program() -> tuple[str, ...]:
    """How iogate is started from anywhere: as it was now."""
    beside = Path(sys.executable).with_name("iogate")
    return (str(beside),) if beside.is_file() else (sys.executable, "-P", "-m", "iogate")


def _command(words: Sequence[str]) -> str:
    return " ".join(_word(word) for word in (*program(), *words))


def _word(word: str) -> str:
    """One word of a command, as systemd reads it: it knows quotes, backslashes, ``%`` and ``$``."""
    _check_line(word, "a word of a command")
    if _PLAIN.fullmatch(word):
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped.replace("%", "%%").replace("$", "$$")}"'


def _text(text: str) -> str:
    """A value that is no command: only ``%`` means something in it."""
    _check_line(text, "a name")
    return text.replace("%", "%%")


def _check_line(text: str, what: str) -> None:
    if not text.isprintable() or text.endswith("\\"):
        raise UsageError(f"{what} cannot be {text!r} in a unit of systemd")


def _check_time(at: str) -> None:
    """UsageError for what systemd, where it can be asked, takes for no time."""
    try:
        asked = subprocess.run(
            ["systemd-analyze", "calendar", "--", at], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return
    if asked.returncode:
        raise UsageError(
            f"{at!r} is no time to systemd: {asked.stderr.strip().splitlines()[-1]}",
            remedy="such as 03:30, or Mon..Fri 22:00; see: man systemd.time",
        )


def _check_ours(path: Path) -> None:
    if not path.exists() or path.read_text("utf-8", "replace").startswith(_MARK):
        return
    raise RefusedError(
        f"{path} was not made by iogate nightly", remedy="move it away, or name the spec otherwise"
    )
