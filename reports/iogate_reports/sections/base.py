"""What a section of the page is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from iogate_reports.data import Page

View = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Section:
    """``view`` gives the template ``sections/<name>.html.j2`` its variables, or None where
    there is nothing to show. A ``title`` puts it into the page's navigation."""

    name: str
    title: str
    view: Callable[[Page], View | None]
