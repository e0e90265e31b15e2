"""The section ``environment``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from iogate.model.environment import DropCaches, Environment, Require
from iogate.model.kernel_parameters import is_name, why_not_set
from iogate.spec.text.problems import Problems
from iogate.spec.text.scalars import plain_value
from iogate.spec.text.tree import Mapping, Node, Scalar

_ATTRIBUTE = re.compile(r"[a-z][a-z0-9_]{0,63}", re.ASCII)
_SETTING = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._,:+/-]{0,199}|-?[0-9]+", re.ASCII)
_CPUS = re.compile(r"[0-9]{1,5}(-[0-9]{1,5})?(,[0-9]{1,5}(-[0-9]{1,5})?)*", re.ASCII)


def build_environment(node: Node | None, problems: Problems) -> Environment | None:
    """The section as settings; None where it says nothing. What is wrong is noted."""
    if not isinstance(node, Mapping):
        return None
    cpu = dict(_texts(node.get("cpu")))
    built = Environment(
        governor=cpu["governor"].text if "governor" in cpu else "",
        turbo=_flag(cpu.get("turbo")),
        smt=_flag(cpu.get("smt")),
        cpus_allowed=_cpus(cpu.get("cpus_allowed"), problems),
        block=_settings(node.get("block"), _is_attribute, "attribute of a request queue", problems),
        sysctl=_settings(node.get("sysctl"), is_name, "kernel parameter", problems),
        drop_caches=_drop_caches(node.get("drop_caches")),
        require=_require(node.get("require")),
        where=node.where,
    )
    _check_word(cpu.get("governor"), problems)
    _check_tunable(node.get("sysctl"), problems)
    empty = not built.measured_under and built.require == Require() and not built.drop_caches
    return None if empty else built


def _is_attribute(text: str) -> bool:
    return _ATTRIBUTE.fullmatch(text) is not None


def _texts(node: Node | None) -> Iterator[tuple[str, Scalar]]:
    if isinstance(node, Mapping):
        for key, entry in node.entries.items():
            if isinstance(entry.value, Scalar) and not key.startswith("x-"):
                yield key, entry.value


def _flag(scalar: Scalar | None) -> bool | None:
    return None if scalar is None else plain_value(scalar) is True


def _cpus(scalar: Scalar | None, problems: Problems) -> str:
    if scalar is None:
        return ""
    if not _CPUS.fullmatch(scalar.text):
        problems.add(
            f"cpus_allowed is a list of CPUs, not {scalar.text!r}", scalar.where, "such as 0,2-9"
        )
    return scalar.text


def _settings(
    node: Node | None, is_form: Callable[[str], bool], what: str, problems: Problems
) -> dict[str, str]:
    settings = {}
    for key, scalar in _texts(node):
        if not is_form(key):
            problems.add(f"{key!r} is no {what}", scalar.where, "give its plain name")
        _check_word(scalar, problems)
        settings[key] = " ".join(scalar.text.split())
    return settings


def _check_word(scalar: Scalar | None, problems: Problems) -> None:
    if scalar is not None and not _SETTING.fullmatch(scalar.text):
        problems.add(
            f"{scalar.text!r} cannot be a setting", scalar.where, "write words or numbers, one line"
        )


def _check_tunable(node: Node | None, problems: Problems) -> None:
    for key, scalar in _texts(node):
        if why := why_not_set(key):
            problems.add(f"the kernel parameter {key} is not set by a spec", scalar.where, why)


def _drop_caches(node: Node | None) -> DropCaches | None:
    return DropCaches(node.text) if isinstance(node, Scalar) else None


def _require(node: Node | None) -> Require:
    texts = dict(_texts(node))
    load, hottest = texts.get("max_loadavg"), texts.get("max_temperature")
    return Require(
        max_loadavg=float(load.text) if load else None,
        max_temperature_c=int(hottest.text.rstrip("C ")) if hottest else None,
        no_throttle=_flag(texts.get("no_throttle")) is True,
        quiet=_flag(texts.get("quiet")) is True,
    )
