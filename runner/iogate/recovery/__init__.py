"""Runs and histories that are broken: what can be read of them, and how they are made whole."""
