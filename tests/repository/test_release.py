"""A tag becomes a release, by act. What act lacks: the container, whose Debian 12 is this host;
tokens of GitHub, so that what attests, what publishes to PyPI and `gh` are stand-ins that keep what
they were given; and machines of another architecture. To compile everything twice takes minutes, so
scripts/dist is a stand-in, too, with a wheel that is built from this checkout."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from iogate import __version__
from repository.test_package import build, released
from repository.test_workflows import Job, Repository
from repository.tree import ROOT
from support.repositories import commit

ATTEST = "actions/attest-build-provenance@a2bbfa25375fe432b6a289bc6b6cd05ecd0c4c32"
PUBLISH = "pypa/gh-action-pypi-publish@ed0c53931b1dc9bd32cbe73a98c7f6766f8a527e"
STAND_INS = {
    action: f"""\
name: stand-in
description: keeps what it is given
inputs: {{{given}: {{required: true}}}}
runs:
  using: composite
  steps:
    - shell: bash
      run: mkdir -p KEPT_IN/{kept} && cp -r $GIVEN KEPT_IN/{kept}
      env: {{GIVEN: "${{{{ inputs.{given} }}}}"}}
"""
    for action, given, kept in (
        (ATTEST, "subject-path", "attested"),
        (PUBLISH, "packages-dir", "published"),
    )
}
# act calls it, too, for a token of its own.
GH = """\
#!/bin/bash
[ "$1" = release ] || exit 1
printf '%s\\n' "$@" >HOME/gh
cp -r notes HOME
"""
DIST = """\
#!/bin/bash
set -e
mkdir dist
cp WHEEL dist
echo sources >dist/iogate-VERSION.tar.gz
echo engine >dist/iogate-engine-VERSION-x86_64
cd dist && sha256sum -- * >SHA256SUMS
"""
# As scripts/dist writes it.
BUILT_WITH = """\
gcc 4:12.2.0-3
libc6-dev 2.36-9+deb12u14
libaio-dev 0.3.113-4
liburing-dev 2.3-3
zlib1g-dev 1:1.2.13.dfsg-1
libc6-dev-arm64-cross 2.36-8cross1
"""
TAG = f"v{__version__}"
HOSTS = ("ubuntu-24.04-1", "ubuntu-24.04-arm-2")  # act numbers the jobs of a matrix
JOBS = ("build", *(f"try on {host}" for host in HOSTS), "attest", "PyPI", "the release's page")
CONTAINER = re.compile(r"^ +container: .*\n|^ +- name: What a checkout needs\n.*\n", re.MULTILINE)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel with the engine that is built here already."""
    return build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"), IOGATE_STATIC="")


@pytest.fixture(scope="module")
def repository(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A commit that may get the tag."""
    found = Repository(tmp_path_factory.mktemp("release"), STAND_INS)
    workflow = found.root / ".github" / "workflows" / "release.yml"
    workflow.write_text(CONTAINER.sub("", workflow.read_text()))
    gh = found.home / "bin" / "gh"
    gh.parent.mkdir(parents=True)
    gh.write_text(GH.replace("HOME", str(found.home)))
    gh.chmod(0o755)
    dist = DIST.replace("WHEEL", str(wheel)).replace("VERSION", __version__)
    (found.root / "scripts" / "dist").write_text(dist)
    released(found.root)
    commit(found.root, "A release")
    return found


def tagged(repository: Repository, tag: str) -> Job:
    """What happens when somebody pushes the tag."""
    path = f"{repository.home / 'bin'}:{os.environ['PATH']}"
    return repository.act("push", {"ref": f"refs/tags/{tag}"}, "release", PATH=path)


def test_a_tag_that_is_not_the_version_releases_nothing(repository: Repository) -> None:
    job = tagged(repository, "v99.0.0")
    assert job.results == {"release/build": "failure"}, job.output
    assert "v99.0.0 is not 'v' with iogate's version" in job.output
    assert not repository.kept.exists()
    assert not (repository.home / "gh").exists()


def test_a_tag_becomes_a_release(repository: Repository, wheel: Path) -> None:
    job = tagged(repository, TAG)
    assert job.results == {f"release/{name}": "success" for name in JOBS}, job.output
    sdist = f"iogate-{__version__}.tar.gz"
    files = {wheel.name, sdist, f"iogate-engine-{__version__}-x86_64", "SHA256SUMS"}
    assert {path.name for path in (repository.kept / "dist").iterdir()} == files
    assert {path.name for path in (repository.kept / "attested").iterdir()} == files
    published = repository.kept / "published" / "packages"
    assert {path.name for path in published.iterdir()} == {wheel.name, sdist}
    words = (repository.home / "gh").read_text().splitlines()
    assert words[:3] == ["release", "create", TAG]
    assert "--verify-tag" in words
    assert {Path(word).name for word in words if word.startswith("dist/")} == files
    notes = (repository.home / "notes" / "notes.md").read_text()
    assert f"https://github.com/org/iogate/blob/{TAG}/docs/comparison.md" in notes


def test_the_bill_of_materials_names_what_is_installed_and_what_is_inside(
    wheel: Path, tmp_path: Path
) -> None:
    (tmp_path / "built-with.txt").write_text(BUILT_WITH)
    done = subprocess.run(
        [ROOT / "scripts" / "sbom", wheel, tmp_path / "built-with.txt", tmp_path / "sbom.json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads((tmp_path / "sbom.json").read_text())
    about = document["metadata"]["component"]
    assert (about["name"], about["version"]) == ("iogate", __version__)
    inside = {each["name"]: each["version"] for each in document["components"]}
    assert (inside["libaio"], inside["zlib"]) == ("0.3.113-4", "1:1.2.13.dfsg-1")
    assert {"glibc", "liburing", "uplot", "numpy", "click", "influxdb-client"} <= set(inside)
    assert "pyarrow" not in inside
