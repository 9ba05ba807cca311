"""Captioners by name."""

from __future__ import annotations

from typing import Any

from recallreach.memory.types import Captioner
from recallreach.registry import Registry

captioners: Registry[Captioner] = Registry("captioner", "recallreach.captioners")


def _embedded() -> Any:
    from recallreach.memory.captioners.embedded import EmbeddedCaptioner

    return EmbeddedCaptioner.load


def _model() -> Any:
    from recallreach.memory.captioners.model import ModelCaptioner

    return ModelCaptioner


captioners.add("model", "any chat model, asked for two or three sentences (arXiv 2606.27499)", _model)
captioners.add("embedded", "two sentences from the coarse encoder and colour statistics", _embedded)
