"""How Sphinx makes a site of README.md and docs/: see scripts/docs."""

project = "iogate"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "iogate"
html_show_copyright = False
html_show_sphinx = False
myst_heading_anchors = 6  # as GitHub has them: links to them are checked
