"""Pages that several processes make: all there, in order, whatever becomes of a process."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import partial
from multiprocessing import active_children
from pathlib import Path

import pytest

from iogate_reports.site import Site, SpecTrend, pages, write_site
from iogate_reports.site.together import made_together
from iogate_reports.trend_lines import Line
from support.years import Story, year

PAGES = 40


def page(number: int) -> str:
    return f"{number} of {os.getpid()}: −"


def failing() -> str:
    raise ValueError("no page")


def dying() -> str:
    os.kill(os.getpid(), signal.SIGKILL)
    return "never"


def makers(**others: Callable[[], str]) -> list[Callable[[], str]]:
    """PAGES of them; ``others`` stand in the place that their name ends in."""
    found: list[Callable[[], str]] = [partial(page, number) for number in range(PAGES)]
    for name, make in others.items():
        found[int(name.removeprefix("at"))] = make
    return found


def texts(made: list[Callable[[], str]], cpus: int) -> list[str | None]:
    with made_together(made, cpus) as found:
        return list(found)


def test_pages_come_in_order_and_from_other_processes() -> None:
    found = texts(makers(), cpus=2)
    assert [(text or "").split(" of ")[0] for text in found] == [str(n) for n in range(PAGES)]
    processes = {(text or "").split(" of ")[1] for text in found}
    assert len(processes) == 2
    assert str(os.getpid()) not in {each.split(":")[0] for each in processes}
    assert active_children() == []


@pytest.mark.parametrize(("count", "cpus"), [(PAGES, 1), (15, 8), (0, 8)])
def test_without_much_to_do_the_caller_does_it(count: int, cpus: int) -> None:
    assert texts(makers()[:count], cpus) == [None] * count


def test_a_page_that_cannot_be_made_is_left_to_the_caller() -> None:
    found = texts(makers(at7=failing), cpus=2)
    assert [number for number, text in enumerate(found) if text is None] == [7]


def test_a_process_that_dies_leaves_its_pages_to_the_caller() -> None:
    found = texts(makers(at20=dying), cpus=2)
    assert [n for n, text in enumerate(found) if text is None] == list(range(20, PAGES, 2))


def test_who_leaves_early_leaves_nothing_behind() -> None:
    large = [partial(str.ljust, "page", 1 << 20) for _ in range(PAGES)]
    with made_together(large, 2) as found:
        assert next(found) == "page".ljust(1 << 20)
    assert active_children() == []


def test_a_site_tells_the_page_that_failed_and_has_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = year(PAGES, story=Story(20))
    bad = list(spec.cases.values())[11]
    made = pages.case_page

    def case_page(spec: SpecTrend, lines: tuple[Line, ...], *rest: object) -> str:
        if lines == bad:
            raise ValueError("no picture")
        return made(spec, lines, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(pages, "case_page", case_page)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    faults: dict[str, Exception] = {}
    site = Site([spec], faults.__setitem__)
    done = write_site(tmp_path, site.pages(), faults)
    assert done.written == len(site.makers) - 1
    assert [str(error) for error in faults.values()] == ["no picture"]
    assert set(site.makers) - set(faults) == {
        str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.html")
    }
