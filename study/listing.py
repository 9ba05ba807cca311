"""What can be named in a study, by kind."""

from __future__ import annotations

from typing import Any

from recallreach.agents.models import models
from recallreach.agents.registry import agents
from recallreach.errors import UnknownNameError
from recallreach.memory.captioners import captioners
from recallreach.memory.delivery import deliveries
from recallreach.memory.encoders import encoders, text_encoders
from recallreach.memory.systems import memories
from recallreach.registry import Registry


def registries() -> dict[str, Registry[Any]]:
    """All registries by what the command line calls them."""
    return {
        "memories": memories,
        "deliveries": deliveries,
        "agents": agents,
        "models": models,
        "encoders": encoders,
        "text-encoders": text_encoders,
        "captioners": captioners,
    }


def entries(kind: str) -> list[tuple[str, str]]:
    """(name, summary) of all parts of one kind.

    Raises:
        UnknownNameError: no such kind.
    """
    known = registries()
    if kind not in known:
        raise UnknownNameError("kind of part", kind, known)
    return known[kind].summaries()
