"""All facts of the environment, and what judged and measured."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from iogate.model.run import Run
from iogate_reports.data import Page
from iogate_reports.facts import with_unit
from iogate_reports.sections.base import View
from iogate_reports.text import duration, moment, short


def view(page: Page) -> View:
    """Facts grouped by the first part of their name."""
    facts = sorted(
        (short(k, 120), short(with_unit(k, v), 400)) for k, v in page.run.environment.items()
    )
    groups = [
        (name, list(members)) for name, members in groupby(facts, key=lambda f: f[0].split(".")[0])
    ]
    return {"groups": groups, "run": list(_run(page)), "count": len(facts)}


def _engines(run: Run) -> Iterator[str]:
    """Each engine with its clock, and the worst error of it."""
    worst: dict[str, float | None] = {}
    for engine in (m.engine for m in run.measurements):
        clock = f", clock {engine.clock_source}" if engine.clock_source else ""
        name, ppm = f"{engine.name} {engine.version}{clock}", engine.clock_error_ppm
        known = [v for v in (worst.get(name), ppm) if v is not None]
        worst[name] = max(known, default=None)
    for name, ppm in worst.items():
        yield name if ppm is None else f"{name} ±{ppm:.3g} ppm at most"


def _run(page: Page) -> list[tuple[str, str]]:
    run, plan = page.run, page.run.plan
    rows = [
        ("run", run.id),
        ("spec", f"{plan.spec_name} ({plan.spec_file})"),
        ("spec SHA-256", plan.spec_sha256),
        ("overrides", " ".join(plan.overrides) or "none"),
        ("revision", run.revision.commit or run.revision.label or "not recorded"),
        ("machine id", run.host.machine_id),
        ("started", moment(run.started_ns)),
        ("took", duration(run.took_ns) if run.took_ns else "–"),
        ("engine", "; ".join(_engines(run)) or "–"),
        ("folder", run.folder or "–"),
    ]
    return [(name, short(text, 300)) for name, text in rows]
