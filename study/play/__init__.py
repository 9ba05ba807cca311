"""A person in the place of the agent: the shop in a browser, one action a click, the very same trace."""

from recallreach.study.play.game import play, settings

__all__ = ["play", "settings"]
