"""Whether a checkout that may be hostile has changes that no commit has.

To compare a file, git runs the filter that the checkout's attributes name and its configuration
defines, in submodules too. None is run here: a file with a filter (of git-lfs, say) is unchanged
where it has the times and the size that git has noted, and else counts as changed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath

from iogate.errors import RunError
from iogate.git.command import SAFE_ENV, call, safe_git

_GIT = safe_git("safe.bareRepository=explicit")
_TIMEOUT_S = 10.0
_FILTERS = r"^filter\..*\.(clean|smudge|process|required)$"
_MODULES = r"^submodule\..*\.path$"
_STATUS = (
    "status", "-z", "--porcelain", "--no-renames", "--untracked-files=no",
    "--ignore-submodules=dirty",
)  # fmt: skip
_WRITTEN = " M "  # not staged, and other than what is staged
_MOST_FILES, _AT_ONCE = 20_000, 500
_NOTED = re.compile(
    r"([^\0]+)\0  ctime: (\d+):(\d+)\n  mtime: (\d+):(\d+)\n"
    r"  dev: .*\n  uid: .*\n  size: (\d+)\t.*\n"
)
_NS = 1_000_000_000
_NO_TEXT = "\ufffd"  # what stands for bytes that are none
_MOST_MODULES = 1000


def has_changes() -> bool:
    """Of the checkout that holds the working directory, its submodules counted in. A filter that
    cannot be turned off makes it changed; where git says nothing, it is not."""
    todo, seen = [Path.cwd()], set[Path]()
    while todo:
        folder = todo.pop()
        top = Path(_ask(folder, "rev-parse", "--show-toplevel").removesuffix("\n") or folder)
        if top in seen:
            continue
        seen.add(top)
        if len(seen) > _MOST_MODULES or _has_own_changes(top):
            return True
        todo.extend(_modules(top))
    return False


def _has_own_changes(top: Path) -> bool:
    filters = _filters(top, {})
    off = _without(top, filters)
    if off is None:
        return True
    entries = [entry for entry in _ask(top, *_STATUS, env=off).split("\0") if entry]
    if len(entries) > _MOST_FILES or not all(each.startswith(_WRITTEN) for each in entries):
        return True
    paths = [entry.removeprefix(_WRITTEN) for entry in entries]
    names = {name.removeprefix("filter.").rpartition(".")[0] for name in filters}
    return not all(_are_as_noted(top, each, names) for each in _batched(paths))


def _are_as_noted(top: Path, paths: Sequence[str], filters: Collection[str]) -> bool:
    """Whether each file has a filter, and the times and size that git has noted. Right after a
    checkout git does not trust these: another change may have come within the same second."""
    said = _ask(top, "check-attr", "-z", "filter", "--", *paths).split("\0")
    filtered = {path for path, name in zip(said[::3], said[2::3], strict=False) if name in filters}
    literal = {"GIT_LITERAL_PATHSPECS": "1"}
    noted = _NOTED.findall(_ask(top, "ls-files", "-z", "--debug", "--", *paths, env=literal))
    same = {path for path, *stat in noted if path in filtered and _stat(top / path) == stat}
    return same.issuperset(paths)


def _stat(path: Path) -> list[str]:
    """When it was changed, and what is in it, in seconds and nanoseconds, and its size, as git
    notes that; of what is not there, nothing."""
    with suppress(OSError, ValueError):
        status = path.lstat()
        times = (*divmod(status.st_ctime_ns, _NS), *divmod(status.st_mtime_ns, _NS))
        return [str(number) for number in (*times, status.st_size & 0xFFFFFFFF)]
    return []


def _batched(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    """As many at once as fit into a command line."""
    yield from (paths[start : start + _AT_ONCE] for start in range(0, len(paths), _AT_ONCE))


def _without(top: Path, filters: Mapping[str, str]) -> Mapping[str, str] | None:
    """An environment in which no filter of the checkout is a program; None where there is none."""
    if any(_NO_TEXT in name for name in filters):
        return None
    env = _with_settings({name: _off(name) for name in filters})
    still = _filters(top, env) if filters else {}
    return None if any(value != _off(name) for name, value in still.items()) else env


def _off(name: str) -> str:
    return "false" if name.endswith(".required") else ""


def _filters(folder: Path, env: Mapping[str, str]) -> dict[str, str]:
    """What the configuration says of filters, by its full names: of several the last counts."""
    said = _ask(folder, "config", "-z", "--get-regexp", _FILTERS, env=env)
    pairs = (entry.partition("\n") for entry in said.split("\0") if entry)
    return {name: value for name, _, value in pairs}


def _with_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """As variables: a name with an equals sign in it cannot be given to ``-c``."""
    given = os.environ.get("GIT_CONFIG_COUNT", "")
    first = int(given) if given.isdecimal() else 0
    env = {"GIT_CONFIG_COUNT": str(first + len(settings))}
    for number, (name, value) in enumerate(settings.items(), first):
        env |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return env


def _modules(top: Path) -> list[Path]:
    """The submodules that are checked out. Those of ``.gitmodules``: what else has a repository in
    it is none of git's commits."""
    if (top / ".gitmodules").is_symlink() or not (top / ".gitmodules").is_file():
        return []
    words = ("config", "-z", "--file", str(top / ".gitmodules"), "--get-regexp", _MODULES)
    paths = (entry.partition("\n")[2] for entry in _ask(top, *words).split("\0") if entry)
    return [top / path for path in dict.fromkeys(paths) if _is_checked_out(top, path)]


def _is_checked_out(top: Path, path: str) -> bool:
    with suppress(OSError, ValueError):
        inside = (top / path).resolve().is_relative_to(top.resolve()) and path not in ("", ".")
        return inside and ".." not in PurePosixPath(path).parts and (top / path / ".git").exists()
    return False


def _ask(folder: Path, *words: str, env: Mapping[str, str] | None = None) -> str:
    """What git says, as it is; empty where it refuses, or is not there."""
    try:
        argv = [*_GIT, "-C", str(folder), *words]
        done = call(argv, timeout_s=_TIMEOUT_S, env={**SAFE_ENV, **(env or {})})
    except RunError:
        return ""
    return done.stdout if done.status == 0 else ""
