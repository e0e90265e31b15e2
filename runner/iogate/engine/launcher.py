"""The launcher that confines engines: found, and asked what this kernel gives."""

from __future__ import annotations

import json
from typing import Any

from iogate.engine.native import launcher_places
from iogate.errors import RunError
from iogate.model.confinement import Layers
from iogate.sut.base import Sut

_PROBE = "confine-probe/1"


def find_layers(sut: Sut) -> Layers | None:
    """What the first launcher that answers found; None where there is none. An engine of
    another version, or a script in its place, is no launcher."""
    for path in launcher_places(sut):
        if sut.stat(path) and (layers := _ask(sut, path)):
            return layers
    return None


def _ask(sut: Sut, path: str) -> Layers | None:
    try:
        done = sut.run([path, "--confine-probe"])
        probe: dict[str, Any] = json.loads(done.stdout)
        if done.status or probe["schema"] != _PROBE:
            return None
        return Layers(
            launcher=path,
            landlock=int(probe["landlock"]),
            namespaces=bool(probe["namespaces"]),
            read_only=bool(probe["read_only"]),
            network=bool(probe["network"]),
            capabilities=bool(probe["capabilities"]),
            through_user=bool(probe["user_namespace"]),
        )
    except (RunError, ValueError, KeyError, TypeError):
        return None
