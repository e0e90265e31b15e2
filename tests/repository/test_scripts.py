"""The scripts: what a stranger runs first."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from repository.tree import ROOT

NOBODY = 65534


def run_as_nobody(*words: str) -> subprocess.CompletedProcess[str]:
    """Run without root, without sudo and without a terminal."""
    become = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        words,
        cwd="/",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        **become,
    )


@pytest.fixture
def library() -> Iterator[Path]:
    """scripts/lib.sh in a checkout of its own that anybody can read."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o755)
        (root / "scripts").mkdir()
        copy = root / "scripts" / "lib.sh"
        copy.write_bytes((ROOT / "scripts" / "lib.sh").read_bytes())
        yield copy


def test_without_root_the_missing_packages_are_named_and_nothing_else_happens(
    library: Path,
) -> None:
    script = f"source {library}; need_packages bash iogate-no-such-package other-none"
    done = run_as_nobody("bash", "-c", script)
    assert done.returncode == 2
    assert "apt-get install -y --no-install-recommends" in done.stderr
    assert "iogate-no-such-package other-none" in done.stderr
    assert " bash " not in done.stderr.splitlines()[-1]
    assert done.stdout == ""


def test_a_step_that_fails_shows_the_end_of_its_output_and_where_the_rest_is(
    library: Path,
) -> None:
    script = f"source {library}; quietly step sh -c 'echo the reason; exit 7'; echo on"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 7
    assert done.stdout == ""
    assert "the reason" in done.stderr
    assert str(library.parents[1] / "build" / "logs" / "step.log") in done.stderr


def test_a_function_that_fails_half_way_does_not_go_on(library: Path) -> None:
    script = f"source {library}; half() {{ echo one; false; echo two; }}; quietly step half"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "one" in done.stderr
    assert "two" not in done.stderr


def test_the_key_of_the_environment_follows_the_lock_file(tmp_path: Path) -> None:
    lock = tmp_path / "x.lock"
    for name in ("pyproject.toml", "hatch_build.py"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    keys = []
    for text in ("a==1\n", "a==1\n", "a==2\n"):
        lock.write_text(text)
        script = f"source {ROOT}/scripts/lib.sh; cd {tmp_path}; venv_key x.lock"
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
        keys.append(done.stdout)
    assert keys[0] == keys[1] != keys[2]


def test_make_only_calls_the_scripts() -> None:
    for name in ("demo", "test", "lint", "bench"):
        done = subprocess.run(
            ["make", "-n", name], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == f"scripts/{name}"
        assert os.access(ROOT / "scripts" / name, os.X_OK)


def test_make_help_names_every_target() -> None:
    done = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in ("demo", "test", "lint", "bench", "clean", "help"):
        assert f"make {name} " in done.stdout


def test_what_npm_brings_is_pinned_by_hash_and_names_no_host() -> None:
    lock = json.loads((ROOT / "scripts" / "npm" / "package-lock.json").read_text())
    wanted = json.loads((ROOT / "scripts" / "npm" / "package.json").read_text())["dependencies"]
    packages = lock["packages"]
    assert packages.pop("")["dependencies"] == wanted
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted.values())
    assert all(one["integrity"].startswith("sha512-") for one in packages.values())
    assert "://" not in json.dumps(lock)


def test_checkers_from_npm_may_be_left_out(library: Path) -> None:
    script = f"source {library}; make_npm"
    environment = {"PATH": "/usr/bin:/bin", "IOGATE_SKIP_NODE": "1"}
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    assert "IOGATE_SKIP_NODE=1" in done.stdout
    assert not (library.parents[1] / ".venv").exists()


@pytest.mark.parametrize("private", [True, False])
def test_a_python_that_others_cannot_reach_makes_no_environment(
    tmp_path: Path, private: bool
) -> None:
    system = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))"
    if subprocess.run(
        ["/usr/bin/python3", "-c", system], check=False, capture_output=True
    ).returncode:
        pytest.skip("the system's Python makes no environments")
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    first = tmp_path / "python3"
    prefix = home if private else "/usr"
    first.write_text(
        "#!/bin/sh\nexec /usr/bin/python3 -c "
        f'"import sys; sys.base_prefix = \'{prefix}\'; exec(sys.argv[1])" "$2"\n'
    )
    first.chmod(0o755)
    done = subprocess.run(
        ["bash", "-c", f'. "{ROOT}/scripts/lib.sh"; venv_python'],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == ("/usr/bin/python3" if private else "python3")
    assert ("others may not enter" in done.stderr) == private


@pytest.mark.parametrize(
    ("packages", "code", "said"),
    [
        ([{"name": "numpy", "version": "2", "vulns": []}], 0, "audited: 1 packages"),
        ([{"name": "numpy", "skip_reason": "not found"}], 0, "NOT AUDITED: 1 of 1 packages"),
        ([{"name": "iogate", "skip_reason": "not found"}], 0, "audited: 0 packages"),
        (
            [{"name": "numpy", "version": "2", "vulns": [{"id": "CVE-1"}, {"id": "CVE-2"}]}],
            1,
            "VULNERABLE: numpy 2: CVE-1, CVE-2",
        ),
    ],
)
def test_what_was_not_audited_is_not_called_good(
    packages: list[dict[str, object]], code: int, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "audit.json"
    file.write_text(json.dumps({"dependencies": packages}))
    call = ["python3", str(ROOT / "scripts/audit_says.py"), str(file)]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert (done.returncode, said in done.stdout) == (code, True), done.stdout
