"""The manual pages, made from the commands, the schema of specs and the engine's own help."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click
import copy_option_table
from roff import Page, bold, escaped

import iogate
from iogate.cli import COMMANDS, HELP, MACHINE_HELP
from iogate.cli.entry import GROUP
from iogate.errors import ExitCode
from iogate.metrics.base import Row
from iogate.metrics.table import TABLE

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "share" / "man"
# Between the lines of the engine's help: a word that it takes, and what that does.
_ENGINE_WORD = re.compile(r"  (--\S+(?: \S+)*?)\s{2,}(\S.*)")


def pages() -> Iterator[tuple[Path, str]]:
    """Where each page is, and its text."""
    for page in (commands(), specs(), engine(), jobs()):
        place = FOLDER / f"man{page.section}" / f"{page.name}.{page.section}"
        yield place, page.text()


def _page(name: str, section: int, what: str) -> Page:
    page = Page(name, section, iogate.__version__)
    page.heading("Name")
    page.plain(f"{escaped(name)} \\- {escaped(what)}")
    return page


def _see(page: Page, *others: str) -> None:
    page.heading("See also")
    page.plain(", ".join(f"{bold(name)}({section})" for name, section in map(str.split, others)))


def commands() -> Page:
    """iogate(1): each command, with its options."""
    page = _page("iogate", 1, "gate storage performance in CI")
    page.heading("Synopsis")
    page.plain(f"{bold('iogate')} [{bold('--machine')} MACHINE] COMMAND [ARGUMENTS]")
    page.heading("Description")
    page.paragraph(HELP)
    page.paragraph("What a spec says is in iogate-spec(5).")
    page.heading("Options")
    page.item("--machine MACHINE", MACHINE_HELP)
    page.item("--version", "Show the version and exit.")
    page.item("-h, --help", "Show the commands, or behind a command its options, and exit.")
    page.heading("Commands")
    parent = click.Context(GROUP, info_name="iogate")
    for name in COMMANDS:
        command = GROUP.get_command(parent, name)
        assert command is not None, f"{name} is in COMMANDS"
        _command(page, command, name, parent)
    page.heading("Exit status")
    for code in ExitCode:
        page.item(str(int(code)), f"{code.meaning[0].upper()}{code.meaning[1:]}.")
    _see(page, "iogate-spec 5", "iogate-engine 1", "iogate-engine-job 5")
    return page


def _command(page: Page, command: click.Command, name: str, parent: click.Context) -> None:
    """A command, and then those below it."""
    context = click.Context(command, info_name=name, parent=parent)
    usage = " ".join(command.collect_usage_pieces(context))
    page.below(f"{context.command_path} {usage}")
    _help(page, command.help or "")
    for parameter in command.params:
        record = parameter.get_help_record(context)
        if record is not None and record[1]:
            page.item(*record)
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            subcommand = command.get_command(context, below)
            assert subcommand is not None, f"{name} lists {below}"
            _command(page, subcommand, below, context)


def _help(page: Page, text: str) -> None:
    """Paragraphs; those that begin with a backspace stay as they are, as click has them."""
    for paragraph in cleandoc(text.partition("\f")[0]).split("\n\n"):
        if paragraph.startswith("\b"):
            page.example(paragraph.splitlines()[1:])
        else:
            page.paragraph(paragraph)


def specs() -> Page:
    """iogate-spec(5): each key of the schema."""
    schema = json.loads((ROOT / "schemas" / "spec.schema.json").read_text(encoding="utf-8"))
    definitions = schema["definitions"]
    page = _page("iogate-spec", 5, "what iogate measures, and the limits that must hold")
    page.heading("Description")
    page.paragraph(schema["description"])
    page.paragraph(
        "A spec is a file in YAML. `iogate validate` checks it, `iogate run` measures it, and"
        " `iogate init` writes this one to start from:"
    )
    template = (ROOT / "specs" / "quick.yaml").read_text(encoding="utf-8")
    page.example(template.splitlines())
    page.heading("Keys")
    _keys(page, schema, definitions)
    for name, node in definitions.items():
        if name != "fio" and "properties" in node:
            page.below(_title(name))
            page.paragraph(node["description"])
            _keys(page, node, definitions)
    _fio_options(page, definitions["fio"])
    _metrics(page)
    _see(page, "iogate 1", "iogate-engine 1", "iogate-engine-job 5")
    return page


def _title(definition: str) -> str:
    return f"Keys within {definition}"


def _keys(
    page: Page, node: Mapping[str, Any], definitions: Mapping[str, Any], of: str = ""
) -> None:
    """Each key, and those within it that have no part of their own."""
    for key, value in node["properties"].items():
        page.item(of + key, " ".join(_says(value, definitions)))
        if "properties" in value:
            _keys(page, value, definitions, f"{of}{key}.")


def _says(value: Mapping[str, Any], definitions: Mapping[str, Any]) -> Iterator[str]:
    """The sentences about a key: its description, its words, and where its own keys are."""
    name = _definition(value)
    described = value.get("description") or definitions.get(name, {}).get("description")
    if described:
        yield described
    if "enum" in value:
        yield f"One of {', '.join(f'`{json.dumps(word)}`' for word in value['enum'])}."
    if name == "fio":
        yield "See `Options of jobs`."
    elif "properties" in definitions.get(name, {}):
        yield f"See `{_title(name)}`."


def _definition(value: Mapping[str, Any]) -> str:
    """The definition that a value, or each value of a map or of a list, is held to."""
    inner = (value, value.get("additionalProperties"), value.get("items"), *value.get("allOf", ()))
    for node in inner:
        if isinstance(node, Mapping) and "$ref" in node:
            return str(node["$ref"]).rpartition("/")[2]
    return ""


def _fio_options(page: Page, node: Mapping[str, Any]) -> None:
    options = node["allOf"][0]["properties"]
    page.heading("Options of jobs")
    page.paragraph(f"{node['description']} iogate-engine-job(5) explains those of iogate-engine.")
    page.paragraph(", ".join(f"`{name}`" for name in options))


def _metrics(page: Page) -> None:
    page.heading("Metrics")
    page.paragraph(
        "Limits name a metric by its path. DIR is `read`, `write`, `trim`, `sync` or `all`; STAT is"
        " `mean`, `min`, `max`, `stdev`, or a percentile such as `p99.9`."
    )
    for row in TABLE:
        page.item(_path(row), f"{row.help}. Unit: {row.unit}; better is {row.better}.")


def _path(row: Row) -> str:
    return f"{'DIR.' if row.directions else ''}{row.name}{'[.STAT]' if row.stats else ''}"


def engine() -> Page:
    """iogate-engine(1): the engine's own help."""
    page = _page("iogate-engine", 1, "runs fio job files on Linux storage")
    page.heading("Synopsis")
    page.plain(f"{bold('iogate-engine')} [COMMANDS] [JOB OPTIONS] [JOB FILES]")
    page.heading("Description")
    page.paragraph("A job file says what I/O is done; iogate-engine-job(5) has its options.")
    lines = copy_option_table.asked("--help").splitlines()
    words = [_ENGINE_WORD.fullmatch(line) for line in lines]
    first = next(at for at, word in enumerate(words) if word)
    page.example(lines[2:first])
    page.heading("Options")
    for word in filter(None, words):
        page.item(word[1], f"{word[2]}.")
    last = max(at for at, word in enumerate(words) if word)
    _rest(page, "\n".join(lines[last + 1 :]))
    _see(page, "iogate 1", "iogate-engine-job 5")
    return page


def _rest(page: Page, text: str) -> None:
    """What the help says behind its words: a call of its own, and paragraphs."""
    for paragraph in text.strip("\n").split("\n\n"):
        if paragraph.startswith(" "):
            page.example(paragraph.splitlines())
        else:
            page.paragraph(paragraph)


def jobs() -> Page:
    """iogate-engine-job(5): each option and ioengine of the engine's tables."""
    table = copy_option_table.table()
    rows = {row["name"]: row for row in table["options"]}
    page = _page("iogate-engine-job", 5, "the jobs of iogate-engine, in fio's job files")
    page.heading("Description")
    page.paragraph(
        "A job file has a section `[NAME]` for each job, in it a line `option=value` for each"
        " option. What stands in the section `[global]` holds for all jobs behind it. A line that"
        " begins with `#` or `;` is a comment."
    )
    categories = iter(copy_option_table.reference().split("\n## "))
    page.paragraph(next(categories).strip().split("\n\n")[-1])
    for part in categories:
        title, _, lines = part.partition("\n")
        page.heading(title)
        for name in re.findall(r"^\| `([^`]+)`", lines, re.MULTILINE):
            _option(page, rows[name])
    page.heading("I/O engines")
    for each in table["ioengines"]:
        page.below(each["name"])
        page.paragraph(f"{each['help']}.")
        for row in each["options"]:
            _option(page, row)
    _see(page, "iogate-engine 1", "iogate-spec 5")
    return page


def _option(page: Page, row: Mapping[str, Any]) -> None:
    """Its names, what it does, and what it may be."""
    names = [row["name"], *([row["alias"]] if "alias" in row else ())]
    says = [row["help"], f"Value: {_value(row)}."]
    if row.get("default"):
        says.append(f"Default: `{row['default']}`.")
    page.item(", ".join(names), " ".join(says))


def _value(row: Mapping[str, Any]) -> str:
    kind = str(row["type"])
    if "choices" in row:
        return f"{kind} {', '.join(f'`{word}`' for word in row['choices'])}"
    return kind
