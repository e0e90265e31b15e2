"""The course of a run: from a request to a finished run folder. ``pipeline`` is the whole flow."""
