"""What a trend has to know of a run, kept beside its document."""

from __future__ import annotations

from typing import Any

from iogate.model.codec import codec_of
from iogate.model.night import RunFacts
from iogate.model.run import Run


def facts_of(run: Run) -> RunFacts:
    """What a trend has to know of a run."""
    return RunFacts(
        run_id=run.id,
        spec=run.plan.spec_name,
        host=run.host,
        revision=run.revision,
        started_ns=run.started_ns,
        environment=run.environment,
        compared=run.plan.comparison is not None,
        origin=run.origin,
    )


def facts_document(run: Run) -> Any:
    """The same as a document, so that a trend need not read that of the whole run."""
    return codec_of(RunFacts).encode(facts_of(run))
