"""Which files of the kernel's an environment means on this host: one ``Knob`` a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iogate.errors import Location, RefusedError
from iogate.model.environment import Environment
from iogate.model.tied_settings import CPU, chosen
from iogate.sut.base import Sut

# In a request queue: a change of the first sets others anew, and of most the last.
_ORDER = {"scheduler": 0, "read_ahead_kb": 2, "async_depth": 2}
_LACKS_SMT = ("notsupported", "notimplemented", "forceoff")


@dataclass(frozen=True, slots=True)
class Knob:
    """A file, what it is to say, and the key of the spec that wants it."""

    key: str
    path: str
    value: str


def knobs_of(sut: Sut, environment: Environment, disks: Sequence[str]) -> tuple[Knob, ...]:
    """In the order to set them: CPUs that are switched off come last, as they take their
    other files with them. ``disks`` are names such as ``nvme0n1``. RefusedError for a setting
    that this host does not have."""
    where = environment.where
    return (
        *_governor(sut, environment.governor, where),
        *_turbo(sut, environment.turbo, where),
        *_block(sut, environment, disks),
        *_sysctl(sut, environment),
        *_smt(sut, environment.smt, where),
    )


def _lacking(key: str, what: str, where: Location | None) -> RefusedError:
    return RefusedError(
        f"environment: {key}: this host {what}",
        remedy=f"leave {key} out of the spec, or measure on a host that has it",
        where=where,
    )


def _governor(sut: Sut, wanted: str, where: Location | None) -> Iterator[Knob]:
    if not wanted:
        return
    base = f"{CPU}/cpufreq"
    policies = [name for name in sut.list_dir(base) if name.startswith("policy")]
    if not policies:
        raise _lacking("cpu.governor", f"has no frequency scaling ({base}/policy*)", where)
    for policy in policies:
        offered = (sut.read_text(f"{base}/{policy}/scaling_available_governors") or "").split()
        if wanted not in offered:
            what = f"has no governor {wanted}, but {', '.join(offered) or 'none'} ({policy})"
            raise _lacking("cpu.governor", what, where)
        yield Knob("cpu.governor", f"{base}/{policy}/scaling_governor", wanted)


def _turbo(sut: Sut, wanted: bool | None, where: Location | None) -> Iterator[Knob]:
    if wanted is None:
        return
    switches = (
        (f"{CPU}/intel_pstate/no_turbo", "0" if wanted else "1"),
        (f"{CPU}/cpufreq/boost", "1" if wanted else "0"),
    )
    for path, value in switches:
        if sut.read_text(path) is not None:
            yield Knob("cpu.turbo", path, value)
            return
    places = " or ".join(path for path, _value in switches)
    raise _lacking("cpu.turbo", f"has no switch for it ({places})", where)


def _smt(sut: Sut, wanted: bool | None, where: Location | None) -> Iterator[Knob]:
    if wanted is None:
        return
    path = f"{CPU}/smt/control"
    now = chosen(sut.read_text(path) or "notimplemented")
    if not wanted and now in _LACKS_SMT:
        return
    if now not in ("on", "off"):
        raise _lacking("cpu.smt", f"cannot switch it: {path} says {now}", where)
    yield Knob("cpu.smt", path, "on" if wanted else "off")


def _block(sut: Sut, environment: Environment, disks: Sequence[str]) -> Iterator[Knob]:
    names = sorted(environment.block, key=lambda name: _ORDER.get(name, 1))
    for disk in disks:
        queue = f"/sys/block/{disk}/queue"
        for name in names:
            value, path = environment.block[name], f"{queue}/{name}"
            text = sut.read_text(path)
            if text is None and (name, value) == ("scheduler", "none"):
                continue  # a device without requests, such as zram or dm, schedules nothing
            if text is None:
                raise _lacking(f"block.{name}", f"has no {path}", environment.where)
            offered = text.replace("[", "").replace("]", "").split()
            if "[" in text and value not in offered:
                what = f"has for {disk} {' and '.join(offered)}, and not {value}"
                raise _lacking(f"block.{name}", what, environment.where)
            yield Knob(f"block.{name}", path, value)


def _sysctl(sut: Sut, environment: Environment) -> Iterator[Knob]:
    for name, value in environment.sysctl.items():
        path = f"/proc/sys/{name.replace('.', '/')}"
        if sut.read_text(path) is None:
            raise _lacking(f"sysctl.{name}", f"has no {path} that can be read", environment.where)
        yield Knob(f"sysctl.{name}", path, value)
