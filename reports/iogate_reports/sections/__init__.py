"""The sections, in the order they stand on the page.

A new one is a module with its template beside it, and a line here.
"""

from __future__ import annotations

from iogate_reports.sections import (
    cases,
    comparison,
    environment,
    guide,
    noise,
    precondition,
    problems,
    results,
    verdict,
    workloads,
)
from iogate_reports.sections.base import Section

SECTIONS: tuple[Section, ...] = (
    Section("verdict", "", verdict.view),
    Section("problems", "Not measured", problems.view),
    Section("results", "Limits", results.view),
    Section("comparison", "Comparison", comparison.view),
    Section("workloads", "Workloads", workloads.view),
    Section("cases", "Cases", cases.view),
    Section("precondition", "Precondition", precondition.view),
    Section("noise", "Noise", noise.view),
    Section("environment", "Environment", environment.view),
    Section("guide", "How to read this", guide.view),
)
