"""The mutants of C files: universalmutator makes the changes, by the rules of mutants_c.rules.

Comments and preprocessor lines are left as they are.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path

from mutants_report import Change

RULES = Path(__file__).resolve().parent / "mutants_c.rules"
# A literal, so that what looks like a comment in it is none; or a comment.
TOKEN = re.compile(
    r""" "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' | /\*.*?\*/ | //[^\n]* """,
    re.DOTALL | re.VERBOSE,
)


def without_comments(text: str) -> str:
    """C with blanks where comments were: lines and columns stay."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0]) if match[0].startswith("/") else match[0]

    return "\n".join(line.rstrip() for line in TOKEN.sub(blank, text).split("\n"))


def all_mutants(tree: Path, file: str) -> Iterator[tuple[Change, str]]:
    """Every change to a file of the tree, with the code that the file then holds."""
    from universalmutator import mutator  # in an environment of its own, --again does without

    lines = without_comments((tree / file).read_text(encoding="utf-8")).splitlines(keepends=True)
    with contextlib.redirect_stdout(io.StringIO()):
        mutants = mutator.mutants_regexp(
            lines, ruleFiles=[str(RULES)], ignorePatterns=[], ignoreStringOnly=True
        )
    for number, mutated, *_ in mutants:
        before, after = lines[: number - 1], lines[number:]
        change = Change(file, number, lines[number - 1].strip(), mutated.strip())
        yield change, "".join([*before, mutated, *after])
