"""--profile: tiobench's jobs are fio's, and its words do what fio's documentation says."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from support.engine_runs import run

TIOBENCH = ["--profile=tiobench"]


def shown(engine: Path, folder: Path, *words: str) -> list[str]:
    """The words of --showcmd."""
    ran = run(engine, [*TIOBENCH, *words, "--showcmd"], folder)
    assert ran.status == 0, ran.err
    return shlex.split(ran.out)


def test_tiobench_is_fios(engine: Path, fio: str, tmp_path: Path) -> None:
    """Its files have 4 KiB for each MiB of memory. The engine's jobs name flags, too."""
    words = [*TIOBENCH, "--output-format=json"]
    theirs, ours = (
        run(program, words, tmp_path / name).document()
        for program, name in ((fio, "fio"), (engine, "ours"))
    )
    said = ours["global options"]
    assert {key: said[key] for key in theirs["global options"]} == theirs["global options"]
    assert set(said) - set(theirs["global options"]) <= {"group_reporting", "thread"}

    def done(job: dict[str, Any]) -> tuple[Any, ...]:
        ios = (job["read"]["total_ios"], job["write"]["total_ios"])
        options = {k: v for k, v in job["job options"].items() if k != "stonewall"}
        return (job["jobname"], job["groupid"], job["error"], ios, options)

    assert [done(job) for job in ours["jobs"]] == [done(job) for job in theirs["jobs"]]
    left = sorted(path.name for path in (tmp_path / "fio").glob(".fio*"))
    assert sorted(path.name for path in (tmp_path / "ours").glob(".fio*")) == left


def test_words_of_a_profile_do_what_they_say(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    words = ["--size=2", "--block", "8192", "--numruns=3", "--dir=there", "--threads=2"]
    ran = run(engine, [*TIOBENCH, *words, "--output-format=json"], tmp_path)
    jobs = ran.document()["jobs"]
    assert [job["jobname"] for job in jobs] == ["seqwrite", "randwrite", "seqread", "randread"]
    for job in jobs:
        ios = job["read"]["total_ios"] + job["write"]["total_ios"]
        assert ios == 2 * 3 * (2 << 20) // 8192
    assert len(list((tmp_path / "there").iterdir())) == 4


def test_other_options_may_follow(engine: Path, tmp_path: Path) -> None:
    words = shown(engine, tmp_path, "--size=1", "--runtime=5", "--ioengine=psync")
    assert "--size=1m" in words
    assert "--ioengine=psync" in words


def test_help_lists_the_words_of_a_profile(engine: Path, fio: str, tmp_path: Path) -> None:
    theirs, ours = (
        run(program, [*TIOBENCH, "--cmdhelp"], tmp_path).out.splitlines()
        for program in (fio, engine)
    )
    assert [line.split()[0] for line in ours] == [line.split()[0] for line in theirs]


WRONG = {
    "act": (["--profile=act", "--device-names=x"], "what passes, are fio's own"),
    "of nobody": (["--profile=x"], "'x' is not there, only tiobench"),
    "name": ([*TIOBENCH, "--name=j"], "--name: a profile has jobs of its own"),
    "file": ([*TIOBENCH, "job.fio"], "job.fio: a profile has jobs of its own"),
    "options before": (["--size=1", *TIOBENCH], "before all options of jobs"),
    "twice": ([*TIOBENCH, *TIOBENCH], "it comes once"),
    "unit": ([*TIOBENCH, "--size=1g"], "size is a number of MiB, not '1g'"),
    "no value": ([*TIOBENCH, "--dir"], "a value is missing"),
}


@pytest.mark.parametrize(("words", "said"), WRONG.values(), ids=WRONG.keys())
def test_what_is_no_profile_is_refused(
    engine: Path, tmp_path: Path, words: list[str], said: str
) -> None:
    ran = run(engine, words, tmp_path)
    assert ran.status == 2
    assert said in ran.err
