"""What programs that run fio read beside its results: its help, its live line, its words of state.

Each is written from fio's documentation and as Debian's fio prints it: the two are held next to
each other here.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.engine_runs import run

NULL = ("--name=j", "--ioengine=null", "--rw=read", "--size=64k")
SPEAKS = "fio-3.33"
# Of later versions than Debian's.
LATER_ENGINES = {"\tdircreate", "\tdirdelete", "\tdirstat"}
LIVE = re.compile(
    r"Jobs: [01] \(f=[01]\): \[[W_]\(1\)\]\[[\d.]+%\]\[w=[^]]+\]\[w=[^]]+ IOPS\]\[eta .+\] *"
)


@pytest.mark.parametrize("version", ["3", "4", "5"])
def test_terse_lines_name_fio(named_fio: Path, tmp_path: Path, version: str) -> None:
    asked = [*NULL, "--output-format=terse", f"--terse-version={version}"]
    assert run(named_fio, asked, tmp_path).out.split(";")[:3] == [version, SPEAKS, "j"]


def test_engines_are_listed_by_name_alone(engine: Path, fio: str, tmp_path: Path) -> None:
    """Whoever looks for one takes each line behind the heading for a name."""
    theirs, ours = (run(p, ["--enghelp"], tmp_path).out.splitlines() for p in (fio, engine))
    assert ours[0] == theirs[0]
    assert set(ours) <= set(theirs) | LATER_ENGINES
    assert "\tio_uring" in ours


@pytest.mark.parametrize("ask", ["--cmdhelp", "--cmdhelp=all"])
def test_options_are_listed_with_a_colon(engine: Path, fio: str, tmp_path: Path, ask: str) -> None:
    """A name, blanks, a colon: completions of shells cut there."""
    for program in (fio, engine):
        listed = run(program, [ask], tmp_path).out.splitlines()
        names = [re.fullmatch(r" *([\w-]+) *: .+", line) for line in listed if line.strip()]
        assert all(names), listed
        assert {"rw", "bs", "iodepth"} <= {name[1] for name in names if name}


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("zonemode", ["zonemode: ", "type: ", "default: none", "valid values: none", ": zbd"]),
        ("bs", ["bs: ", "alias: blocksize", "type: ", "range: min=1, max="]),
    ],
)
def test_an_option_is_explained_in_fios_words(
    engine: Path, fio: str, tmp_path: Path, option: str, words: list[str]
) -> None:
    for program in (fio, engine):
        told = run(program, [f"--cmdhelp={option}"], tmp_path).out
        for word in words:
            assert re.search(rf"^ *{re.escape(word)}", told, re.MULTILINE), (word, told)


def test_no_job_can_be_looked_at(engine: Path, fio: str, tmp_path: Path) -> None:
    """So scripts ask whether a word of the command line is known."""
    asked = ["--parse-only", "--terse-version=4"]
    for program in (fio, engine):
        ran = run(program, asked, tmp_path)
        assert (ran.status, ran.out, ran.err) == (0, "", "")
    assert run(engine, ["--terse-version=4"], tmp_path).status


def test_the_live_line_has_no_codes_of_a_screen(engine: Path, fio: str, tmp_path: Path) -> None:
    """In a pipe it is text that a carriage return or a new line ends, as fio's."""
    asked = ["--eta=always", "--name=j", "--rw=write", "--size=96k", "--rate=64k"]
    for program in (fio, engine):
        told = run(program, [*asked, "--filename=f"], tmp_path).out
        assert "\x1b" not in told
        live = [part for part in re.split("[\r\n]", told) if part.startswith("Jobs:")]
        assert live, told
    assert all(LIVE.fullmatch(part) for part in live), live


def test_a_steady_state_has_its_means(engine: Path, fio: str, tmp_path: Path) -> None:
    asked = ["--name=j", "--rw=read", "--size=1m", "--time_based", "--runtime=3", "--rate_iops=50"]
    asked += ["--ss=iops:90%", "--ss_dur=2", "--ioengine=null"]
    for program in (fio, engine):
        told = run(program, asked, tmp_path).out
        assert re.search(
            r"^  steadystate  : attained=\w+, bw=\d+KiB/s \(\d+kB/s\), iops=\d+, "
            r"iops mean dev=\d+\.\d{3}%$",
            told,
            re.MULTILINE,
        ), told


@pytest.mark.parametrize("program", ["engine", "fio"])
def test_output_is_in_the_file_that_who_asked_for_it_holds_open(
    program: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Many make a temporary file, give its name, and read what they hold."""
    asked = [*NULL, "--output-format=terse", "--output=link"]
    (tmp_path / "link").symlink_to("out.txt")
    with (tmp_path / "out.txt").open("w+") as held:
        held.write("longer than a line of results is" * 100)
        held.flush()
        ran = run(Path(request.getfixturevalue(program)), asked, tmp_path)
        held.seek(0)
        assert re.match(r"3;[^;]+;j;", held.read()), ran.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "out.txt"]
