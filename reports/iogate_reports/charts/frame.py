"""The plot area that charts share: grid, tick labels, axis names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from iogate_reports.charts import svg
from iogate_reports.charts.scale import Scale


@dataclass(frozen=True, slots=True)
class Frame:
    """Outer size and margins, in the picture's units (about CSS pixels)."""

    width: float = 420
    height: float = 250
    left: float = 66
    right: float = 14
    top: float = 22
    bottom: float = 38

    @property
    def x_range(self) -> tuple[float, float]:
        return self.left, self.width - self.right

    @property
    def y_range(self) -> tuple[float, float]:
        """Bottom first: values grow upwards."""
        return self.height - self.bottom, self.top

    @property
    def size(self) -> tuple[float, float]:
        return self.width, self.height

    def y_axis(self, scale: Scale, name: str = "") -> str:
        """Grid lines with their values, and the axis' name above them."""
        start, end = self.x_range
        ticks = self._places(scale)
        grid = "".join(f"M{svg.num(start)} {svg.num(y)}H{svg.num(end)}" for y, _ in ticks)
        labels = "".join(svg.text(start - 6, y + 4, label, "e") for y, label in ticks)
        axis = svg.text(4, 12, name, "ax") if name else ""
        return svg.element("path", d=grid, class_="grid") + labels + axis

    def right_axis(self, scale: Scale, name: str, write: Callable[[float], str]) -> str:
        """The ticks of the same scale once more, in a second unit."""
        edge = self.x_range[1]
        ticks = _apart([(scale.at(v), write(v)) for v, _ in scale.ticks()], 13)
        labels = "".join(svg.text(edge + 6, y + 4, label) for y, label in ticks)
        return labels + svg.text(self.width - 4, 12, name, "ax e")

    def _places(self, scale: Scale) -> list[tuple[float, str]]:
        return _apart([(scale.at(value), label) for value, label in scale.ticks()], 13)

    def x_axis(
        self, ticks: Iterable[tuple[float, str]], name: str, gap: float | None = None
    ) -> str:
        """Ticks (coordinate, label) below the plot; ``gap`` keeps labels apart."""
        base = self.y_range[0]
        shown = _apart(list(ticks), gap) if gap else list(ticks)
        marks = "".join(f"M{svg.num(x)} {svg.num(base)}v4" for x, _ in shown)
        rule = f"M{svg.num(self.left)} {svg.num(base)}H{svg.num(self.x_range[1])}{marks}"
        labels = "".join(svg.text(x, base + 16, label, "m") for x, label in shown)
        axis = svg.text(self.x_range[1], self.height - 5, name, "ax e") if name else ""
        return svg.element("path", d=rule, class_="rule") + labels + axis


def _apart(ticks: Sequence[tuple[float, str]], gap: float) -> list[tuple[float, str]]:
    """The ticks that keep ``gap`` from the one kept before."""
    kept: list[tuple[float, str]] = []
    for place, label in ticks:
        if not kept or abs(place - kept[-1][0]) >= gap:
            kept.append((place, label))
    return kept
