"""ioengine=net and netsplice: what comes over a socket, beside the real fio and with it at the
other end."""

from __future__ import annotations

import errno
import json
import signal
import socket
import stat
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from support.engine_runs import Ran, run

GOODBYE = b"knil\x89\0\0\0"
HELLO = b"link\0\0\0\x98"
BLOCKS, BLOCK = 16, 4096
BASE = ["--name=j", "--thread", f"--bs={BLOCK}", f"--size={BLOCKS * BLOCK}"]
TIMEOUT_S = 20
JSON = "--output-format=json"


def free_port(kind: int = socket.SOCK_STREAM, clones: int = 1) -> int:
    """The first of so many ports that nobody has."""
    while True:
        with closing(socket.socket(type=kind)) as one:
            one.bind(("", 0))
            port: int = one.getsockname()[1]
        if port + clones <= 65535 and all(is_free(port + i, kind) for i in range(1, clones)):
            return port


def is_free(port: int, kind: int) -> bool:
    with closing(socket.socket(type=kind)) as one, suppress(OSError):
        one.bind(("", port))
        return True
    return False


def kind_of(protocol: str) -> int:
    return socket.SOCK_DGRAM if protocol.startswith("udp") else socket.SOCK_STREAM


def reader(protocol: str, port: int, engine: str = "net") -> list[str]:
    listen = [] if protocol.startswith("udp") else ["--listen"]
    return [*BASE, f"--ioengine={engine}", f"--proto={protocol}", f"--port={port}", *listen]


def writer(protocol: str, port: int, engine: str = "net") -> list[str]:
    host = "::1" if protocol.endswith("v6") else "127.0.0.1"
    to = [f"--hostname={host}", f"--port={port}", "--rw=write"]
    return [*BASE, f"--ioengine={engine}", f"--proto={protocol}", *to]


@contextmanager
def started(program: str | Path, arguments: list[str]) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [str(program), *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def ended(process: subprocess.Popen[str]) -> Ran:
    out, err = process.communicate(timeout=TIMEOUT_S)
    return Ran(process.returncode, out, err, Path())


def moved(ran: Ran, way: str) -> tuple[int, int]:
    """Bytes and I/Os of the only job."""
    (job,) = ran.document(notes=True)["jobs"]
    return job[way]["io_bytes"], job[way]["total_ios"]


def wait_until_bound(port: int, protocol: str) -> None:
    """Somebody has the port: a line of the kernel's table ends with it."""
    table = Path(f"/proc/net/{protocol.replace('v6', '6')}")
    for _ in range(TIMEOUT_S * 50):
        lines = table.read_text().splitlines()[1:]
        if any(line.split()[1].endswith(f":{port:04X}") for line in lines):
            return
        time.sleep(0.02)
    raise AssertionError(f"nobody has port {port}")


ALL = (BLOCKS * BLOCK, BLOCKS)
PROTOCOLS = ["tcp", "tcpv6", "udp", "udpv6"]
WAYS = [
    *((protocol, "net", ()) for protocol in PROTOCOLS),
    *((protocol, "net", ("--pingpong",)) for protocol in PROTOCOLS),
    ("tcp", "netsplice", ()),
    ("tcp", "netsplice", ("--pingpong",)),
    ("udp", "netsplice", ()),
    ("tcp", "net", ("--verify=crc32c", "--verify_state_save=0")),
    ("tcp", "net", ("--nodelay=1", "--mss=1000", "--window_size=64k")),
]
each_way = pytest.mark.parametrize("way", WAYS, ids=["-".join([p, e, *m]) for p, e, m in WAYS])


@each_way
@pytest.mark.parametrize("who", ["ours alone", "fio sends", "fio receives"])
def test_both_ends_count_the_same(
    engine: Path, fio: str, way: tuple[str, str, tuple[str, ...]], who: str
) -> None:
    protocol, ioengine, more = way
    port = free_port(kind_of(protocol))
    receiver, sender = (fio if who == f"fio {what}" else engine for what in ("receives", "sends"))
    with started(receiver, [*reader(protocol, port, ioengine), *more, JSON]) as process:
        wait_until_bound(port, protocol)
        with started(sender, [*writer(protocol, port, ioengine), *more, JSON]) as other:
            sent, received = ended(other), ended(process)
    assert moved(sent, "write") == ALL
    if who == "fio receives" and protocol.startswith("tcp") and "--pingpong" not in more:
        assert received.status == 0, received.err  # it counts less of a block in two parts
        assert 0 < moved(received, "read")[0] <= ALL[0]
    else:
        assert moved(received, "read") == ALL


PAIR = """
[global]
ioengine=net
bs=4k
size=64k
{shared}
[receive]
{receive}
[send]
startdelay=200ms
{send}
"""
TO = "hostname=127.0.0.1\nrw=write"


def jobs_of(program: str | Path, folder: Path, text: str) -> list[dict[str, Any]]:
    ran = run(program, [JSON, "-"], folder, text, timeout_s=TIMEOUT_S)
    jobs: list[dict[str, Any]] = ran.document(notes=True)["jobs"]
    return jobs


@pytest.mark.parametrize(
    "jobs",
    [
        ("protocol=udp", "rw=read", TO),
        ("protocol=tcp\npingpong", "rw=read\nlisten", TO),
        ("protocol=udp", "rw=read\nsize=128k", TO),
        ("protocol=tcp\nnumjobs=2\npingpong", "rw=read\nlisten", TO),
        ("protocol=tcp\nthread\npingpong=1", "rw=read\nlisten=1", TO),
    ],
)
def test_two_jobs_of_one_file_are_as_with_fio(
    engine: Path, fio: str, tmp_path: Path, jobs: tuple[str, str, str]
) -> None:
    shared, receive, send = jobs
    port = free_port(kind_of("udp" if "udp" in shared else "tcp"), 2)
    text = PAIR.format(shared=f"{shared}\nport={port}", receive=receive, send=send)
    told = [
        [
            (job["jobname"], job[way]["io_bytes"], job[way]["total_ios"], job["error"])
            for job in jobs_of(program, tmp_path, text)
            for way in ("read", "write")
        ]
        for program in (engine, fio)
    ]
    assert told[0] == told[1]
    assert sum(each[1] for each in told[0]) >= 2 * 64 * 1024


def test_who_listens_may_write(engine: Path, tmp_path: Path) -> None:
    text = PAIR.format(
        shared=f"port={free_port()}", receive="listen\nrw=write", send="hostname=localhost\nrw=read"
    )
    jobs = run(engine, [JSON, "-"], tmp_path, text).document()["jobs"]
    assert [jobs[0]["write"]["io_bytes"], jobs[1]["read"]["io_bytes"]] == [65536, 65536]


def test_a_unix_socket_goes_when_the_job_does(engine: Path, tmp_path: Path) -> None:
    shared = "protocol=unix\nfilename=socket"
    text = PAIR.format(shared=shared, receive="rw=read", send="rw=write")
    with closing(socket.socket(socket.AF_UNIX)) as left:
        left.bind(str(tmp_path / "socket"))  # and nobody listens
    jobs = run(engine, [JSON, "-"], tmp_path, text).document()["jobs"]
    assert [jobs[0]["read"]["io_bytes"], jobs[1]["write"]["io_bytes"]] == [65536, 65536]
    assert not list(tmp_path.iterdir())


def test_the_path_of_a_socket_is_free_once_it_is_connected(engine: Path, tmp_path: Path) -> None:
    path = tmp_path / "socket"
    words = [*BASE, "--ioengine=net", "--proto=unix", f"--filename={path}"]
    with started(engine, words) as process, closing(socket.socket(socket.AF_UNIX)) as peer:
        end = time.monotonic() + TIMEOUT_S
        while peer.connect_ex(str(path)) and time.monotonic() < end:
            time.sleep(0.02)
        while path.exists() and time.monotonic() < end:
            time.sleep(0.02)
        path.write_text("another's")
        peer.sendall(bytes(BLOCKS * BLOCK) + GOODBYE)
        assert ended(process).status == 0
    assert path.read_text() == "another's"


def test_who_waits_at_a_socket_is_not_disturbed_by_who_wants_it(
    engine: Path, tmp_path: Path
) -> None:
    path = tmp_path / "socket"
    words = [*BASE, "--ioengine=net", "--proto=unix", f"--filename={path}"]
    with started(engine, words) as process, closing(socket.socket(socket.AF_UNIX)) as peer:
        end = time.monotonic() + TIMEOUT_S
        while "\n" not in listeners_at(path) and time.monotonic() < end:
            time.sleep(0.02)
        assert "cannot listen at" in run(engine, words, tmp_path).err
        peer.connect(str(path))
        peer.sendall(bytes(BLOCKS * BLOCK) + GOODBYE)
        ran = ended(process)
    assert ran.status == 0, ran.err


def listeners_at(path: Path) -> str:
    """Lines of the kernel's table: with the flag 0x10000 it listens."""
    lines = Path("/proc/net/unix").read_text().splitlines()
    return "".join(f"{x}\n" for x in lines if x.endswith(f" {path}") and x.split()[3] == "00010000")


def test_a_file_is_not_taken_for_a_socket(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "socket").write_text("mine")
    words = [*BASE, "--ioengine=net", "--proto=unix", "--filename=socket"]
    ran = run(engine, words, tmp_path)
    assert ran.status == 1
    assert "cannot listen at 'socket'" in ran.err
    assert (tmp_path / "socket").read_text() == "mine"
    with closing(socket.socket(socket.AF_UNIX)) as used:
        used.bind(str(tmp_path / "used"))
        used.listen()
        assert run(engine, [*words, "--filename=used"], tmp_path).status == 1
        assert stat.S_ISSOCK((tmp_path / "used").stat().st_mode)


def connection(port: int) -> socket.socket:
    for _ in range(TIMEOUT_S * 50):
        try:
            return socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            time.sleep(0.02)
    raise AssertionError(f"nobody listens at {port}")


@pytest.mark.parametrize(
    ("data", "status", "told"),
    [
        (b"x" * 6000 + GOODBYE, 0, (6000, 2)),
        (b"x" * 8192 + GOODBYE, 0, (8192, 2)),
        (b"x" * 4093 + GOODBYE, 0, (4096, 1)),
        (b"x" * 4088 + GOODBYE, 0, (4096, 1)),
        (b"x" * 6000, 1, (4096, 1)),
        (b"", 1, (0, 0)),
        *((b"x" * 4096 + GOODBYE[-rest:], 1, (4096, 1)) for rest in range(1, len(GOODBYE))),
        *((b"x" * 4096 + GOODBYE[:part], 1, (4096, 1)) for part in range(1, len(GOODBYE))),
        (bytes(2), 1, (0, 0)),
    ],
    ids=lambda value: value.hex()[-20:] if isinstance(value, bytes) else "",
)
def test_who_goes_says_so(engine: Path, data: bytes, status: int, told: tuple[int, int]) -> None:
    port = free_port()
    with started(engine, [*reader("tcp", port), JSON]) as process:
        with connection(port) as peer:
            peer.sendall(data)
        ran = ended(process)
    assert ran.status == status
    assert ("Connection reset by peer" in ran.err) == bool(status)
    (job,) = json.loads(ran.out)["jobs"]
    assert (job["read"]["io_bytes"], job["read"]["total_ios"]) == told


@pytest.mark.parametrize("bs", [1, 3, 4, 8, 9])
def test_the_last_word_may_come_in_blocks(engine: Path, bs: int) -> None:
    for rest, status in ((b"", 0), (b"k", 1)):
        port = free_port()
        with started(engine, [*reader("tcp", port), f"--bs={bs}"]) as process:
            with connection(port) as peer:
                peer.sendall(bytes(40) + GOODBYE + rest)
            assert ended(process).status == status


def test_who_sends_hears_of_who_has_gone(engine: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        words = [*writer("tcp", server.getsockname()[1]), "--size=1g"]
        with started(engine, words) as process:
            server.accept()[0].close()
            ran = ended(process)
    assert ran.status == 1
    assert "write of 4096 bytes" in ran.err


@pytest.mark.parametrize("last", [GOODBYE, b""], ids=["done", "gone"])
def test_who_sends_by_udp_ends_with_who_receives(engine: Path, last: bytes) -> None:
    with closing(socket.socket(type=socket.SOCK_DGRAM)) as peer:
        peer.bind(("127.0.0.1", 0))
        words = [*writer("udp", peer.getsockname()[1]), "--size=1t", "--runtime=1h"]
        with started(engine, words) as process:
            assert peer.recv(BLOCK) == HELLO
            _, sender = peer.recvfrom(BLOCK)
            if last:
                peer.sendto(last, sender)
            peer.close()
            ran = ended(process)
    assert ran.status == (0 if last else 1)
    assert ("failed: Connection reset by peer" in ran.err) == (not last)


def test_who_sends_ends_with_who_has_had_enough(engine: Path, tmp_path: Path) -> None:
    text = PAIR.format(
        shared=f"port={free_port()}", receive="listen\nrw=read", send=f"{TO}\nsize=1g"
    )
    jobs = jobs_of(engine, tmp_path, text)
    assert jobs[0]["read"]["io_bytes"] == ALL[0]
    assert ALL[0] <= jobs[1]["write"]["io_bytes"] < 1 << 30


def test_who_has_had_enough_need_not_take_the_rest(engine: Path) -> None:
    """Its close breaks the connection while the last word is on its way back."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        words = [*writer("tcp", server.getsockname()[1]), "--pingpong"]
        with started(engine, words) as process:
            with closing(server.accept()[0]) as peer:
                assert peer.recv(1)
                peer.sendall(GOODBYE)
            ran = ended(process)
    assert ran.status == 0, ran.err


@pytest.mark.parametrize("protocol", ["tcp", "unix", "udp"])
@pytest.mark.parametrize("more", ["", "pingpong"])
def test_who_sends_to_a_job_that_fails_ends(
    engine: Path, tmp_path: Path, protocol: str, more: str
) -> None:
    port = "filename=socket" if protocol == "unix" else f"port={free_port(kind_of(protocol))}"
    text = PAIR.format(
        shared=f"protocol={protocol}\n{port}\n{more}\nsize=1t\nruntime=1h",
        receive="rw=read\nverify=crc32c\nverify_fatal=1\n"
        + ("listen" if protocol == "tcp" else ""),
        send="rw=write" if protocol == "unix" else TO,
    )
    ran = run(engine, [JSON, "-"], tmp_path, text, timeout_s=TIMEOUT_S)
    told = 0 if protocol == "udp" else errno.ECONNRESET  # by UDP only the last word tells
    assert [job["error"] for job in json.loads(ran.out)["jobs"]] == [errno.EILSEQ, told]
    assert ("send: write of 4096 bytes" in ran.err) == bool(told)


def test_a_datagram_that_a_block_does_not_hold_is_an_error(engine: Path) -> None:
    port = free_port(socket.SOCK_DGRAM)
    with started(engine, reader("udp", port)) as process, socket.socket(type=2) as peer:
        wait_until_bound(port, "udp")
        for data in (HELLO, bytes(BLOCK), HELLO, bytes(BLOCK + 1)):
            peer.sendto(data, ("127.0.0.1", port))
        ran = ended(process)
    assert ran.status == 1
    assert f"at offset {BLOCK} of" in ran.err
    assert "Message too long" in ran.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (reader("tcp", 9), "nobody has connected (any address port {port})"),
        (reader("udp", 9), "nobody has written (any address port {port})"),
        (writer("tcp", 9), "nobody listens there (127.0.0.1 port {port})"),
        (writer("udp", 9), "nobody listens there (127.0.0.1 port {port})"),
        (writer("tcpv6", 9, "netsplice"), "nobody listens there (::1 port {port})"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value[4:6]),
)
def test_a_wait_ends_with_the_runtime(
    engine: Path, tmp_path: Path, words: list[str], says: str
) -> None:
    port = free_port(socket.SOCK_DGRAM if "--proto=udp" in words else socket.SOCK_STREAM)
    ran = run(engine, [*words, f"--port={port}", "--runtime=300ms"], tmp_path)
    assert ran.status == 1
    assert says.format(port=port) in ran.err


def test_a_wait_ends_with_a_signal(engine: Path) -> None:
    port = free_port()
    with started(engine, reader("tcp", port)) as process:
        wait_until_bound(port, "tcp")
        process.send_signal(signal.SIGINT)
        ran = ended(process)
    assert ran.status == 1
    assert "the run ended before: nobody has connected" in ran.err


def test_a_silent_peer_does_not_keep_a_job_from_its_end(engine: Path) -> None:
    port = free_port()
    words = [*reader("tcp", port), "--runtime=500ms", JSON]
    with started(engine, words) as process, connection(port) as peer:
        peer.sendall(bytes(BLOCK + 1))
        ran = ended(process)
    assert ran.status == 0
    assert moved(ran, "read")[0] == BLOCK + 1


def test_a_slow_peer_does_not_keep_a_job_from_its_end(engine: Path) -> None:
    port = free_port()
    words = [*reader("tcp", port), "--bs=1g", "--size=1g", "--runtime=500ms", JSON]
    with started(engine, words) as process, connection(port) as peer:
        end = time.monotonic() + TIMEOUT_S
        with suppress(ConnectionError):
            while time.monotonic() < end:
                peer.sendall(bytes(100))
                time.sleep(0.001)
        assert time.monotonic() < end
        ran = ended(process)
    assert ran.status == 0
    assert moved(ran, "read")[0] > 0


@pytest.mark.parametrize("odd", [HELLO, b""], ids=["hello", "empty"])
def test_a_datagram_that_is_no_block_is_left_out(engine: Path, odd: bytes) -> None:
    port = free_port(socket.SOCK_DGRAM)
    with started(engine, [*reader("udp", port), JSON]) as process, socket.socket(type=2) as peer:
        wait_until_bound(port, "udp")
        for data in (HELLO, *(each for _ in range(BLOCKS) for each in (odd, bytes(BLOCK)))):
            peer.sendto(data, ("127.0.0.1", port))
        ran = ended(process)
    assert ran.status == 0, ran.err
    assert moved(ran, "read") == ALL


TOO_MUCH = "mem=mmapshared:/no/such/folder/x"
MEETINGS = [
    ("proto=tcp", "listen", TO, True),
    ("proto=udp", "", TO, True),
    ("proto=tcpv6", "listen", "hostname=::1\nrw=write\nioengine=netsplice", True),
    ("proto=unix\nfilename=socket", "", "rw=write", True),
    ("proto=unix\nfilename=socket", "", "rw=write\ndirectory=other", False),
    ("proto=tcp", "listen", "hostname=127.0.0.1\nport=9\nrw=write", False),
    ("proto=tcp", "listen", "hostname=192.0.2.1\nrw=write", False),
]


@pytest.mark.parametrize("fails", ["receive", "send"])
@pytest.mark.parametrize("pair", MEETINGS)
def test_who_waits_for_a_job_that_failed_is_told(
    engine: Path, tmp_path: Path, pair: tuple[str, str, str, bool], fails: str
) -> None:
    (tmp_path / "other").mkdir()
    shared, receive, send, meet = pair
    port = "" if "unix" in shared else f"port={free_port(kind_of(shared[6:]))}\n"
    jobs = {"receive": receive, "send": send}
    jobs[fails] += f"\n{TOO_MUCH}"
    runtime = "1h" if meet else "300ms"
    text = PAIR.format(shared=f"{shared}\n{port}runtime={runtime}", **jobs)
    ran = run(engine, [JSON, "-"], tmp_path, text, timeout_s=TIMEOUT_S)
    assert ran.status == 1
    assert "/no/such/folder/x" in ran.err
    assert ("the job at the other end has failed: nobody" in ran.err) == meet


def test_a_port_that_somebody_has_is_told(engine: Path, tmp_path: Path) -> None:
    with closing(socket.create_server(("0.0.0.0", 0))) as server:
        ran = run(engine, reader("tcp", server.getsockname()[1]), tmp_path)
    assert ran.status == 1
    assert "Address already in use: another process has it" in ran.err


def test_names_are_not_looked_up(engine: Path, tmp_path: Path) -> None:
    words = [*writer("tcp", 9), "--hostname=localhost.example"]
    ran = run(engine, words, tmp_path)
    assert ran.status == 1
    assert "hostname=localhost.example is no IPv4 address" in ran.err


def test_readonly_makes_no_socket(engine: Path, tmp_path: Path) -> None:
    words = [*BASE, "--ioengine=net", "--proto=unix", "--filename=socket", "--readonly"]
    ran = run(engine, words, tmp_path)
    assert ran.status
    assert "--readonly forbids it" in ran.out + ran.err
    assert not list(tmp_path.iterdir())


MISTAKES = [
    ("--port=9 --hostname=127.0.0.1 --rw=randwrite", "set rw=read or rw=write"),
    ("--port=9 --listen --rw=randread", "set rw=read or rw=write"),
    ("--hostname=127.0.0.1 --rw=write", "needs port"),
    ("--port=9 --rw=write", "needs hostname"),
    ("--port=9 --listen --hostname=127.0.0.1 --rw=read", "leave hostname out"),
    ("--port=9 --proto=udp --hostname=127.0.0.1 --rw=read", "leave hostname out"),
    ("--port=9 --proto=udp --listen --rw=read", "listen is for TCP"),
    ("--proto=unix --port=9 --filename=x --rw=write", "has neither a port nor a host"),
    ("--proto=unix --rw=write", "needs filename"),
]
OURS = [
    ("--port=9 --hostname=127.0.0.1 --rw=rw", "set rw=read or rw=write"),
    ("--port=9 --hostname=127.0.0.1 --rw=write --nrfiles=2", "has one connection"),
    ("--port=9 --hostname=127.0.0.1 --rw=write --fsync=1", "has no file"),
    ("--port=9 --hostname=127.0.0.1 --rw=write --interface=127.0.0.1", "interface is for"),
    ("--port=9 --proto=udp --hostname=127.0.0.1 --rw=write --bs=64k", "of at most 65507 bytes"),
    ("--port=65535 --numjobs=2 --listen --rw=read", "make port or numjobs smaller"),
    ("--proto=unix --filename=x --numjobs=2 --rw=read", "leave numjobs out"),
    ("--port=9 --hostname=127.0.0.1 --rw=write --ioengine=netsplice --verify=md5", "a copy"),
]


@pytest.mark.parametrize(("options", "says"), [*MISTAKES, *OURS])
def test_what_cannot_be_is_refused(engine: Path, tmp_path: Path, options: str, says: str) -> None:
    ran = run(engine, ["--name=j", "--ioengine=net", "--size=64k", *options.split()], tmp_path)
    assert ran.status == 2
    assert says in ran.err


@pytest.mark.parametrize("options", [options for options, _ in MISTAKES])
def test_fio_refuses_it_as_well(fio: str, tmp_path: Path, options: str) -> None:
    words = ["--name=j", "--ioengine=net", "--size=64k", *options.split()]
    assert run(fio, words, tmp_path).status


@pytest.mark.parametrize("name", ["net", "netsplice"])
def test_its_options_are_fios(engine: Path, fio: str, tmp_path: Path, name: str) -> None:
    def options(program: str | Path) -> set[str]:
        lines = run(program, [f"--enghelp={name}"], tmp_path).out.splitlines()
        return {line.partition(" ")[0] for line in lines if " : " in line}

    assert options(engine) == options(fio)
    assert "proto" in run(engine, [f"--enghelp={name},protocol"], tmp_path).out
