"""Pictures of the pages that scripts/demo-reports made, for the documents.

usage: screenshots.py FOLDER IMAGES
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

LIMIT = 200_000  # bytes: a checkout stays small
WIDTH, HEIGHT = 1280, 900


@dataclass(frozen=True, slots=True)
class Shot:
    """A page, by a pattern in the folder; its first screen is shown."""

    name: str
    page: str


SHOTS = (
    Shot("report", "report/report.html"),
    Shot("trends", "site/index.html"),
    Shot("fleet", "site/*/fleet.html"),
)


def taken(browser: Browser, folder: Path, scheme: str) -> Iterator[tuple[str, bytes]]:
    """(name, PNG) of each page that is there."""
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
        offline=True,
    )
    page = context.new_page()
    for shot in SHOTS:
        for path in sorted(folder.glob(shot.page))[:1]:
            page.goto(path.absolute().as_uri())
            page.wait_for_load_state("load")
            yield f"{shot.name}-{scheme}.png", page.screenshot()
    context.close()


def main() -> None:
    """Take them all; too large a picture is an error."""
    folder, images = map(Path, sys.argv[1:])
    images.mkdir(parents=True, exist_ok=True)
    chromium = os.environ.get("IOGATE_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            for name, data in taken(browser, folder, scheme):
                if len(data) > LIMIT:
                    sys.exit(f"{name} has {len(data)} bytes, more than {LIMIT}")
                (images / name).write_bytes(data)
                print(images / name, len(data))
        browser.close()


if __name__ == "__main__":
    main()
