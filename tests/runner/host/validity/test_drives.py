"""What drives log of their heat, in the shape in which nvme-cli and smartctl print it. The numbers
are made up: no machine of the tests has such a drive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from iogate.host.validity.drives import drive_counts, nvme_counts, smart_counts
from iogate.sut.base import Completed
from iogate.sut.local import LocalSut

NVME = """\
{ "critical_warning" : { "value" : 0, "temp_threshold" : 0 },
  "temperature" : 311, "avail_spare" : 100, "percent_used" : 1,
  "warning_temp_time" : 0, "critical_comp_time" : 0, "temperature_sensor_1" : 311,
  "thm_temp1_trans_count" : 4, "thm_temp2_trans_count" : 1, "thm_temp1_total_time" : 19,
  "thm_temp2_total_time" : 3 }
"""
SATA = """\
{ "json_format_version": [1, 0], "smartctl": { "version": [7, 3], "exit_status": 0 },
  "device": { "name": "/dev/sda", "type": "sat", "protocol": "ATA" },
  "temperature": { "current": 34 } }
"""


class With(LocalSut):
    """A machine with tools that say this."""

    def __init__(self, said: Mapping[str, str]) -> None:
        self._said = said
        self.asked: list[tuple[str, ...]] = []

    def which(self, program: str) -> str | None:
        return f"/usr/sbin/{program}" if program in self._said else None

    def run(self, argv: Sequence[str], **_how: Any) -> Completed:
        self.asked.append(tuple(argv))
        return Completed(tuple(argv), 0, self._said[argv[0]], "")


def test_an_nvme_drive_counts_its_throttling() -> None:
    sut = With({"nvme": NVME, "smartctl": SATA})
    assert drive_counts(sut, "nvme0n1") == {"throttled": 5.0, "temperature": 38.0}
    assert sut.asked == [("nvme", "smart-log", "-o", "json", "/dev/nvme0")]


def test_a_sata_drive_says_how_hot_it_is_and_is_not_woken() -> None:
    sut = With({"smartctl": SATA})
    assert drive_counts(sut, "sda") == {"temperature": 34.0}
    assert "standby" in sut.asked[0]


@pytest.mark.parametrize("disk", ["", "loop0", "zram1", "vda", "dm-0", "nvme0"])
def test_other_disks_are_not_asked(disk: str) -> None:
    sut = With({"nvme": NVME, "smartctl": SATA})
    assert drive_counts(sut, disk) == {}
    assert sut.asked == []


def test_without_the_tools_nothing_is_known() -> None:
    assert drive_counts(With({}), "nvme0n1") == {}


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"temperature": "hot"}', '{"temperature": []}']
)
def test_what_is_no_answer_says_nothing(text: str) -> None:
    assert nvme_counts(text) == smart_counts(text) == {}
