"""Files of the user's that describe a machine: YAML, held against a schema."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

from iogate.errors import SpecError, UsageError
from iogate.files import bounded, bounds


def read_described(path: Path, kind: str) -> Any:
    """What the file of a machine of this kind says. UsageError for a file that cannot be read,
    SpecError for what it may not say."""
    import yaml

    try:
        text = bounded.read_text(path, bounds.NOTE_BYTES)
        said = yaml.safe_load(text)
    except (OSError, UnicodeError) as error:
        raise UsageError(
            f"cannot read the machine {path}: {getattr(error, 'strerror', None) or error}",
            remedy=f"write --machine {kind}:FILE; 'iogate schema {kind}' prints what it may say",
        ) from None
    except (yaml.YAMLError, RecursionError) as error:
        raise SpecError(f"{path} is no YAML: {' '.join(str(error).split())}") from None
    _check(path, said, kind)
    return said


def _check(path: Path, said: Any, kind: str) -> None:
    from jsonschema import Draft7Validator

    text = resources.files("iogate").joinpath(f"schemas/{kind}.schema.json").read_text("utf-8")
    error = next(iter(Draft7Validator(json.loads(text)).iter_errors(said)), None)
    if error is not None:
        place = ".".join(map(str, error.absolute_path))
        message = error.message if len(error.message) < bounds.SPEC_KEY else "this is not allowed"
        raise SpecError(
            f"{path}: {f'{place}: ' if place else ''}{message}",
            remedy=f"'iogate schema {kind}' prints what such a file may say",
        )
