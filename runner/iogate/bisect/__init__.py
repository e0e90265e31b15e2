"""Which revision made it worse: build, measure, decide, and halve what is left.

``ends`` and ``search`` are pure; ``steps`` asks git, ``drive`` builds and measures.
"""
