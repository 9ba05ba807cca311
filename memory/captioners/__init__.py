"""Captioners by name."""

from __future__ import annotations

from typing import Any

from recallreach.memory.types import Captioner
from recallreach.registry import Registry

captioners: Registry[Captioner] = Registry("captioner", "recallreach.captioners")


def _embedded() -> Any:
    from recallreach.memory.captioners.embedded import EmbeddedCaptioner

    return EmbeddedCaptioner.load


captioners.add("embedded", "two sentences from the coarse encoder and colour statistics", _embedded)
