"""The library of an arm, which its engine is started with: what it is, and that it is loaded."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace

from iogate.boot.standing import build_id
from iogate.engine.base import Engine
from iogate.engine.confined import loads
from iogate.engine.native import find_program
from iogate.errors import EngineError, RefusedError
from iogate.host.facts import Fact
from iogate.host.sandbox import Sandbox
from iogate.model.comparison import CANDIDATE, Arm, Comparison
from iogate.sut.base import Sut

_PATH = re.compile(r"/[A-Za-z0-9_.+/@-]+", re.ASCII)  # the loader separates others by blanks
_NOTE = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"


def held_with(sut: Sut, sandbox: Sandbox, arm: Arm, engine: Engine) -> Sandbox:
    """The sandbox in which the engine of an arm is started with its library. EngineError where it
    would not load it, RefusedError where there is no such library, or nothing confines it."""
    if not arm.library:
        return sandbox
    path, _ = _read(sut, arm)
    held = replace(sandbox, library=path)
    confinement = held.to_ask()
    if confinement is None:
        raise RefusedError(
            f"arm {arm.name} brings a library, and nothing confines the engine here",
            remedy="measure where 'iogate doctor' finds a confinement, and without --unconfined",
        )
    own = arm.engine or (find_program(sut) if engine.name == "native" else engine.name)
    program = sut.which(own) or own
    if not loads(sut, program, confinement):
        raise EngineError(
            f"arm {arm.name}: {program} does not load {path}",
            remedy="an engine that is linked statically loads none, and a library has to be built "
            "for this machine; LD_PRELOAD and ldd show what the loader says",
        )
    return held


def library_facts(sut: Sut, comparison: Comparison) -> Mapping[str, Fact]:
    """What the libraries of the arms are: ``library.sha256``, and for the candidate
    ``candidate.library.sha256``. RefusedError where there is no such library."""
    facts: dict[str, Fact] = {}
    for arm, start in zip(comparison.arms, ("", CANDIDATE), strict=True):
        if arm.library:
            path, data = _read(sut, arm)
            at = data.find(_NOTE)
            said = {
                "path": path,
                "sha256": hashlib.sha256(data).hexdigest(),
                "build_id": build_id(data[at : at + len(_NOTE) + 20]) if at >= 0 else "",
            }
            facts |= {f"{start}library.{key}": value for key, value in said.items() if value}
    return facts


def _read(sut: Sut, arm: Arm) -> tuple[str, bytes]:
    """Where the library of an arm is, no link in its path, and its bytes."""
    path = sut.real_path(arm.library)
    found = sut.read_many([path]).get(path)
    if found is None or not found.data:
        raise RefusedError(
            f"arm {arm.name}: cannot read the library {arm.library}",
            remedy="build it first, or correct its path",
        )
    if not _PATH.fullmatch(path):
        raise RefusedError(
            f"arm {arm.name}: the path {path!r} holds what the loader does not take",
            remedy="put the library in a folder of plain names",
        )
    return path, found.data
