"""The calls of a machine and of what it gives, by the protocols in ``base``."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args, get_type_hints

from iogate.sut.base import KernelLog, LockFile, Process, Sut
from iogate.sut.wire import WireError, plain, typed

GIVEN = (Process, KernelLog, LockFile)
"""What a call may give that is called, too."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call: its parameters' types, and what it gives: a value of type ``result``, or an object
    with the protocol ``gives``."""

    signature: inspect.Signature
    hints: Mapping[str, Any]
    result: Any
    gives: Any = None

    def packed(self, words: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments for the line."""
        bound = self.signature.bind(*words, **named)
        return {name: plain(value) for name, value in bound.arguments.items()}

    def unpacked(self, given: Any) -> dict[str, Any]:
        """Arguments from the line. WireError for what the call does not take."""
        if not isinstance(given, dict) or not given.keys() <= self.hints.keys():
            raise WireError("the line carries arguments that the call does not have")
        return {name: typed(value, self.hints[name]) for name, value in given.items()}


@cache
def calls_of(protocol: type) -> Mapping[str, Call]:
    """The calls of a protocol by name."""
    return {
        name: _call(function)
        for name, function in vars(protocol).items()
        if inspect.isfunction(function) and not name.startswith("_")
    }


def _call(function: Any) -> Call:
    hints = get_type_hints(function)
    result = hints.pop("return")
    signature = inspect.signature(function)
    _own, *parameters = signature.parameters.values()
    given = next((each for each in GIVEN if each in (result, *get_args(result))), None)
    return Call(signature.replace(parameters=parameters), hints, result, given)


MACHINE: type = Sut
"""The protocol of what has number 0."""
