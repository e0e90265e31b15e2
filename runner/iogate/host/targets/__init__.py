"""The targets of a run: where they are, whether they may be measured, and what is made on them."""
