"""The programs of a virtual machine: this machine's own Python, engine and tools for filesystems,
with the libraries that they are linked with, as an initramfs. Nothing of /home, /etc or of what
is mounted here gets into it."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import marshal
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from iogate.errors import RefusedError, RunError
from iogate.vm import cpio
from iogate.vm.cache import cached
from iogate.vm.cpio import Item
from iogate.vm.readers import reader

PROGRAMS = (
    "sh", "cat", "chmod", "cp", "date", "dd", "echo", "env", "false", "getent", "ls", "mkdir", "mv",
    "rm", "sha256sum", "sleep", "sync", "tar", "true", "uname", "truncate", "stat",
    "mount", "umount", "findmnt", "losetup", "blkid", "wipefs", "blkdiscard", "fallocate",
    "mkfs.ext4", "mkfs.xfs", "mkfs.btrfs", "mkfs.f2fs", "e2fsck", "tune2fs", "xfs_repair", "xfs_io",
    "mdadm", "btrfs", "dumpe2fs", "xfs_info", "xfs_spaceman", "xfs_db",
)  # fmt: skip
"""What is taken where it is installed here."""
ENGINE = "iogate-engine"
AGENT = "/iogate.zip"
ASKED = "/iogate-modprobe"
"""What the kernel starts when it lacks something that a module may have: of those that are there
for that (``modules``), /init loads it."""
_ASKED = b"""\
#!/bin/sh
: > /run/iogate-modprobe
[ -e "/iogate-modules/later/$3" ] || exit 1
exec /init "$3" < /dev/null > /dev/console 2>&1
"""
_SHEBANG = b"#!/usr/bin/python3 -IS\n"
_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
_LIBRARY = re.compile(r"(?:=> )?(/\S+) \(0x")
_LIBRARIES = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/usr/local/lib/")
_LISTED_BYTES, _LISTED_S = 1 << 20, 60.0
_UNUSED = frozenset(
    ("test", "idlelib", "lib2to3", "tkinter", "turtledemo", "ensurepip", "distutils", "pydoc_data",
     "unittest", "site-packages", "dist-packages", "__pycache__", "venv", "sqlite3", "curses",
     "dbm")
)  # fmt: skip
_UNUSED_EXTENSIONS = (
    "_codecs_", "_ctypes_test", "_curses", "_dbm", "_gdbm", "_sqlite3", "_ssl", "_test", "_tkinter",
    "_xx", "nis.", "readline.", "xx",
)  # fmt: skip
"""How their names begin: what they are linked with is a fifth of the whole."""
_FILES = ("/etc/mke2fs.conf",)
_TEXTS = {
    "/etc/passwd": "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n",
    "/etc/group": "root:x:0:\ndisk:x:6:\nnogroup:x:65534:\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\n",
}
_FOLDERS = {
    "/proc": 0o555, "/sys": 0o555, "/dev": 0o755, "/run": 0o755, "/mnt": 0o755, "/root": 0o700,
    "/lib64": 0o755, "/tmp": 0o1777, "/var/tmp": 0o1777,  # noqa: S108
}  # fmt: skip


def userland_archive(engine: Path, agent: bytes, init: str, extra: Sequence[str] = ()) -> Path:
    """The file of an initramfs whose /init is the text ``init`` for Python, with ``engine`` as
    ``iogate-engine`` and the programs of PROGRAMS and ``extra``. It is made once. RefusedError
    where a program of ``extra`` is not installed."""
    programs = [*_programs(extra), (ENGINE, engine)]
    made_by = Path(__file__).read_bytes()
    key = hashlib.sha256(agent + init.encode() + sys.version.encode() + made_by)
    for name, path in programs:
        status = path.stat()
        key.update(f"{name} {path} {status.st_size} {status.st_mtime_ns}\n".encode())
    return cached(f"userland-{key.hexdigest()[:32]}", lambda: _made(programs, agent, init))


def _programs(extra: Sequence[str]) -> list[tuple[str, Path]]:
    found = {name: shutil.which(name, path=_PATH) for name in (*PROGRAMS, *extra)}
    for name in extra:
        if not found[name]:
            raise RefusedError(f"there is no program {name} here", remedy="install it")
    return [(name, Path(place)) for name, place in found.items() if place]


def _made(programs: Iterable[tuple[str, Path]], agent: bytes, init: str) -> bytes:
    items: dict[str, Item] = {path: cpio.folder(mode) for path, mode in _FOLDERS.items()}
    items |= {path: cpio.file(text.encode()) for path, text in _TEXTS.items()}
    present = (Path(path) for path in _FILES if Path(path).is_file())
    items |= {str(path): cpio.file(path.read_bytes()) for path in present}
    items |= {
        "/init": cpio.file(_SHEBANG + init.encode(), runs=True),
        ASKED: cpio.file(_ASKED, runs=True),
        AGENT: cpio.file(_agent(agent)),
    }
    items |= {f"/{name}": cpio.link(f"usr/{name}") for name in ("bin", "sbin", "lib")}
    items["/usr/sbin"] = cpio.link("bin")
    linked, libraries = [], set[str]()
    for name, path in programs:
        items[f"/usr/bin/{name}"] = cpio.file(path.read_bytes(), runs=True)
        if name == ENGINE:
            libraries.update(_libraries_of_engine(path))
        else:
            linked.append(path)
    major, minor = sys.version_info[:2]
    interpreter = Path(sys.base_exec_prefix, f"bin/python{major}.{minor}").resolve()
    place, extensions = _python(items, interpreter)
    items["/usr/bin/python3"] = cpio.link(place)
    libraries.update(_libraries([*linked, interpreter, *extensions]))
    for library in sorted(libraries):
        items[_merged(library)] = cpio.file(Path(library).read_bytes(), runs=True)
    return cpio.archive(items)


def _python(items: dict[str, Item], interpreter: Path) -> tuple[str, list[Path]]:
    """The interpreter where it is here, its library as one archive of compiled modules."""
    place = _merged(str(interpreter))
    items[place] = cpio.file(interpreter.read_bytes(), runs=True)
    library = Path(sysconfig.get_paths()["stdlib"])
    major, minor = sys.version_info[:2]
    items[f"{_merged(str(library.parent))}/python{major}{minor}.zip"] = cpio.file(_library(library))
    items[f"{_merged(str(library))}/os.py"] = cpio.file((library / "os.py").read_bytes())
    found = sorted((library / "lib-dynload").glob("*.so"))
    extensions = [each for each in found if not each.name.startswith(_UNUSED_EXTENSIONS)]
    for each in extensions:
        items[_merged(str(each))] = cpio.file(each.read_bytes(), runs=True)
    return place, extensions


def _library(folder: Path) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder).parts
            if not _UNUSED.isdisjoint(parts) or parts[0].startswith(("config-", "_sysconfigdata")):
                continue
            name = path.relative_to(folder).with_suffix(".pyc").as_posix()
            archive.writestr(zipfile.ZipInfo(name), _compiled(path.read_bytes(), name))
    return data.getvalue()


def _agent(archive: bytes) -> bytes:
    """The same modules, compiled: an emulated machine would take a second for it at each boot."""
    data = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(archive)) as sources,
        zipfile.ZipFile(data, "w", zipfile.ZIP_STORED) as compiled,
    ):
        for source in sources.namelist():
            name = f"{source}c"
            compiled.writestr(zipfile.ZipInfo(name), _compiled(sources.read(source), name))
    return data.getvalue()


def _compiled(source: bytes, name: str) -> bytes:
    """As PEP 552 has it: a module that is not compared with its source."""
    code = compile(source, name.removesuffix("c"), "exec", dont_inherit=True, optimize=0)
    unchecked = (1).to_bytes(4, "little")
    return importlib.util.MAGIC_NUMBER + unchecked + bytes(8) + marshal.dumps(code)


def _libraries(programs: Iterable[Path]) -> list[str]:
    """What programs and libraries are linked with, the loader too."""
    argv = ["ldd", *map(str, programs)]
    env = {"LC_ALL": "C", "PATH": _PATH}
    done = subprocess.run(argv, capture_output=True, check=False, text=True, env=env)
    return sorted(set(_LIBRARY.findall(done.stdout)))


def _libraries_of_engine(engine: Path) -> list[str]:
    """The same of an engine, which may be what is under test: its file may have the loader run what
    it likes, and what the loader says repeats the names that stand in it."""
    real = engine.resolve()
    words = ["ldd", str(real)]
    try:
        with reader(
            words, real, package="libc-bin", most=_LISTED_BYTES, timeout_s=_LISTED_S
        ) as said:
            text = said.read(_LISTED_BYTES).decode(errors="replace")
    except RunError:  # it needs none
        return []
    return [each for each in _LIBRARY.findall(text) if _is_library(Path(each))]


def _is_library(path: Path) -> bool:
    if not str(path.resolve()).startswith(_LIBRARIES) or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def _merged(path: str) -> str:
    """Where a path is in a root whose /bin, /sbin and /lib are those of /usr."""
    folder = str(Path(path).parent)
    if folder in ("/bin", "/sbin", "/usr/sbin"):
        return f"/usr/bin/{Path(path).name}"
    return f"/usr{path}" if path.startswith("/lib/") else path
