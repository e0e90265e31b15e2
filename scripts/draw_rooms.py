"""The rooms of the code and the arrows between them, drawn from the code.

A room is a folder; an arrow says that a file in one room imports (includes) one of another.
Arrows that a longer way implies are left out, and those into rooms that everybody uses.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path

import check_rooms

ROOT = Path(__file__).resolve().parent.parent
_BOX_W, _BOX_H, _GAP_X, _GAP_Y, _MARGIN = 118, 40, 22, 46, 24
Stop = str | tuple[str, int]  # a room, or where an arrow to a room crosses a row


@dataclass(frozen=True)
class Drawing:
    """Rooms by layer, highest first, and who uses whom."""

    title: str
    layers: Sequence[Sequence[str]]
    arrows: frozenset[tuple[str, str]]
    common: frozenset[str]  # used by nearly all: their arrows would hide the others


def runner() -> Drawing:
    """The Python side, in the layers that the lint checks, and the reports beside them."""
    layers = _layers("The layers of the runner")
    layers = [layer for layer in layers if layer != ["__main__"]]
    layers.insert(1, ["iogate_reports"])
    arrows = _arrows(_room_of, _room_of_module, layers)
    return Drawing("runner and reports", layers, arrows, frozenset({"model", "errors"}))


def reports() -> Drawing:
    """The reports from within, in the layers that the lint checks."""
    layers = _layers("The layers of the reports")
    arrows = _arrows(_part_of, _part_of_module, layers)
    return Drawing("reports", layers, arrows, frozenset({"text"}))


def _layers(name: str) -> list[list[str]]:
    """Those of a contract, highest first."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = config["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in contracts if each["name"] == name)
    return [layer.split(" | ") for layer in layers]


def _arrows(
    room_of: Callable[[Path], str],
    room_of_module: Callable[[str], str],
    layers: Sequence[Sequence[str]],
) -> frozenset[tuple[str, str]]:
    """Which of the rooms imports which other one."""
    rooms = {name for layer in layers for name in layer}
    files = {path: room_of(path) for path in _python_files()}
    return frozenset(
        (room, used)
        for path, room in files.items()
        for used in map(room_of_module, _imports(path))
        if {room, used} <= rooms and room != used
    )


def _python_files() -> list[Path]:
    return sorted(
        path for top in ("runner/iogate", "reports") for path in (ROOT / top).rglob("*.py")
    )


def _room_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[1] if parts[0] == "reports" else parts[2]


def _room_of_module(module: str) -> str:
    parts = module.split(".")
    if parts[0] == "iogate":
        return parts[1] if len(parts) > 1 else ""
    return parts[0] if parts[0] == "iogate_reports" else ""


def _part_of(path: Path) -> str:
    """The file or folder of the reports that a file is, or is in; empty for the runner's."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[2] if parts[0] == "reports" and len(parts) > 2 else ""


def _part_of_module(module: str) -> str:
    parts = module.split(".")
    return parts[1] if parts[0] == "iogate_reports" and len(parts) > 1 else ""


def _imports(path: Path) -> Iterable[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = node.module in ("iogate", "iogate_reports")
            names = [f"{node.module}.{a.name}" for a in node.names]
            yield from names if whole else (node.module,)


def native() -> Drawing:
    """The C side, in the layers that the lint checks."""
    used = check_rooms.arrows(check_rooms.SOURCE)
    arrows = frozenset((room, below) for room, rooms in used.items() for below in rooms)
    return Drawing("the engine", check_rooms.LAYERS, arrows, frozenset({"util"}))


def table(drawing: Drawing, lines: Mapping[str, str]) -> str:
    """A line a room, from the top down."""
    rooms = [room for layer in drawing.layers for room in layer]
    rows = "".join(f"| `{room}` | {lines[room]} |\n" for room in rooms)
    return f"| room | what is in it |\n|---|---|\n{rows}"


def runner_lines() -> dict[str, str]:
    """What each room of the runner says of itself: the first sentence of its docstring."""
    lines = {}
    for path in _python_files():
        room = _room_of(path)
        rooms = path.parent.parent if path.name == "__init__.py" else path.parent
        if rooms.name in ("iogate", "reports"):
            lines[room] = _first_paragraph(path)
    return lines


def report_lines() -> dict[str, str]:
    """What each part of the reports says of itself."""
    return {
        _part_of(path): _first_paragraph(path)
        for path in _python_files()
        if path.parent.name == "iogate_reports"
        or (path.parent.parent.name == "iogate_reports" and path.name == "__init__.py")
    }


def _first_paragraph(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split())


def svg(drawing: Drawing) -> str:
    """The picture: a row a layer, everything points down. A long arrow passes between the boxes
    of the rows that it crosses."""
    arrows = _shown(drawing)
    rows, ways = _rows(drawing, arrows)
    width = 2 * _MARGIN + max(map(_width, rows))
    height = 2 * _MARGIN + len(rows) * _BOX_H + (len(rows) - 1) * _GAP_Y
    places = _places(rows, width)
    lines = [_line([places[stop] for stop in ways[arrow]]) for arrow in sorted(arrows)]
    rooms = [stop for row in rows for stop in row if isinstance(stop, str)]
    boxes = [_box(room, drawing, *places[room]) for room in rooms]
    tip = '<path d="M0 0L8 4L0 8z" fill="#5b6b7b"/>'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"',
            ' font-family="sans-serif" font-size="13" role="img">',
            f"<title>Rooms of {escape(drawing.title)}, and who uses whom</title>",
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4"',
            f' markerWidth="7" markerHeight="7" orient="auto">{tip}</marker></defs>',
            *lines,
            *boxes,
            "</svg>\n",
        ]
    )


def _shown(drawing: Drawing) -> set[tuple[str, str]]:
    """The arrows without those that a longer way implies."""
    arrows = {(a, b) for a, b in drawing.arrows if b not in drawing.common}
    reach = _reach(arrows)
    return {
        (a, b)
        for a, b in arrows
        if not any(c != b and b in reach.get(c, ()) for x, c in arrows if x == a)
    }


def _reach(arrows: set[tuple[str, str]]) -> dict[str, set[str]]:
    """All rooms below each room, by any way."""
    reach: dict[str, set[str]] = {}
    for _ in range(len({a for a, _ in arrows}) + 1):
        for a, b in arrows:
            reach.setdefault(a, set()).update({b}, reach.get(b, ()))
    return reach


def _rows(
    drawing: Drawing, arrows: set[tuple[str, str]]
) -> tuple[list[list[Stop]], dict[tuple[str, str], list[Stop]]]:
    """What stands in each row, left to right, and the stops of each arrow: a room, a place in
    each row that it crosses (one for all arrows to the same room), a room."""
    rows: list[list[Stop]] = [sorted(layer) for layer in drawing.layers]
    level = {room: n for n, row in enumerate(rows) for room in row if isinstance(room, str)}
    ways: dict[tuple[str, str], list[Stop]] = {}
    for a, b in sorted(arrows):
        between: list[Stop] = [(b, n) for n in range(level[a] + 1, level[b])]
        ways[a, b] = [a, *between, b]
        for stop in between:
            row = rows[stop[1]]  # type: ignore[index]
            if stop not in row:
                row.append(stop)
    steps = {pair for way in ways.values() for pair in pairwise(way)}
    for _ in range(8):
        for row, above in zip(rows[1:], rows, strict=False):
            _sort(row, above, {(b, a) for a, b in steps})
        for row, below in zip(rows[-2::-1], rows[::-1], strict=False):
            _sort(row, below, steps)
    return rows, ways


def _sort(row: list[Stop], other: list[Stop], steps: set[tuple[Stop, Stop]]) -> None:
    """Orders a row so that its arrows to the other row are short."""
    at = {stop: (i + 0.5) / len(other) for i, stop in enumerate(other)}
    now = {stop: (i + 0.5) / len(row) for i, stop in enumerate(row)}
    wanted = {}
    for stop in row:
        ends = [at[b] for a, b in steps if a == stop and b in at]
        wanted[stop] = round(sum(ends) / len(ends), 6) if ends else now[stop]
    row.sort(key=lambda stop: (wanted[stop], str(stop)))


def _width(row: list[Stop]) -> int:
    return sum(map(_room_for, row)) + _GAP_X * (len(row) - 1)


def _room_for(stop: Stop) -> int:
    return _BOX_W if isinstance(stop, str) else 8


def _places(rows: list[list[Stop]], width: int) -> dict[Stop, tuple[float, float]]:
    """The middle of the top of each stop."""
    places: dict[Stop, tuple[float, float]] = {}
    for n, row in enumerate(rows):
        x = (width - _width(row)) / 2
        for stop in row:
            places[stop] = (x + _room_for(stop) / 2, _MARGIN + n * (_BOX_H + _GAP_Y))
            x += _room_for(stop) + _GAP_X
    return places


def _line(stops: list[tuple[float, float]]) -> str:
    """Down through all stops, straight where it passes a row."""
    x, y = stops[0]
    path = f"M{x:.0f} {y + _BOX_H:.0f}"
    for (x0, y0), (x1, y1) in pairwise(stops):
        top, end = y0 + _BOX_H, y1 - (2 if (x1, y1) == stops[-1] else 0)
        middle = (top + end) / 2
        path += f"C{x0:.0f} {middle:.0f} {x1:.0f} {middle:.0f} {x1:.0f} {end:.0f}"
        if (x1, y1) != stops[-1]:
            path += f"V{y1 + _BOX_H:.0f}"
    return f'<path d="{path}" fill="none" stroke="#5b6b7b" marker-end="url(#tip)"/>'


def _box(room: str, drawing: Drawing, x: float, y: float) -> str:
    common = room in drawing.common
    fill = "#eceff1" if common else "#e3f2fd"
    rectangle = f'x="{x - _BOX_W / 2:.0f}" y="{y:.0f}" width="{_BOX_W}" height="{_BOX_H}" rx="5"'
    note = _text(x, y + 32, "used by all", ' fill="#455a64" font-size="10"') if common else ""
    return (
        f'<rect {rectangle} fill="{fill}" stroke="#90a4ae"/>'
        + _text(x, y + (17 if common else 25), room, ' fill="#102027"')
        + note
    )


def _text(x: float, y: float, text: str, style: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="middle"{style}>{escape(text)}</text>'
