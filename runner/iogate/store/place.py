"""Where histories are kept on this machine."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path:
    """iogate's own folder in the user's data folder."""
    data = Path(os.environ.get("XDG_DATA_HOME", ""))
    # A relative $XDG_DATA_HOME is to be ignored, says the base directory specification.
    folder = data if data.is_absolute() else Path.home() / ".local" / "share"
    return folder / "iogate"
