"""The distribution: the wheel, the wheel made from the sdist, and what they hold."""

import importlib
import ssl
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

import iogate
from repository.tree import ROOT, tracked

FORMS = ["checkout", "sdist"]


def build(source: Path, kind: str, out: Path) -> Path:
    """Build a wheel or an sdist with the locked build backend; where it is."""
    call = (sys.executable, "-m", "build", "--no-isolation", f"--{kind}")
    done = subprocess.run(
        [*call, "-o", str(out), str(source)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (found,) = out.iterdir()
    return found


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is under version control, without what was built in it."""
    folder = tmp_path_factory.mktemp("checkout")
    for path in tracked():
        copy = folder / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    for name in ("schemas", "specs"):
        (folder / "runner" / "iogate" / name).symlink_to(f"../../{name}")
    return folder


@pytest.fixture(scope="module")
def wheels(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheel built from the checkout, and the one built from the sdist of the checkout."""
    base = tmp_path_factory.mktemp("wheels")
    sdist = build(checkout, "sdist", base / "sdist")
    (base / "unpacked").mkdir()
    subprocess.run(["tar", "-xzf", str(sdist), "-C", str(base / "unpacked")], check=True)
    (unpacked,) = (base / "unpacked").iterdir()
    return {
        "checkout": build(checkout, "wheel", base / "checkout"),
        "sdist": build(unpacked, "wheel", base / "from-sdist"),
    }


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_both_ways_give_the_same_files(wheels: dict[str, Path]) -> None:
    assert names(wheels["checkout"]) == names(wheels["sdist"])
    assert wheels["checkout"].name == wheels["sdist"].name


def test_the_wheel_holds_the_packages_schemas_specs_and_engine(wheels: dict[str, Path]) -> None:
    held = names(wheels["checkout"])
    for path in tracked():
        relative = path.relative_to(ROOT)
        if relative.parts[0] in ("runner", "reports"):
            assert str(Path(*relative.parts[1:])) in held
        elif relative.parts[0] in ("schemas", "specs"):
            assert f"iogate/{relative}" in held
    assert f"iogate-{iogate.__version__}.data/scripts/iogate-engine" in held
    assert {name.split("/")[0].split("-")[0] for name in held} == {"iogate", "iogate_reports"}


@pytest.mark.parametrize("form", FORMS)
def test_an_installed_wheel_works_without_the_checkout(
    form: str, wheels: dict[str, Path], tmp_path: Path
) -> None:
    environment = tmp_path / "venv"
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, "--require-hashes", "-r", str(ROOT / "requirements.lock")], check=True)
    subprocess.run([*pip, "--no-deps", str(wheels[form])], check=True)

    def run(*words: str) -> str:
        path = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(tmp_path)}
        return subprocess.run(
            [str(environment / "bin" / words[0]), *words[1:]],
            cwd=tmp_path,
            env=path,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    assert iogate.__version__ in run("iogate", "--version")
    assert iogate.__version__ in run("iogate-engine", "--version")
    assert str(environment / "bin" / "iogate-engine") in run("iogate", "engines")
    assert "write" in run("iogate", "init", "spec.yaml") + (tmp_path / "spec.yaml").read_text()
    run("iogate", "validate", "spec.yaml")


def test_the_build_tells_node_of_the_certificates_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pip builds without what the environment of a shell says."""
    monkeypatch.syspath_prepend(ROOT)
    hook = importlib.import_module("hatch_build")
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    found = hook.authorities()
    system = ssl.get_default_verify_paths().cafile or hook.AUTHORITIES
    assert found == ({"NODE_EXTRA_CA_CERTS": system} if Path(system).exists() else {})
    own = tmp_path / "own.pem"
    own.touch()
    monkeypatch.setenv("SSL_CERT_FILE", str(own))
    assert hook.authorities() == {"NODE_EXTRA_CA_CERTS": str(own)}
