"""A section of a spec, as read → the model. One file a section."""
