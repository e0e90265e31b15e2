"""Work whose cost a text from elsewhere decides: done in a process of its own, which has so much
CPU time and memory and then is gone. No rule has to be right about which texts are costly."""

from __future__ import annotations

import sys
from typing import NamedTuple

_MEMORY_BYTES = 512 << 20
_LIMIT = """
import resource, sys
seconds, memory = map(int, sys.argv[1:3])
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
"""


class Worked(NamedTuple):
    """What the work printed, and whether it came to its end within the limits."""

    text: str
    ended: bool


def work(program: str, asked: str, seconds: int) -> Worked:
    """What a program in Python prints, which knows the standard library alone and reads what it is
    asked from stdin. It has ``seconds`` of CPU time, and four times as many of any."""
    import subprocess  # most specs have nothing to work out so

    argv = [sys.executable, "-I", "-S", "-c", _LIMIT + program, str(seconds), str(_MEMORY_BYTES)]
    try:
        done = subprocess.run(
            argv, input=asked.encode(), capture_output=True, timeout=4 * seconds, check=False
        )
    except subprocess.TimeoutExpired as error:
        return Worked((error.stdout or b"").decode(), ended=False)
    except OSError:
        return Worked("", ended=False)
    return Worked(done.stdout.decode(), ended=done.returncode == 0)
