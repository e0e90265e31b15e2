"""May this device be overwritten? Only when nothing uses it, and the spec says so, names its
identity and what is on it. Every reason to refuse is a function of the tables ``WAYS`` (who
uses it) and ``GUARDS``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from iogate.host.devices.block_devices import Device
from iogate.host.devices.identify import identity_hint, mismatch, no_identity
from iogate.host.devices.in_use import Look, Refusal, claimed, look_at, user_of
from iogate.host.devices.signatures import UnreadableError, foreign, unexpected
from iogate.model.signatures import ANYTHING
from iogate.model.spec import Destroy
from iogate.sut.base import Sut

Guard = Callable[[Look, Destroy], Refusal | None]


def refusal(
    sut: Sut,
    device: Device,
    destroy: Destroy | None,
    *,
    written: bool = False,
    kin: Sequence[Device] = (),
    keeps: Callable[[Look], Refusal | None] = lambda _look: None,
) -> Refusal | None:
    """The first reason not to write to the device; None when it may be overwritten. What no
    ``destroy:`` lifts comes first: nobody is advised to let go of what is in use. ``written``:
    this run has already overwritten it, and what is on it now is its own. ``kin``: other devices
    that it may overwrite, a filesystem of iogate's own over which is recognised here, too.
    ``keeps`` is one more reason that no ``destroy:`` lifts."""
    look = look_at(sut, device, tuple(kin))
    if refused := user_of(look) or keeps(look):
        return refused
    if destroy is None:
        return Refusal(
            f"{device.path} would be overwritten and the spec does not allow it",
            _remedy(look, "if its content may be lost, add to the target:"),
        )
    guards = (*GUARDS, *(() if written else (_holds,)))
    return next((refused for guard in guards if (refused := guard(look, destroy))), None)


def _remedy(look: Look, words: str) -> str:
    """What a spec has to say so that the device may be overwritten with what is on it."""
    try:
        found = foreign(look.sut, look.device, look.kin)
        names = dict.fromkeys(signature.name for signature in found)
    except UnreadableError:
        names = {ANYTHING: None}
    hint = identity_hint(look, tuple(names))
    return f"{words} destroy: {hint}" if hint else no_identity(look)


def _identity(look: Look, destroy: Destroy) -> Refusal | None:
    if why := mismatch(look, destroy):
        return Refusal(why, _remedy(look, "this device would be:"))
    return None


def _read_only(look: Look, _destroy: Destroy) -> Refusal | None:
    device = look.device
    if (look.sut.read_text(f"{device.sysfs}/ro") or "").strip() == "1":
        return Refusal(f"{device.path} is read-only", f"blockdev --setrw {device.path}")
    return None


def _claimed(look: Look, _destroy: Destroy) -> Refusal | None:
    return claimed(look)


def _holds(look: Look, destroy: Destroy) -> Refusal | None:
    """Something that the spec did not say may be lost is on it."""
    if ANYTHING in destroy.holds:
        return None
    try:
        signatures = unexpected(foreign(look.sut, look.device, look.kin), destroy.holds)
    except UnreadableError as error:
        return error.refusal
    if not signatures:
        return None
    what = ", ".join(f"{signature.path} holds {signature}" for signature in signatures)
    says = " and ".join(destroy.holds) or "nothing"
    return Refusal(
        f"{what}, and destroy: expects {says}",
        _remedy(look, "if that may be lost, say so:"),
    )


GUARDS: tuple[Guard, ...] = (_identity, _read_only, _claimed)
