"""How much is read of what comes from elsewhere: every bound, in one table.

Each is well above what the ready-made specs and the benchmarks reach. A spec at its bounds is read
in 1 GiB of memory, which a test holds; a document at its own takes some ten times its bytes.
"""

from __future__ import annotations

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30

SPEC_CHARACTERS = 512 * KIB
SPEC_BYTES = 4 * SPEC_CHARACTERS  # UTF-8 has up to four a character
SPEC_DEPTH = 40
SPEC_NODES = 50_000
SPEC_TEXT = 64 * KIB
SPEC_KEY = 1024
SPEC_FILES = 64
SPEC_FILES_CHARACTERS = 2 * SPEC_CHARACTERS
EXTENDS_DEPTH = 8
EXTENDS_JOINED = 1_000_000
JOINED_NODES = 4 * SPEC_NODES
JOBS = 256
JOB_OPTIONS = 20_000
MATRIX_POINTS = 10_000
MATRIX_RULES = 256
PATTERN_CHARACTERS = 200
PATTERNS_SECONDS = 5
CASE_PARTS = 200_000
PROBLEMS_LOOKED_AT = 500
SUGGESTED_LENGTH = 64
SUGGESTED_FROM = 1000

NOTE_BYTES = MIB
STATE_BYTES = 16 * MIB
LIST_BYTES = 16 * MIB
JOB_TEXT_BYTES = 2 * MIB
LOG_BYTES = 16 * MIB
CONSOLE_BEGIN_BYTES = 4 * MIB
CONSOLE_END_BYTES = MIB
DOCUMENT_BYTES = 256 * MIB
DOCUMENT_VALUES = 32_000_000
RESULT_ROWS = 8192  # an engine takes at most 4096 jobs; fio adds rows of groups
RESULT_INTERVALS = 2_000_000  # 4096 jobs, each with the 400 that iogate-engine keeps
FOREIGN_BYTES = GIB
LINE_BYTES = 2 * DOCUMENT_BYTES  # a document, as text
FETCHED_BYTES = 64 * GIB
FETCHED_FILES = 10_000
ROOM_BYTES = GIB
INTEGER_DIGITS = 300
HISTORY_ANSWER_BYTES = 2 * DOCUMENT_BYTES  # unpacked
TOLD_BYTES = 64 * MIB
SAID_BYTES = MIB  # iogate-engine's, in native/src/command/metered.h

TABLE: tuple[tuple[str, int, str], ...] = (
    ("characters of a spec, and of each file that it names", SPEC_CHARACTERS, "spec"),
    ("characters of all files of a spec together", SPEC_FILES_CHARACTERS, "spec"),
    ("files of a spec", SPEC_FILES, "spec"),
    ("values in a file of a spec, counting what aliases repeat", SPEC_NODES, "spec"),
    ("values in a spec with all that it extends", JOINED_NODES, "spec"),
    ("levels of a spec", SPEC_DEPTH, "spec"),
    ("characters of a text in a spec", SPEC_TEXT, "spec"),
    ("characters of a key in a spec", SPEC_KEY, "spec"),
    ("levels of `extends`", EXTENDS_DEPTH, "spec"),
    ("keys that `extends` looks at to join what it names", EXTENDS_JOINED, "spec"),
    ("jobs of a workload", JOBS, "spec"),
    ("options of all jobs of a workload", JOB_OPTIONS, "spec"),
    ("points of a matrix", MATRIX_POINTS, "spec"),
    ("rules in `exclude` and `include`", MATRIX_RULES, "spec"),
    ("characters of a pattern of a command's metric", PATTERN_CHARACTERS, "spec"),
    ("seconds of CPU time to read all such patterns of a spec", PATTERNS_SECONDS, "spec"),
    ("cases of a spec, each counted with its jobs and limits", CASE_PARTS, "spec"),
    ("bytes of a document of a run folder or of a history", DOCUMENT_BYTES, "document"),
    ("bytes of an answer of a history on a server", HISTORY_ANSWER_BYTES, "document"),
    ("values in a document", DOCUMENT_VALUES, "document"),
    ("digits of an integer in a document", INTEGER_DIGITS, "document"),
    ("jobs of a result, each with a row of its own", RESULT_ROWS, "document"),
    ("intervals of all time series of a repetition", RESULT_INTERVALS, "document"),
    ("bytes of a file of fio's results", FOREIGN_BYTES, "document"),
    ("bytes of a job file in a run folder that a report shows", JOB_TEXT_BYTES, "document"),
    ("bytes of what a command prints", SAID_BYTES, "document"),
    ("bytes of a file that comes from a machine elsewhere", FETCHED_BYTES, "document"),
    ("files of a repetition that come from a machine elsewhere", FETCHED_FILES, "document"),
    ("bytes of what an engine, or a program of the system, answers", TOLD_BYTES, "document"),
    ("bytes of a log of an engine that is looked through", LOG_BYTES, "document"),
    (
        "bytes of the list of a site's pages, or of the builds of a bisection",
        LIST_BYTES,
        "document",
    ),
    ("bytes of a journal, or of what a history hands over later", STATE_BYTES, "state"),
    ("bytes of a lock, a note or a setting of the host", NOTE_BYTES, "state"),
    ("bytes of the beginning of a guest's console, which is kept", CONSOLE_BEGIN_BYTES, "state"),
    ("bytes of its end: what is between them is left out, and so said", CONSOLE_END_BYTES, "state"),
)
"""What is bounded, by how much, and the chapter that it is told in."""

_ABOUT = (
    "What comes from elsewhere is read up to a bound, and never through a link, from a pipe or\n"
    "from a device. What is larger is an error that names the file and the bound. Made by\n"
    "scripts/generate.py from `runner/iogate/files/bounds.py`;"
    " [why](decisions/0024-reading-is-bounded.md)."
)
_CHAPTERS = {
    "spec": "Specs, and the files that they name",
    "document": "Run folders, histories and results",
    "state": "State of the host",
}


def size(number: int) -> str:
    """``512 KiB`` for a number of bytes or characters that is a power of two; else with commas."""
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if number >= unit and not number % unit:
            return f"{number // unit:,} {name}"
    return f"{number:,}"


def markdown() -> str:
    """``docs/bounds.md``."""
    lines = ["# How much is read", "", _ABOUT]
    for chapter, title in _CHAPTERS.items():
        lines += ["", f"## {title}", "", "| at most | of |", "|---|---|"]
        rows = [(number, what) for what, number, its in TABLE if its == chapter]
        lines += [f"| {_told(number, what)} | {what} |" for number, what in rows]
    return "\n".join(lines) + "\n"


def _told(number: int, what: str) -> str:
    return size(number) if what.startswith("bytes") else f"{number:,}"
