"""The help of the engine's options, in the schema of specs: editors show it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import copy_option_table

SCHEMA = Path(__file__).resolve().parent.parent / "schemas" / "spec.schema.json"
# Where the options stand in the schema: between these, which are there once.
START = """\
    "fio": {
      "description": "fio's options by their own names; true, on and 1 are the same.",
      "type": "object",
      "allOf": [
        {
          "properties": {
"""
END = """
          },
          "additionalProperties": false
        },
"""
# As many words of an option are offered.
EXAMPLES = 12
# What iogate-engine has no help for, as it does not have the option.
ONLY_FIO = "Of fio alone (man fio): iogate-engine does not have it; run with --engine fio."
# What an option of the engine means in a spec, where that is more.
IN_SPECS = {
    "steadystate": (
        "When a rate is steady: iops:2%, iops_slope:0.3%, bw or bw_slope; in a precondition also"
        " snia."
    ),
    "steadystate_check_interval": (
        "How long a sample of the rate is (1s); with snia a round (60s)."
    ),
    "steadystate_duration": "The window that has to be steady; with snia it is five rounds.",
}


def schema() -> str:
    """The schema of specs, with the options that there are today."""
    text = SCHEMA.read_text(encoding="utf-8")
    before, _, rest = text.partition(START)
    made = json.dumps(_options(), indent=2, ensure_ascii=False).split("\n")[1:-1]
    options = "\n".join(" " * 10 + line for line in made)
    return f"{before}{START}{options}{END}{rest.partition(END)[2]}"


def _options() -> dict[str, Any]:
    """Each name and alias, with its help and its words."""
    from iogate.jobs.options import ALIASES, CHOICES, NATIVE_CHOICES, known_keys

    table = copy_option_table.table()
    rows = [*table["options"], *(row for each in table["ioengines"] for row in each["options"])]
    helps = {row["name"]: row["help"] for row in reversed(rows)} | IN_SPECS
    made = {}
    for key in sorted(known_keys()):
        name = ALIASES.get(key, key)
        says = helps.get(name, ONLY_FIO) if name == key else f"The same as {name}."
        words = _words(CHOICES[name]) if name in CHOICES else _offered(NATIVE_CHOICES.get(name, ()))
        made[key] = {"description": says, **words}
    return made


def _words(words: Sequence[str]) -> dict[str, Any]:
    """One of these and no other: a suffix after a colon is for the engine to read, and so are
    variables and sums."""
    known = "|".join(map(re.escape, words))
    enum = [*words, *((None,) if "null" in words else ())]  # null is a word without its quotes
    return {"anyOf": [{"enum": enum}, {"type": "string", "pattern": f"^({known}):|[$(]"}]}


def _offered(words: Sequence[str]) -> dict[str, Any]:
    """Words that an editor completes; others are for an engine to read."""
    return {"examples": list(words[:EXAMPLES])} if words else {}
