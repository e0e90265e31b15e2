"""May this device be overwritten? Only when the spec says so, names its identity, and
nothing uses it. Every reason to refuse is a function of the tables ``WAYS`` (who uses it) and
``GUARDS``."""

from __future__ import annotations

from collections.abc import Callable

from iogate.host.devices import Device
from iogate.host.in_use import Look, Refusal, claimed, look_at, user_of
from iogate.model.spec import Destroy
from iogate.sut.base import Sut

Guard = Callable[[Look, Destroy], Refusal | None]


def refusal(sut: Sut, device: Device, destroy: Destroy | None) -> Refusal | None:
    """The first reason not to write to the device; None when it may be overwritten. What no
    ``destroy:`` lifts comes first: nobody is advised to let go of what is in use."""
    look = look_at(sut, device)
    if found := user_of(look):
        return found
    if destroy is None:
        return Refusal(
            f"{device.path} would be overwritten and the spec does not allow it",
            f"if its content may be lost, add to the target: destroy: {identity_hint(device)}",
        )
    return next((found for guard in GUARDS if (found := guard(look, destroy))), None)


def identity_hint(device: Device) -> str:
    """The ``destroy:`` value that would name this device."""
    if device.serial:
        return f"{{ serial: {device.serial} }}"
    if device.wwn:
        return f"{{ wwn: {device.wwn} }}"
    return f"{{ size: {device.size_bytes} }}"


def _identity(look: Look, destroy: Destroy) -> Refusal | None:
    device = look.device
    pairs = (
        ("serial", destroy.serial, device.serial),
        ("wwn", destroy.wwn, device.wwn),
        ("model", destroy.model, device.model),
        ("size", destroy.size_bytes, device.size_bytes),
    )
    asked = [pair for pair in pairs if pair[1] is not None]
    hint = f"this device would be: destroy: {identity_hint(device)}"
    if not asked:
        return Refusal(f"destroy: names no identity for {device.path}", hint)
    for what, wanted, found in asked:
        if wanted != found:
            shown = found or "unknown"
            return Refusal(f"{device.path} has {what} {shown}, and destroy: says {wanted}", hint)
    return None


def _read_only(look: Look, _destroy: Destroy) -> Refusal | None:
    device = look.device
    if (look.sut.read_text(f"{device.sysfs}/ro") or "").strip() == "1":
        return Refusal(f"{device.path} is read-only", f"blockdev --setrw {device.path}")
    return None


def _claimed(look: Look, _destroy: Destroy) -> Refusal | None:
    return claimed(look)


GUARDS: tuple[Guard, ...] = (_identity, _read_only, _claimed)
