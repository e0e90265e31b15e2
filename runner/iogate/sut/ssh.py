"""A machine at the end of an ssh line, by OpenSSH's client: ``ssh:[USER@]HOST[:PORT]``.

The client's own configuration holds (keys, jumps, names of hosts), but for what this module asks
of it: the host's key must be known, nothing is asked for at a terminal, nothing is forwarded.
``IOGATE_SSH`` is another command to use in its place, such as ``ssh -F FILE``.

What answers there is ``agent``. It is sent over the line itself, whole and from this iogate, so
that nothing has to be installed but Python, and no file stays behind. A line that is cut is opened
once more, to the same agent, which has gone on meanwhile.
"""

from __future__ import annotations

import io
import os
import re
import resource
import secrets
import select
import shlex
import struct
import subprocess
import tempfile
import time
import zipfile
from contextlib import suppress
from importlib.resources import files
from typing import IO, Any

from iogate.errors import IogateError, RefusedError, RunError, UsageError
from iogate.sut.door import socket_name
from iogate.sut.far import Ends, FarMachine, Line
from iogate.sut.local_process import die_with_parent
from iogate.sut.wire import MARK, typed

_USER = r"[A-Za-z_][A-Za-z0-9_.-]*"
_HOST = r"[A-Za-z0-9][A-Za-z0-9_.-]*"
_NUMBERS = r"[0-9A-Fa-f:.]+(?:%[A-Za-z0-9_.-]+)?"
_ADDRESS = re.compile(rf"(?:({_USER})@)?(?:({_HOST})|\[({_NUMBERS})\])(?::([0-9]{{1,5}}))?")
_OPTIONS = {
    "BatchMode": "yes",
    "StrictHostKeyChecking": "yes",
    "UpdateHostKeys": "no",
    "ServerAliveInterval": "15",
    "ServerAliveCountMax": "3",
    "ClearAllForwardings": "yes",
    "ForwardAgent": "no",
    "ForwardX11": "no",
    "PermitLocalCommand": "no",
    "RemoteCommand": "none",
    "LogLevel": "ERROR",
}
_SENT = ("", "files", "sut")
"""The folders of the package that go there."""
_MOST_GREETING = 1 << 16
_MOST_SAID = 16 << 20
_LENGTH = struct.Struct("<I")
SILENT_S = 120.0
"""How long a host may say nothing that is of use while it is connected to: its client is waited for
no longer, however the client is set up."""
_END_S = 5.0
AWAY_S = 60.0
"""How long an agent waits for somebody to come back."""
_RETURN_SHARE = 0.75  # of it, for which a new line is tried
_PAUSE_S = 1.0
# Read by any Python 3: an old one has to say that it is. Says the mark before it reads: nobody
# writes into a line whose other end is still busy with its greeting.
_BOOT = f"""\
import os, struct, sys
if sys.version_info < (3, 11):
    sys.exit("Python %d.%d is too old" % sys.version_info[:2])
def read(length):
    data = b""
    while len(data) < length:
        part = os.read(0, length - len(data))
        if not part:
            sys.exit("the line ended")
        data += part
    return data
os.write(1, {MARK!r})
(length,) = struct.unpack("<I", read(4))
key, away_s = read(32).decode(), struct.unpack("<I", read(4))[0]
file = os.memfd_create("iogate")
os.write(file, read(length))
sys.path.insert(0, "/proc/self/fd/%d" % file)
from iogate.sut.agent import serve
serve(key, away_s)
"""
_ENDED = "what ran there has ended, in boot "
# Bytes from here to the socket of an agent, and back.
_RELAY = f"""\
import os, select, socket, sys
line = socket.socket(socket.AF_UNIX)
try:
    line.connect("\\x00NAME")
except OSError:
    with open("/proc/sys/kernel/random/boot_id") as file:
        sys.exit("{_ENDED}" + file.read())
os.write(1, {MARK!r})
to = {{0: line.fileno(), line.fileno(): 1}}
while True:
    for each in select.select(list(to), [], [])[0]:
        data = os.read(each, 65536)
        if not data:
            sys.exit()
        while data:
            data = data[os.write(to[each], data):]
"""
_OWN = 255
"""How the client ends where it is to blame, and not what it started there."""
_UNKNOWN = re.compile(r"No \S+ host key is known for \S+")
_INSTALL = "install Python 3.11 or newer there"
# By how the client ends, and a word of it that says so.
_CAUSES = (
    (
        _OWN,
        "Host key verification failed",
        "its key is not the known one",
        "see at the host whether it has a new one, and only then: 'ssh-keygen -R HOST'",
    ),
    (
        _OWN,
        "Permission denied",
        "it does not let this user in",
        "a key without a passphrase, or one in ssh-agent, is needed: nobody is asked here",
    ),
    (127, "", "it has no python3", _INSTALL),
    (1, "is too old", "its python3 is older than 3.11", _INSTALL),
)


class SshSut(FarMachine):
    """A machine by ssh. ``connect_s`` is how long it may take to be connected to."""

    connect_s = 30

    def __init__(self, address: str, name: str = "") -> None:
        self._words = _words(address, self.connect_s)
        self._address = address
        self._name = name or f"ssh:{address}"
        self._connect()

    def _connect(self) -> None:
        """To a new agent. RefusedError where there is no way."""
        line, mounts = self._new_line()
        FarMachine.__init__(self, line, mounts, self._name)

    def _new_line(self) -> tuple[Line, str]:
        """With the folder for mounts there."""
        self._key = secrets.token_hex(16)
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the line
        try:
            self._ssh = self._started(_BOOT)
        except OSError as error:
            self._said.close()
            raise RefusedError(
                f"cannot start {self._words[0]}: {error.strerror}",
                remedy="install OpenSSH's client (Debian: openssh-client)",
            ) from error
        try:
            return self._opened()
        except IogateError:
            self._shut()
            raise
        except BaseException:  # Ctrl-C: a client that still connects does not see its pipes close
            self._ssh.terminate()
            self._shut()
            raise

    def close(self) -> None:
        """The machine ends by itself what is left there."""
        self._line.goodbye()
        self._shut()

    def _shut(self) -> None:
        self._end()
        self._said.close()

    def _started(self, program: str) -> subprocess.Popen[bytes]:
        client = subprocess.Popen(
            [*self._words, shlex.join(["python3", "-I", "-c", program])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            start_new_session=True,  # a Ctrl-C is for iogate, which ends what runs there
            # One that still connects does not see that iogate is gone. There are no threads.
            preexec_fn=die_with_parent(os.getpid()),  # noqa: PLW1509
        )
        # What is said there on standard error comes into a file here: one that says too much is
        # left, as by any cut.
        with suppress(OSError):  # a command of the site's own that has become another user
            _, most = resource.prlimit(client.pid, resource.RLIMIT_FSIZE)
            bound = _MOST_SAID if most < 0 else min(_MOST_SAID, most)
            resource.prlimit(client.pid, resource.RLIMIT_FSIZE, (bound, most))
        return client

    def _reopened(self) -> Ends:
        """Another line to the agent. RunError where it has ended, or stays out of reach."""
        deadline = time.monotonic() + AWAY_S * _RETURN_SHARE
        self._end()
        while True:
            self._said.truncate(0)
            self._said.seek(0)
            self._ssh = self._started(_RELAY.replace("NAME", socket_name(self._key)))
            out, into = self._pipes()
            try:
                _skip_greeting(into, max(deadline - time.monotonic(), _PAUSE_S))
                out.write(self._key.encode())
                out.flush()
            except (OSError, EOFError) as error:
                self._end(at_once=isinstance(error, TimeoutError))
                if time.monotonic() > deadline or _ENDED in self._last_words():
                    raise self._lost(self._rebooted()) from None
                time.sleep(_PAUSE_S)
            else:
                return out, into

    def _end(self, *, at_once: bool = False) -> None:
        """``at_once``: a client that still waits for the host does not see its pipes close."""
        for pipe in self._pipes():
            with suppress(OSError):  # nobody reads any more
                pipe.close()
        if at_once:  # and not killed: what stands before the client, such as sudo, tells it
            self._ssh.terminate()
        try:
            self._ssh.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._ssh.kill()
            self._ssh.wait()

    def _opened(self) -> tuple[Line, str]:
        out, into = self._pipes()
        try:
            _skip_greeting(into, SILENT_S)
            archive = agent_archive()
            away_s = _LENGTH.pack(round(AWAY_S))
            out.write(_LENGTH.pack(len(archive)) + self._key.encode() + away_s + archive)
            out.flush()
            _skip_greeting(into, SILENT_S)
            line = Line(out, into, self._lost)
            line.again = _not_yet
            said: Any = line.answer().get("value")
        except (OSError, EOFError) as error:
            silent = isinstance(error, TimeoutError)
            self._end(at_once=silent)
            raise self._refusal(str(error), silent=silent) from error
        line.again = self._reopened
        return line, typed(said, dict[str, str]).get("mounts", "")

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        assert self._ssh.stdin
        assert self._ssh.stdout
        return self._ssh.stdin, self._ssh.stdout

    def _refusal(self, greeting: str, *, silent: bool) -> IogateError:
        """``greeting`` is what it said in place of an answer."""
        said, by_hand = self._last_words(), _by_hand(self._address)
        if silent:
            last = _last_line(said) or _last_line(greeting)
            return RefusedError(
                f"cannot reach {self._address}: it does not answer within {SILENT_S:.0f} s"
                + (f", and said last: {last}" if last else ""),
                remedy=f"see what its login shell waits for: '{by_hand} true'",
            )
        if unknown := _UNKNOWN.search(said):
            return RefusedError(
                f"cannot work on {self._address}: {unknown[0][0].lower()}{unknown[0][1:]}",
                remedy=f"'{by_hand} true' shows its fingerprint and asks once: compare it with the "
                "host's own",
            )
        for status, sign, what, remedy in _CAUSES:
            if self._ssh.returncode == status and sign in said:
                line = next((each for each in said.splitlines() if sign in each), "")
                told = f" ({line.strip()})" if status == _OWN else ""
                return RefusedError(f"cannot work on {self._address}: {what}{told}", remedy=remedy)
        words = _last_line(said) or (self._ssh.returncode != _OWN and _last_line(greeting))
        return RefusedError(
            f"cannot reach {self._address}: {words or f'ssh ended with {self._ssh.returncode}'}",
            remedy=f"try '{by_hand} true'",
        )

    def _rebooted(self) -> str:
        """That the host has been rebooted, where it says so."""
        _, ended, boot = self._last_words().partition(_ENDED)
        if not ended or self._about is None:
            return ""
        again = boot.strip() != self._about.boot
        return "the host has been rebooted" if again else _ENDED.partition(",")[0]

    def _lost(self, why: str) -> IogateError:
        said = why or _last_line(self._last_words())
        return RunError(
            f"the line to {self._address} is lost" + (f": {said}" if said else ""),
            remedy="what was measured is kept; the machine ends by itself what ran there, within "
            f"{AWAY_S:.0f} s, and the next run on it puts back what was changed",
        )

    def _last_words(self) -> str:
        size = self._said.seek(0, os.SEEK_END)
        self._said.seek(max(size - _MOST_GREETING, 0))
        return self._said.read(_MOST_GREETING).decode(errors="replace")


def check_address(address: str) -> re.Match[str]:
    """Its parts. UsageError for what is no address of a machine."""
    found = _ADDRESS.fullmatch(address)
    if not found or int(found[4] or 22) not in range(1, 65536):
        raise UsageError(
            f"ssh:{address} names no machine",
            remedy="write ssh:[USER@]HOST[:PORT], such as ssh:root@lab3",
        )
    return found


def words_of(variable: str) -> list[str]:
    """The words of a command that a variable of the environment holds. UsageError for what no
    shell would take."""
    try:
        return shlex.split(os.environ.get(variable, ""))
    except ValueError as error:
        raise UsageError(
            f"{variable} is no command: {error}", remedy="close its quotation marks, or unset it"
        ) from None


def _by_hand(address: str) -> str:
    """What somebody types to get there: the client takes no HOST:PORT."""
    user, name, numbers, port = check_address(address).groups()
    there = f"{user}@" if user else ""
    return f"ssh {f'-p {port} ' if port else ''}{there}{name or numbers}"


def _words(address: str, connect_s: int) -> list[str]:
    """The client's command line. UsageError for what is no address of a machine."""
    user, name, numbers, port = check_address(address).groups()
    command = words_of("IOGATE_SSH") or ["ssh"]
    options = [f"-o{name}={value}" for name, value in _OPTIONS.items()]
    options.append(f"-oConnectTimeout={connect_s}")
    there = [*(["-l", user] if user else []), *(["-p", port] if port else [])]
    return [*command, "-T", *options, *there, "--", name or numbers]


_PLACE = ("port", "proxyjump", "proxycommand", "hostkeyalias")


def place_of(address: str) -> tuple[str, ...]:
    """Where the client would go by its own configuration: the host's name, its port, and the way
    there. Empty where it does not say."""
    *words, end, host = _words(address, 1)
    try:
        done = subprocess.run(
            [*words, "-G", end, host],
            stdin=subprocess.DEVNULL, capture_output=True, check=False, text=True,
            errors="replace", timeout=_END_S,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ()
    said = dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)
    if done.returncode or not {"hostname", "port"} <= said.keys():
        return ()
    return (said["hostname"].lower(), *(said.get(name, "") for name in _PLACE))


def agent_archive() -> bytes:
    """The agent and what it imports, as a zip file: the same bytes for the same iogate."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for folder in _SENT:
            place = files("iogate").joinpath(folder) if folder else files("iogate")
            for file in sorted(place.iterdir(), key=lambda each: each.name):
                if file.name.endswith(".py"):
                    name = "/".join(filter(None, ("iogate", folder, file.name)))
                    archive.writestr(zipfile.ZipInfo(name), file.read_bytes())
    return data.getvalue()


def _not_yet() -> Ends:
    """There is no way back to an agent that has not said its first word."""
    raise EOFError


def _skip_greeting(stream: IO[bytes], seconds: float) -> None:
    """What a login shell prints before the agent speaks is skipped. EOFError, with what that was,
    where it never does, and TimeoutError where it does not in time. Nothing more is read, and
    nothing may have been: what comes next must stay to be waited for."""
    said, deadline = b"", time.monotonic() + seconds
    while not said.endswith(MARK):
        ready, _, _ = select.select([stream], [], [], max(deadline - time.monotonic(), 0))
        if not ready:
            raise TimeoutError(said.decode(errors="replace"))
        byte = os.read(stream.fileno(), 1)
        if not byte or len(said) > _MOST_GREETING:
            raise EOFError(said.decode(errors="replace"))
        said += byte


def _last_line(said: str) -> str:
    """Of what somebody said, the last line that says something."""
    return next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "")
