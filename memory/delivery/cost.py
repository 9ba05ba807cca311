"""What a delivery costs the answering model, by its own patch rule."""

from __future__ import annotations

import math
from dataclasses import dataclass

from recallreach.memory.types import Delivered, ImagePart, TextPart

CHARACTERS_PER_TOKEN = 4


def visual_tokens(width: int, height: int, patch: int = 28) -> int:
    """Tokens of one picture for a model that reads it in square patches.

    Args:
        width, height: pixels.
        patch: side of the patch behind one token; 28 for Qwen2.5-VL, which rounds each side to whole patches.

    Returns:
        At least 1. Limits on the number of pixels that a server may set are not applied.
    """
    return max(1, round(width / patch)) * max(1, round(height / patch))


def text_tokens(text: str) -> int:
    """An estimate of a text's tokens: four characters each, rounded up."""
    return math.ceil(len(text) / CHARACTERS_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class DeliveryCost:
    """Images, visual tokens and estimated text tokens of one delivery."""

    images: int
    visual_tokens: int
    text_tokens: int


def delivery_cost(delivered: Delivered, patch: int = 28) -> DeliveryCost:
    """Count the parts of a delivery."""
    images = [part for part in delivered.parts if isinstance(part, ImagePart)]
    texts = [part.text for part in delivered.parts if isinstance(part, TextPart)]
    visual = sum(visual_tokens(image.width, image.height, patch) for image in images)
    return DeliveryCost(len(images), visual, sum(text_tokens(text) for text in texts))
