"""The command line: one file a command, imported only when it is called.

To add a command: a file in this folder with a click command named ``command``, and one
line in ``COMMANDS``. This file imports next to nothing, so that --help is quick: click
alone takes longer to load than python to start.
"""

from __future__ import annotations

import sys

import iogate

COMMANDS = {
    "init": "Write a commented spec to start from.",
    "validate": "Check specs without running anything.",
    "compile": "Print the job files that a spec compiles to.",
    "run": "Measure, store, judge and report.",
    "ab": "Compare two arms of a spec, block by block.",
    "canary": "Compare a spec with itself, and keep the noise.",
    "plan": "Say what a number of blocks can see, and how long it takes.",
    "report": "Render the report of a run again.",
    "history": "List and show the runs that are kept.",
    "trend": "Find where nightly numbers moved to a new level.",
    "ack": "Mark an alert as known.",
    "accept": "Take the new level of an alert as the baseline.",
    "reopen": "Take back an ack or accept.",
    "site": "Write pages of all trends, for people.",
    "serve": "Serve the runs of a live history as pages, for reading.",
    "bisect": "Find the revision that caused a regression.",
    "doctor": "Check whether this host is fit to measure, and say what to change.",
    "host": "Let users who are not root measure devices on this host.",
    "engines": "List the engines that can measure.",
}

HELP = "Gate storage performance in CI: specs in, a verdict and a report out."


def main() -> None:
    """Run the command line and exit with the documented code."""
    words = sys.argv[1:]
    if not words or words[0] in ("-h", "--help"):
        print(help_text())
        sys.exit(0)
    if words[0] == "--version":
        print(f"iogate, version {iogate.__version__}")
        sys.exit(0)
    from iogate.cli.entry import run_command

    sys.exit(run_command(words))


def help_text() -> str:
    """What ``iogate --help`` prints."""
    width = max(len(name) for name in COMMANDS)
    commands = "\n".join(f"  {name.ljust(width)}  {text}" for name, text in COMMANDS.items())
    return (
        "Usage: iogate [OPTIONS] COMMAND [ARGS]...\n\n"
        f"  {HELP}\n\n"
        "Options:\n"
        "  --version   Show the version and exit.\n"
        "  -h, --help  Show this message and exit.\n\n"
        f"Commands:\n{commands}"
    )
