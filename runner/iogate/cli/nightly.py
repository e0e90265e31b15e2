"""``iogate nightly``: measure a spec every night, by a timer of systemd."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from iogate.cli import options
from iogate.cli.machine import named_machine
from iogate.cli.parameters import Duration
from iogate.cli.say import say
from iogate.cli.table import printable
from iogate.errors import UsageError
from iogate.sut import kind_and_address

if TYPE_CHECKING:
    from iogate.host.nightly import Nights


@click.group()
def command() -> None:
    """Measure a spec every night, by a timer of systemd."""


@command.command("install")
@options.SPEC
@click.option("--at", default="03:30", metavar="WHEN", help="When, as systemd's OnCalendar= says.")
@click.option("--user", default="", metavar="NAME", help="Whose nights they are, where root asks.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Where it is measured; the run folders go there. Else the current folder.",
)
@options.engine()
@click.option("--trust", is_flag=True, help="Run the spec with --trust.")
@click.option(
    "--wait",
    "wait_s",
    type=Duration(),
    default="2h",
    metavar="TIME",
    help="Wait this long for another run on this host to end; by default 2h.",
)
@click.option(
    "--site",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the trend site into this folder after each night.",
)
@click.option("--notify", is_flag=True, help="Call iogate notify after each night.")
@click.option("--dry-run", is_flag=True, help="Print the units, and write nothing.")
@options.STORE
def install(*, dry_run: bool, **asked: object) -> None:
    """Write a service and a timer that measure SPEC every night.

    They measure the machine that iogate --machine names, by default this one. Of root they are
    units of the system, of another user their own. The timer is not started: the command that does
    is printed.
    """
    from iogate.host.nightly import check_free, check_there, unit_folder, unit_texts, write_units

    nights = _nights(**asked)  # type: ignore[arg-type]
    texts = unit_texts(nights)
    check_there(nights)
    if dry_run:
        say("\n".join(f"# {name}\n{text}" for name, text in texts.items()), nl=False)
        return
    check_free(nights, unit_folder())
    for path in write_units(unit_folder(), texts):
        say(printable(f"wrote {path}"))
    systemctl, timer = _systemctl(), f"{nights.unit}.timer"
    say(f"start it with: {systemctl} daemon-reload && {systemctl} enable --now {timer}")
    if os.geteuid() != 0:
        say("and, to measure while you are not logged in: loginctl enable-linger")


def _nights(
    *,
    spec: Path,
    at: str,
    user: str,
    folder: Path,
    engine: str,
    trust: bool,
    wait_s: float,
    site: Path | None,
    notify: bool,
    store: str | None,
) -> Nights:
    """What was asked for. SpecError for a wrong spec, UsageError where only root may."""
    from iogate.host.nightly import Nights
    from iogate.spec import load_spec, make_plan

    plan = make_plan(load_spec(spec))
    if user and os.geteuid() != 0:
        raise UsageError("only root can measure as another user", remedy="leave out --user")
    where = ("--store", store) if store else ()
    of_spec = ("--spec", plan.spec_name)
    how = [*(() if engine == "native" else ("--engine", engine)), *(("--trust",) if trust else ())]
    machine = _machine()
    there = ("--machine", machine) if machine else ()
    run = (*there, "run", "--quiet", "--wait", f"{wait_s:g}s", *how, *where)
    after = []
    if site:
        after.append(("site", *where, str(site.resolve())))
    if notify:
        after.append(("notify", *where, *of_spec))
    return Nights(
        name=plan.spec_name,
        at=at,
        folder=folder.resolve(),
        measure=(*run, str(spec.resolve())),
        after=tuple(after),
        user=user,
        machine=machine,
    )


def _machine() -> str:
    """The one that is named, from wherever it is read: a file of a machine by its whole path."""
    named = named_machine()
    kind, address = kind_and_address(named) if named else ("", "")
    file = Path(address)
    return f"{kind}:{file.resolve()}" if address and file.is_file() else named


@command.command("uninstall")
@click.argument("name")
def uninstall(name: str) -> None:
    """Remove the units of the spec NAME. Nights that were measured stay.

    Those of nights on another machine need the same iogate --machine.
    """
    from iogate.host.nightly import remove_units, unit_folder, unit_name

    unit, systemctl = unit_name(name, _machine()), _systemctl()
    gone = remove_units(unit_folder(), unit)
    if not gone:
        raise UsageError(
            f"there is no {unit}.timer in {unit_folder()}",
            remedy=f"see: {systemctl} list-timers {shlex.quote('iogate-nightly-*')}",
        )
    for path in gone:
        say(printable(f"removed {path}"))
    say(f"if it was started: {systemctl} disable --now {unit}.timer")


def _systemctl() -> str:
    return "systemctl" if os.geteuid() == 0 else "systemctl --user"
