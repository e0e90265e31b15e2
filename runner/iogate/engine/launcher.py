"""The launcher that confines engines: found, and asked what this kernel gives."""

from __future__ import annotations

from iogate.engine.native import launcher_places
from iogate.errors import RunError
from iogate.files.bounded import parse_json
from iogate.model.confinement import Layers, layers_of_probe
from iogate.sut.base import Sut


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
        return None if done.status else layers_of_probe(path, parse_json(done.stdout))
    except (RunError, ValueError, AttributeError):
        return None
