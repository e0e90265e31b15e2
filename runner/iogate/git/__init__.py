"""What git says of the tree under test, which may be hostile."""
