"""The spec language: load with the place of every node, validate, expand into cases.

``load_spec(path)`` reads and checks, ``make_plan(spec)`` expands; both take ``--set``
overrides. Nothing here runs or writes anything.
"""

from __future__ import annotations

from iogate.spec.load import load_spec, load_spec_text
from iogate.spec.plan import expand_spec, make_plan, not_applied
from iogate.spec.support import check_native

__all__ = ["check_native", "expand_spec", "load_spec", "load_spec_text", "make_plan", "not_applied"]
