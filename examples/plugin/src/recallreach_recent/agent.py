"""An agent that trusts its memory blindly."""

from __future__ import annotations

from recallreach.agents.types import Turn
from recallreach.env.types import Observation
from recallreach.memory.types import Delivered


class FirstItem:
    """Opens the first item that memory delivered, and takes it."""

    name = "first-item"

    def begin(self, goal: str, seed: int) -> None:
        """Start with a wiped context."""
        self._opened = False

    def act(self, observation: Observation, delivered: Delivered | None) -> Turn:
        """Two turns: open, then finish."""
        if self._opened or delivered is None or not delivered.items:
            return Turn("Thought: this is the one, or there is nothing to go by.\nAction: done")
        self._opened = True
        tag = delivered.items[0].tag
        return Turn(f"Thought: {tag} came first.\nAction: open({tag})")
