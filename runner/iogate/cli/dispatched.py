"""What is left of a dispatch for people and machines: the reports of its runs, and what stdout says
at the end."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from iogate import exits
from iogate.cli import actions
from iogate.cli.outcome import write_reports_with
from iogate.cli.say import say, say_exactly, say_json
from iogate.cli.table import counted, printable, table
from iogate.dispatch.base import Errand, Share
from iogate.dispatch.gathering import Gathered
from iogate.errors import IogateError
from iogate.files.run_folder import RunFolder
from iogate.model.dispatch import Dispatch, Part
from iogate.model.document import to_document
from iogate.model.plan import Plan
from iogate.model.run import Run
from iogate.run.finishing import Finished

_HEAD = ("host", "cases", "verdict", "exit code", "run")
_DOCUMENT = "dispatch.json"
_ANY = "(the queue chooses)"


def described(plan: Plan, shares: Sequence[Share]) -> str:
    """What would be measured where."""
    names = plan.names
    rows = [(each.host or _ANY, ", ".join(names[case] for case in each.cases)) for each in shares]
    runs = counted(len(shares), "run")
    return f"{table(('host', 'cases'), rows)}\n\n{runs}, nothing was measured (--dry-run)"


def conclude(
    whole: Dispatch, gathered: Sequence[Gathered], errand: Errand, *, quiet: bool, as_json: bool
) -> int:
    """Reports of each run, the one verdict, and the exit code."""
    from iogate.cli.entry import tell

    told = [_reported(each, errand) for each in gathered]
    errors: list[BaseException] = [error for each in told if each for error in each.errors]
    whole = _with_faults(whole, [each.run for each in told if each and each.errors])
    unkept = _kept(whole, errand)
    errors += unkept
    code = exits.with_faults(exits.of_hosts([whole.exit_code]), unkept)
    if as_json:
        document = to_document(replace(whole, exit_code=int(code)))
        say_json(json.dumps({**document, "folder": str(errand.folder)}, indent=1))
    else:
        _show(whole, errand, quiet=quiet)
    for each in told:
        if each and actions.active():
            for line in actions.annotation_lines(each.run):
                say_exactly(line, err=as_json)
    for error in errors:
        tell(error)
    return int(code)


def _reported(each: Gathered, errand: Errand) -> Finished | None:
    """A run with its reports; what goes wrong with them takes none of the others away."""
    if each.finished is None:
        return None
    for note in each.finished.notes:
        say(f"iogate: {printable(f'{each.part.host}: {note}')}", err=True)
    return write_reports_with(each.finished, errand.store)


def _with_faults(whole: Dispatch, runs: Sequence[Run]) -> Dispatch:
    """With the codes of runs whose reports could not all be made."""
    codes = {run.id: int(exits.of_run(run.verdict)) for run in runs}
    parts = tuple(replace(p, exit_code=codes.get(p.run, p.exit_code)) for p in whole.parts)
    code = exits.of_hosts([whole.exit_code, *codes.values()])
    return replace(whole, parts=parts, exit_code=int(code))


def _kept(whole: Dispatch, errand: Errand) -> list[Exception]:
    """The whole as a document; where it cannot be written it is still shown."""
    try:
        RunFolder(errand.folder).write_json(_DOCUMENT, to_document(whole))
    except IogateError as error:
        return [error]
    return []


def _show(whole: Dispatch, errand: Errand, *, quiet: bool) -> None:
    if not quiet:
        rows = [_row(part) for part in whole.parts]
        say(table(_HEAD, rows, right=(1, 3)))
        say()
        for part in whole.parts:
            say(printable(f"{part.host}: {part.sentence}"))
    say(printable(whole.sentence))
    say(f"runs: {errand.folder}")


def _row(part: Part) -> tuple[str, ...]:
    return (
        part.host,
        str(len(part.cases)),
        f"lost, {len(part.left)} elsewhere" if part.left else _word(part),
        str(part.exit_code),
        part.run[:12],
    )


def _word(part: Part) -> str:
    return part.word or (part.outcome.value if part.outcome else "not measured")
