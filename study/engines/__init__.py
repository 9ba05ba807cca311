"""Engines: what carries the work of a study. All give the same results; see docs/scale.md."""
