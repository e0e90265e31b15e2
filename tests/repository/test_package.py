"""The distribution: the wheel, the wheel made from the sdist, and what they hold."""

import email
import importlib
import os
import re
import shutil
import ssl
import subprocess
import sys
import tarfile
import venv
import zipfile
from email.message import Message
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.tags import Tag
from packaging.utils import parse_wheel_filename

import iogate
from iogate_reports.vendor import uplot
from repository.tree import ROOT, tracked
from support.elf import assert_is_one_file
from support.quiet import never_disturbed

COMMIT_TIME = "1700000000"  # of the commit that a distribution is of
# What the action may use to install a release: no compiler, no make, no npm.
TO_INSTALL = (
    *("bash", "basename", "cat", "cut", "date", "dirname", "env", "grep", "id", "mkdir"),
    *("mktemp", "nproc", "realpath", "rm", "sed", "sha256sum", "tail", "tee", "true"),
)
SPEC = """\
version: 1
name: tiny
targets: { here: { directory: . } }
workloads:
  reads:
    fio: { ioengine: psync, rw: randread, bs: 4k, size: 1m, number_ios: 64 }
    repetitions: 1
    thresholds: { errors: "< 1" }
"""


def build(source: Path, kind: str, out: Path, *prefix: str, **variables: str) -> Path:
    """Build a wheel or an sdist with the locked build backend; where it is."""
    call = (*prefix, sys.executable, "-m", "build", "--no-isolation", f"--{kind}")
    done = subprocess.run(
        [*call, "-o", str(out), str(source)],
        env={**os.environ, "IOGATE_STATIC": "1", "SOURCE_DATE_EPOCH": COMMIT_TIME, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (built,) = out.iterdir()
    return built


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is under version control, without what was built in it."""
    folder = tmp_path_factory.mktemp("checkout")
    for path in tracked():
        copy = folder / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    for name in ("schemas", "specs"):
        (folder / "runner" / "iogate" / name).symlink_to(f"../../{name}")
    return folder


@pytest.fixture(scope="module")
def sdist(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist of the checkout."""
    return build(checkout, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def unpacked(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in the sdist."""
    folder = tmp_path_factory.mktemp("unpacked")
    subprocess.run(["tar", "-xzf", str(sdist), "-C", str(folder)], check=True)
    (inside,) = folder.iterdir()
    return inside


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel built from the checkout."""
    return build(checkout, "wheel", tmp_path_factory.mktemp("wheel"))


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def told(wheel: Path, name: str) -> Message:
    """What a file of the wheel's metadata says."""
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read(f"iogate-{iogate.__version__}.dist-info/{name}").decode()
    return email.message_from_string(text)


def test_the_sdist_gives_the_same_wheel_without_a_network(
    unpacked: Path, wheel: Path, tmp_path: Path
) -> None:
    """Another folder, no npm, no cache of a compiler's, and, where root can take it away, no
    network: the same bytes."""
    shutil.copytree(unpacked, tmp_path / "elsewhere" / "sources")
    bare = tmp_path / "bin"
    bare.mkdir()
    folders = os.environ["PATH"].split(os.pathsep)
    uncached = os.pathsep.join(each for each in folders if not each.endswith("/ccache"))
    for program in ("make", "cc", "sh", "mkdir", "echo", "cmp", "printf", "as", "ld"):
        (bare / program).symlink_to(shutil.which(program, path=uncached) or program)
    alone = ["unshare", "--net"] if os.geteuid() == 0 else []
    prefix = [shutil.which(word) or word for word in alone[:1]] + alone[1:]
    again = build(
        tmp_path / "elsewhere" / "sources", "wheel", tmp_path / "out", *prefix, PATH=str(bare)
    )
    assert again.name == wheel.name
    assert again.read_bytes() == wheel.read_bytes()


def test_the_sdist_of_an_sdist_is_the_same(sdist: Path, unpacked: Path, tmp_path: Path) -> None:
    again = build(unpacked, "sdist", tmp_path)
    assert again.read_bytes() == sdist.read_bytes()


def test_the_sdist_holds_what_is_under_version_control(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
        times = {member.mtime for member in archive.getmembers()}
    assert {str(path.relative_to(ROOT)) for path in tracked()} <= held
    assert times == {int(COMMIT_TIME)}


def test_tests_run_in_the_sdist(unpacked: Path) -> None:
    """Those of the tree are the ones that look at every file."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "tests/repository/test_words.py",
            "tests/reports/test_hostile.py",
        ],
        cwd=unpacked,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]


def test_the_wheel_holds_the_packages_schemas_specs_engine_and_manual(wheel: Path) -> None:
    held = names(wheel)
    for path in tracked():
        relative = path.relative_to(ROOT)
        if relative.parts[0] in ("runner", "reports"):
            assert str(Path(*relative.parts[1:])) in held
        elif relative.parts[0] in ("schemas", "specs"):
            assert f"iogate/{relative}" in held
        elif relative.parts[0] == "share":
            assert f"iogate-{iogate.__version__}.data/data/{relative}" in held
    assert f"iogate-{iogate.__version__}.data/scripts/iogate-engine" in held
    assert {name.split("/")[0].split("-")[0] for name in held} == {"iogate", "iogate_reports"}


def test_the_wheel_is_for_every_linux_of_this_architecture(wheel: Path, tmp_path: Path) -> None:
    here = os.uname().machine
    *_, tags = parse_wheel_filename(wheel.name)
    platforms = ("manylinux_2_17", "manylinux2014", "musllinux_1_1")
    assert tags == {Tag("py3", "none", f"{name}_{here}") for name in platforms}
    about = told(wheel, "WHEEL")
    assert about["Root-Is-Purelib"] == "false"
    assert {str(tag) for tag in tags} == set(about.get_all("Tag", []))
    with zipfile.ZipFile(wheel) as archive:
        name = f"iogate-{iogate.__version__}.data/scripts/iogate-engine"
        assert_is_one_file(archive.extract(name, tmp_path))


def test_the_wheel_names_the_licences_of_all_that_is_in_it(wheel: Path) -> None:
    about = told(wheel, "METADATA")
    assert about["License-Expression"] == "Apache-2.0 AND MIT AND LGPL-2.1-or-later AND Zlib"
    files = set(about.get_all("License-File", []))
    texts = {f"licenses/{name}.txt" for name in ("LGPL-2.1", "glibc", "liburing", "uPlot", "zlib")}
    assert files == {"LICENSE", "NOTICE", *texts}
    assert {f"iogate-{iogate.__version__}.dist-info/licenses/{name}" for name in files} <= names(
        wheel
    )
    if uplot() is not None:
        assert "iogate_reports/vendor/LICENSE" in names(wheel)
        with zipfile.ZipFile(wheel) as archive:
            given = archive.read("iogate_reports/vendor/LICENSE").decode()
        assert given == (ROOT / "licenses" / "uPlot.txt").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def package(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package for Debian that holds what the wheel does."""
    return debian(wheel, tmp_path_factory.mktemp("deb"))


def debian(wheel: Path, out: Path) -> Path:
    variables = {**os.environ, "SOURCE_DATE_EPOCH": COMMIT_TIME}
    subprocess.run([ROOT / "scripts/deb", wheel, out], env=variables, check=True)
    (built,) = out.iterdir()
    return built


def field(package: Path, name: str) -> str:
    call = ["dpkg-deb", "--field", str(package), name]
    return subprocess.run(call, capture_output=True, text=True, check=True).stdout.strip()


def test_a_package_for_debian_is_the_same_bytes_each_time(
    wheel: Path, package: Path, tmp_path: Path
) -> None:
    moved = tmp_path / "elsewhere" / wheel.name
    moved.parent.mkdir()
    shutil.copy(wheel, moved)
    (tmp_path / "out").mkdir()
    again = debian(moved, tmp_path / "out")
    assert (
        again.name == package.name == f"iogate_{iogate.__version__}-1_{debian_architecture()}.deb"
    )
    assert again.read_bytes() == package.read_bytes()


def debian_architecture() -> str:
    return {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]


def test_a_package_for_debian_asks_for_what_the_wheel_asks_for(wheel: Path, package: Path) -> None:
    needed = [Requirement(each) for each in told(wheel, "METADATA").get_all("Requires-Dist", [])]
    asked = {
        f"python3-{each.name.lower().removeprefix('py')}": str(each.specifier).removeprefix(">=")
        for each in needed
        if not each.marker
    }
    written = dict(re.findall(r"(\S+) \(>= (?:\d+:)?([^)]+)\)", field(package, "Depends")))
    assert written.pop("python3") == told(wheel, "METADATA")["Requires-Python"].removeprefix(">=")
    assert written == asked


def test_a_package_for_debian_holds_what_the_wheel_does(
    wheel: Path, package: Path, tmp_path: Path
) -> None:
    subprocess.run(["dpkg-deb", "--extract", str(package), str(tmp_path)], check=True)
    modules = tmp_path / "usr/lib/python3/dist-packages"
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if ".data/" not in name and not name.endswith("/RECORD"):
                assert (modules / name).read_bytes() == archive.read(name)
        engine = archive.read(f"iogate-{iogate.__version__}.data/scripts/iogate-engine")
    assert (tmp_path / "usr/bin/iogate-engine").read_bytes() == engine
    for name in (
        "man/man1/iogate.1.gz",
        "man/man5/iogate-spec.5.gz",
        "bash-completion/completions/iogate",
        "zsh/vendor-completions/_iogate",
        "fish/vendor_completions.d/iogate.fish",
        "doc/iogate/copyright",
    ):
        assert (tmp_path / "usr/share" / name).stat().st_size > 0
    # The command itself, with the modules of the package before any other.
    words = [sys.executable, str(tmp_path / "usr/bin/iogate"), "--version"]
    variables = {**os.environ, "PYTHONPATH": str(modules)}
    done = subprocess.run(words, env=variables, capture_output=True, text=True, check=True)
    assert iogate.__version__ in done.stdout


def test_an_installed_wheel_works_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "venv"
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, "--require-hashes", "-r", str(ROOT / "requirements.lock")], check=True)
    subprocess.run([*pip, "--no-deps", str(wheel)], check=True)

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


def test_an_engine_with_shared_libraries_is_for_machines_like_this_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(ROOT)
    hook = importlib.import_module("hatch_build")
    assert hook.platforms(ROOT, static=False) == f"linux_{os.uname().machine}"


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


@pytest.fixture
def fetched(checkout: Path, tmp_path: Path) -> Path:
    """The action as a runner has fetched it: the release's files, and no repository."""
    folder = tmp_path / "_actions" / "OWNER" / "iogate" / f"v{iogate.__version__}"
    shutil.copytree(checkout, folder, symlinks=True)
    released(folder)
    return folder


def released(folder: Path) -> None:
    """Make the first section of its changelog the one of its version."""
    changelog = folder / "CHANGELOG.md"
    first = re.compile(r"^## .*$", re.MULTILINE)
    text = first.sub(f"## {iogate.__version__} (2026-12-01)", changelog.read_text(), count=1)
    changelog.write_text(text)


def act(step: Path, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """A step of the action on a host with nothing to build with."""
    bare = folder / "bin"
    if not bare.exists():
        bare.mkdir()
        (bare / "python3").symlink_to(Path(sys.executable).resolve())
        for program in TO_INSTALL:
            (bare / program).symlink_to(shutil.which(program) or program)
    own = {name: value for name, value in os.environ.items() if not name.startswith("IOGATE_")}
    return subprocess.run(
        [step],
        cwd=folder,
        env={**own, "PATH": str(bare), "GITHUB_WORKSPACE": str(folder / "work"), **more},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_action_of_a_release_installs_its_wheel_without_a_compiler(
    fetched: Path, wheel: Path, tmp_path: Path
) -> None:
    action = fetched / ".github" / "actions" / "iogate"
    work = tmp_path / "work"
    work.mkdir()
    (work / "x.yaml").write_text(SPEC)
    done = act(action / "setup", tmp_path, PIP_FIND_LINKS=str(wheel.parent))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"installing iogate {iogate.__version__}" in done.stdout
    again = act(action / "setup", tmp_path, PIP_NO_INDEX="1")
    assert (again.returncode, "installing" in again.stdout) == (0, False), again.stderr
    with zipfile.ZipFile(wheel) as archive:
        engine = archive.read(f"iogate-{iogate.__version__}.data/scripts/iogate-engine")
    assert (fetched / ".venv" / "bin" / "iogate-engine").read_bytes() == engine
    assert not (fetched / "native" / "build").exists()
    measured = act(
        action / "run",
        tmp_path,
        IOGATE_DIRECTORY=str(work),
        IOGATE_SPEC="x.yaml",
        IOGATE_ARGS="--no-store",
        IOGATE_STORE="",
        IOGATE_WAIT="10m",
        RUNNER_TEMP=str(tmp_path),
        XDG_STATE_HOME=str(never_disturbed(tmp_path / "state")),
        GITHUB_STEP_SUMMARY=str(tmp_path / "summary"),
        GITHUB_OUTPUT=str(tmp_path / "output"),
    )
    assert "verdict=pass" in (tmp_path / "output").read_text().splitlines(), measured.stderr


@pytest.mark.parametrize("where", ["in the job's checkout", "between two releases"])
def test_what_is_no_fetched_release_is_built(fetched: Path, tmp_path: Path, where: str) -> None:
    """Without a compiler that fails, and says at what."""
    workspace = str(fetched if where == "in the job's checkout" else tmp_path / "work")
    if where == "between two releases":
        shutil.copy2(ROOT / "CHANGELOG.md", fetched)
    setup = fetched / ".github" / "actions" / "iogate" / "setup"
    done = act(setup, tmp_path, GITHUB_WORKSPACE=workspace)
    assert done.returncode != 0
    assert "this failed: make -C native" in done.stderr
