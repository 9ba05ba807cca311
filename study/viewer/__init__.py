"""The viewer: a run folder as pages on this machine, read only."""

from recallreach.study.viewer.app import create_viewer

__all__ = ["create_viewer"]
