"""Which kernel parameters a spec sets, and the helper for its users."""

from __future__ import annotations

import pytest

from iogate.errors import UsageError
from iogate.host.helper.settings import PARAMETERS
from iogate.host.install import serve
from iogate.host.settings.entries import Setting, of_json, to_json
from iogate.model.kernel_parameters import is_name, why_not_set
from iogate.sut.local import LocalSut

REFUSED = [
    ("net.ipv4.ip_forward", "cannot be put back"),
    ("net.ipv4.conf.all.forwarding", "cannot be put back"),
    ("net.ipv6.conf.all.forwarding", "cannot be put back"),
    ("net.ipv6.conf.eth0.disable_ipv6", "cannot be put back"),
    ("net.core.bpf_jit_harden", "of the network a spec sets net.ipv4.tcp_"),
    ("net.netfilter.nf_conntrack_max", "of the network a spec sets"),
    ("net.ipv4.tcp_fastopen_key", "secret"),
    ("vm.panic_on_oom", "take this host down"),
    ("kernel.hung_task_panic", "take this host down"),
    ("fs.xfs.panic_mask", "take this host down"),
    ("vm.memory_failure_recovery", "an error of memory"),
    ("vm.mmap_min_addr", "safety"),
    ("vm.unprivileged_userfaultfd", "safety"),
    ("vm.legacy_va_layout", "safety"),
    ("vm.memfd_noexec", "safety"),
    ("fs.verity.require_signatures", "safety"),
    ("fs.protected_regular", "safety"),
    ("fs.suid_dumpable", "secrets"),
    ("fs.xfs.stats_clear", "acts once"),
    ("kernel.io_uring_disabled", "safety"),
    ("kernel.randomize_va_space", "safety"),
    ("kernel.perf_event_paranoid", "safety"),
    ("kernel.core_pattern", "a spec sets"),
    ("dev.tty.ldisc_autoload", "a spec sets"),
]


@pytest.mark.parametrize(("name", "why"), REFUSED)
def test_neither_a_spec_nor_the_helper_sets_them(name: str, why: str) -> None:
    assert is_name(name)
    assert why in why_not_set(name)
    with pytest.raises(UsageError) as caught:
        serve(LocalSut(), (), (), parameters=(name,))
    assert caught.value.remedy == why_not_set(name)


@pytest.mark.parametrize(
    "name",
    [
        "vm.dirty_bytes", "vm.overcommit_kbytes", "fs.aio-max-nr", "fs.xfs.xfssyncd_centisecs",
        "dev.raid.speed_limit_min", "kernel.sched_autogroup_enabled", "kernel.hung_task_warnings",
        "net.core.rmem_max", "net.core.busy_poll", "net.ipv4.tcp_rmem", "net.ipv4.udp_rmem_min",
        "net.ipv4.tcp_congestion_control", "net.ipv4.ip_local_reserved_ports", "net.mptcp.enabled",
        *sorted(PARAMETERS),
    ],
)  # fmt: skip
def test_a_spec_sets_what_storage_is_tuned_with(name: str) -> None:
    assert why_not_set(name) == ""


@pytest.mark.parametrize(
    "name", ["net.ipv4.ip_forward", "vm.panic_on_oom", "kernel.randomize_va_space", "dev.hpet.max"]
)
def test_what_an_earlier_version_set_is_still_put_back(name: str) -> None:
    entry = Setting(f"/proc/sys/{name.replace('.', '/')}", "1")
    assert of_json(to_json(entry)) == entry
