"""ReAct text: how every agent of this package speaks."""

from __future__ import annotations

from recallreach.env.actions import render_action
from recallreach.env.types import Action


def react(thought: str, action: Action) -> str:
    """`Thought: ...` and `Action: ...` on two lines, as the shared parser reads them."""
    return f"Thought: {' '.join(thought.split())}\nAction: {render_action(action)}"


def storable(text: str) -> str:
    """`text` with lone surrogates replaced: JSON from a server may hold them, files and databases cannot."""
    return text.encode("utf-8", "replace").decode()
