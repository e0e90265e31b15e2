"""The text of a spec: files, a tree with the place of every node, scalars and variables."""
