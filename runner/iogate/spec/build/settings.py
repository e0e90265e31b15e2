"""Settings of the host as axes of a matrix: ``environment.block.scheduler``."""

from __future__ import annotations

from collections.abc import Mapping as Map

from iogate.errors import Location, SpecError
from iogate.model.axes import is_setting
from iogate.model.environment import DropCaches, Environment, laid_over
from iogate.spec.build.environment import build_environment
from iogate.spec.text.problems import Problems, listed, suggest
from iogate.spec.text.tree import Entry, Mapping, Scalar

PREFIX = "environment."
_FLAGS = ("turbo", "smt")
_OF_CPU = ("governor", *_FLAGS, "cpus_allowed")
_FORMS = ("cpu.governor", "block.scheduler", "sysctl.vm.dirty_ratio", "drop_caches")


def check_setting(key: str, where: Location) -> None:
    """SpecError for a key that begins as a setting does, and is none."""
    section, _, name = key.removeprefix(PREFIX).partition(".")
    if section == "cpu" and name not in _OF_CPU:
        raise SpecError(
            f"there is no setting {name!r} of the CPUs",
            remedy=suggest(name, _OF_CPU) or f"it is one of {listed(_OF_CPU)}",
            where=where,
        )
    if not is_setting(key):
        raise SpecError(
            f"{key} is no setting that can vary",
            remedy=f"such as {listed(PREFIX + form for form in _FORMS)}",
            where=where,
        )


def check_value(key: str, text: str, where: Location) -> str:
    """The value of a setting. SpecError for one that it cannot have."""
    name = key.rpartition(".")[2]
    words = _words(key, name)
    if words and text not in words:
        raise SpecError(
            f"{name} is {listed(words)}, not {text!r}",
            remedy=suggest(text, words),
            where=where,
        )
    _built({key: text}, where)
    return " ".join(text.split())


def _words(key: str, name: str) -> tuple[str, ...]:
    """All values of a setting that has few; empty for others."""
    if key.startswith(f"{PREFIX}cpu.") and name in _FLAGS:
        return ("true", "false")
    return tuple(DropCaches) if key == f"{PREFIX}drop_caches" else ()


def environment_at(
    usual: Environment | None, point: Map[str, str], where: Location | None
) -> Environment | None:
    """The settings of the case of a point: the spec's, with those of the point in their place."""
    settings = {key: value for key, value in point.items() if is_setting(key)}
    if not settings:
        return usual
    return laid_over(usual, _built(settings, where or Location("", 1, 1)))


def _built(settings: Map[str, str], where: Location) -> Environment | None:
    tree = Mapping(where)
    for key, text in settings.items():
        section, dot, name = key.removeprefix(PREFIX).partition(".")
        entry = Entry(where, Scalar(where, text))
        if not dot:
            tree.entries[section] = entry
            continue
        below = tree.entries.setdefault(section, Entry(where, Mapping(where))).value
        assert isinstance(below, Mapping)
        below.entries[name] = entry
    problems = Problems()
    environment = build_environment(tree, problems)
    problems.check()
    return environment
