"""Runs → one HTML page that lists them, with a link to the report of each."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from markupsafe import Markup

from iogate.model.run import Run
from iogate_reports.inline import policy, styles
from iogate_reports.render import STYLES, environment
from iogate_reports.sections.verdict import arms_text, headline, revision_text
from iogate_reports.text import moment, short


def _row(run: Run) -> tuple[object, ...]:
    word, sentence = headline(run)
    return (
        word,
        f"runs/{quote(run.id, safe='')}",
        short(run.plan.spec_name, 80),
        arms_text(run.plan.comparison) if run.plan.comparison else "",
        short(sentence, 400),
        short(run.host.name, 40),
        revision_text(run.revision),
        moment(run.started_ns),
    )


def render_runs(runs: Sequence[Run], of: int = 0) -> str:
    """Newest first, as given. The link to a run is ``runs/ID``. ``of`` is how many runs there are
    altogether, where these may be the newest of them."""
    rows = [_row(run) for run in runs]
    template = environment().get_template("runs.html.j2")
    return template.render(
        title="Runs",
        home="",
        rows=rows,
        of=max(of, len(rows)),
        scripts=(),
        styles=Markup(styles(*STYLES, "site.css")),  # noqa: S704 - our own style sheets
        policy=policy(),
    )
