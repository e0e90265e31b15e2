"""The one program that runs as root for a user who measures: see ``program``."""
