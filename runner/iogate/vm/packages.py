"""Packages of kernels, unpacked: the kernel, its modules and its symbols, as regular files below a
folder of the cache. Nothing of a package leads out of that folder, and those that nobody uses make
room for others."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import tempfile
from pathlib import Path, PurePosixPath

from iogate.errors import RunError
from iogate.files.bounds import GIB
from iogate.vm.archives import Files, cpio_files, tar_files
from iogate.vm.cache import KEPT, cache_folder, changed
from iogate.vm.readers import reader

_TIMEOUT_S = 600.0
_MOST_BYTES = 8 * GIB
_MOST_FILES = 100_000
_WANTED = ("boot", "lib/modules", "usr/lib/modules", "usr/lib/debug")
_AGAIN = "get the package again, or name the bzImage"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
OF_THIS_MACHINE = (
    errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.ENOMEM, errno.EMFILE, errno.ENFILE,
)  # fmt: skip
"""Numbers of errors that are no fault of what is read."""
_held: dict[Path, int] = {}
"""Descriptors whose locks keep folders of this process from being removed by another one."""


class BrokenPackageError(RunError):
    """A package that cannot be unpacked, wherever that is tried."""


def unpacked(package: Path, digest: str) -> Path:
    """The folder of a package's files, by what is in it: unpacked once. BrokenPackageError for what
    cannot be unpacked, RunError where there is no room for it here, RefusedError without the
    program for it."""
    folder = cache_folder("kernels")
    into = folder / digest[:32]
    if _hold(into):
        return into
    _prune(folder)
    try:
        _make(package, folder, into)
    except OSError as error:
        why = error.strerror or str(error)
        if error.errno in OF_THIS_MACHINE:
            remedy = "make room there, or name another folder: XDG_CACHE_HOME"
            raise RunError(f"cannot unpack {package} in {folder}: {why}", remedy=remedy) from error
        raise _broken(package, why) from error
    return into


def _make(package: Path, folder: Path, into: Path) -> None:
    """Whole, or not there."""
    fresh = Path(tempfile.mkdtemp(prefix=".", dir=folder))
    try:
        _hold(fresh)
        _unpack(package, fresh)
        try:
            fresh.rename(into)
        except OSError:
            if not _hold(into):  # no other iogate was faster
                raise
        else:
            _held[into] = _held.pop(fresh)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        if fresh in _held:
            os.close(_held.pop(fresh))


def _hold(place: Path) -> bool:
    """Keep a folder for as long as this process lives; False where there is none."""
    if place in _held:
        return place.is_dir()
    try:
        handle = _opened(place)
    except FileNotFoundError:
        return False
    fcntl.flock(handle, fcntl.LOCK_SH)  # waits for whoever removes it
    try:
        is_there = os.path.samestat(os.fstat(handle), place.lstat())
    except FileNotFoundError:
        is_there = False
    if not is_there:
        os.close(handle)
        return _hold(place)
    os.utime(handle)
    _held[place] = handle
    return True


def _opened(place: Path) -> int:
    return os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)


def _prune(folder: Path) -> None:
    """Of those that no process holds only the newest stay."""
    for old in sorted(folder.iterdir(), key=changed)[: 1 - KEPT]:
        try:
            handle = _opened(old)
        except OSError:
            continue
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(old, ignore_errors=True)
        except BlockingIOError:
            pass
        finally:
            os.close(handle)


def _unpack(package: Path, into: Path) -> None:
    if package.suffix == ".deb":
        argv, debian = ["dpkg-deb", "--fsys-tarfile", str(package)], "dpkg"
    else:
        argv, debian = ["rpm2cpio", str(package)], "rpm2cpio"
    try:
        with reader(argv, package, package=debian, most=_MOST_BYTES, timeout_s=_TIMEOUT_S) as said:
            _keep(tar_files(said) if package.suffix == ".deb" else cpio_files(said), into)
    except ValueError as error:
        raise _broken(package, str(error)) from error
    except RunError as error:
        raise _broken(package, error.what) from error


def _keep(files: Files, into: Path) -> None:
    """OSError for a file that cannot be made, as where another one is in its way."""
    left = _MOST_FILES
    for name, parts in files:
        parts_of_name = _wanted(name)
        if not parts_of_name:
            continue
        left -= 1
        if left < 0:
            raise ValueError(f"it holds more than {_MOST_FILES:,} files of a kernel")
        place = into.joinpath(*parts_of_name)
        place.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(place, _NEW, 0o644), "wb") as out:
            out.writelines(parts)


def _wanted(name: str) -> tuple[str, ...]:
    """The parts of a name that belongs to a kernel; empty for another one. ValueError for one that
    leads out."""
    parts = tuple(part for part in PurePosixPath(name).parts if part != "/")
    if ".." in parts:
        raise ValueError(f"it holds {name!r}, which leads out of it")
    below = "/".join(parts[:-1])
    return parts if any(f"{below}/".startswith(f"{each}/") for each in _WANTED) else ()


def _broken(package: Path, why: str) -> BrokenPackageError:
    return BrokenPackageError(f"cannot unpack {package}: {why}", remedy=_AGAIN)
