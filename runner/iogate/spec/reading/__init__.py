"""From the files of a spec to one checked tree."""
