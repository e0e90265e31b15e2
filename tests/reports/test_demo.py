"""The demo's year: what was put into it can be found in its pages."""

from __future__ import annotations

import re
from pathlib import Path

from support.demo import make_demo


def test_it_prints_the_paths_of_its_pages(demo: tuple[Path, str]) -> None:
    folder, text = demo
    paths = [Path(line) for line in text.rpartition("\n\n")[2].split()]
    assert [str(path.relative_to(folder)) for path in paths] == [
        "report/report.html", "site/index.html", "site/nightly/fleet.html",
    ]  # fmt: skip
    assert all(path.is_file() for path in paths)


def test_the_report_fails_for_the_case_that_is_worse(demo: tuple[Path, str]) -> None:
    summary = (demo[0] / "report" / "summary.md").read_text("utf-8")
    failed = re.findall(r"^\| ❌ fail \| (\S+) \|", summary, re.MULTILINE)
    assert set(failed) == {"oltp-write/bs=4k,iodepth=1"}


def test_the_range_of_each_regression_is_at_most_two_clicks_away(demo: tuple[Path, str]) -> None:
    folder, text = demo
    ranges = re.findall(r"slower since (\w{12})\.\.(\w{12})", text)
    assert len(ranges) == 2
    pages = {path: path.read_text("utf-8") for path in (folder / "site").rglob("*.html")}
    index = pages[folder / "site" / "index.html"]
    near = [page for path, page in pages.items() if f"nightly/{path.name}" in index]
    for before, after in ranges:
        assert any(before in page and after in page for page in (index, *near))


def test_the_slow_host_stands_out_of_the_fleet(demo: tuple[Path, str]) -> None:
    page = (demo[0] / "site" / "nightly" / "fleet.html").read_text("utf-8")
    rows = [row for row in re.findall(r"<tr.*?</tr>", page, re.DOTALL) if "stands out" in row]
    assert rows
    # The other is the first host, with its own regression.
    assert {host for row in rows for host in re.findall(r"lab-nvme-\d\d", row)} <= {
        "lab-nvme-06", "lab-nvme-03",
    }  # fmt: skip
    assert any("lab-nvme-06" in row for row in rows)


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    done = make_demo(tmp_path)
    assert done.returncode == 1
    assert "is not empty" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
