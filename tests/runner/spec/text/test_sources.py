"""What a spec may name to be read, and how much of it: hostile ``extends`` and ``jobfile``."""

from __future__ import annotations

import itertools
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from iogate.errors import IogateError, SpecError, UsageError
from iogate.files import bounds
from iogate.spec import load_spec

MEMORY = 1 << 30
GENEROUS_S = 100
SECRET = "hunter2hunter2"
JOB = "jobs.fio"
WORKLOAD = "fio: { rw: read, size: 1m }"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository in which a spec is, with a file outside of it."""
    (tmp_path / "outside.yaml").write_text(f"password: {SECRET}\n")
    (tmp_path / "outside.fio").write_text(f"[a]\npassword={SECRET}\n")
    root = tmp_path / "repository"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "config").write_text(f"[http]\n\textraheader = {SECRET}\n")
    (root / "base.yaml").write_text(f"workloads: {{ w: {{ {WORKLOAD} }} }}\n")
    return root


def spec(folder: Path, *lines: str, workload: str = WORKLOAD) -> Path:
    path = folder / "spec.yaml"
    workloads = f"workloads: {{ w: {{ {workload} }} }}"
    path.write_text(
        "\n".join(("version: 1", "targets: { d: { directory: . } }", *lines, workloads))
    )
    return path


def wrong(path: Path) -> SpecError:
    with pytest.raises(SpecError) as caught:
        load_spec(path)
    return caught.value


def all_of(error: SpecError) -> str:
    return "\n".join(map(str, (error, *error.others)))


def validated(path: Path) -> subprocess.CompletedProcess[str]:
    """``iogate validate`` with bounded memory: what hangs or eats it is no error of a spec."""
    words = ["prlimit", f"--as={MEMORY}", sys.executable, "-m", "iogate", "validate", str(path)]
    return subprocess.run(
        words, capture_output=True, text=True, timeout=GENEROUS_S, check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip


def no_files(folder: Path) -> list[str]:
    """Names of everything that can be read and is no regular file of the repository."""
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to("base.yaml")
    (folder / "out").symlink_to("..")
    (folder / "folder").mkdir()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(folder / "socket"))
    listening.close()
    with (folder / "sparse").open("wb") as sparse:
        sparse.truncate(1 << 40)
    if os.geteuid() == 0:
        os.mknod(folder / "null", 0o20666, os.makedev(1, 5))
    return [
        "/dev/zero", "/proc/self/environ", "/proc/kmsg", "/etc/shadow", "../outside.yaml",
        "out/outside.yaml", "x/../../outside.yaml", ".git/config", ".GIT/config", "pipe", "socket",
        "link", "folder", "sparse", "nope", ".", "..", "/", "a\\0b",
        *(["null"] if os.geteuid() == 0 else []),
    ]  # fmt: skip


def test_extends_names_regular_files_of_the_repository_alone(folder: Path) -> None:
    for name in no_files(folder):
        for lines, workload in (
            ((f'extends: "{name}"',), WORKLOAD),
            ((), f'extends: "{name}#w"'),
            ((), f'jobfile: "{name}"'),
        ):
            path = spec(folder, *lines, workload=workload)
            found = wrong(path)
            assert found.where is not None, name
            assert found.where.file == str(path), name
            assert SECRET not in all_of(found)


def test_what_would_be_read_for_ever_ends_at_once(folder: Path) -> None:
    (folder / "pipe.fio").unlink(missing_ok=True)
    os.mkfifo(folder / "pipe.fio")
    for workload in ("extends: /dev/zero#w", "extends: pipe.fio#w", "jobfile: pipe.fio"):
        done = validated(spec(folder, workload=workload))
        assert done.returncode == 2, done.stderr
        assert "Traceback" not in done.stderr


def test_bases_of_bases_do_not_multiply(folder: Path) -> None:
    names = ["l0.yaml", "l1.yaml", "l2.yaml", "l3.yaml", "base.yaml"]
    for name, base in itertools.pairwise(names):
        (folder / name).write_text(f"extends: [{', '.join([base] * 40)}]\n")
    done = validated(spec(folder, f"extends: [{', '.join(['l0.yaml'] * 40)}]"))
    assert done.returncode == 0, done.stderr


def test_workloads_of_workloads_do_not_multiply(folder: Path) -> None:
    lines = [f"  w0: {{ {WORKLOAD} }}"]
    for n in range(1, 7):
        bases = ", ".join([f"w{n - 1}"] * 40)
        lines.append(f"  w{n}: {{ extends: [{bases}], fio: {{ iodepth: {n + 1} }} }}")
    path = folder / "spec.yaml"
    head = "version: 1\ntargets: { d: { directory: . } }\nworkloads:\n"
    path.write_text(head + "\n".join(lines) + "\n")
    done = validated(path)
    assert done.returncode == 0, done.stderr


def test_many_workloads_that_extend_a_large_one_are_too_many(folder: Path) -> None:
    axis = ", ".join(map(str, range(1, 9000)))
    (folder / "base.yaml").write_text(
        f"workloads: {{ w: {{ {WORKLOAD}, strategy: {{ matrix: {{ iodepth: [{axis}] }} }} }} }}\n"
    )
    path = folder / "spec.yaml"
    lines = [f"  w{n}: {{ extends: base.yaml#w }}" for n in range(3000)]
    path.write_text(
        "version: 1\ntargets: { d: { directory: . } }\nworkloads:\n" + "\n".join(lines) + "\n"
    )
    done = validated(path)
    assert done.returncode == 2
    assert "extend" in done.stderr


def test_deeper_than_is_read(folder: Path) -> None:
    """Also where what is below was met before by a shorter way."""
    depth = bounds.EXTENDS_DEPTH
    for n in range(depth):
        (folder / f"l{n}.yaml").write_text(f"extends: l{n + 1}.yaml\n")
    (folder / f"l{depth}.yaml").write_text("on_missing_baseline: fail\n")
    load_spec(spec(folder, "extends: l2.yaml"))
    for text in ("extends: l0.yaml", "extends: [l0.yaml, l2.yaml]", "extends: [l2.yaml, l0.yaml]"):
        assert "deeper" in wrong(spec(folder, text)).what


def test_more_files_than_are_read(folder: Path) -> None:
    for n in range(bounds.SPEC_FILES + 1):
        (folder / f"l{n}.yaml").write_text("on_missing_baseline: fail\n")
    names = ", ".join(f"l{n}.yaml" for n in range(bounds.SPEC_FILES + 1))
    assert "files" in wrong(spec(folder, f"extends: [{names}]")).what


def test_more_characters_than_are_read(folder: Path) -> None:
    for n in range(5):
        (folder / f"l{n}.yaml").write_text("#" * (bounds.SPEC_CHARACTERS // 2) + "\nversion: 1\n")
    names = ", ".join(f"l{n}.yaml" for n in range(5))
    assert "characters" in wrong(spec(folder, f"extends: [{names}]")).what


@pytest.mark.parametrize(
    "text",
    [
        f"{SECRET}\n",
        f"- {SECRET}\n",
        f"{SECRET}: 1\n{SECRET}: 2\n",
        f"a: !{SECRET} b\n",
        f"a: *{SECRET}\n",
        f"a: &{SECRET} b\nb: &{SECRET} c\n",
        f"a: '{SECRET}\n",
        f'a: "\\{SECRET}"\n',
        f"%{SECRET} x\n---\na: b\n",
        f"a: %{SECRET}\n",
        f"a: b: {SECRET}\n",
        f"root:*:1:{SECRET}\ndaemon:x\n",
        f"password: {SECRET}\n",
        f"name: {{ {SECRET}: 1 }}\npassword: {SECRET}\n",
        f"{SECRET}=1\n",
        f"[core]\n{SECRET}=1\n",
        f"[{SECRET}/]\n",
        f"[{SECRET}\n",
        f"[a]\n{SECRET}\n",
        f"[a]\nbs={SECRET}\n",
        f"[a]\nrw={SECRET}\nioengine={SECRET}\n",
        f"[a]\nfilename=/{SECRET}\ndirectory=/{SECRET}\n",
        f"[a]\nbs=${{{SECRET} x}}\nsize=${{a\n",
        f"[a]\ninclude {SECRET}\n",
        f"[a]\nwrite_bw_log=/{SECRET}\nmem=mmap:/{SECRET}\nioengine=exec:{SECRET}\n",
    ],
)
def test_nothing_of_a_file_that_is_none_is_told(folder: Path, text: str) -> None:
    (folder / "notes").write_text(text)
    for workload in ("extends: notes#w", "jobfile: notes"):
        told = all_of(wrong(spec(folder, workload=workload)))
        assert SECRET not in told
        assert "notes:" in told
    assert SECRET not in all_of(wrong(spec(folder, "extends: notes")))


def test_where_there_is_no_repository_the_folder_of_the_spec_is_it(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("on_missing_baseline: fail\n")
    inner = tmp_path / "inner"
    inner.mkdir()
    path = spec(inner, "extends: ../base.yaml")
    assert str(inner) in wrong(path).remedy
    (tmp_path / ".git").write_text("gitdir: elsewhere\n")
    assert load_spec(path).on_missing_baseline == "fail"


def test_a_spec_that_is_a_link_stays_in_its_repository(folder: Path, tmp_path: Path) -> None:
    path = spec(folder)
    (folder / "other.yaml").symlink_to(path.name)
    load_spec(folder / "other.yaml")
    outside = tmp_path / "whole.yaml"
    outside.write_text(path.read_text())
    (folder / "leads-out.yaml").symlink_to(outside)
    with pytest.raises(UsageError) as caught:
        load_spec(folder / "leads-out.yaml")
    assert "leads out" in caught.value.what


@pytest.mark.parametrize("kind", ["fifo", "device", "folder", "sparse", "gone"])
def test_a_spec_that_is_no_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "spec.yaml"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "device":
        path = Path("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    elif kind == "sparse":
        with path.open("wb") as sparse:
            sparse.truncate(1 << 40)
    with pytest.raises(IogateError) as caught:
        load_spec(path)
    assert caught.value.exit_code == 2
    assert str(path) in str(caught.value)
