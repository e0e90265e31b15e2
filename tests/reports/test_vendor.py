"""uPlot comes with the notice that its licence asks for."""

from __future__ import annotations

from iogate_reports.vendor import uplot
from repository.tree import ROOT
from support.browsers import needs_uplot

NOTICE = (ROOT / "licenses" / "uPlot.txt").read_text(encoding="utf-8").strip()


@needs_uplot
def test_its_script_begins_with_its_licence() -> None:
    vendored = uplot()
    assert vendored is not None
    notice, _, code = vendored.script.partition("*/")
    assert NOTICE in notice
    assert "</" not in vendored.script
    assert code.lstrip().startswith("/*! https://github.com/leeoniya/uPlot")
