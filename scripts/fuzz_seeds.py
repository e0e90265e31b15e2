#!/usr/bin/env python3
"""What fuzzers of the engine begin with, made from its table of options: a job file for every
category, with every option and its values, and a dictionary of all their words.

usage: scripts/fuzz_seeds.py --dictionary      the dictionary, for libFuzzer's -dict
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import copy_option_table

FUZZ = copy_option_table.ROOT / "native" / "fuzz"
# Texts of options that have a grammar of their own; the engine says which of them it takes.
TEXTS = """
    0 1 0-1 0,2 2,3 50 50% 3z 4k 1k-8k 4k,8k 4k,8k,16k 1k-4k,8k-16k 4k/50:8k/50 4k/:8k/
    random zipf:1.2 pareto:0.2 normal:50 zoned:50/10:30/20:20/70 iops:0.3% bw_slope:1% 99.9
    1:50:99.9 EIO,EAGAIN read,write 10s 100ms 1us,2us 0xdeadbeef "abcd" -12 a.log a.log:b.log
    $jobname.$jobnum.$filenum 8:16 0:100
"""
NUMBERS = ["1", "2", "64", "4k", "0x10", "(2*4k)"]
UNITS = r"k|m|g|t|p|ki|mib|KB|us|ms|s|min|h|d|%|z|+|-|*|/|^|(|)|,|:|[|]|=|${HOME}|$pagesize"


def seeds() -> Iterator[tuple[Path, str]]:
    """The job file of each category, and the same options a line each for their own fuzzer."""
    for title, rows in _categories().items():
        lines = _taken([(row, value) for row in rows for value in _values(row)])
        name = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
        jobs = [f"[{number}]\nsize=1m\n{text}\n" for number, text in enumerate(lines)]
        yield FUZZ / "corpus_jobfile" / f"table-{name}.fio", "".join(jobs)
        options = [line for text in lines for line in text.split("\n")]
        yield FUZZ / "corpus_options" / f"table-{name}", "\n".join(options) + "\n"


def dictionary() -> str:
    """Every name, alias and word of the table, with what numbers are written with."""
    table = copy_option_table.table()
    rows = [*table["options"], *(row for engine in table["ioengines"] for row in engine["options"])]
    words = {"[global]", "[j]", "include ", *TEXTS.split(), *NUMBERS, *UNITS.split("|")}
    words |= {engine["name"] for engine in table["ioengines"]}
    for row in rows:
        words |= {f"{row[key]}=" for key in ("name", "alias") if key in row}
        words |= {*row.get("choices", ()), *filter(None, [row.get("default")])}
    escaped = [word.replace("\\", "\\\\").replace('"', '\\"') for word in sorted(words)]
    return "".join(f'"{word}"\n' for word in escaped if word.isascii() and word.isprintable())


def _categories() -> dict[str, list[Mapping[str, Any]]]:
    """The rows of the table under the titles that the page about them has."""
    table = copy_option_table.table()
    named = {row["name"]: row for row in table["options"]}
    categories: dict[str, list[Mapping[str, Any]]] = {}
    title = ""
    for line in copy_option_table.reference().splitlines():
        title = line[3:] if line.startswith("## ") else title
        name = re.match(r"\| `([\w-]+)`", line)
        if name and name[1] in named:
            categories.setdefault(title, []).append(named.pop(name[1]))
    for engine in table["ioengines"]:
        for row in engine["options"]:
            own = {**row, "engine": engine["name"]}
            categories.setdefault(f"engine {engine['name']}", []).append(own)
    return categories


def _values(row: Mapping[str, Any]) -> Sequence[str]:
    """What may be a value of an option, in a fixed order; "" is none."""
    ends = [str(row[key]) for key in ("default", "least", "most") if key in row]
    if row["type"] in ("0 or 1", "flag"):
        return ["0", "1", ""]
    if "choices" in row:
        return list(dict.fromkeys([*ends, *row["choices"]]))
    if row["type"].startswith("text"):
        return ["a.b"]
    more = NUMBERS if row["type"] in ("number", "percent", "size", "time") else TEXTS.split()
    return list(dict.fromkeys([*ends, *more]))


def _taken(candidates: Sequence[tuple[Mapping[str, Any], str]]) -> list[str]:
    """Those lines that the engine takes, each in a job of its own."""
    lines = [_line(row, value) for row, value in candidates]
    while lines and (wrong := _wrong(lines)):
        lines = [text for number, text in enumerate(lines) if number not in wrong]
    return lines


def _line(row: Mapping[str, Any], value: str) -> str:
    engine = f"ioengine={row['engine']}\n" if "engine" in row else ""
    if row.get("engine") == "cpuio":
        engine += "runtime=1s\ncpuload=50\n"  # it goes without neither
    return f"{engine}{row['name']}{'=' if value else ''}{value}"


def _wrong(lines: Sequence[str]) -> set[int]:
    """Which of the jobs a mistake is told of; all of them are told, a few at a time."""
    text, owners = "", []
    for number, line in enumerate(lines):
        job = f"[{number}]\nsize=1m\n{line}\n"
        text += job
        owners += [number] * job.count("\n")
    asked = [str(copy_option_table.ENGINE), "--parse-only", "-"]
    ran = subprocess.run(asked, input=text, capture_output=True, check=False, text=True)
    places = re.findall(r"^(?:[\w-]+: )?(?:stdin|-):(\d+):", ran.stderr, re.MULTILINE)
    if ran.returncode and not places:
        sys.exit(f"{' '.join(asked)}: {ran.stderr}")
    return {owners[int(place) - 1] for place in places} if ran.returncode else set()


if __name__ == "__main__":
    if sys.argv[1:] != ["--dictionary"]:
        sys.exit(__doc__)
    print(dictionary(), end="")
