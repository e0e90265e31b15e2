"""Axes of a matrix that are no options of fio."""

from __future__ import annotations

import re

TARGET = "target"
"""What a case is measured on: the name of a target."""
MKFS, MOUNT = "mkfs", "mount"
"""How its filesystem is made and mounted: arguments, with a space between them."""
DEFAULT = "default"
"""No arguments at all."""
_SETTING = re.compile(r"environment\.(?:(?:cpu|block|sysctl)\..+|drop_caches)", re.DOTALL)


def is_option(key: str) -> bool:
    """Whether a key of a matrix is an option of fio, or of one job (``job.option``)."""
    return key not in (TARGET, MKFS, MOUNT) and not is_setting(key)


def is_setting(key: str) -> bool:
    """Whether it is a setting of the host: ``environment.block.scheduler``."""
    return _SETTING.fullmatch(key) is not None


def words_of(value: str) -> tuple[str, ...]:
    """The arguments that a value of ``mkfs`` or ``mount`` stands for."""
    return () if value == DEFAULT else tuple(value.split())
