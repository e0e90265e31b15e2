"""A real browser for the tests of pages, and what a page does there that it should not.

Pictures for people to look at are left in $IOGATE_SCREENSHOTS where that is set.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Dialog, Page, Request, sync_playwright

from iogate_reports.vendor import uplot

CHROMIUM = os.environ.get("IOGATE_CHROMIUM") or shutil.which("chromium") or ""

needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="chromium is not installed")
needs_uplot = pytest.mark.skipif(uplot() is None, reason="iogate was built without uPlot")


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser, until it is let go."""
    assert CHROMIUM, "chromium is missing: scripts/test installs it"
    with sync_playwright() as engine:
        found = engine.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


def trouble_of(page: Page) -> list[str]:
    """What a page complains of and asks people from now on; it grows."""
    trouble: list[str] = []

    def refuse(dialog: Dialog) -> None:
        trouble.append(dialog.message)
        dialog.dismiss()

    page.on("console", lambda message: trouble.append(message.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("dialog", refuse)
    return trouble


class Visit:
    """A page opened from disk, without a network. Its trouble is also what it asks for beside
    itself and the pictures in it."""

    def __init__(
        self, browser: Browser, path: Path, width: int = 1280, scheme: str = "light"
    ) -> None:
        context = browser.new_context(
            viewport={"width": width, "height": 800},
            offline=True,
            color_scheme="dark" if scheme == "dark" else "light",
        )
        self.page: Page = context.new_page()
        self.trouble = trouble_of(self.page)
        self.page.on("request", self._request)
        self._own = path.as_uri()
        self.page.goto(self._own)

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self._own, "data:image/png;base64,")):
            self.trouble.append(request.url)


A4_WIDTH = 703
"""Pixels between the margins of a printed page."""


def cut_in_print(page: Page) -> list[str]:
    """The tables that are too wide for paper, where nothing can be scrolled."""
    page.set_viewport_size({"width": A4_WIDTH, "height": 1000})
    page.emulate_media(media="print")
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll('table')].filter(one => one.checkVisibility()
            && one.getBoundingClientRect().right > innerWidth).map(one => one.textContent)"""
    )
    return found


def keep_picture(page: Page, name: str) -> None:
    """Leave a picture of the whole page for people."""
    folder = os.environ.get("IOGATE_SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def too_narrow(visit: Visit) -> list[int]:
    """The widths of a window, in pixels, that something sticks out of at the side."""
    return [width for width in range(360, 1480, 40) if _needed(visit.page, width) > width]


def _needed(page: Page, width: int) -> int:
    page.set_viewport_size({"width": width, "height": 900})
    needed: int = page.evaluate("document.documentElement.scrollWidth")
    return needed
