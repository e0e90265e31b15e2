"""Build hook: compile the engine and install it as a script beside ``iogate``."""

import subprocess
import sysconfig
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class EngineHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs ``make -C native``; the wheel is for this platform and any Python 3."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Build the engine and say where it goes."""
        if self.target_name != "wheel":
            return
        subprocess.run(["make", "-C", f"{self.root}/native"], check=True)
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"
        build_data["shared_scripts"]["native/build/iogate-engine"] = "iogate-engine"
