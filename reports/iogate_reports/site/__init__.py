"""The trend site: an index, a page a spec, a page a case, a page for a fleet."""

from iogate_reports.site.pages import Site
from iogate_reports.site.write import Written, write_site
from iogate_reports.trend_lines import SpecTrend

__all__ = ["Site", "SpecTrend", "Written", "write_site"]
