"""The leak audit: the cue is in the pixels and nowhere else, shown on four levels (see
docs/leak-audit.md)."""
