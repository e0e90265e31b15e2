"""What is on a device, by the word of libblkid, and what of it a run may overwrite."""

from __future__ import annotations

import hashlib
import re
import secrets
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from iogate.errors import RunError
from iogate.files.bounded import parse_json
from iogate.host.devices.block_devices import Device, partitions_of
from iogate.host.devices.in_use import Refusal
from iogate.model.signatures import ANYTHING, plain_name
from iogate.sut.base import Completed, Sut

_TIMEOUT_S = 30.0
_NOTHING_FOUND, _AMBIGUOUS = 2, 8  # what blkid exits with
_FOLDERS = ("/usr/sbin", "/sbin")  # not on every user's PATH
_SEED_BYTES = 8
_SECTOR = 512  # what partition tables are told in, whatever the device's own is
_STAMP = re.compile(r"[0-9a-f]{12}8[0-9a-f]{3}[89ab][0-9a-f]{15}")
_SPREAD = ("btrfs", "xfs_external_log", "md")  # what has one UUID on all devices of a filesystem


@dataclass(frozen=True, slots=True)
class Signature:
    """What was found where: ``name`` as ``holds:`` gives it."""

    path: str
    name: str
    uuid: str = ""
    is_table: bool = False

    def __str__(self) -> str:
        uuid = "".join(char for char in self.uuid[:64] if char.isprintable())
        return f"{self.name} ({uuid})" if uuid else self.name


class UnreadableError(Exception):
    """It cannot be known what is on a device: why not, and what to do."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what)
        self.refusal = Refusal(what, remedy)


def foreign(sut: Sut, device: Device, kin: Sequence[Device] = ()) -> tuple[Signature, ...]:
    """What is on a device and its partitions, filesystems of iogate's own left out, those too that
    it made over the device and one of its ``kin``. UnreadableError when it cannot be known."""
    signatures = []
    known = partitions_of(sut, device)
    for each in (device, *known):
        signatures += [
            signature for signature in _probe(sut, each.path) if not _is_own(each, signature, kin)
        ]
    if any(signature.is_table for signature in signatures):
        signatures += _probe_unread(sut, device.path, {_range(sut, each) for each in known})
    return tuple(signatures)


def unexpected(signatures: tuple[Signature, ...], holds: tuple[str, ...]) -> tuple[Signature, ...]:
    """What the spec did not name."""
    return (
        ()
        if ANYTHING in holds
        else tuple(signature for signature in signatures if signature.name not in holds)
    )


def stamp(device: Device) -> str:
    """A UUID for a filesystem that iogate makes: no other has ever had it, and it is known
    again on this device as iogate's own."""
    return _stamped(device, secrets.token_bytes(_SEED_BYTES))


def is_stamp(digits: str) -> bool:
    """Whether hex digits have the form of a UUID that ``stamp`` gives, to whatever device."""
    return _STAMP.fullmatch(digits) is not None


def is_own(device: Device, uuid_text: str) -> bool:
    """Whether a UUID is one that ``stamp`` gave to this device."""
    try:
        seed = uuid.UUID(uuid_text).bytes[:_SEED_BYTES]
    except ValueError:
        return False
    return _stamped(device, seed) == uuid_text.lower()


def _is_own(device: Device, signature: Signature, kin: Sequence[Device]) -> bool:
    makers = (device, *kin) if signature.name in _SPREAD else (device,)
    return any(is_own(each, signature.uuid) for each in makers)


def _stamped(device: Device, seed: bytes) -> str:
    """The seed, and a digest of it with what the device is: a copy on another is not ours."""
    what = f"iogate filesystem {device.serial} {device.wwn} {device.size_bytes}"
    head = (int.from_bytes(seed) & ~0xF000) | 0x8000  # version 8: made by a rule of one's own
    tail = hashlib.sha256(head.to_bytes(_SEED_BYTES) + what.encode()).digest()[:_SEED_BYTES]
    rest = (int.from_bytes(tail) & ~(3 << 62)) | (2 << 62)  # the variant of RFC 9562
    return str(uuid.UUID(int=(head << 64) | rest))


def _range(sut: Sut, part: Device) -> tuple[int, int]:
    """Where a partition begins on its disk, as the kernel has read it, and its bytes."""
    start = (sut.read_text(f"{part.sysfs}/start") or "").strip()
    return int(start) * _SECTOR if start.isdigit() else -1, part.size_bytes


def _probe_unread(sut: Sut, path: str, read: set[tuple[int, int]]) -> list[Signature]:
    """What is in the partitions of a table that the kernel has not read, as that of a loop
    device, or not as it is now; ``read`` are the others."""
    done = _run(sut, path, "partx", "--raw", "--noheadings", "-o", "START,SECTORS")
    if done.status:
        raise _unreadable(path, "partx does not list its partitions")
    signatures = []
    for line in done.stdout.splitlines():
        start, count = (int(word) * _SECTOR for word in line.split())
        if count and (start, count) not in read:
            signatures += _probe(sut, path, "-O", str(start), "-S", str(count))
    return signatures


def _probe(sut: Sut, path: str, *part: str) -> list[Signature]:
    tags = ("-s", "TYPE", "-s", "PTTYPE", "-s", "UUID", "-s", "LOGUUID")
    done = _run(sut, path, "blkid", "-p", "-o", "export", *tags, *part)
    if done.status == _AMBIGUOUS:
        return _probe_all(sut, path)
    if done.status == _NOTHING_FOUND and not done.stderr.strip():
        return []
    if done.status:
        raise _unreadable(path, done.stderr.strip() or f"blkid ended with {done.status}")
    told = dict(line.split("=", 1) for line in done.stdout.split("\n") if "=" in line)
    signatures = []
    if "TYPE" in told:
        uuid = told.get("UUID") or told.get("LOGUUID", "")  # a log has that of its filesystem
        signatures.append(Signature(path, plain_name(told["TYPE"]), uuid))
    if "PTTYPE" in told:
        signatures.append(Signature(path, plain_name(told["PTTYPE"]), is_table=True))
    return signatures


def _probe_all(sut: Sut, path: str) -> list[Signature]:
    """Several that do not belong together: libblkid names none of them, but lists all."""
    done = _run(sut, path, "wipefs", "--no-act", "--json")
    try:
        told = parse_json(done.stdout)["signatures"]
        return [
            Signature(path, plain_name(signature["type"]), signature["uuid"] or "")
            for signature in told
        ]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise _unreadable(
            path, "it has several signatures, and wipefs does not list them"
        ) from None


def _run(sut: Sut, path: str, program: str, *words: str) -> Completed:
    places = (f"{folder}/{program}" for folder in _FOLDERS)
    tool = sut.which(program) or next((each for each in places if sut.stat(each)), None)
    if tool is None:
        raise _unreadable(path, f"{program} is not installed", "install util-linux, or ")
    try:
        return sut.run([tool, *words, path], timeout_s=_TIMEOUT_S, env={"LC_ALL": "C"})
    except RunError as error:
        raise _unreadable(path, error.what) from None


def _unreadable(path: str, why: str, first: str = "") -> UnreadableError:
    remedy = f"{first}if all of it may be lost, say so in destroy: holds: {ANYTHING}"
    return UnreadableError(f"it cannot be known what is on {path}: {why}", remedy)
