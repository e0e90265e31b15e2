"""Served pages in a real browser: they become what the history says now, by themselves."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from iogate.model.run import RunStatus
from iogate.store import open_store
from support import samples as s
from support.browsers import needs_chromium, trouble_of
from support.serving import serving

pytestmark = needs_chromium
RUN = "bbbb2222"


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Two nights, and a run in progress."""
    path = str(tmp_path / "history.sqlite")
    with closing(open_store(path)) as store:
        for number in (1, 2):
            measured = tuple(s.repetitions([100, 101, 102]))
            night = s.run(f"{number:08}", started_ns=number * 10**17, measurements=measured)
            store.begin_run(night)
            store.finish_run(
                night.id, status=RunStatus.COMPLETE, finished_ns=1, verdict=s.verdict()
            )
        now = s.run(RUN, started_ns=10**18)
        store.begin_run(replace(now, status=RunStatus.RUNNING, finished_ns=0, verdict=None))
    return path


def opened(browser: Browser, address: str, token: str = "") -> tuple[Page, list[str]]:
    """The page, and what it complained about."""
    known = {"http_credentials": {"username": "me", "password": token}} if token else {}
    page = browser.new_context(**known).new_page()  # type: ignore[arg-type]
    trouble = trouble_of(page)
    page.goto(address)
    return page, trouble


def test_a_run_in_progress_is_followed_to_its_end(browser: Browser, url: str) -> None:
    with serving(url, "secret") as port:
        page, trouble = opened(browser, f"http://127.0.0.1:{port}/runs/{RUN}", "secret")
        page.get_by_text("0 repetitions so far").wait_for()
        with closing(open_store(url)) as store:
            store.add_measurement(RUN, s.repetitions([100])[0])
        page.get_by_text("1 repetition so far").wait_for()
        with closing(open_store(url)) as store:
            store.finish_run(
                RUN, status=RunStatus.COMPLETE, finished_ns=10**18 + 1, verdict=s.verdict()
            )
        page.get_by_text("In progress").wait_for(state="hidden")
        page.locator("h1", has_text="pass").or_(page.locator("body.is-pass")).first.wait_for()
        assert trouble == []
        page.context.close()


def test_the_index_keeps_its_place_while_a_run_goes_on(browser: Browser, url: str) -> None:
    with serving(url) as port:
        page, trouble = opened(browser, f"http://127.0.0.1:{port}/")
        page.get_by_text("0 repetitions so far").wait_for()
        page.evaluate("window.same = true")
        with closing(open_store(url)) as store:
            store.add_measurement(RUN, s.repetitions([100])[0])
        page.get_by_text("1 repetition so far").wait_for()
        assert page.evaluate("window.same"), "only what changed is another"
        with closing(open_store(url)) as store:
            store.finish_run(RUN, status=RunStatus.COMPLETE, finished_ns=2, verdict=s.verdict())
        page.get_by_text("3 nights").wait_for()
        assert trouble == []
        page.context.close()


def test_a_server_that_ends_is_told(browser: Browser, url: str) -> None:
    with serving(url) as port:
        page, _ = opened(browser, f"http://127.0.0.1:{port}/")
        page.locator("#series").wait_for()
    page.get_by_text("this page is an old one").wait_for()
    page.context.close()


def test_without_scripts_it_is_said_that_a_page_stays_as_it_is(browser: Browser, url: str) -> None:
    with serving(url) as port:
        page = browser.new_context(java_script_enabled=False).new_page()
        page.goto(f"http://127.0.0.1:{port}/")
        page.get_by_text("0 repetitions so far").wait_for()
        assert "as it was" in (page.locator("aside noscript").text_content() or "")
        page.context.close()
