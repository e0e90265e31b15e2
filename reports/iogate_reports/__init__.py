"""Reports of a run: one HTML page, JUnit XML, a Markdown summary, and a comment.

Imports ``iogate.model``, and of ``iogate.stats`` what a median and an interval are. Charts and
sections are registries: a new one is a file and a line in ``charts/__init__.py`` or
``sections/__init__.py``.
"""

from iogate_reports.comment import render_comment
from iogate_reports.junit import render_junit
from iogate_reports.render import render_report
from iogate_reports.summary import render_summary

__all__ = ["render_comment", "render_junit", "render_report", "render_summary"]
