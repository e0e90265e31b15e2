"""The spec language: load with the place of every node, validate, expand into cases.

``load_spec(path)`` reads and checks, ``make_plan(spec)`` expands; both take ``--set``
overrides. Nothing here runs or writes anything.
"""

from __future__ import annotations

from iogate.spec.engines import check_engine
from iogate.spec.load import load_spec, load_spec_text
from iogate.spec.options.support import note_lacking
from iogate.spec.plan import make_plan
from iogate.spec.runnable import check_doable
from iogate.spec.trust import needs_trust, require_trust

__all__ = [
    "check_doable",
    "check_engine",
    "load_spec",
    "load_spec_text",
    "make_plan",
    "needs_trust",
    "note_lacking",
    "require_trust",
]
