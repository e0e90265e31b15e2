"""Job files that are nearly right: the mistake is told where it is, with what was meant."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from support.engine_runs import Ran, run

CORPUS = Path(__file__).resolve().parents[2] / "native" / "fuzz" / "corpus_jobfile"
TABLE = sorted(CORPUS.glob("table-*.fio"))
MISTAKES = 6  # in each file, one after the other


def check(engine: Path, folder: Path, lines: list[str]) -> Ran:
    return run(engine, ["--parse-only", "-"], folder, "\n".join(lines) + "\n")


@pytest.fixture(params=TABLE, ids=lambda path: path.stem)
def lines(request: pytest.FixtureRequest) -> list[str]:
    path: Path = request.param
    return path.read_text(encoding="utf-8").splitlines()


def of_keys(lines: list[str], chosen: random.Random) -> list[int]:
    """Some lines of options with names long enough for a slip."""
    all_of_them = [at for at, line in enumerate(lines) if len(line.partition("=")[0]) > 5]
    options = [at for at in all_of_them if not lines[at].startswith("[")]
    return chosen.sample(options, min(MISTAKES, len(options)))


def test_there_is_a_file_for_every_category(engine: Path, tmp_path: Path) -> None:
    titles = re.findall(
        r"^## (.*)", run(engine, ["--option-reference"], tmp_path).out, re.MULTILINE
    )
    names = {path.stem.removeprefix("table-") for path in TABLE}
    slugs = {re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") for title in titles}
    assert len(slugs & names) > 15
    assert all(name in slugs or name.startswith("engine-") for name in names)


def test_each_file_is_taken(engine: Path, tmp_path: Path, lines: list[str]) -> None:
    assert check(engine, tmp_path, lines).status == 0


def test_a_slip_in_a_name_is_told_with_the_name(
    engine: Path, tmp_path: Path, lines: list[str]
) -> None:
    chosen = random.Random(1)
    for at in of_keys(lines, chosen):
        key, equals, value = lines[at].partition("=")
        place = chosen.randrange(1, len(key) - 1)
        slip = key[:place] + key[place + 1 :]
        ran = check(engine, tmp_path, [*lines[:at], slip + equals + value, *lines[at + 1 :]])
        if ran.status == 0 and f"--{slip}=" in run(engine, ["--cmdhelp=all"], tmp_path).out:
            continue
        assert ran.status == 2
        assert f"stdin:{at + 1}:1: unknown option '{slip}', did you mean '{key}'?" in ran.err


@pytest.mark.parametrize(
    ("setting", "meant"),
    [
        ("rw=ranread", "randread"),
        ("ioengine=libiao", "libaio"),
        ("mem=mapshared", "mmapshared"),
        ("dedupe_mode=workingset", "working_set"),
        ("log_window_value=bot", "both"),
        ("zonemode=stridet", "strided"),
    ],
)
def test_a_slip_in_a_word_is_told_with_the_word(
    engine: Path, tmp_path: Path, setting: str, meant: str
) -> None:
    ran = check(engine, tmp_path, ["[j]", "size=1m", setting])
    assert ran.status == 2
    assert f"stdin:3:{setting.index('=') + 2}: " in ran.err
    assert f"did you mean '{meant}'?" in ran.err


def test_a_wrong_value_is_told_at_its_column(
    engine: Path, tmp_path: Path, lines: list[str]
) -> None:
    for at in of_keys(lines, random.Random(2)):
        key, equals, value = lines[at].partition("=")
        if equals:
            ran = check(engine, tmp_path, [*lines[:at], f"{key}=?{value}", *lines[at + 1 :]])
            told = f"stdin:{at + 1}:{len(key) + 2}: {key}"
            assert (ran.status == 2 and told in ran.err) or ran.status == 0, (key, value, ran.err)


def test_all_mistakes_of_a_file_are_told(engine: Path, tmp_path: Path, lines: list[str]) -> None:
    wrong = sorted(of_keys(lines, random.Random(3)))[:4]
    damaged = [f"{line[:2]}~{line[2:]}" if at in wrong else line for at, line in enumerate(lines)]
    told = check(engine, tmp_path, damaged).err
    assert [int(line) for line in re.findall(r"stdin:(\d+):1: unknown", told)] == [
        at + 1 for at in wrong
    ]
