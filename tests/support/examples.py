"""Job files of Debian's package fio-examples, shrunk so that each ends within seconds.

What a file says is kept: only amounts become smaller, and devices become files of the test's own.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

FOLDER = Path("/usr/share/doc/fio/examples")
SCALE = 256  # of every size of a mebibyte or more
IMAGE_BYTES = 1 << 30  # sparse; as large as the largest offset that is left
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
# What stands for what the environment of a user has.
VARIABLES = {
    "FIO_RW": "randread",
    "FIO_BS": "4k",
    "FIO_IODEPTH": "2",
    "FIO_DIR": ".",
    "GPU_DEV_IDS": "0",
    "POOL": "pool",
    "CONT": "container",
    "unixsocket": "socket",
    "SWIFT_id": "me",
    "SWIFT_Tenant": "us",
    "S3_KEY": "key",
    "S3_ID": "me",
    "SSE_KEY": "key",
    "STORAGE_CLASS": "class",
}
# Arguments before the file, where its comments ask for some.
ARGUMENTS = {
    "xnvme-compare": ("--section=default", "--ioengine=libaio", "--filename=device"),
    "xnvme-zoned": ("--section=default", "--ioengine=libaio", "--filename=device", "--zonesize=1m"),
}
_SIZES = {
    *("size", "filesize", "io_size", "offset", "offset_increment"),
    *("zonesize", "zoneskip", "zonerange"),
}
_AT_MOST = {
    **dict.fromkeys(("runtime", "timeout", "ss_dur", "startdelay"), 1),
    **dict.fromkeys(("ss_ramp", "ramp_time"), 0),
    **dict.fromkeys(("numjobs", "loops"), 2),
    "number_ios": 50,
    "nrfiles": 8,
}
# First in each file, so that what it says itself comes after it.
_HEAD = "[global]\nruntime=1\n"
_SETTING = re.compile(r"^(\w+)=([^;#]*?)(\s*[;#].*)?$")


def examples() -> dict[str, Path]:
    """Every example by its name; none where the package is missing."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.fio"))}


def shrunk(text: str) -> str:
    """The job file with amounts that end within seconds, and devices that are files here."""
    return _HEAD + "\n".join(_shrunk_line(line) for line in text.splitlines()) + "\n"


def _shrunk_line(line: str) -> str:
    setting = _SETTING.match(line)
    if not setting:
        return line
    return f"{setting[1]}={_shrunk_value(setting[1], setting[2])}"


def _shrunk_value(name: str, value: str) -> str:
    if name in _SIZES:
        value = _smaller(value)
    elif name in _AT_MOST:
        value = str(min(_count(value), _AT_MOST[name]))
    elif name == "filename" and value not in ("/dev/null", "/dev/zero"):
        value = Path(value).name
    elif name == "directory" and not value.startswith("$"):
        value = "."
    elif name.startswith("numa_") and not Path("/sys/devices/system/node/node1").exists():
        value = value.replace("0-1", "0")
    return value


def _count(value: str) -> int:
    digits = re.match(r"\d+", value)
    return int(digits[0]) if digits else 0


def _smaller(value: str) -> str:
    parts = re.fullmatch(r"(\d+)([kmgt]?)b?", value.strip().lower())
    if not parts:
        return value
    size = int(parts[1]) * UNITS[parts[2]]
    return str(size // SCALE if size >= 1 << 20 else size)


def make_targets(text: str, folder: Path) -> None:
    """What the shrunk file's jobs find: each file that is named stands for a device."""
    for name in ["device", *re.findall(r"^filename=([^/\s]+)$", text, re.MULTILINE)]:
        path = folder / name
        path.touch()
        os.truncate(path, IMAGE_BYTES)
