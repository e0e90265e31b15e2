"""What the kernel keeps a confined command from, tried from the inside, on this kernel.

The commands are small Python programs; each attack is one system call whose error is told. What
must hold without root is tried as a user who is nobody, too.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.confining import (
    LAYERS,
    abstract_listener,
    confined,
    layers_of,
    listener_at,
    needs_user_namespaces,
    place,
    plan_of,
    started,
    users_have_namespaces,
)
from support.devices import (
    loop_device,
    mounted,
    needs_root,
    own_loop_device,
    reattach,
    sh,
    shared_mount,
    wait_until_free,
)

NOBODY = 65534
PYTHON = "/usr/bin/python3"
REFUSED, USAGE = 3, 2

pytestmark = [
    needs_root,
    pytest.mark.skipif(not Path(PYTHON).exists(), reason=f"{PYTHON} is what is confined here"),
]

# Abstract sockets are the whole host's: another process of tests has its own.
LISTENER = f"iogate-test-{os.getpid()}"

_TRY = """
import ctypes, errno, fcntl, os, shutil, signal, socket, stat, sys
libc = ctypes.CDLL(None, use_errno=True)
outside, inside = sys.argv[1:3]
def call(number):
    if number < 0:
        raise OSError(ctypes.get_errno(), "")
def udp(host):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.sendto(b"x", (host, 9))
def tcp(host):
    with socket.socket() as s:
        s.connect((host, 9))
def listener(path):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(path)
def abstract(name):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect("\\0" + name)
try:
    %s
except OSError as error:
    print(errno.errorcode[error.errno])
else:
    print("DONE")
"""

DENIED = {"EACCES", "EROFS", "EPERM", "EXDEV"}
NO_NETWORK = {"EACCES", "ENETUNREACH", "EPERM"}

# What leads out of the places, and which errors may answer it.
ATTACKS = {
    "write a file": ("open(outside + '/file', 'r+').write('x')", DENIED),
    "truncate a file": ("os.truncate(outside + '/file', 0)", DENIED),
    "make a file": ("open(outside + '/new', 'w')", DENIED),
    "make a folder": ("os.mkdir(outside + '/folder')", DENIED),
    "make a link": ("os.symlink('/', outside + '/link')", DENIED),
    "make a pipe": ("os.mkfifo(outside + '/pipe')", DENIED),
    "unlink": ("os.unlink(outside + '/file')", DENIED),
    "remove a folder": ("os.rmdir(outside + '/empty')", DENIED),
    "rename out": ("os.rename(inside + '/own', outside + '/own')", DENIED),
    "rename in": ("os.rename(outside + '/file', inside + '/got')", DENIED),
    "link in": ("os.link(outside + '/file', inside + '/got')", DENIED),
    "write through a link": ("open(inside + '/out', 'r+').write('x')", DENIED),
    "chmod": ("os.chmod(outside + '/file', 0o777)", DENIED),
    "chown": ("os.chown(outside + '/file', 1, 1)", DENIED),
    "utimes": ("os.utime(outside + '/file', (1, 1))", DENIED),
    "set an attribute": ("os.setxattr(outside + '/file', 'user.x', b'x')", DENIED),
    "read a secret": ("open(outside + '/file').read()", DENIED),
    "list a folder": ("os.listdir(outside)", DENIED),
    "read /etc/shadow": ("open('/etc/shadow').read()", DENIED),
    "read /root": ("os.listdir('/root')", DENIED),
    "read the runner's environment": ("open(f'/proc/{os.getppid()}/environ').read()", DENIED),
    "read the runner's memory": ("open(f'/proc/{os.getppid()}/mem').read()", DENIED),
    "see the runner's files": ("os.readlink(f'/proc/{os.getppid()}/fd/0')", DENIED),
    "trace the runner": ("call(libc.ptrace(16, os.getppid(), 0, 0))", DENIED),
    "kill the runner": ("os.kill(os.getppid(), 0)", DENIED),
    "write a kernel parameter": ("open('/proc/sys/vm/drop_caches', 'w').write('1')", DENIED),
    "write to sysfs": ("open('/sys/kernel/mm/ksm/run', 'r+').write('0')", DENIED),
    "open a disk": ("open('/dev/vda')", {*DENIED, "ENOENT"}),
    "make a node": ("os.mknod(inside + '/node', stat.S_IFBLK | 0o600, os.makedev(7, 0))", DENIED),
    "mount": ("call(libc.mount(b'none', inside.encode(), b'tmpfs', 0, None))", DENIED),
    "unmount": ("call(libc.umount2(inside.encode(), 2))", DENIED),
    "TCP": ("tcp('127.0.0.1')", NO_NETWORK),
    "UDP": ("udp('127.0.0.1')", NO_NETWORK),
    "UDP far away": ("udp('192.0.2.1')", NO_NETWORK),
    "raw packets": ("socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)", DENIED),
    "an abstract socket": (f"abstract('{LISTENER}')", {"EPERM", "ECONNREFUSED"}),
    "a socket in the filesystem": ("listener(outside + '/socket')", {"ECONNREFUSED", "EACCES"}),
    "another root": ("os.chroot(inside)", DENIED),
    "the host's name": ("socket.sethostname('x')", DENIED),
}

# What Landlock does not know, and the mounts or the network namespace alone keep out.
NOT_LANDLOCKS = {
    "chmod", "chown", "utimes", "set an attribute", "UDP", "UDP far away", "raw packets",
    "the host's name", "a socket in the filesystem",
}  # fmt: skip


@pytest.fixture
def outside() -> Iterator[Path]:
    """A folder of everybody, with a file that everybody may write: no mode keeps it."""
    with public_folder() as folder:
        (folder / "file").write_text("untouched")
        (folder / "file").chmod(0o666)
        (folder / "empty").mkdir(mode=0o777)
        yield folder


@pytest.fixture
def inside() -> Iterator[Path]:
    """A folder of everybody that is a place."""
    with public_folder() as folder:
        (folder / "own").write_text("own")
        (folder / "own").chmod(0o666)
        yield folder


@contextmanager
def public_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="iogate-confine-", dir="/var/tmp"))
    try:
        folder.chmod(0o777)
        yield folder
    finally:
        shutil.rmtree(folder)


def state_of(folder: Path) -> list[tuple[object, ...]]:
    """Everything there: names, modes, owners, times and bytes."""
    found: list[tuple[object, ...]] = []
    for path in sorted((folder, *folder.rglob("*"))):
        at = path.lstat()
        content = path.read_bytes() if path.is_file() else b""
        found.append((str(path), at.st_mode, at.st_uid, at.st_mtime_ns, at.st_nlink, content))
    return found


def attack(engine: Path, code: str, plan: str, *paths: Path, user: int | None = None) -> str:
    """What the kernel answered."""
    names = [str(path) for path in paths]
    done = confined(engine, plan, PYTHON, "-I", "-c", _TRY % code, *names, user=user)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("user", [None, NOBODY], ids=["root", "nobody"])
@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_leads_out(
    engine: Path, outside: Path, inside: Path, name: str, user: int | None
) -> None:
    code, errors = ATTACKS[name]
    layers = layers_of(user)
    if name in NOT_LANDLOCKS and "namespaces" not in layers:
        pytest.skip("users have no namespaces here, and Landlock does not know this")
    (inside / "out").symlink_to(outside / "file")
    with abstract_listener(LISTENER), listener_at(outside / "socket"):
        before = state_of(outside)
        plan = plan_of(place(inside), layers=layers)
        told = attack(engine, code, plan, outside, inside, user=user)
        assert told in errors
        assert state_of(outside) == before


@pytest.mark.parametrize("user", [None, NOBODY], ids=["root", "nobody"])
@pytest.mark.parametrize("name", sorted(set(ATTACKS) - NOT_LANDLOCKS))
def test_landlock_alone_keeps_what_it_knows(
    engine: Path, outside: Path, inside: Path, name: str, user: int | None
) -> None:
    code, errors = ATTACKS[name]
    (inside / "out").symlink_to(outside / "file")
    before = state_of(outside)
    with abstract_listener(LISTENER):
        plan = plan_of(place(inside), layers=("landlock", "capabilities"))
        assert attack(engine, code, plan, outside, inside, user=user) in errors
    assert state_of(outside) == before


@pytest.mark.parametrize("user", [None, NOBODY], ids=["root", "nobody"])
@pytest.mark.parametrize("name", ["write a file", "make a file", "unlink", "make a pipe"])
def test_the_mounts_hold_what_landlock_would_let_through(
    engine: Path, outside: Path, inside: Path, name: str, user: int | None
) -> None:
    """A place within which nothing is to be written: Landlock cannot take a part away."""
    code, _ = ATTACKS[name]
    if "namespaces" not in layers_of(user):
        pytest.skip("users have no namespaces here")
    plan = plan_of(place("/var/tmp"), f"read {outside}")
    before = state_of(outside)
    assert attack(engine, code, plan, outside, inside, user=user) == "EROFS"
    assert state_of(outside) == before


def test_the_attacks_work_where_nothing_confines(outside: Path, inside: Path) -> None:
    """Otherwise the tests above would show nothing."""
    mostly = (
        "write a file", "make a folder", "chmod", "unlink", "UDP", "an abstract socket",
        "a socket in the filesystem",
    )  # fmt: skip
    with abstract_listener(LISTENER), listener_at(outside / "socket"):
        for name in mostly:
            code = _TRY % ATTACKS[name][0]
            argv = [PYTHON, "-I", "-c", code, str(outside), str(inside)]
            assert sh(*argv) == "DONE", name


INSIDE = (
    "open(inside + '/new', 'w').write('x')",
    "os.mkdir(inside + '/folder')",
    "os.truncate(inside + '/own', 1)",
    "os.rename(inside + '/own', inside + '/other')",
    "os.unlink(inside + '/own')",
    "open('/dev/null', 'w').write('x'); open('/dev/urandom', 'rb').read(1)",
    "os.sched_setaffinity(0, os.sched_getaffinity(0)); os.nice(1)",
)


@pytest.mark.parametrize("user", [None, NOBODY], ids=["root", "nobody"])
@pytest.mark.parametrize("code", INSIDE)
def test_a_place_may_be_used(engine: Path, inside: Path, code: str, user: int | None) -> None:
    plan = plan_of(place(inside), layers=layers_of(user))
    assert attack(engine, code, plan, inside, inside, user=user) == "DONE"


def test_a_place_that_is_read_only_is(engine: Path, inside: Path) -> None:
    plan = plan_of(place(inside, "ro"))
    assert attack(engine, "open(inside + '/own').read()", plan, inside, inside) == "DONE"
    for code in INSIDE[:5]:
        assert attack(engine, code, plan, inside, inside) in DENIED


def test_a_file_alone_is_a_place(engine: Path, inside: Path) -> None:
    plan = plan_of(place(inside / "own"))
    assert attack(engine, "open(inside + '/own', 'r+').write('x')", plan, inside, inside) == "DONE"
    assert attack(engine, "open(inside + '/next', 'w')", plan, inside, inside) in DENIED
    assert attack(engine, "os.listdir(inside)", plan, inside, inside) in DENIED


def test_what_is_only_read_in_a_place_is_not_written(engine: Path, inside: Path) -> None:
    (inside / "jobs").mkdir()
    (inside / "jobs/next.fio").write_text("[next]")
    plan = plan_of(place(inside), f"read {inside}/jobs")
    assert attack(engine, "open(inside + '/jobs/next.fio').read()", plan, inside, inside) == "DONE"
    for code in ("open(inside + '/jobs/next.fio', 'w')", "os.unlink(inside + '/jobs/next.fio')"):
        assert attack(engine, code, plan, inside, inside) in DENIED


def test_a_new_file_is_made_and_is_the_only_one(engine: Path, inside: Path) -> None:
    new = place(inside, kind="new", path=inside / "new")
    plan = plan_of(new)
    assert attack(engine, "open(inside + '/new', 'r+').write('x')", plan, inside, inside) == "DONE"
    assert (inside / "new").read_text() == "x"
    done = confined(engine, plan, "/bin/true")
    assert done.returncode == REFUSED
    assert "cannot be made: File exists" in done.stderr


def test_a_new_file_goes_when_nothing_was_started(engine: Path, inside: Path) -> None:
    plan = plan_of(place(inside, kind="new", path=inside / "new"))
    done = confined(engine, plan, "/no/such/command")
    assert done.returncode == REFUSED
    assert "cannot start '/no/such/command'" in done.stderr
    assert not (inside / "new").exists()


def test_a_new_file_is_never_made_through_a_link(engine: Path, inside: Path, outside: Path) -> None:
    plan = plan_of(place(inside, kind="new", path=inside / "new"))
    (inside / "new").symlink_to(outside / "made")
    assert confined(engine, plan, "/bin/true").returncode == REFUSED
    assert not (outside / "made").exists()


def test_the_environment_is_what_the_plan_says(
    engine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_TOKEN", "secret")
    monkeypatch.setenv("IOGATE_PROCESS", "mark")
    plan = plan_of("set LC_ALL=C", "keep IOGATE_PROCESS", "keep NOT_THERE")
    done = confined(engine, plan, "/usr/bin/env")
    assert sorted(done.stdout.split()) == ["IOGATE_PROCESS=mark", "LC_ALL=C"]


def test_it_is_the_first_to_end_where_memory_does(engine: Path) -> None:
    done = confined(engine, plan_of(), "/bin/cat", "/proc/self/oom_score_adj")
    assert done.stdout == "1000\n"


def test_no_descriptor_is_inherited_but_those_of_the_plan(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "plan").write_text("")
    kept, other = (os.open(tmp_path / "plan", os.O_RDONLY) for _ in range(2))
    (tmp_path / "plan").write_text(plan_of(f"fd {kept}"))
    code = "import os; print([os.path.exists(f'/proc/self/fd/{n}') for n in (%d, %d)])"
    argv = [PYTHON, "-I", "-c", code % (kept, other)]
    try:
        done = subprocess.run(
            [engine, "--confine", str(tmp_path / "plan"), "--", *argv],
            capture_output=True, text=True, check=False, pass_fds=(kept, other),
        )  # fmt: skip
    finally:
        os.close(kept)
        os.close(other)
    assert done.stdout.strip() == "[True, False]"


@pytest.mark.parametrize(
    ("line", "left"), [("", 0), ("capability dac_override", 1 << 1)], ids=["none", "one"]
)
def test_capabilities_are_those_of_the_plan(engine: Path, line: str, left: int) -> None:
    done = confined(engine, plan_of(line), "/bin/cat", "/proc/self/status")
    status = dict(text.split(":", 1) for text in done.stdout.splitlines())
    for name in ("CapPrm", "CapEff", "CapBnd"):
        assert int(status[name], 16) == left
    assert int(status["CapAmb"], 16) == int(status["CapInh"], 16) == 0
    assert status["NoNewPrivs"].strip() == "1"


def test_a_death_of_the_one_who_asked_ends_it(engine: Path, inside: Path) -> None:
    """The launcher changes its credentials on the way, which would forget the signal."""
    (inside / "plan").write_text(plan_of(place(inside)))
    starts = (
        "import subprocess, sys; p = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE);"
        "print(p.pid, p.stdout.read(1), flush=True)"
    )
    argv = [str(engine), "--confine", str(inside / "plan"), "--", "/bin/sh", "-c",
            "echo; exec sleep 100"]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", starts, *argv], capture_output=True, text=True, check=True
    )
    pid = int(done.stdout.split()[0])
    for _ in range(1000):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().split()[2]
        except FileNotFoundError:
            return
        if state in "ZX":
            return
        os.sched_yield()
        subprocess.run(["sleep", "0.01"], check=True)
    raise AssertionError(f"{pid} lives on")


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    with loop_device(tmp_path) as path:
        yield path


@pytest.fixture
def other_device(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "other").mkdir()
    with loop_device(tmp_path / "other") as path:
        yield path


def digest(path: str | Path) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def test_a_device_is_reached_and_no_other(engine: Path, device: str, other_device: str) -> None:
    plan = plan_of(place(device))
    write = "open(inside, 'r+b').write(b'x')"
    assert attack(engine, write, plan, Path(device), Path(device)) == "DONE"
    assert Path(device).read_bytes()[:1] == b"x"
    told = attack(engine, write, plan, Path(device), Path(other_device))
    assert told in DENIED | {"ENOENT"}
    node = "os.mknod(inside + '/n', stat.S_IFBLK | 0o600, os.stat(outside).st_rdev)"
    assert attack(engine, node, plan, Path(device), Path("/dev")) in DENIED
    assert attack(engine, "os.chmod(inside, 0o777)", plan, Path(device), Path(device)) in DENIED


def test_a_device_that_is_only_read_is_not_written(engine: Path, device: str) -> None:
    plan = plan_of(place(device, "ro"))
    assert attack(engine, "open(inside, 'rb').read(1)", plan, Path("/"), Path(device)) == "DONE"
    told = attack(engine, "open(inside, 'r+b').write(b'x')", plan, Path("/"), Path(device))
    assert told in DENIED


def test_a_node_elsewhere_is_a_place_too(engine: Path, device: str, inside: Path) -> None:
    node = inside / "node"
    os.mknod(node, 0o60600, Path(device).stat().st_rdev)
    plan = plan_of(place(node))
    write = "open(inside, 'r+b').write(b'x')"
    assert attack(engine, write, plan, inside, node) == "DONE"
    assert attack(engine, write, plan, inside, Path(device)) in DENIED | {"ENOENT"}


@pytest.mark.parametrize(
    ("otherwise", "said"),
    [
        ({"inode": 1}, "its inode is"),
        ({"device": "9:9"}, "the filesystem that it is on is"),
        ({"rdev": "7:77"}, "its number is 7:"),
        ({"diskseq": 1}, "its disk sequence number is"),
        ({"size": 4096}, "its size is 33554432 and should be 4096"),
        ({"kind": "file"}, "it is not a regular file"),
        ({"path": "/dev/no-such"}, "No such file or directory"),
    ],
)
def test_another_device_than_was_meant_is_refused_untouched(
    engine: Path, device: str, otherwise: dict[str, object], said: str
) -> None:
    before = digest(device)
    line = place(device, **otherwise)
    done = confined(engine, plan_of(line), "/bin/dd", "if=/dev/urandom", f"of={device}")
    assert done.returncode == REFUSED
    assert done.stderr.startswith("iogate-engine: confine: ")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert digest(device) == before


def test_another_image_behind_the_same_node_is_refused(engine: Path, tmp_path: Path) -> None:
    with own_loop_device(tmp_path) as path:
        line = place(path)
        other = tmp_path / "other"
        other.write_bytes(bytes(32 << 20))
        reattach(path, other)
        before = digest(other)
        done = confined(engine, plan_of(line), "/bin/dd", "if=/dev/urandom", f"of={path}")
        assert done.returncode == REFUSED
        assert "disk sequence number" in done.stderr
        assert digest(other) == before


def test_a_link_where_a_place_was_is_refused(engine: Path, inside: Path, outside: Path) -> None:
    target = inside / "target"
    target.mkdir()
    plan = plan_of(place(target))
    target.rename(inside / "moved")
    target.symlink_to(outside)
    done = confined(engine, plan, "/bin/touch", str(target / "x"))
    assert done.returncode == REFUSED
    assert "it is not a directory" in done.stderr
    assert not (outside / "x").exists()


def test_a_link_on_the_way_is_refused_even_to_the_same(
    engine: Path, inside: Path, outside: Path
) -> None:
    (outside / "way").symlink_to(inside)
    (inside / "folder").mkdir()
    plan = plan_of(place(inside / "folder", path=outside / "way/folder"))
    done = confined(engine, plan, "/bin/true")
    assert done.returncode == REFUSED
    assert "there is a link in it now" in done.stderr


def test_a_device_that_something_has_claimed_is_refused(engine: Path, device: str) -> None:
    handle = os.open(device, os.O_RDONLY | os.O_EXCL)
    try:
        done = confined(engine, plan_of(place(device)), "/bin/true")
        assert done.returncode == REFUSED
        assert "something else uses it" in done.stderr
        assert confined(engine, plan_of(place(device, "ro")), "/bin/true").returncode == 0
    finally:
        os.close(handle)


@pytest.mark.parametrize("layers", [LAYERS, (*LAYERS, "family")], ids=["plain", "family"])
def test_a_device_that_is_claimed_is_nobody_elses_until_the_command_ends(
    engine: Path, device: str, layers: tuple[str, ...]
) -> None:
    """Also when the launcher has become the command, which can write it."""
    lines = (place(device), f"claim {device}")
    wait = f"head -c 4096 < {device} > /dev/null && echo x > {device}; echo; exec sleep 100"
    with started(engine, plan_of(*lines, layers=layers), "/bin/sh", "-c", wait) as process:
        assert process.stdout
        assert process.stdout.readline() == "\n"
        with pytest.raises(OSError, match="busy"):
            os.close(os.open(device, os.O_RDONLY | os.O_EXCL))
        done = confined(engine, plan_of(*lines), "/bin/true")
        assert done.returncode == REFUSED
        assert "something else uses it" in done.stderr
    wait_until_free(device)
    assert Path(device).read_bytes()[:2] == b"x\n"


def test_a_loop_device_keeps_its_image_while_a_command_runs(engine: Path, device: str) -> None:
    """The launcher's descriptor stays open: losetup -d waits for the last one."""
    code = (
        "import os\nfor n in os.listdir('/proc/self/fd'):\n"
        "  try: print(os.readlink('/proc/self/fd/' + n))\n  except OSError: pass"
    )
    done = confined(engine, plan_of(place(device)), PYTHON, "-I", "-c", code)
    assert device in done.stdout.split()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--confine"],
        ["--confine", "/no/plan"],
        ["--confine", "/no/plan", "--", "/bin/true"],
        ["--confine", "/dev/null", "--", "/bin/true"],
        ["--confine", "/dev/zero", "--", "/bin/true"],
        ["--confine", "/dev/null", "--", "true"],
        ["--confine-probe", "x"],
    ],
)
def test_a_wrong_call_is_told_so(engine: Path, arguments: list[str]) -> None:
    done = subprocess.run([engine, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == USAGE
    assert done.stderr.startswith("iogate-engine: confine: ")


def test_the_probe_says_what_this_kernel_gives(engine: Path) -> None:
    found = json.loads(sh(str(engine), "--confine-probe"))
    assert found["schema"] == "confine-probe/1"
    assert found["landlock"] >= 1
    layers = ("namespaces", "read_only", "network", "capabilities", "family")
    assert [found[name] for name in layers] == [True] * 5
    assert found["user_namespace"] is False
    done = subprocess.run(
        [engine, "--confine-probe"], capture_output=True, text=True, check=True, user=NOBODY
    )
    assert json.loads(done.stdout)["user_namespace"] is users_have_namespaces()


@needs_user_namespaces
def test_a_layer_that_is_not_there_is_refused(engine: Path, tmp_path: Path) -> None:
    """Where no more user namespaces are given, a user who is nobody gets no mounts."""
    (tmp_path / "plan").write_text(plan_of())
    run = (
        "echo 0 > /proc/sys/user/max_user_namespaces && "
        f"exec setpriv --bounding-set=-all --inh-caps=-all {engine} --confine {tmp_path}/plan "
        "-- /bin/true"
    )
    argv = ["unshare", "--user", "--map-root-user", "sh", "-c", run]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == REFUSED, done.stderr
    assert "this kernel does not give namespaces any more" in done.stderr


def test_what_is_unmounted_elsewhere_is_not_held(
    engine: Path, inside: Path, tmp_path: Path
) -> None:
    wait = "touch ready; until [ -e go ]; do sleep 0.05; done"
    with (
        shared_mount(tmp_path / "shared") as shared,
        loop_device(tmp_path) as device,
        ThreadPoolExecutor() as pool,
    ):
        with mounted(device, shared / "mnt"):
            plan = plan_of(place(inside))
            held = pool.submit(confined, engine, plan, "/bin/sh", "-c", wait, cwd=inside)
            while not (inside / "ready").exists() and not held.done():
                time.sleep(0.05)
        try:
            os.close(os.open(device, os.O_RDWR | os.O_EXCL))
        finally:
            (inside / "go").touch()
        assert held.result().returncode == 0, held.result().stderr
