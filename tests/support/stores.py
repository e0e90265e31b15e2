"""Where the contract suites find a fresh store of each kind in the registry."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

URLS: dict[str, Callable[[Path], str]] = {"sqlite": lambda folder: f"sqlite://{folder}/history.db"}
