"""SVG as text. Names come from outside, so every text and attribute is escaped here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from xml.sax.saxutils import escape, quoteattr

from iogate_reports.text import clean

Point = tuple[float, float]
Place = Callable[[int], float]


def num(value: float) -> str:
    """A coordinate with at most one decimal. A chart filters what is not finite first."""
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a coordinate")
    text = f"{value:.1f}"
    return text.removesuffix(".0")


def element(tag: str, content: str = "", **attributes: str | float | None) -> str:
    """One element; ``content`` is already SVG. ``class_`` is class, ``_`` becomes ``-``."""
    parts = [tag]
    for key, value in attributes.items():
        if value is None:
            continue
        name = key.rstrip("_").replace("_", "-")
        quoted = quoteattr(value) if isinstance(value, str) else f'"{num(value)}"'
        parts.append(f"{name}={quoted}")
    opening = " ".join(parts)
    return f"<{opening}>{content}</{tag}>" if content else f"<{opening}/>"


def text(x: float, y: float, content: str, class_: str | None = None) -> str:
    """A label; its class sets size and anchor."""
    return element("text", escape(clean(content)), x=x, y=y, class_=class_)


def line(start: Point, end: Point, class_: str) -> str:
    """A straight line."""
    return element("path", d=trace((start, end)), class_=class_)


def trace(points: Sequence[Point]) -> str:
    """Path data of a line through the points, relative after the first: short to store."""
    if not points:
        return ""
    x, y = (round(v, 1) for v in points[0])
    parts = [f"M{num(x)} {num(y)}"]
    for point in points[1:]:
        px, py = round(point[0], 1), round(point[1], 1)
        step_y = num(py - y)
        parts.append(f"l{num(px - x)}{'' if step_y.startswith('-') else ' '}{step_y}")
        x, y = px, py
    return "".join(parts)


def rough(points: Sequence[Point]) -> str:
    """Path data in whole units: for small pictures of which there are many."""
    if not points:
        return ""
    whole = [(round(x), round(y)) for x, y in points]
    sign = _SIGNED
    steps = " ".join([f"{c - a}{sign[d - b]}" for (a, b), (c, d) in pairwise(whole)])
    return f"M{whole[0][0]} {whole[0][1]}l{steps}" if steps else f"M{whole[0][0]} {whole[0][1]}h0"


class _Signed(dict[int, str]):
    """Whole numbers with their signs. Small pictures have few, and formatting is dear."""

    def __missing__(self, value: int) -> str:
        signed = f"{value:+d}"
        if abs(value) < _LARGEST:
            self[value] = signed
        return signed


_LARGEST = 1024
_SIGNED = _Signed()


def document(
    size: tuple[float, float], title: str, description: str, body: Iterable[str], class_: str = ""
) -> str:
    """A whole image: named and described for those who do not see it. It fills its place;
    with the class ``own`` it is never drawn larger than its size."""
    width, height = size
    head = element("title", escape(clean(title))) + element("desc", escape(clean(description)))
    return element(
        "svg",
        head + "".join(body),
        class_=f"chart {class_}".strip(),
        role="img",
        viewBox=f"0 0 {num(width)} {num(height)}",
        width=width if class_ == "own" else None,
    )
