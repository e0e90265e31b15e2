"""What a precondition has brought a device to, remembered on this host, so that the next run
does not do it again. Whatever may have changed it since is a reason not to believe it.

A device has one file in the state folder. Its last line counts: a JSON document of the schema
``device-state/1``. That a state is lost is appended before anything is written to the device,
so that a run that is killed leaves nothing to be believed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from time import gmtime, strftime

from iogate.errors import RefusedError, RunError
from iogate.files.bounded import parse_json
from iogate.host.devices.block_devices import Device, find_device
from iogate.host.devices.signs import Signs, signs_of
from iogate.model.codec import codec_of
from iogate.model.steady import SteadyState
from iogate.sut.base import Sut
from iogate.sut.state_folder import state_folder

SCHEMA = "device-state/1"
Steps = Sequence[Mapping[str, str]]
_NS = 1_000_000_000
_SECTOR = 512
_LARGEST_FILE = 1 << 20
_SHORT_ID = 12


@dataclass(frozen=True, slots=True)
class DeviceState:
    """What run ``run`` brought a device to at ``at_ns`` (Unix time) by ``steps``: the options
    of each, spelled canonically. ``written`` and ``discarded`` are the device's own counts, in
    sectors, when it was last seen by a run; they count within ``boot``. ``lost`` says why the
    state is no more, and is empty while it holds."""

    identity: str
    bound: bool
    boot: str
    size_bytes: int
    firmware: str
    steps: tuple[Mapping[str, str], ...]
    run: str
    at_ns: int
    written_bytes: int
    written: int
    discarded: int
    lost: str = ""
    steady: SteadyState | None = None

    @property
    def name(self) -> str:
        """``precondition of 2026-11-20 02:13 UTC (run 0123456789ab)``."""
        stamp = strftime("%Y-%m-%d %H:%M UTC", gmtime(self.at_ns // _NS))
        return f"precondition of {stamp} (run {self.run[:_SHORT_ID]})"


@dataclass(frozen=True, slots=True)
class Looked:
    """``state`` is what holds; else None, and ``why`` says why not."""

    state: DeviceState | None
    why: str = ""


def look(sut: Sut, device: Device, steps: Steps, *, keep_s: float, now_ns: int) -> Looked:
    """Whether what these steps reach still holds on the device."""
    signs = signs_of(sut, device)
    if keep_s <= 0:
        return Looked(None, "keep: 0 wants it anew for each run")
    if not signs.identity:
        return Looked(None, "it has no serial, wwn or number that tells it from others")
    state = _read(sut, signs.identity)
    if state is None:
        return Looked(None, "no earlier precondition of it is remembered")
    why = _doubt(state, signs) or _unlike(state, steps, keep_s, now_ns)
    return Looked(None, why) if why else Looked(state)


def believed(sut: Sut, device: Device) -> DeviceState | None:
    """What was remembered of the device, if nothing speaks against it, whatever its steps and
    its age."""
    signs = signs_of(sut, device)
    state = _read(sut, signs.identity) if signs.identity else None
    return state if state and not _doubt(state, signs) else None


def forget(sut: Sut, device: Device, why: str) -> None:
    """Whatever is remembered of the device, its partitions and its disk no longer holds, even
    after a power loss. RunError when that cannot be written."""
    relatives = [find_device(sut, f"/dev/{name}") for name in device.family]
    for each in (device, *filter(None, relatives)):
        identity = signs_of(sut, each).identity
        state = _read(sut, identity) if identity else None
        if state is not None and not state.lost:
            _append(sut, replace(state, lost=why))


def remember(
    sut: Sut, device: Device, steps: Steps, *, run: str, at_ns: int, written_bytes: int,
    steady: SteadyState | None,
) -> str:  # fmt: skip
    """Keep what was just reached. Why that cannot be, empty where it was."""
    signs = signs_of(sut, device)
    if not signs.identity:
        return "it has no serial, wwn or number that tells it from others"
    state = DeviceState(
        identity=signs.identity,
        bound=signs.bound,
        boot=signs.boot,
        size_bytes=signs.size_bytes,
        firmware=signs.firmware,
        steps=tuple(dict(step) for step in steps),
        run=run,
        at_ns=at_ns,
        written_bytes=written_bytes,
        written=signs.written,
        discarded=signs.discarded,
        steady=steady,
    )
    try:
        _replace(sut, state)
    except RunError as error:
        return error.what
    return ""


def carry(sut: Sut, device: Device, state: DeviceState) -> None:
    """The state holds although a run has written to the device since. Where that cannot be
    kept, the next run does not believe it."""
    signs = signs_of(sut, device)
    with suppress(RunError):
        if signs.identity == state.identity and _read(sut, signs.identity) == state:
            now = replace(state, boot=signs.boot, written=signs.written, discarded=signs.discarded)
            _replace(sut, now)


def _doubt(state: DeviceState, signs: Signs) -> str:
    """Why the device is no longer as it was left; empty where nothing says so."""
    same_boot = state.boot == signs.boot
    discarded, written = signs.discarded - state.discarded, signs.written - state.written
    firmware = signs.firmware or "unknown"
    doubts = (
        (state.lost, state.lost),
        (
            state.bound and not same_boot,
            "the host was started since, and nothing tells this device from others",
        ),
        (
            state.size_bytes != signs.size_bytes,
            f"it has {signs.size_bytes} bytes now, and had {state.size_bytes}",
        ),
        (state.firmware != signs.firmware, f"its firmware is {firmware}, and was another"),
        (same_boot and discarded, f"{_bytes(discarded)} of it were discarded since"),
        (same_boot and written, f"{_bytes(written)} were written to it since"),
    )
    return next((text for applies, text in doubts if applies), "")


def _unlike(state: DeviceState, steps: Steps, keep_s: float, now_ns: int) -> str:
    """Why it is not what is asked for now."""
    if [dict(step) for step in steps] != [dict(step) for step in state.steps]:
        return f"the {state.name} was another one"
    age_s = (now_ns - state.at_ns) / _NS
    if age_s < 0:
        return f"the {state.name} is of a time to come"
    if age_s > keep_s:
        return f"the {state.name} is older than keep: {keep_s / 3600:g}h"
    return ""


def _bytes(sectors: int) -> str:
    count = max(sectors, 0) * _SECTOR
    for scale, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if count >= 1 << scale:
            return f"{count / (1 << scale):.1f} {unit}"
    return f"{count} B"


def _path(sut: Sut, identity: str) -> str:
    """The device's file. RunError for a user who has no place for notes."""
    try:
        folder = state_folder(sut)
    except RefusedError as error:
        raise RunError(error.what, remedy=error.remedy) from error
    return f"{folder}/devices/{hashlib.sha256(identity.encode()).hexdigest()[:24]}.json"


def _read(sut: Sut, identity: str) -> DeviceState | None:
    """The last line of the device's file; None for a file that is not ours, or too long, or
    cannot be understood: then nothing is known."""
    try:
        path = _path(sut, identity)
    except RunError:
        return None
    status = sut.stat(path)
    if status is None or not status.is_file or status.size_bytes > _LARGEST_FILE:
        return None
    lines = (sut.read_own(path) or "").splitlines()
    try:
        document = parse_json(lines[-1])
        if document["schema"] != SCHEMA:
            return None
        state: DeviceState = codec_of(DeviceState).decode(document)
    except (ValueError, KeyError, TypeError, IndexError):
        return None
    return state if state.identity == identity else None


def _replace(sut: Sut, state: DeviceState) -> None:
    """A file of this one line. A crash in between leaves none: then nothing is known."""
    path = _path(sut, state.identity)
    sut.make_dir(path.rpartition("/")[0])
    sut.remove_file(path)
    _append(sut, state)


def _append(sut: Sut, state: DeviceState) -> None:
    document = {"schema": SCHEMA, **codec_of(DeviceState).encode(state)}
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    sut.append_durably(_path(sut, state.identity), text + "\n")
