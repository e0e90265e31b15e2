"""The two engines that are compared."""

from native.conftest import engine, fio

__all__ = ["engine", "fio"]
