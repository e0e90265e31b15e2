"""The engine's table of options as a module of the runner, which asks no engine when it is
imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import TextWrapper
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
ENGINE = Path(os.environ.get("IOGATE_ENGINE") or ROOT / "native/build/iogate-engine")
# The runner's kind of a value (jobs/options.py), by what the engine's table calls its type.
KINDS = {
    "0 or 1": "BOOL",
    "flag": "FLAG",
    "number": "NUMBER",
    "percent": "NUMBER",
    "size": "SIZE",
    "size, `%` or `z`": "SIZE",
    "size, or sizes `r,w,t`": "NUMBERS",
    "one of": "CHOICE",
    "engine": "CHOICE",
}
TIMES = {1_000: "MICROSECONDS", 1_000_000_000: "SECONDS"}
ENGINE_TABLE = """\
\"\"\"What iogate-engine has of fio: its options and ioengines.

Made by scripts/generate.py from `iogate-engine --option-table`: change the engine's table.
\"\"\"

# By the kind of their values; "name=alias" is one option with two names.
OPTIONS: dict[str, str] = {{
{options}
}}

# The words that an option takes.
CHOICES: dict[str, str] = {{
{choices}
}}

# The least and the most that the engine takes of an option; None: what its field holds.
RANGES: dict[str, tuple[int, int | None]] = {{
{ranges}
}}

# These ioengines do an I/O as it is issued.
SYNCHRONOUS = \"\"\"
{synchronous}
\"\"\"
DEFAULT_ENGINE = "{ioengine}"
DEFAULT_RW = "{rw}"
"""


def module() -> str:
    """The options and ioengines of the built engine, as the text of ``jobs/engine_table.py``."""
    told = table()
    engines = told["ioengines"]
    own = (row for engine in engines for row in engine["options"])
    rows = list({row["name"]: row for row in [*told["options"], *own]}.values())
    kinds: dict[str, list[str]] = {}
    for row in rows:
        names = f"{row['name']}={row['alias']}" if "alias" in row else row["name"]
        kinds.setdefault(_kind(row), []).append(names)
    choices = {row["name"]: row["choices"] for row in rows if "choices" in row}
    choices["ioengine"] = [engine["name"] for engine in engines]
    return ENGINE_TABLE.format(
        options=_blocks(kinds),
        choices=_blocks(choices),
        ranges="\n".join(sorted(filter(None, map(_range, rows)))),
        synchronous=_lines([engine["name"] for engine in engines if engine["synchronous"]], 4),
        rw=next(row["default"] for row in rows if row["name"] == "rw"),
        ioengine=next(row["default"] for row in rows if row["name"] == "ioengine"),
    )


def table() -> Any:
    """The options and ioengines of the built engine, each with its help."""
    return json.loads(asked("--option-table"))


def reference() -> str:
    """The page about the options and ioengines of the built engine."""
    return asked("--option-reference")


def asked(command: str) -> str:
    """What the built engine prints."""
    if not ENGINE.exists():
        sys.exit(f"{ENGINE} is not built, and its option table is copied: make -C native")
    call = [str(ENGINE), command]
    return subprocess.run(call, capture_output=True, check=True, text=True).stdout


def _range(row: Mapping[str, Any]) -> str:
    """The item of RANGES of an option of numbers; empty where any number is one."""
    if row["type"] == "percent":
        return f'    "{row["name"]}": (0, 100),'
    if _kind(row) not in ("NUMBER", "NUMBERS", "SIZE") or not {"least", "most"} & row.keys():
        return ""
    return f'    "{row["name"]}": ({row.get("least", 0)}, {row.get("most")}),'


def _kind(row: Mapping[str, Any]) -> str:
    """Anything that has a grammar of its own is TEXT."""
    if "unit_ns" in row:
        return TIMES[row["unit_ns"]]
    return KINDS.get(row["type"], "TEXT")


def _blocks(words: Mapping[str, Sequence[str]]) -> str:
    """The items of a dict whose values are words in lines."""
    lines = []
    for name in sorted(words):
        lines += [f'    "{name}": """', _lines(words[name], 8), '    """,']
    return "\n".join(lines)


def _lines(words: Sequence[str], indent: int) -> str:
    before = " " * indent
    return TextWrapper(96, initial_indent=before, subsequent_indent=before).fill(" ".join(words))
