"""The job files of the differential suite: one for each value of each option (``options.toml``),
seeded combinations of them, and those written by hand (``jobs/*.fio``).
"""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.engine_runs import built_engine

HERE = Path(__file__).resolve().parent
OPTIONS: dict[str, dict[str, Any]] = tomllib.loads((HERE / "options.toml").read_text("utf-8"))
BASE = {"filename": "f", "size": "256k", "rw": "write"}
DRAWN = 120  # combinations
SEED = 1
DIRECTIONS = ("read", "write", "randread", "randwrite", "rw", "randrw")
# A log of what was replayed, as fio's documentation describes the format.
TRACE = """\
fio version 2 iolog
f add
f open
f read 0 4096
f write 8192 8192
f sync 0 0
f read 65536 4096
f close
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A job file, and what is known of it: ``covers`` has the options and values that it is there
    for, ``by_time`` says that its amounts are of time, ``newer`` that fio 3.33 lacks its option."""

    name: str
    text: str
    covers: tuple[tuple[str, str], ...] = ()
    refused: bool = False
    by_time: bool = False
    newer: bool = False
    files: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()

    def prepare(self, folder: Path) -> None:
        """What stands in the folder before it is run."""
        for name, text in self.files.items():
            (folder / name).write_text(text)
        if self.files:
            (folder / "f").write_bytes(bytes(1 << 17))
        for name in self.folders:
            (folder / name).mkdir()
            (folder / name / "there").write_bytes(bytes(65536))


def _words(text: str) -> dict[str, str]:
    """Options written on one line; a bare one is 1."""
    pairs = (word.partition("=") for word in text.split())
    return {key: value if equals else "1" for key, equals, value in pairs}


def _text(options: Mapping[str, str], row: Mapping[str, Any]) -> str:
    lines = [f"{key}={value}" for key, value in options.items() if value]
    section = f"[j]\n{row['section']}\n" if "section" in row else "[j]\n"
    before: str = row.get("before", "")
    return before + section + "\n".join(lines) + "\n"


def _case(option: str, value: str, refused: bool) -> Case:
    row = OPTIONS[option]
    text = _text(BASE | _words(row.get("with", "")) | {option: value}, row)
    return Case(
        name=f"{option}={value}" + (", refused" if refused else ""),
        text=text,
        covers=((option, value),),
        refused=refused,
        by_time=row.get("moves", False),
        newer=row.get("documented", False),
        files={"trace": TRACE} if row.get("trace") else {},
        folders=(row["folder"],) if "folder" in row else (),
    )


def of_options() -> Iterator[Case]:
    """Each option with each of its values."""
    for option, row in OPTIONS.items():
        yield from (_case(option, value, False) for value in row["values"])
        yield from (_case(option, value, True) for value in row.get("refused", ()))


def _drawn(number: int, names: list[str], there: frozenset[str]) -> Case:
    """A few options beside each other; one whose company contradicts the others is left out."""
    draw = random.Random(SEED * 1_000_003 + number)
    options = BASE | {"rw": draw.choice(DIRECTIONS)}
    fixed: dict[str, str] = {}
    covers = []
    for name in draw.sample(names, draw.randint(3, 7)):
        value = draw.choice(OPTIONS[name]["values"])
        needs = _words(OPTIONS[name].get("with", "")) | {name: value}
        clashes = any(fixed.get(key, needed) != needed for key, needed in needs.items())
        if clashes or not needs.keys() <= there or _excludes(needs.keys(), fixed.keys()):
            continue
        fixed |= needs
        covers.append((name, value))
    return Case(f"drawn {number}", _text(options | fixed, {}), tuple(covers))


def _excludes(some: AbstractSet[str], others: AbstractSet[str]) -> bool:
    """Whether an option of the one may not stand beside one of the others."""
    pairs = itertools.chain(itertools.product(some, others), itertools.product(others, some))
    return any(OPTIONS.get(name, {}).get("without") == other for name, other in pairs)


def drawn(count: int = DRAWN) -> Iterator[Case]:
    """Seeded combinations of options."""
    names = [
        name
        for name, row in OPTIONS.items()
        if row["values"] and not {"alone", "documented", "before", "trace"} & row.keys()
    ]
    there = frozenset(_there())
    yield from (_drawn(number, names, there) for number in range(count))


def _there() -> Iterator[str]:
    """Every name of an option that the engine has."""
    asked = [str(built_engine()), "--option-table"]
    table = json.loads(subprocess.run(asked, capture_output=True, check=True).stdout)
    rows = [*table["options"], *(row for each in table["ioengines"] for row in each["options"])]
    yield from (row[key] for row in rows for key in ("name", "alias") if key in row)


def written() -> Iterator[Case]:
    """The job files in ``jobs``: what stands behind ``# differential:`` in one is its flags."""
    for path in sorted((HERE / "jobs").glob("*.fio")):
        text = path.read_text("utf-8")
        flags = _words(text.partition("# differential:")[2].partition("\n")[0])
        files = {"trace": TRACE} if "trace" in flags else {}
        yield Case(path.stem, text, by_time="by_time" in flags, files=files)


def cases() -> list[Case]:
    """All of them."""
    return [*of_options(), *written(), *drawn()]
