"""Every command that README.md and docs show stands in a table here with how it is tested: run
by this test, run by another one that is named, or not runnable here, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from repository.tree import ROOT
from support.pages import CODE, Reader, commands

PAGES = [
    "README.md",
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")),
]


@dataclass(frozen=True, slots=True)
class By:
    """The test that runs it, or the same with smaller sizes."""

    test: str


@dataclass(frozen=True, slots=True)
class Not:
    """Why no test can run it."""

    why: str


@dataclass(frozen=True, slots=True)
class Here:
    """How this test runs it: what is typed, which may end with other codes than 0."""

    typed: str
    codes: tuple[int, ...] = (0,)


How = By | Not | Here
AB = By("tests/e2e/test_ab.py::test_a_slower_arm_fails_and_ends_early")
DECIDED = By("tests/runner/cli/test_trend.py::test_ack_accept_and_reopen")
STATIC = By("tests/native/test_static.py::test_it_needs_no_library")
CROSS = By("tests/native/test_static.py::test_another_architecture_needs_no_library_either")
BISECT = By("tests/e2e/test_bisect.py::test_the_culprit_is_found_and_told")
BISECT_KERNELS = By(
    "tests/e2e/test_bisect_kernels.py::test_an_end_that_does_not_boot_ends_the_search"
)
KERNELS = By("tests/e2e/test_kernels.py::test_two_kernels_killed_and_resumed")
ON_A_HOST = By("tests/e2e/test_kernels_on_a_host.py::test_a_kernel_is_booted_measured_and_left")
SSH = By("tests/e2e/test_over_ssh.py::test_a_run_is_measured_there_and_judged_and_kept_here")
MOVED = By("tests/e2e/test_how_to.py::test_a_history_moves_to_influxdb")

FOLLOWED = {
    "docs/extending.md": By("tests/repository/test_extending.py::test_one_file_and_one_line"),
    "docs/hosts.md": By(
        "tests/repository/test_hosts_doc.py::test_from_a_bare_host_to_a_nightly_run"
    ),
    **{
        f"docs/how-to/{page}.md": By("tests/e2e/test_how_to.py::test_a_how_to_is_followed")
        for page in (
            *("compare-builds", "gate-a-filesystem-change", "gate-a-kernel-change"),
            "track-firmware",
        )
    },
    "docs/tutorial.md": By("tests/e2e/test_tutorial.py::test_the_tutorial_from_red_to_green"),
}
"""Pages that a test follows from their first command to the last."""

TABLE: dict[str, dict[str, How]] = {
    "README.md": {
        "scripts/demo": Not(
            "installs packages of Debian, and makes an environment in the checkout"
        ),
        "scripts/test": Not("runs this test"),
        ".venv/bin/iogate run gate.yaml": Here("iogate run gate.yaml", (0, 1)),
        ".venv/bin/iogate ab gate.yaml --candidate ioengine=libaio": Here(
            "iogate ab gate.yaml --candidate ioengine=libaio --case '*bs=4k,iodepth=1' --blocks 5",
            (0, 1),
        ),
    },
    "docs/comparing.md": {
        "iogate canary gate.yaml --blocks 6": By(
            "tests/e2e/test_ab.py::test_a_canary_feeds_the_plan"
        ),
        "iogate ab gate.yaml --candidate large": AB,
    },
    "docs/how-to/find-a-culprit.md": {
        "iogate bisect gate.yaml --repository storage --good v1 --bad main"
        " -- ./build-and-install": BISECT,
        "iogate --machine vm:guest.yaml bisect gate.yaml --repository linux --good v6.11"
        " --bad v6.12 --kernel . -- make -j8 bzImage": BISECT_KERNELS,
        "iogate --machine host:lab3.yaml bisect gate.yaml --repository linux --good v6.11"
        " --bad v6.12 --kernel . -- make -j8 bzImage modules": ON_A_HOST,
    },
    "docs/how-to/compare-kernels.md": {
        "iogate --machine vm:guest.yaml ab gate.yaml --base kernel=6.1 --candidate "
        "kernel=./linux/arch/x86/boot/bzImage": KERNELS,
        "iogate --machine vm:guest.yaml ab gate.yaml --base module=./old/null_blk.ko --candidate "
        "module=./new/null_blk.ko": KERNELS,
        "iogate --machine vm:guest.yaml ab --resume iogate-runs/20261123-101500-gate": KERNELS,
        "iogate --machine host:lab3.yaml ab gate.yaml --candidate kernel=new": ON_A_HOST,
        "iogate --machine host:lab3.yaml ab gate.yaml --candidate kernel=new --per-boot 3": KERNELS,
        "iogate --machine host:lab3.yaml ab gate.yaml --candidate kernel=./linux": ON_A_HOST,
    },
    "docs/kernel-gate.md": {
        "iogate --machine vm:guest.yaml ab gate.yaml --base kernel=6.1 --candidate "
        "kernel=./linux/arch/x86/boot/bzImage": KERNELS,
        "iogate --machine ssh:root@lab3 doctor": By(
            "tests/e2e/test_over_ssh.py::test_a_host_is_examined_from_here"
        ),
        "iogate --machine ssh:root@lab3 run lab3-gate.yaml": SSH,
        "iogate --machine ssh:root@lab3 run --label next-20261124 lab3-gate.yaml": SSH,
        "iogate --machine host:lab3.yaml ab lab3-gate.yaml --candidate kernel=new": ON_A_HOST,
        "iogate --machine vm:guest.yaml bisect gate.yaml --repository linux --good v6.11"
        " --bad v6.12 --kernel . -- make -j8 bzImage": BISECT_KERNELS,
    },
    "docs/how-to/measure-on-several-hosts.md": {
        "iogate dispatch nightly.yaml --to ssh:root@lab3,root@lab4": By(
            "tests/e2e/test_dispatch.py"
            "::test_every_host_measures_every_case_and_all_are_in_one_history"
        ),
        "iogate dispatch nightly.yaml --to slurm --share": By(
            "tests/e2e/test_dispatch_slurm.py"
            "::test_cases_go_to_the_nodes_that_fit_and_come_back_as_one"
        ),
    },
    "docs/how-to/move-to-influxdb.md": dict.fromkeys(
        (
            "iogate history export nights.jsonl",
            "iogate history import --store influxdb://HOST:8086/ORG/BUCKET nights.jsonl",
            "iogate history verify --store influxdb://HOST:8086/ORG/BUCKET",
            "iogate run --store influxdb://HOST:8086/ORG/BUCKET gate.yaml",
        ),
        MOVED,
    ),
    "docs/history.md": {
        command: Here(command)
        for command in (
            "iogate history prune --dry-run --series 30d:10s,90d:60s,365d:none",
            "iogate history prune --series 30d:10s,90d:60s,365d:none",
            "iogate history prune --configure 30d:10s,365d:none",
        )
    },
    "docs/install.md": {
        "pip install iogate": By(
            "tests/repository/test_package.py::test_an_installed_wheel_works_without_the_checkout"
        ),
        "podman build -f packaging/Containerfile -t iogate dist": Not(
            "needs a container runtime, and an image from a registry"
        ),
        "podman run --rm -v /mnt/disk:/work -v iogate-data:/data iogate run quick "
        "--set ioengine=libaio": Not("needs a container runtime"),
        "apt install ./iogate_0.1.0-1_amd64.deb": Not(
            "scripts/test-install does, in a bare Debian"
        ),
        "gh attestation verify iogate-0.1.0.tar.gz --repo OWNER/iogate": Not(
            "asks GitHub for a release"
        ),
        "scripts/static": STATIC,
        "scripts/static aarch64": CROSS,
        "make -C native STATIC=1 CROSS_COMPILE=aarch64-linux-gnu- CPPFLAGS=-I… LDFLAGS=-L…": CROSS,
        "apt-get source libaio && make -C libaio-*/src": Not("fetches the sources of a package"),
        "make -C native STATIC=1 "
        "CPPFLAGS=-I$PWD/libaio-0.3.113/src LDFLAGS=-L$PWD/libaio-0.3.113/src": (
            Not("needs the sources of libaio")
        ),
    },
    "docs/trends.md": {
        "iogate trend nightly.yaml": By(
            "tests/runner/cli/test_trend.py"
            "::test_the_table_has_a_line_a_series_and_the_alert_its_range"
        ),
        "iogate fleet nightly.yaml": By(
            "tests/runner/cli/test_fleet.py::test_a_host_that_was_slow_from_its_first_night_stands_out"
        ),
        "iogate trend nightly.yaml --gate": By(
            "tests/runner/cli/test_trend.py::test_the_gate_fails_while_a_regression_is_open"
        ),
        "iogate trend confirm nightly.yaml 3f9ac210 -- ./build-and-install": By(
            "tests/e2e/test_trend_confirm.py::test_a_regression_that_is_in_the_code_is_confirmed"
        ),
        'iogate ack 3f9ac210 --reason "bug 4711" --expires 336h': DECIDED,
        'iogate accept 3f9ac210 --reason "the price of checksums"': DECIDED,
        "iogate reopen 3f9ac210": DECIDED,
        "iogate bisect nightly.yaml --good v1.2 --bad main -- ./build-and-install": BISECT,
    },
}
"""The other pages, command by command."""


def shown(page: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return [command.text for command in commands(text) if command.text != CODE]


def hows() -> Iterator[How]:
    yield from FOLLOWED.values()
    for rows in TABLE.values():
        yield from rows.values()


@pytest.mark.parametrize("page", PAGES)
def test_every_command_has_a_row_and_every_row_a_command(page: str) -> None:
    assert not (page in FOLLOWED and page in TABLE)
    if page in FOLLOWED:
        assert shown(page)
    else:
        assert set(shown(page)) == set(TABLE.get(page, {}))


def test_every_page_of_the_table_exists() -> None:
    assert {*FOLLOWED, *TABLE} <= set(PAGES)


@pytest.mark.parametrize("by", sorted({how.test for how in hows() if isinstance(how, By)}))
def test_the_tests_that_are_named_exist(by: str) -> None:
    path, _, name = by.partition("::")
    text = (ROOT / path).read_text(encoding="utf-8")
    assert re.search(rf"^def {name}\(", text, re.MULTILINE)


BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
SMALL = {
    "size: 256m": "size: 1m",
    "runtime: 10s": "runtime: 100ms",
    "direct: true": "direct: false",
}


def test_what_is_run_here(tmp_path: Path) -> None:
    """In one folder, as one reader: the spec is the README's, the history what it measured."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (spec,) = re.findall(r"```yaml\n(version: 1\n.*?)```", text, re.DOTALL)
    reader = Reader(tmp_path / "reader", SMALL)
    (reader.folder / "gate.yaml").write_text(reader.smaller(spec))
    for how in hows():
        if isinstance(how, Here):
            reader.type(how.typed)
            assert reader.code in how.codes, f"$ {how.typed}\n{reader.said}"


def test_a_block_that_names_no_kind_holds_no_command() -> None:
    command = re.compile(r"^(\$ |(iogate|git|make|pip|scripts/\S+) )", re.MULTILINE)
    for page in PAGES:
        blocks = BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
        assert not [text for kind, text in blocks if not kind and command.search(text)], page
