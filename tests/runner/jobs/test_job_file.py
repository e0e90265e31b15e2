"""Job files: what fio reads in them is what the case says, and nothing more."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.errors import Location, UsageError
from iogate.jobs.job_file import render
from iogate.model.plan import Case
from iogate.model.spec import JobSpec
from iogate.spec.reading.job_file import read_job_file
from support.specs import cases, plan_of

TWO_JOBS = "  w: { fio: { size: 1m, bs: 4k }, jobs: { a: { rw: read }, b: { direct: yes } } }\n"


def on_target(target: str, fio: str = "size: 1m") -> Case:
    text = f"version: 1\ntargets: {{d: {target}}}\nworkloads: {{w: {{fio: {{{fio}}}}}}}\n"
    return plan_of(text).cases[0]


def sections(text: str) -> dict[str, dict[str, str]]:
    """A job file as our own reader sees it."""
    found = read_job_file(text, "job", Location("t", 1, 1))
    return {s.name: {a.key: a.text or "" for a in s.assignments} for s in found}


def test_a_section_for_each_job_with_its_options_in_order() -> None:
    (case,) = cases(TWO_JOBS)
    assert render(case).splitlines()[3:] == [
        "[a]",
        "directory=/data",
        "size=1m",
        "bs=4k",
        "rw=read",
        "",
        "[b]",
        "directory=/data",
        "size=1m",
        "bs=4k",
        "direct=1",
    ]


def test_it_names_its_case() -> None:
    (case,) = cases(TWO_JOBS)
    head = render(case).splitlines()[:2]
    assert head == ["; w", f"; case {case.id} on target d"]


@pytest.mark.parametrize(
    ("target", "line"),
    [
        ("{directory: /mnt/x}", "directory=/mnt/x"),
        ("{directory: relative/x}", "directory=relative/x"),
        ("{directory: 'a:b'}", r"directory=a\:b"),
        ("{file: /mnt/f}", "filename=/mnt/f"),
        ("{file: '/mnt/a:b'}", r"filename=/mnt/a\:b"),
        ("{device: /dev/loop77}", "filename=/dev/loop77"),
    ],
)
def test_the_target_says_where(target: str, line: str) -> None:
    assert line in render(on_target(target)).splitlines()


def test_the_caller_may_say_where() -> None:
    assert "directory=/tmp/x" in render(on_target("{directory: auto}"), location="/tmp/x")
    assert "filename=/tmp/y" in render(on_target("{file: /mnt/f}"), location="/tmp/y")
    assert "directory=" not in render(on_target("{directory: auto}"))


def test_a_file_of_its_own_stays_in_the_directory() -> None:
    lines = render(on_target("{directory: /d}", "size: 1m, filename: x.bin")).splitlines()
    assert "directory=/d" in lines
    assert "filename=x.bin" in lines


@pytest.mark.parametrize("value", ["a\nrw=write", "a;b", "a#b", "", " a", "a\x00", "a\u2028b"])
def test_what_would_be_read_as_something_else_is_refused(value: str) -> None:
    case = cases(TWO_JOBS)[0]
    bad = replace(case, jobs=(JobSpec("j", {"comm": value}),))
    with pytest.raises(UsageError):
        render(bad)
    with pytest.raises(UsageError):
        render(replace(case, jobs=(JobSpec(f"x]{value}", {}),)))
    if value:
        with pytest.raises(UsageError):
            render(case, location=value)


@pytest.mark.parametrize("name", ["global", "global-x", "a]b", "a\nb", ""])
def test_names_that_would_be_no_job_are_refused(name: str) -> None:
    with pytest.raises(UsageError):
        render(replace(cases(TWO_JOBS)[0], jobs=(JobSpec(name, {}),)))


def test_a_header_cannot_break_out_of_its_comment() -> None:
    text = render(replace(cases(TWO_JOBS)[0], name="x\n[evil]\nrw=write"))
    assert set(sections(text)) == {"a", "b"}


@given(st.dictionaries(st.sampled_from(["comm", "cgroup", "description"]), st.text(), min_size=1))
def test_what_is_rendered_is_what_is_read(options: dict[str, str]) -> None:
    case = replace(cases(TWO_JOBS)[0], jobs=(JobSpec("j", options),))
    try:
        text = render(case)
    except UsageError:
        return
    assert sections(text) == {"j": {"directory": "/data", **options}}


@pytest.mark.skipif(not shutil.which("fio"), reason="fio is not here")
def test_fio_does_what_the_case_says(tmp_path: Path) -> None:
    """Run by the real fio: the options that it reports are those of the case."""
    folder = tmp_path / "with:colon and blank"
    folder.mkdir()
    case = cases(
        "  w:\n    fio: { size: 64k, bs: 4k, ioengine: psync }\n"
        "    jobs: { a: { rw: randwrite }, b: { rw: write, filename: own.bin } }\n"
    )[0]
    job_file = tmp_path / "job.fio"
    job_file.write_text(render(case, location=str(folder)))
    done = subprocess.run(
        ["fio", "--output-format=json", str(job_file)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    jobs = {job["jobname"]: job for job in json.loads(done.stdout)["jobs"]}
    assert {name: job["job options"]["rw"] for name, job in jobs.items()} == {
        "a": "randwrite",
        "b": "write",
    }
    assert all(job["write"]["io_bytes"] == 65536 for job in jobs.values())
    assert sorted(path.name for path in folder.iterdir()) == ["a.0.0", "own.bin"]


def test_numbers_stand_there_as_every_engine_reads_them() -> None:
    case = on_target(
        "{file: /f}", "size: 1.5g, bs: 4KiB, runtime: 2hours, iodepth: 4, kb_base: 1024"
    )
    (section,) = sections(render(case)).values()
    assert (section["size"], section["bs"]) == ("1610612736", "4096")
    assert (section["runtime"], section["iodepth"]) == ("7200000000us", "4")
    assert case.jobs[0].options["bs"] == "4KiB"  # what is shown is what was written
