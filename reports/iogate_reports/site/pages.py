"""The pages of the site, each made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import chain, repeat
from typing import TypeVar

from markupsafe import Markup

from iogate.model.silence import silent_hosts
from iogate_reports.charts import nights
from iogate_reports.inline import policy, script, styles
from iogate_reports.labels import Word
from iogate_reports.render import environment
from iogate_reports.site.fleet import (
    FAR,
    FEWEST,
    LEAST,
    OUTLIER,
    UNSTEADY,
    UNSTEADY_NIGHTS,
    VARIES,
    groups,
    labels,
    outliers,
    shared_by_worse,
    standing_out,
    unsteady,
)
from iogate_reports.site.payload import payload
from iogate_reports.site.together import made_together
from iogate_reports.site.views import (
    AlertView,
    SeriesRow,
    alert_views,
    decision_text,
    gone_text,
    hops_of,
    marker_text,
    ranked,
    series_row,
)
from iogate_reports.site.words import CALM, STATES, calm, last_run, newest_night, silent, standing
from iogate_reports.text import moment, plural, short
from iogate_reports.trend_lines import Line, SpecTrend, file_name
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
FEW_SPECS = 8
"""With more of them the index shows what moved before it lists them."""
_Made = TypeVar("_Made")


def spec_address(name: str) -> str:
    """The page of the spec of this name, as seen from the folder of the site."""
    return f"{file_name(name)}/{INDEX}"


@dataclass(frozen=True, slots=True)
class _Part:
    """What the index shows of a spec. ``tile`` is its name, the address of its page, how much
    there is, how new, where it stands, the number of its hosts, and what is said of those that
    stand out."""

    rows: Sequence[SeriesRow]
    alerts: Sequence[AlertView]
    tile: tuple[str, str, str, str, Word, int, str]


@dataclass(frozen=True)
class Site:
    """Pages by address. The address of a spec or a case stays while its name or id does.

    ``failed`` is told the address of a page that could not be made, and why; the others are
    made. Where there is none the error is raised. ``now_ns`` (Unix time) is from when the nights
    are seen; 0 is from when the newest of all began."""

    specs: Sequence[SpecTrend]
    failed: Callable[[str, Exception], None] | None = None
    now_ns: int = 0

    @cached_property
    def folders(self) -> dict[str, str]:
        """Spec name → its folder."""
        return {spec.name: file_name(spec.name) for spec in self.specs}

    @cached_property
    def _seen_ns(self) -> int:
        """From when the nights are seen."""
        return self.now_ns or newest_night(spec.trend for spec in self.specs)

    def pages(self) -> Iterator[tuple[str, str]]:
        """(address, text) of every page that can be made. The cases are most of them, and drawn
        on all CPUs while the others are made here."""
        with made_together(list(self._cases.values())) as texts:
            drawn = chain(repeat(None, len(self._overviews)), texts)
            for (address, make), made in zip(self.makers.items(), drawn, strict=True):
                text = self._tried(address, make) if made is None else made
                if text is not None:
                    yield address, text

    def _tried(self, address: str, make: Callable[[], _Made]) -> _Made | None:
        try:
            return make()
        except Exception as error:
            if self.failed is None:
                raise
            self.failed(address, error)
            return None

    @cached_property
    def makers(self) -> dict[str, Callable[[], str]]:
        """Each page's address, and what makes its text."""
        return self._overviews | self._cases

    @cached_property
    def _overviews(self) -> dict[str, Callable[[], str]]:
        """The index, and of each spec its own page and its fleet's."""
        makers: dict[str, Callable[[], str]] = {INDEX: self.index}
        for spec in self.specs:
            folder, cases = self.folders[spec.name], _case_files(spec)
            makers[f"{folder}/{INDEX}"] = partial(spec_page, spec, cases, self._seen_ns)
            if len(spec.hosts) > 1:
                makers[f"{folder}/fleet.html"] = partial(fleet_page, spec, cases, self._seen_ns)
        return makers

    @cached_property
    def _cases(self) -> dict[str, Callable[[], str]]:
        """The page of each case."""
        return {address: make for spec in self.specs for address, make in self._cases_of(spec)}

    def _cases_of(self, spec: SpecTrend) -> Iterator[tuple[str, Callable[[], str]]]:
        told = cache(lambda: {v.key: v for v in alert_views(spec.trend.alerts, spec, {})})
        files = _case_files(spec)
        for case, lines in spec.cases.items():
            yield f"{self.folders[spec.name]}/{files[case]}", partial(case_page, spec, lines, told)

    def index(self) -> str:
        """All specs: what is open, and every series in a row."""
        parts = [
            (spec, self._tried(f"{self.folders[spec.name]}/{INDEX}", partial(self._part, spec)))
            for spec in self.specs
        ]
        shown = [part for _, part in parts if part]
        alerts = [alert for part in shown for alert in part.alerts]
        return _page(
            "site_index.html.j2",
            "Storage performance, night by night",
            rows=ranked([row for part in shown for row in part.rows]),
            alerts=sorted(
                (a for a in alerts if not a.is_over), key=lambda a: (a.word.rank, -a.came_ns)
            ),
            specs=sorted((part.tile for part in shown), key=lambda tile: tile[4].rank),
            few=FEW_SPECS,
            wanted=sum(part.tile[4].rank < CALM for part in shown),
            missing=[short(spec.name, 60) for spec, part in parts if part is None],
            over=sum(alert.is_over for alert in alerts),
            calm=calm([spec.trend for spec in self.specs], self._seen_ns),
            words=STATES.values(),
            home="",
            many=len(self.specs) > 1,
            hosts=len({host for spec in self.specs for host in spec.hosts}),
        )

    def _part(self, spec: SpecTrend) -> _Part:
        folder = self.folders[spec.name]
        files = {case: f"{folder}/{name}" for case, name in _case_files(spec).items()}
        return _Part(
            [series_row(spec, line, files[line.series.case_id]) for line in spec.lines],
            alert_views(spec.trend.alerts, spec, files, f"{folder}/{INDEX}"),
            (
                short(spec.name, 60),
                f"{folder}/{INDEX}",
                *_summary(spec, self._seen_ns),
                len(spec.hosts),
                _odd(spec, self._seen_ns),
            ),
        )


def _odd(spec: SpecTrend, now_ns: int) -> str:
    """Which of its hosts stand out, and which had no night while others had theirs: in words, or
    nothing."""
    odd = standing_out(spec) if len(spec.hosts) >= FEWEST else []
    named = odd[0] if len(odd) == 1 else plural(len(odd), "host")
    told = [f"{named} {'stands' if len(odd) == 1 else 'stand'} out"] if odd else []
    gone = silent_hosts(spec.trend, now_ns)
    if 0 < len(gone) < len(spec.hosts):
        (since, *others), names = gone.values(), labels(spec.lines)
        who = plural(len(gone), "host") if others else names[next(iter(gone))]
        told.append(f"{who}: {since}{' or so' if others else ''}")
    return "; ".join(told)


def _case_files(spec: SpecTrend) -> dict[str, str]:
    return {case: f"case-{file_name(case)}.html" for case in spec.cases}


def _summary(spec: SpecTrend, now_ns: int = 0) -> tuple[str, str, Word]:
    """How much, how new, and where it stands, seen from ``now_ns``."""
    several = len(spec.hosts) > 1
    nights = plural(len(spec.trend.nights), "run" if several else spec.trend.counted_in)
    count = f"{plural(len(spec.lines), 'series', 'series')}, {nights}"
    last = moment(spec.trend.nights[-1].started_ns) if spec.trend.nights else "–"
    return count, last, standing(spec.trend, now_ns)


def spec_page(spec: SpecTrend, cases: dict[str, str], now_ns: int = 0) -> str:
    """One spec: its alerts with their ranges, its hosts' changes, its series."""
    count, last, _ = _summary(spec)
    ended = last_run(spec.trend) or silent(spec.trend, now_ns)
    told = [alert.decision for alert in spec.trend.alerts if alert.decision]
    return _page(
        "site_spec.html.j2",
        short(spec.name, 80),
        rows=ranked([series_row(spec, line, cases[line.series.case_id]) for line in spec.lines]),
        alerts=alert_views(spec.trend.alerts, spec, cases),
        accepted=[
            f"{short(d.alert, 40)} {decision_text(d)}" for d in spec.trend.accepted if d not in told
        ],
        markers=[marker_text(m, spec) for m in reversed(spec.trend.markers)],
        fleet=len(spec.hosts) if len(spec.hosts) > 1 else 0,
        hosts=len(spec.hosts),
        summary=f"{count}, last {spec.trend.counted_in} {last}"
        + (f"; {ended.word}" if ended else ""),
        words=STATES.values(),
        home="../",
    )


def case_page(
    spec: SpecTrend, lines: Sequence[Line], told: Callable[[], Mapping[str, AlertView]]
) -> str:
    """One case: each series as a chart that can be zoomed, with what happened to it. ``told``
    gives what there is to say of each alert of the spec, by its id."""
    minutes = [night.started_ns // 60_000_000_000 for night in spec.trend.nights]
    alerts = {m.alert.id: told()[m.alert.id] for line in lines for m in line.moves if m.alert}
    series = lines[0].series
    drawn = uplot()
    return _page(
        "site_case.html.j2",
        f"{short(series.case)} · {short(spec.name, 60)}",
        name=short(series.case),
        spec=short(spec.name, 60),
        case_id=short(series.case_id, 40),
        figures=[
            (line, STATES[line.series.state], _told(line, spec), nights.figure(line, minutes))
            for line in lines
        ],
        several=len({line.series.machine_id for line in lines}) > 1,
        alerts=list(alerts.values()),
        payload=Markup(payload(lines, minutes)) if drawn else "",  # noqa: S704 - escaped there
        home="../",
        scripts=(drawn.script, script("zoom.js", "trend.js")) if drawn else (),
        extra=drawn.style if drawn else "",
    )


def _told(line: Line, spec: SpecTrend) -> str:
    """What there is to say of a series beside its state."""
    gone = gone_text(line, spec)
    return "; ".join(
        part for part in (hops_of(line), f"not measured since {gone}" if gone else "") if part
    )


def fleet_page(spec: SpecTrend, cases: dict[str, str], now_ns: int = 0) -> str:
    """One spec over all hosts, seen from ``now_ns``."""
    compared = groups(spec, cases)
    worse, shared = shared_by_worse(spec)
    names, gone = labels(spec.lines), silent_hosts(spec.trend, now_ns)
    return _page(
        "site_fleet.html.j2",
        f"{short(spec.name, 80)} on {plural(len(spec.hosts), 'host')}",
        groups=compared,
        name=short(spec.name, 80),
        hosts=len(spec.hosts),
        outliers=outliers(compared),
        unsteady=unsteady(compared),
        worse=worse,
        gone=[(names[machine], since) for machine, since in gone.items() if machine in names],
        shared=[
            (short(s.fact, 80), short(s.value, 80), short(", ".join(s.others), 120)) for s in shared
        ],
        names=sorted({row.host for group in compared for row in group.rows}),
        word=OUTLIER,
        varies=VARIES,
        rule=(FEWEST, FAR, LEAST * 100, UNSTEADY, UNSTEADY_NIGHTS),
        home="../",
    )


def _page(
    template: str, title: str, *, scripts: Sequence[str] = (), extra: str = "", **view: object
) -> str:
    codes = scripts or (script("tables.js", "series.js"),)
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
