"""``iogate doctor``: is this host fit to measure, and what to change."""

from __future__ import annotations

import json

import click

from iogate import exits
from iogate.cli import options
from iogate.cli.leftovers import leftovers_finding
from iogate.cli.machine import machine
from iogate.cli.say import say, say_json
from iogate.cli.table import printable, table
from iogate.engine import ENGINES, open_engine
from iogate.engine.launcher import find_layers
from iogate.errors import EngineError
from iogate.host.checks import Finding, Severity, examine
from iogate.model.confinement import in_words
from iogate.sut.base import Sut

_MARKS = {Severity.OK: "ok", Severity.WARN: "WARN", Severity.BAD: "BAD"}
_ORDER = (Severity.BAD, Severity.WARN, Severity.OK)


@click.command()
@click.option(
    "--target",
    default=".",
    metavar="PATH",
    show_default=True,
    help="The directory, file or device that will be measured; judged as a run would.",
)
@click.option(
    "--measure-disturbances",
    is_flag=True,
    help="Measure for a minute what other work costs a test here, in a directory of its own below"
    " the target.",
)
@options.as_json()
def command(target: str, *, measure_disturbances: bool, as_json: bool) -> int:
    """Say whether this host is fit to measure, and the command that changes what is not.

    Settings and mounts that a killed run has left are put back.

    Exits 0 unless something is bad (3): then results of this host would mislead.
    """
    sut = machine()
    if measure_disturbances:
        from iogate.cli.disturbances import disturbance_document, disturbance_table, disturbances

        costs = disturbances(sut, target)
        if as_json:
            say_json(disturbance_document(costs))
        else:
            say(disturbance_table(costs))
        return exits.DONE
    rows = [(check.id, check.what, finding) for check, finding in examine(sut, target)]
    if left := leftovers_finding(sut):
        rows.append(("leftovers", "settings left by a killed run", left))
    rows.append(("engine", "an engine that runs", engine_finding(sut)))
    rows.append(("confinement", "engines kept to targets", confinement_finding(sut)))
    rows.sort(key=lambda row: _ORDER.index(row[2].severity))
    if as_json:
        say_json(_as_json(rows))
    else:
        say(_as_text(rows))
    bad = any(finding.severity is Severity.BAD for _, _, finding in rows)
    return exits.of_unfit(bad=bad)


def engine_finding(sut: Sut) -> Finding:
    """Whether some engine can be used."""
    problems = []
    for name in ENGINES:
        try:
            info = open_engine(name, sut).info()
        except EngineError as error:
            problems.append(error)
            continue
        severity = Severity.WARN if problems else Severity.OK
        remedy = problems[0].remedy if problems else ""
        return Finding(severity, f"{info.name} {info.version}", remedy)
    return Finding(Severity.BAD, problems[0].what, problems[0].remedy)


def confinement_finding(sut: Sut) -> Finding:
    """What of an engine's confinement holds on this kernel, for this user."""
    layers = find_layers(sut)
    if layers is None:
        return Finding(
            Severity.WARN, "there is no iogate-engine that could confine them", "make -C native"
        )
    held = in_words(layers)
    if layers.confine and not layers.lacking:
        return Finding(Severity.OK, held)
    remedy = (
        "measure on a kernel from 6.12 on, with Landlock among its LSMs (lsm= of its command "
        "line), and with namespaces for this user"
    )
    return Finding(Severity.WARN, held, remedy)


def _as_text(rows: list[tuple[str, str, Finding]]) -> str:
    lines = [(_MARKS[f.severity], what, f.found) for _, what, f in rows]
    remedies = [f"  {what}: {printable(f.remedy)}" for _, what, f in rows if f.remedy]
    text = table(("", "check", "found"), lines, sentences=True)
    return "\n".join([text, "", "What to do:", *remedies]) if remedies else text


def _as_json(rows: list[tuple[str, str, Finding]]) -> str:
    checks = [
        {
            "id": id_,
            "what": what,
            "severity": f.severity.value,
            "found": f.found,
            "remedy": f.remedy,
        }
        for id_, what, f in rows
    ]
    return json.dumps({"schema": "doctor/1", "checks": checks}, indent=1, ensure_ascii=False)
