"""What a program printed → the numbers in it, by the patterns of a spec.

A regular expression may take longer than anybody waits for a line that was made for it, and both
come from a spec. So they meet in a process of their own, which has so much time and memory and then
is gone: no rule about expressions has to be right about which are slow.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping

from iogate.errors import EngineError
from iogate.files.bounded import parse_json
from iogate.files.limited import work

LINE_CHARACTERS = 4096
"""Of a longer line only the beginning is looked at."""
_SECONDS = 10
_NUMBER = re.compile(r"[-+]?(\d{1,20}(\.\d{0,20})?|\.\d{1,20})([eE][-+]?\d{1,3})?", re.ASCII)
# The last match counts: what is printed again and again is most often the state so far.
_PROGRAM = """
import json, re
asked = json.load(sys.stdin)
lines = [line[:asked["length"]] for line in asked["text"].splitlines()]
found = {}
for name, pattern in asked["patterns"].items():
    compiled = re.compile(pattern)
    for line in reversed(lines):
        matches = [m[1] for m in compiled.finditer(line) if m[1] is not None]
        if matches:
            found[name] = matches[-1]
            break
print(json.dumps(found))
"""


def find_printed(text: str, patterns: Mapping[str, str]) -> dict[str, float]:
    """The number that the one group of each pattern matches last in a line of the text, by the
    pattern's name; a pattern that matches nowhere is left out. EngineError for what is no number,
    and where the patterns take too long."""
    if not patterns:
        return {}
    found = _matched({"text": text, "patterns": dict(patterns), "length": LINE_CHARACTERS})
    return {name: _number(name, found[name]) for name in patterns if name in found}


def _matched(asked: Mapping[str, object]) -> Mapping[str, object]:
    worked = work(_PROGRAM, json.dumps(asked), _SECONDS)
    found = parse_json(worked.text) if worked.ended else None
    if not isinstance(found, dict):
        raise EngineError(
            f"the patterns of the metrics were not found within {_SECONDS} s of CPU time in what "
            "the command printed",
            remedy="write them without repetitions in repetitions, such as (a+)+",
        )
    return found


def _number(name: str, text: object) -> float:
    if isinstance(text, str) and _NUMBER.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    shown = repr(text)[:60]
    raise EngineError(
        f"{name}: its pattern found {shown}, which is no number",
        remedy="let its group match a number alone, such as ([0-9.]+)",
    )
