"""What is said about a value is a sentence, and names the mistake that was made."""

from __future__ import annotations

import pytest

from support.specs import fio, problem, problems, workloads

LIMITS = "  w:\n    fio: { size: 1m }\n    thresholds:\n      read.iops: %s\n"


def test_quotes_are_the_mistake_where_the_value_is_right() -> None:
    error = problem(fio("size: 1m").replace("version: 1", 'version: "1"'))
    assert error.remedy == "leave the quotes out: 1"
    repeated = fio("size: 1m").replace("} }", '}, repetitions: "3" }')
    error = problem(repeated)
    assert error.what.startswith("repetitions is a whole number or a mapping")
    assert error.remedy == "leave the quotes out: 3"


@pytest.mark.parametrize("limit", [">= 10", "> 10k", ">=10", "> 10 # a comment"])
def test_a_limit_without_its_quotes(limit: str) -> None:
    bare = limit.partition(" #")[0]
    error = problem(workloads(LIMITS % limit))
    assert error.remedy == f'quote the limit: "{bare}"'
    assert str(error.where) == "t.yaml:7:18"


def test_in_braces_too() -> None:
    text = "  w: { fio: { size: 1m }, thresholds: { read.iops: >= 10 } }\n"
    assert problem(workloads(text)).remedy == 'quote the limit: ">= 10"'


def test_an_empty_text_wants_a_value_and_an_empty_list_an_entry() -> None:
    empty = fio("size: 1m").replace("directory: /data", "device: /dev/x, destroy: { serial: '' }")
    assert problem(empty).remedy == "write a value, or leave it out"
    listed = problem(workloads("  w: { fio: { size: 1m }, strategy: { matrix: { bs: [] } } }\n"))
    assert listed.remedy == "write at least one, or leave it out"


@pytest.mark.parametrize("value", ["65", "65F", "hot"])
def test_a_temperature(value: str) -> None:
    text = fio("size: 1m") + f"environment: {{ require: {{ max_temperature: {value} }} }}\n"
    assert "is a temperature in degrees Celsius, such as 65C, not" in problem(text).what


@pytest.mark.parametrize(
    ("text", "what", "remedy"),
    [
        ("repetitions: [3]", "repetitions is a whole number or a mapping", "How often each case"),
        ("repetitions: 0", "repetitions is a number from 1 to 1000, not 0", ""),
        ("thresholds: { read.iops: 5 }", "read.iops is a limit such as '>= 180k', or a list", ""),
        (
            "thresholds: { errors: 0 }",
            "errors is a limit such as '< 1', or a list",
            "",
        ),
        ("thresholds: { read.bw.stdev: 0 }", "read.bw.stdev is a limit such as '< 500MB/s'", ""),
        ("thresholds: { nosuch: 0 }", "nosuch is a limit such as '< 2ms' or '>= 180k'", ""),
        ("thresholds: { read.iops: [5] }", "an item of read.iops is a limit such as", ""),
    ],
)
def test_a_description_is_a_sentence_of_its_own(text: str, what: str, remedy: str) -> None:
    error = problem(workloads(f"  w: {{ fio: {{ size: 1m }}, {text} }}\n"))
    assert error.what.startswith(what)
    assert error.remedy.startswith(remedy)
    assert bool(error.remedy) == bool(remedy)


def test_a_job_file_of_fio_is_no_spec_and_is_told_how_to_be_taken_over() -> None:
    error = problem("; nightly\n\n[global]\nrw=randread\n[a]\nbs=4k\n")
    assert error.what == "this is a job file of fio, and no spec"
    assert "jobfile: t.yaml" in error.remedy


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("targets: { disk: /mnt }", "write disk: { directory: PATH }"),
        ("workloads: { w: { fio: rw=read } }", "write fio: { rw: randread, bs: 4k }"),
        ("workloads: { w: { rw: read } }", "options of fio stand under fio: fio: { rw: … }"),
        ("workloads: { w: { jobs: [{ rw: read }] } }", "write jobs: { reader:"),
        ("workloads: { w: { fio: {}, thresholds: [read.iops] } }", "write thresholds: {"),
        ("workloads: { w: { fio: {}, strategy: { matrix: { bs: 4k } } } }", "write bs: [4k]"),
        ("targets: { d: { device: /dev/x, destroy: true } }", "write destroy: { serial:"),
    ],
)
def test_a_value_of_the_wrong_shape_is_shown_the_right_one(text: str, remedy: str) -> None:
    assert any(each.remedy.startswith(remedy) for each in problems(f"version: 1\n{text}\n"))


def test_a_limit_on_a_change_with_its_words_in_another_order() -> None:
    assert problem(workloads(LIMITS % '"> vs baseline -5%"')).remedy == 'write "vs baseline > -5%"'


def test_a_home_folder_is_not_guessed() -> None:
    error = problem(fio("size: 1m").replace("directory: /data", "directory: ~/disk"))
    assert "${IOGATE_VAR_DISK}" in error.remedy


def test_engines_that_iogate_engine_has_are_suggested_first() -> None:
    def remedy(name: str) -> str:
        return problem(fio(f"size: 1m, ioengine: {name}")).remedy

    assert remedy("iouring") == "did you mean 'io_uring'?"
    assert remedy("xnvm") == "did you mean 'xnvme'? (with --engine fio)"
    listed = remedy("nothing-like-it")
    assert "io_uring," in listed
    assert "xnvme" not in listed
    assert "--engine fio" in listed


def test_a_name_that_is_too_long_is_not_told_of_its_letters() -> None:
    name = "a" * 65
    target = workloads("  w: { target: d, fio: { size: 1m } }\n").replace(
        "{d:", f"{{{name}: {{directory: /x}}, d:"
    )
    for text in (target, workloads(f"  {name}: {{ fio: {{ size: 1m }} }}\n")):
        error = problem(text)
        short = f"{'a' * 40!r}…"
        assert error.what == f"the name {short} has 65 characters, at most 64 are allowed"
        assert error.remedy == "shorten it"


def test_a_text_that_is_too_long_is_not_repeated() -> None:
    arms = "arms: { a: { set: { bs: 8k } } }"
    error = problem(fio("size: 1m") + f"compare: {{ {arms}, base: {'e' * 201} }}\n")
    assert error.what == "base has 201 characters, at most 200 are allowed"


def test_a_name_of_a_metric_has_its_own_letters() -> None:
    error = problem(
        fio("size: 1m") + "metrics: { Share: { value: errors, unit: count, better: low } }\n"
    )
    assert error.what == "'Share' cannot be a name here"
    assert "use a name of small letters, digits and underscores that begins" in error.remedy
