"""Was a repetition measured on a quiet host? Checks that look before, while and after it.

Only what the test does not cause itself disturbs a repetition: what its own processes do, the
threads of the kernel, and processes that serve its target, never does.
"""

from iogate.host.validity.base import TargetDisks
from iogate.host.validity.watch import Found, Surroundings, Watch

__all__ = ["Found", "Surroundings", "TargetDisks", "Watch"]
