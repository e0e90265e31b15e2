"""Which parameters of the kernel a spec may set, by their dotted names.

Also a part of the helper (``iogate.host.helper``), which sets no other for its users either.
"""

from __future__ import annotations

import re

_DOTTED = re.compile(r"[a-z0-9_]+(\.[A-Za-z0-9_-]+){1,6}", re.ASCII)

# What begins so can be read back and put back. Anything else of the kernel's parameters either
# acts once (vm.drop_caches), cannot be undone (kernel.modules_disabled), changes others with it
# (net.ipv4.ip_forward), or is no tuning.
_OF_KERNEL = (
    "kernel.sched_", "kernel.numa_balancing", "kernel.nmi_watchdog", "kernel.watchdog",
    "kernel.soft_watchdog", "kernel.timer_migration", "kernel.hung_task_", "kernel.perf_",
)  # fmt: skip
_OF_NETWORK = (
    "net.core.busy_", "net.core.default_qdisc", "net.core.dev_weight", "net.core.flow_limit_",
    "net.core.gro_", "net.core.high_order_", "net.core.max_skb_frags", "net.core.mem_pcpu_rsv",
    "net.core.netdev_budget", "net.core.netdev_max_backlog", "net.core.netdev_tstamp_prequeue",
    "net.core.optmem_max", "net.core.rmem_", "net.core.rps_", "net.core.skb_", "net.core.somaxconn",
    "net.core.txrehash", "net.core.wmem_", "net.ipv4.ip_local_", "net.ipv4.ipfrag_",
    "net.ipv4.tcp_", "net.ipv4.udp_", "net.ipv6.ip6frag_", "net.mptcp.",
)  # fmt: skip
TUNABLE = ("vm.", "fs.", "dev.raid.", "dev.scsi.", *_OF_KERNEL, *_OF_NETWORK)
_SAFETY = "it is about safety, not about speed"
_ONCE = "it acts once, and nothing can be put back"
_WHY_NET = (
    "it may change others with it, which cannot be put back; of the network a spec sets "
    "net.ipv4.tcp_…, net.ipv4.udp_…, net.mptcp.…, and buffers, queues and polling of net.core"
)
_NO_TUNING = {
    "vm.drop_caches": "write drop_caches: before-run, before-case or before-repetition",
    "vm.compact_memory": _ONCE,
    "vm.stat_refresh": _ONCE,
    "vm.hugetlb_shm_group": _SAFETY,
    "vm.legacy_va_layout": _SAFETY,
    "vm.memfd_": _SAFETY,
    "vm.memory_failure_": "it says what an error of memory ends, not how fast this host is",
    "vm.mmap_": _SAFETY,
    "vm.unpriv": _SAFETY,
    "fs.binfmt_misc": "it makes the kernel run programs",
    "fs.protected_": _SAFETY,
    "fs.suid_dumpable": "it is about secrets, not about speed",
    "fs.verity": _SAFETY,
    "fs.xfs.stats_clear": _ONCE,
    "kernel.io_uring_": _SAFETY,
    "kernel.perf_event_mlock_kb": _SAFETY,
    "kernel.perf_event_paranoid": _SAFETY,
    "kernel.randomize_va_space": _SAFETY,
    "net.ipv4.tcp_fastopen_key": "it is a secret",
}
# What earlier versions set, and what a journal of theirs may hold.
_ONCE_TUNABLE = ("net.", "dev.", "kernel.io_uring_", "kernel.randomize_va_space")
_NEVER_TUNABLE = (
    "vm.drop_caches", "vm.compact_memory", "vm.stat_refresh", "fs.binfmt_misc", "fs.suid_dumpable",
    "fs.protected_",
)  # fmt: skip


def is_name(text: str) -> bool:
    """Whether a text has the form of such a name."""
    return _DOTTED.fullmatch(text) is not None


def why_not_set(name: str) -> str:
    """Why a spec does not set a parameter, or what it does instead; empty for one that it may."""
    if "panic" in name:
        return "it says which errors take this host down, and a run is to measure on"
    if why := next((why for start, why in _NO_TUNING.items() if name.startswith(start)), ""):
        return why
    if name.startswith(TUNABLE):
        return ""
    if name.startswith("net."):
        return _WHY_NET
    return f"a spec sets {', '.join(sorted(TUNABLE))}…; set it by hand if you must"


def is_put_back(name: str) -> bool:
    """Whether it is put back where a journal says what it was: also what was set once."""
    return name.startswith((*TUNABLE, *_ONCE_TUNABLE)) and not name.startswith(_NEVER_TUNABLE)
