"""What is noted beside a setting, of hardware that a test machine does not have."""

from __future__ import annotations

import pytest

from iogate.model.tied_settings import CPU, TIED, is_back, is_tied, tied_to, undone_by


@pytest.mark.parametrize(
    ("path", "other"),
    [
        ("/sys/block/sdb/device/scsi_disk/0:0:1:0/cache_type", "/sys/block/sdb/queue/write_cache"),
        ("/sys/block/sdb/queue/scheduler", "/sys/block/sdb/queue/iosched/*"),
        (f"{CPU}/cpufreq/policy3/scaling_governor", f"{CPU}/cpufreq/policy3/schedutil/*"),
        (f"{CPU}/cpufreq/policy3/scaling_governor", f"{CPU}/cpufreq/ondemand/*"),
        (f"{CPU}/intel_pstate/no_turbo", f"{CPU}/intel_pstate/min_perf_pct"),
        (f"{CPU}/cpufreq/boost", f"{CPU}/cpufreq/policy*/scaling_max_freq"),
        (f"{CPU}/smt/control", f"{CPU}/cpu*/online"),
    ],
)
def test_what_changes_with_a_setting(path: str, other: str) -> None:
    assert other in tied_to(path)


@pytest.mark.parametrize(
    "path",
    [
        "/sys/block/sdb/device/scsi_disk/0:0:1:0/cache_type",
        "/sys/block/sdb/queue/scheduler",
        f"{CPU}/cpufreq/policy3/scaling_governor",
        f"{CPU}/cpufreq/boost",
        f"{CPU}/smt/control",
        "/proc/sys/kernel/watchdog",
    ],
)
def test_what_changes_with_another_changes_with_the_first_as_well(path: str) -> None:
    """So that whatever was there before a change is noted, and the rest was brought by it."""
    for other in tied_to(path):
        for third in tied_to(other.replace("*", "3")):
            assert is_tied(third.replace("*", "3"), path)


def test_most_change_nothing_else() -> None:
    assert tied_to("/proc/sys/vm/swappiness") == ()


def test_of_a_pair_that_is_0_and_0_both_have_to_be() -> None:
    ratio, kbytes = "/proc/sys/vm/overcommit_ratio", "/proc/sys/vm/overcommit_kbytes"
    both = {ratio: "0", kbytes: "0"}
    assert undone_by(kbytes, both.__getitem__) == ratio
    assert is_back(ratio, "0", both.__getitem__)
    assert not is_back(ratio, "0", {**both, kbytes: "8000"}.__getitem__)


@pytest.mark.parametrize(
    "path",
    [
        "/sys/block/../queue/iosched",
        "/sys/block/sda/queue/iosched/../../x",
        f"{CPU}/cpufreq/evil/x",
        f"{CPU}/cpu0/uevent",
        f"{CPU}/cpu0/online/x",
        f"{CPU}/cpufreq/policy0/ondemand/../x",
    ],
)
def test_a_journal_names_no_other_file(path: str) -> None:
    assert not TIED.fullmatch(path)
