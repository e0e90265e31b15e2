"""Axes of a matrix that are no options of fio."""

from __future__ import annotations

TARGET = "target"
"""What a case is measured on: the name of a target."""


def is_option(key: str) -> bool:
    """Whether a key of a matrix is an option of fio, or of one job (``job.option``)."""
    return key != TARGET
