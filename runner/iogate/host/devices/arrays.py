"""Arrays of the kernel's md: what is known of one, and how one of iogate's is taken apart.

An array is known by the UUID in the superblocks on its members, whatever name it has: udev may
have assembled it again under another one.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence

from iogate.errors import RunError
from iogate.host.devices.block_devices import find_device, node_of
from iogate.sut.base import Completed, Sut

MDADM = "mdadm"
_TIMEOUT_S = 60.0
_PATIENCE_S = 20.0  # udev looks at an array, and at its members, whenever one changes
_RETRY_S = 0.25
_VERSION = re.compile(r"v\d[\w.]*")


def told(sut: Sut, name: str, attribute: str) -> str:
    """What the kernel says of an array; empty where it says nothing."""
    return (sut.read_text(f"/sys/block/{name}/md/{attribute}") or "").strip()


def array_facts(sut: Sut, name: str, members: int) -> dict[str, str | int]:
    """What an array is, as the kernel tells, by the names of facts."""
    facts: dict[str, str | int] = {
        "array.level": told(sut, name, "level"),
        "array.members": members,
        "array.bitmap": told(sut, name, "bitmap/location"),
        "array.mdadm": version(sut),
    }
    for fact, attribute in (("chunk_bytes", "chunk_size"), ("layout", "layout")):
        if (text := told(sut, name, attribute)).isdigit():
            facts[f"array.{fact}"] = int(text)
    return facts


def mdadm(sut: Sut, *words: str) -> Completed:
    """RunError where it is not installed."""
    return sut.run([MDADM, *words], timeout_s=_TIMEOUT_S, env={"LC_ALL": "C"})


def version(sut: Sut) -> str:
    """Of mdadm; empty where it does not tell."""
    done = mdadm(sut, "--version")
    found = _VERSION.search(done.stdout + done.stderr)
    return found[0] if found else ""


def uuid_on(sut: Sut, path: str) -> str:
    """The UUID of the array that a device is a member of, as hex digits; empty for none."""
    if find_device(sut, path) is None:
        return ""
    lines = mdadm(sut, "--examine", "--export", path).stdout.split("\n")
    uuid = next((line.partition("=")[2] for line in lines if line.startswith("MD_UUID=")), "")
    return plain(uuid)


def plain(uuid: str) -> str:
    """A UUID without what stands between its digits: mdadm and libblkid write it differently."""
    return re.sub(r"[^0-9a-f]", "", uuid.lower())


def members_anywhere(sut: Sut) -> tuple[str, ...]:
    """The members of all arrays that run: after a reboot a disk may have another name."""
    names = (name for name in sut.list_dir("/sys/block") if told(sut, name, "metadata_version"))
    slaves = (each for name in names for each in sut.list_dir(f"/sys/block/{name}/slaves"))
    return tuple(node_of(each) for each in slaves)


def take_apart(sut: Sut, uuid: str, members: Sequence[str]) -> tuple[str, ...]:
    """Stop every array of that UUID that has one of the members, and wipe the superblocks that
    say so; what was done, in words. RunError when an array stays in use."""
    done: list[str] = []
    deadline = time.monotonic() + _PATIENCE_S
    while ours := [path for path in members if uuid_on(sut, path) == plain(uuid)]:
        try:
            done.extend(_taken_apart(sut, ours))
        except RunError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_S)
    return tuple(dict.fromkeys(done))


def is_there(sut: Sut, uuid: str, members: Sequence[str]) -> bool:
    """Whether anything is left of an array."""
    return any(uuid_on(sut, path) == plain(uuid) for path in members)


def _taken_apart(sut: Sut, members: Sequence[str]) -> Iterator[str]:
    for path in dict.fromkeys(array for member in members for array in _arrays_of(sut, member)):
        _run(sut, f"see what uses it: lsblk {path}; fuser -v {path}", "--stop", path)
        yield f"the array {path} is stopped"
    for path in members:
        by_hand = f"by hand: mdadm --zero-superblock {path}"
        _run(sut, by_hand, "--zero-superblock", path)
        yield f"{path} is no member of an array any more"


def _arrays_of(sut: Sut, member: str) -> Iterator[str]:
    """The arrays that a device, not its partitions or its disk, is a member of."""
    device = find_device(sut, member)
    for name in sut.list_dir(f"{device.sysfs}/holders") if device else ():
        if told(sut, name, "metadata_version"):
            yield node_of(name)


def _run(sut: Sut, remedy: str, *words: str) -> None:
    done = mdadm(sut, *words)
    if done.status:
        raise RunError(f"{MDADM} {' '.join(words)}: {first_line(done)}", remedy=remedy)


def first_line(done: Completed) -> str:
    """What a program says of its failure."""
    said = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    return said[0].removeprefix(f"{MDADM}: ") if said else f"status {done.status}"
