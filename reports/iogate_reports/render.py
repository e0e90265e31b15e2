"""A run → one HTML page that needs nothing but itself."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from iogate.model.run import Run
from iogate.model.trend import Trend
from iogate_reports.data import Page
from iogate_reports.inline import policy, script, styles
from iogate_reports.sections import SECTIONS
from iogate_reports.sections.verdict import headline, revision_text
from iogate_reports.series.zoom import Zoom, payload
from iogate_reports.text import clean, short
from iogate_reports.vendor import uplot

_HERE = Path(__file__).parent
_BETWEEN = re.compile(r"(?<=[,/])(?=\w\w)")
STYLES = ("tokens.css", "page.css", "verdict.css", "tables.css", "charts.css", "print.css")


def render_report(
    run: Run,
    baseline: Sequence[Run] = (),
    *,
    job_files: Mapping[str, str] | None = None,
    trend: Trend | None = None,
    broken: Sequence[str] = (),
    in_folder: bool = True,
) -> str:
    """The whole report. ``baseline`` is newest first; ``job_files`` maps a case's id to the
    text that ran, else the text is written from the case's options. ``trend`` is what the
    history says of the spec. ``broken`` are sentences on what of the run could not be read.
    A page that is not ``in_folder``, where the run left its files, does not link to them."""
    page = Page(run, tuple(baseline), dict(job_files or {}), trend, tuple(broken), in_folder)
    parts = []
    zooms: list[Zoom] = []
    for section in SECTIONS:
        view = section.view(page)
        if view is not None:
            zooms += view.get("zooms", ())
            template = environment().get_template(f"{section.name}.html.j2")
            parts.append((section, Markup(template.render(view))))  # noqa: S704 - autoescaped
    word, _ = headline(run)
    drawn = uplot() if zooms else None
    codes = (
        script("tables.js", "limits.js"),
        *((drawn.script, script("zoom.js", "rates.js")) if drawn else ()),
    )
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            sections=parts,
            styles=Markup(styles(*STYLES) + (drawn.style if drawn else "")),  # noqa: S704 - ours
            scripts=[Markup(code) for code in codes],  # noqa: S704 - our own, and uPlot
            payload=Markup(payload(zooms)) if drawn else "",  # noqa: S704 - escaped there
            policy=policy(codes),
            word=word,
            run=run,
            title=f"{word.word}: {short(run.plan.spec_name, 60)}, {revision_text(run.revision)}",
        )
    )


@cache
def environment() -> Environment:
    """Where templates come from and how they print: escaped, cleaned, nothing undefined."""
    jinja = Environment(
        loader=FileSystemLoader((_HERE / "templates", _HERE / "sections")),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    jinja.filters["svg"] = Markup
    jinja.filters["parts"] = _parts
    return jinja


@lru_cache(maxsize=4096, typed=True)
def _parts(text: str) -> str:
    """A name that a line may end in between its parts, before it does within a number. Pages say
    the same names again and again."""
    parts = _BETWEEN.split(clean(text))
    return Markup("<wbr>").join(parts) if len(parts) > 1 else text


def _shown(value: object) -> object:
    """What a template prints: text is cleaned, what is already markup stays."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return clean(value)
    return value
