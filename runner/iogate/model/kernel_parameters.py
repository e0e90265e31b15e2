"""Which parameters of the kernel a spec may set, by their dotted names."""

from __future__ import annotations

import re

_NAME = re.compile(r"[a-z0-9_]+(\.[A-Za-z0-9_-]+){1,6}", re.ASCII)

# What begins so can be read back and put back. Anything else of the kernel's parameters either
# acts once (vm.drop_caches), cannot be undone (kernel.modules_disabled), or is no tuning.
TUNABLE = (
    "vm.", "fs.", "net.", "dev.", "kernel.sched_", "kernel.numa_balancing", "kernel.nmi_watchdog",
    "kernel.watchdog", "kernel.soft_watchdog", "kernel.timer_migration", "kernel.io_uring_",
    "kernel.randomize_va_space", "kernel.hung_task_", "kernel.perf_",
)  # fmt: skip
_NO_TUNING = {
    "vm.drop_caches": "write drop_caches: before-run, before-case or before-repetition",
    "vm.compact_memory": "it acts once, and nothing can be put back",
    "vm.stat_refresh": "it acts once, and nothing can be put back",
    "fs.binfmt_misc": "it makes the kernel run programs",
    "fs.suid_dumpable": "it is about secrets, not about speed",
    "fs.protected_": "it is about safety, not about speed",
}


def is_name(text: str) -> bool:
    """Whether a text has the form of such a name."""
    return _NAME.fullmatch(text) is not None


def why_not_set(name: str) -> str:
    """Why a spec does not set a parameter, or what it does instead; empty for one that it may."""
    why = next((why for start, why in _NO_TUNING.items() if name.startswith(start)), "")
    if not why and not name.startswith(TUNABLE):
        why = f"a spec sets {', '.join(sorted(TUNABLE))}…; set it by hand if you must"
    return why
