"""What CI systems say of the job that asked for a run. The registry of them is this table.

Variables of the environment and the files that they name are read, and no server is asked. Branch
names and the like are whatever the author of a pull request called them.

To add a system: a file in this folder with a function from the environment to an `Origin`, or None
where the job is not one of that system, and one line in ``SYSTEMS``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from iogate.ci import buildkite, github, gitlab, jenkins
from iogate.model.origin import Origin

Variables = Mapping[str, str]

SYSTEMS: tuple[Callable[[Variables], Origin | None], ...] = (
    github.origin,
    gitlab.origin,
    buildkite.origin,
    jenkins.origin,
)


def find_origin(variables: Variables | None = None) -> Origin | None:
    """Of the job that this process is part of; None outside of a CI system."""
    given = os.environ if variables is None else variables
    origins = (system(given) for system in SYSTEMS)
    return next((origin for origin in origins if origin is not None), None)
