"""A run → Markdown for the one comment on a pull request (at most 64 KiB there).

The first line is a marker that no reader sees. Whoever posts the comment looks for it, and
replaces the comment that has it instead of adding another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from iogate.model.run import Run
from iogate_reports.summary import digest

BUDGET = 60 * 1024
"""Bytes; the rest of the 64 KiB is for what the poster adds, such as a link to the report."""


def render_comment(run: Run, *, broken: Sequence[str] = ()) -> str:
    """The marker, then the summary with all of it cut to the size of a comment. ``broken`` are
    sentences on what of the run could not be read."""
    start = marker(run) + "\n"
    return start + digest(run, BUDGET - len(start) - 200, failures=5, reason=300, broken=broken)


def marker(run: Run) -> str:
    """The same for each run of a spec on a host, and for no other: two specs, or two hosts,
    have a comment each. It holds no text of the run."""
    parts = (run.plan.spec_file, run.plan.spec_name, run.host.machine_id)
    joined = "\0".join(parts).encode("utf-8", "backslashreplace")
    return f"<!-- iogate-comment {hashlib.sha256(joined).hexdigest()[:16]} -->"
