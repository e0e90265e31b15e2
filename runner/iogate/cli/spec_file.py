"""A spec on the command line: a file, or one of those that come with iogate, by its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem


class SpecFile(click.Path):
    """A path; what is no file and has the name of a packaged spec is that spec."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from iogate.spec.text.packaged import packaged

        path = Path(str(super().convert(value, param, ctx)))
        return path if path.exists() else packaged().get(str(value), path)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from iogate.spec.text.packaged import packaged

        names = [CompletionItem(name) for name in packaged() if name.startswith(incomplete)]
        return [*names, *super().shell_complete(ctx, param, incomplete)]
