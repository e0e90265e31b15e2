"""What a job does on its node: one run of iogate, whose folder, words and exit code lie where the
node and the host that waits for it both see them."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from iogate.dispatch.base import Errand, Share
from iogate.sut.ssh import words_of

# A home may be on a filesystem that nodes share. A history there is refused, and not needed: what
# is measured is judged by the one that waits. Notes of what a killed run has left are of one node:
# another one would take a folder that is in use here for such. A shell that is told to end waits
# for the run, which then ends.
_SCRIPT = """\
#!/bin/sh
trap : TERM INT HUP
unset GITHUB_STEP_SUMMARY
export XDG_STATE_HOME="${{XDG_STATE_HOME:-$HOME/.local/state}}/iogate-nodes/$SLURMD_NODENAME"
task=${{SLURM_ARRAY_TASK_ID:-0}}
exec >/dev/null 2>{log}
case $task in
{tasks}
esac
own=$(mktemp -d) || exit 4
{iogate} run {words} --no-store --store="$own/history.sqlite" "$@" -- {spec}
code=$?
rm -rf "$own"
echo $code >{code}.new && mv {code}.new {code}
exit $code
"""


def script(errand: Errand, shares: Sequence[Share], name: str) -> str:
    """Of one job, or of an array with a task a share."""
    base = shlex.quote(str(errand.folder / name))
    return _SCRIPT.format(
        log=f"{base}-$task.log",
        code=f"{base}-$task.code",
        tasks="\n".join(f"{n}) set -- {_words(each)} ;;" for n, each in enumerate(shares)),
        iogate=shlex.join(_iogate()),
        words=shlex.join(errand.words),
        spec=shlex.quote(str(errand.spec)),
    )


def log_file(folder: Path, name: str, number: int) -> Path:
    """What a task's run says, on stderr."""
    return folder / f"{name}-{number}.log"


def code_file(folder: Path, name: str, number: int) -> Path:
    """The exit code of a task's run, once it has ended."""
    return folder / f"{name}-{number}.code"


def _words(share: Share) -> str:
    cases = (f"--case={case}" for case in share.cases)
    return shlex.join([*cases, f"--output={share.folder}"])


def _iogate() -> list[str]:
    """How iogate is called on a node: as here, or as ``IOGATE_ON_NODES`` says."""
    own = [sys.executable, "-P", "-m", "iogate"]
    return words_of("IOGATE_ON_NODES") or own
