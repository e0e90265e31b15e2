"""Arrays: how mdadm is called for them, and what they hold."""

from __future__ import annotations

import pytest

from iogate.model.array import Array, create_argv, room_of


def test_nothing_is_left_to_mdadm_and_no_member_is_copied_to_another() -> None:
    argv = create_argv(Array("raid5", 65536), "/dev/md200", ("/dev/b", "/dev/a", "/dev/c"), "u")
    assert argv[:3] == ("mdadm", "--create", "/dev/md200")
    assert {"--run", "--assume-clean", "--bitmap=none", "--level=raid5", "--uuid=u"} < set(argv)
    assert argv[argv.index("--chunk") + 1] == "64"
    assert argv[-4:] == ("--raid-devices=3", "/dev/b", "/dev/a", "/dev/c")
    mirror = create_argv(Array("raid1", bitmap=True), "/dev/md200", ("/dev/a", "/dev/b"), "u")
    assert "--chunk" not in mirror
    assert "--bitmap=internal" in mirror
    striped = create_argv(Array("raid0", 65536), "/dev/md200", ("/dev/a", "/dev/b"), "u")
    assert not {"--assume-clean", "--bitmap=none"} & set(striped)


@pytest.mark.parametrize(
    ("level", "room"), [("raid0", 46), ("raid1", 10), ("raid5", 30), ("raid6", 20), ("raid10", 20)]
)
def test_an_array_holds_what_its_level_leaves(level: str, room: int) -> None:
    assert room_of(Array(level), (10, 11, 12, 13)) == room
