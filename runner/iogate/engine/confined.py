"""The launcher that confines an engine, put before the engine's own command."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace

from iogate.errors import RunError
from iogate.model.confinement import Confinement, plan_text
from iogate.sut.access import is_kept_out, needs_override, way_to
from iogate.sut.base import Completed, Sut

SAYS = "iogate-engine: confine: "
REFUSALS = (2, 3)
"""Statuses of the launcher's own, with a line that begins with ``SAYS``."""
_LIBRARY = re.compile(r"(?:=>\s*)?(/\S+) \(0x")
_OVERRIDE = "dac_override"


def confined(sut: Sut, argv: list[str], confinement: Confinement) -> tuple[list[str], str]:
    """The command that starts ``argv`` confined, and the text of its plan, in which
    ``{status_fd}`` stands as in the command."""
    program = argv[0] if argv[0].startswith("/") else sut.real_path(argv[0])
    looks = sut.read_many((), [program, *way_to(program)])
    entry = looks.get(program)
    inode, real = (entry.stat.inode, entry.real_path) if entry else (0, program)
    libraries = _libraries(sut, program, inode, confinement)
    reads = (*confinement.reads, *libraries)
    user = sut.about().user
    capabilities = confinement.capabilities
    if real == program:
        kept_out = is_kept_out(looks, real, user)
    else:
        kept_out = needs_override(sut, real, user)
    if _OVERRIDE not in capabilities and kept_out:
        capabilities = (*capabilities, _OVERRIDE)
    whole = replace(confinement, reads=reads, capabilities=capabilities)
    status = ("{status_fd}",) if any("{status_fd}" in word for word in argv) else ()
    command = [
        confinement.launcher,
        "--confine",
        "/proc/self/fd/{plan_fd}",
        "--",
        program,
        *argv[1:],
    ]
    return command, plan_text(whole, status)


def ask(sut: Sut, argv: list[str], confinement: Confinement | None) -> Completed:
    """Run a program that only says what it is to its end, confined where there is a way to.
    RunError when it cannot start."""
    if confinement is None:
        return sut.run(argv)
    command, plan = confined(sut, argv, confinement.to_ask)
    done = sut.run([word.replace("{plan_fd}", "0") for word in command], stdin=plan)
    if done.status in REFUSALS and done.stderr.startswith(SAYS):
        raise RunError(done.stderr.removeprefix(SAYS).strip())
    return done


def loads(sut: Sut, program: str, confinement: Confinement) -> bool:
    """Whether the loader loads the library that is put before a program's own."""
    return confinement.preload in _listed(sut, sut.real_path(program), confinement)


_found: dict[tuple[str, str, int], tuple[str, ...]] = {}


def _libraries(sut: Sut, program: str, inode: int, confinement: Confinement) -> tuple[str, ...]:
    """Libraries of a program that are not where a system keeps its own; asked once, as it
    takes longer than everything else before a repetition."""
    key, known = (sut.name, program, inode), confinement.reads
    if key not in _found:
        own = sut.real_path(program)
        alone = replace(confinement, preload="")
        paths = () if _is_below(own, known) else _listed(sut, program, alone)
        looks = sut.read_many((), paths) if paths else {}
        real = dict.fromkeys(looks[path].real_path for path in paths if path in looks)
        beside = (posixpath.dirname(own), posixpath.dirname(program))
        _found[key] = tuple(
            path
            for path in real
            if not _is_below(path, known) and _is_below(path, beside) and _is_elf(sut, path)
        )
    return _found[key]


def _is_elf(sut: Sut, path: str) -> bool:
    """Whether a file may be a library. What a program needs stands in it as whoever made it likes,
    and the loader repeats it: lines that name any file can be in it."""
    return sut.read_head(path).startswith(b"\x7fELF")


def _is_below(path: str, folders: tuple[str, ...]) -> bool:
    return any(path.startswith(f"{folder}/") for folder in folders)


def _listed(sut: Sut, program: str, confinement: Confinement) -> tuple[str, ...]:
    """What the loader would load. It looks at the program's file, so it is confined as well, and
    may read what stands beside the program."""
    ldd = sut.which("ldd")
    if ldd is None:
        return ()
    beside = (*confinement.reads, posixpath.dirname(program))
    looking = replace(confinement.to_ask, reads=tuple(dict.fromkeys(beside)))
    try:
        lines = ask(sut, [ldd, program], looking).stdout.splitlines()
    except RunError:
        return ()
    return tuple(match[1] for line in lines if (match := _LIBRARY.search(line)))
