"""The pages of the site, each made when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

from iogate_reports.charts import nights
from iogate_reports.inline import policy, script, styles
from iogate_reports.lines import Line, SpecTrend, file_name
from iogate_reports.render import environment
from iogate_reports.site.fleet import FAR, FEWEST, LEAST, groups
from iogate_reports.site.payload import payload
from iogate_reports.site.views import (
    alert_views,
    decision_text,
    marker_text,
    ranked,
    series_row,
)
from iogate_reports.site.words import STATES
from iogate_reports.text import moment, plural, short
from iogate_reports.vendor import uplot

STYLES = (
    "tokens.css",
    "page.css",
    "verdict.css",
    "tables.css",
    "charts.css",
    "site.css",
    "print.css",
)
INDEX = "index.html"


@dataclass(frozen=True)
class Site:
    """Pages by address. The address of a spec or a case stays while its name or id does."""

    specs: Sequence[SpecTrend]

    @cached_property
    def folders(self) -> dict[str, str]:
        """Spec name → its folder."""
        return {one.name: file_name(one.name, i) for i, one in enumerate(self.specs)}

    def pages(self) -> Iterator[tuple[str, str]]:
        """(address, text) of every page."""
        yield INDEX, self.index()
        for spec in self.specs:
            yield from self.spec_pages(spec)

    def spec_pages(self, spec: SpecTrend) -> Iterator[tuple[str, str]]:
        """The pages of one spec: its own, its fleet's, and one for each case."""
        folder = self.folders[spec.name]
        cases = _case_files(spec)
        yield f"{folder}/{INDEX}", spec_page(spec, cases)
        if len(spec.hosts) > 1:
            yield f"{folder}/fleet.html", fleet_page(spec, cases)
        for case, lines in spec.cases.items():
            yield f"{folder}/{cases[case]}", case_page(spec, lines)

    def index(self) -> str:
        """All specs: what is open, and every series in a row."""
        rows, alerts, specs = [], [], []
        for spec in self.specs:
            folder = self.folders[spec.name]
            files = {case: f"{folder}/{name}" for case, name in _case_files(spec).items()}
            rows += [series_row(spec, one, files[one.series.case_id]) for one in spec.lines]
            alerts += alert_views(spec.trend.alerts, spec, files)
            specs.append(
                (short(spec.name, 60), f"{folder}/{INDEX}", *_summary(spec), len(spec.hosts))
            )
        return _page(
            "site_index.html.j2",
            "Storage performance, night by night",
            rows=ranked(rows),
            alerts=sorted(
                (a for a in alerts if a.word.word != "closed"), key=lambda a: a.word.rank
            ),
            specs=specs,
            words=STATES.values(),
            home="",
            many=len(self.specs) > 1,
            hosts=len({host for spec in self.specs for host in spec.hosts}),
        )


def _case_files(spec: SpecTrend) -> dict[str, str]:
    return {case: f"case-{file_name(case, i)}.html" for i, case in enumerate(spec.cases)}


def _summary(spec: SpecTrend) -> tuple[str, str, int]:
    """How much, how new, and how many alerts are open."""
    count = (
        f"{plural(len(spec.lines), 'series', 'series')}, {plural(len(spec.trend.nights), 'night')}"
    )
    last = moment(spec.trend.nights[-1].started_ns) if spec.trend.nights else "–"
    return count, last, sum(a.state == "open" for a in spec.trend.alerts)


def spec_page(spec: SpecTrend, cases: dict[str, str]) -> str:
    """One spec: its alerts with their ranges, its hosts' changes, its series."""
    count, last, _ = _summary(spec)
    return _page(
        "site_spec.html.j2",
        short(spec.name, 80),
        rows=ranked([series_row(spec, one, cases[one.series.case_id]) for one in spec.lines]),
        alerts=alert_views(spec.trend.alerts, spec, cases),
        accepted=[f"{short(d.alert, 40)} {decision_text(d)}" for d in spec.trend.accepted],
        markers=[marker_text(m, spec) for m in reversed(spec.trend.markers)],
        fleet=len(spec.hosts) if len(spec.hosts) > 1 else 0,
        hosts=len(spec.hosts),
        summary=f"{count}, last night {last}",
        words=STATES.values(),
        home="../",
    )


def case_page(spec: SpecTrend, lines: Sequence[Line]) -> str:
    """One case: each series as a chart that can be zoomed, with what happened to it."""
    minutes = [night.started_ns // 60_000_000_000 for night in spec.trend.nights]
    alerts = {m.alert.id: m.alert for line in lines for m in line.moves}
    one = lines[0].series
    drawn = uplot()
    return _page(
        "site_case.html.j2",
        f"{short(one.case)} · {short(spec.name, 60)}",
        name=short(one.case),
        spec=short(spec.name, 60),
        case_id=short(one.case_id, 40),
        figures=[(line, STATES[line.series.state], nights.figure(line, minutes)) for line in lines],
        several=len({line.series.machine_id for line in lines}) > 1,
        alerts=alert_views(alerts.values(), spec, {}),
        markers=[marker_text(m, spec) for m in lines[0].markers],
        payload=Markup(payload(lines, minutes)) if drawn else "",  # noqa: S704 - escaped there
        home="../",
        scripts=(drawn.script, script("trend.js")) if drawn else (),
        extra=drawn.style if drawn else "",
    )


def fleet_page(spec: SpecTrend, cases: dict[str, str]) -> str:
    """One spec over all hosts."""
    found = groups(spec, cases)
    return _page(
        "site_fleet.html.j2",
        f"{short(spec.name, 80)} on {plural(len(spec.hosts), 'host')}",
        groups=found,
        name=short(spec.name, 80),
        hosts=len(spec.hosts),
        outliers=sum(one.outliers for one in found),
        rule=(FEWEST, FAR, LEAST * 100),
        home="../",
    )


def _page(
    template: str, title: str, *, scripts: Sequence[str] = (), extra: str = "", **view: object
) -> str:
    codes = scripts or (script("series.js"),)
    return (
        environment()
        .get_template(template)
        .render(
            title=title,
            styles=Markup(styles(*STYLES) + extra),  # noqa: S704 - our own style sheets
            scripts=[Markup(code) for code in codes],  # noqa: S704 - our own scripts, and uPlot
            policy=policy(codes),
            **view,
        )
    )
