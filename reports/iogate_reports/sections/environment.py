"""All facts of the environment, and what judged and measured."""

from __future__ import annotations

from itertools import groupby

from iogate_reports.data import Page
from iogate_reports.facts import show
from iogate_reports.sections.base import View
from iogate_reports.text import duration, moment, short


def view(page: Page) -> View:
    """Facts grouped by the first part of their name."""
    facts = sorted((short(k, 120), short(show(v), 400)) for k, v in page.run.environment.items())
    groups = [
        (name, list(members)) for name, members in groupby(facts, key=lambda f: f[0].split(".")[0])
    ]
    return {"groups": groups, "run": list(_run(page)), "count": len(facts)}


def _run(page: Page) -> list[tuple[str, str]]:
    run, plan = page.run, page.run.plan
    engines = dict.fromkeys(
        f"{m.engine.name} {m.engine.version}"
        + (f", clock {m.engine.clock_source}" if m.engine.clock_source else "")
        + (f" ±{m.engine.clock_error_ppm:g} ppm" if m.engine.clock_error_ppm is not None else "")
        for m in run.measurements
    )
    rows = [
        ("run", run.id),
        ("spec", f"{plan.spec_name} ({plan.spec_file})"),
        ("spec SHA-256", plan.spec_sha256),
        ("overrides", " ".join(plan.overrides) or "none"),
        ("revision", run.revision.commit or run.revision.label or "not recorded"),
        ("machine id", run.host.machine_id),
        ("started", moment(run.started_ns)),
        ("took", duration(run.finished_ns - run.started_ns) if run.finished_ns else "–"),
        ("engine", "; ".join(engines) or "–"),
        ("folder", run.folder or "–"),
    ]
    return [(name, short(text, 300)) for name, text in rows]
