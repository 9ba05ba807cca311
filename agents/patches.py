"""How many tokens a picture takes, by the model's own rule.

- Qwen2-VL and Qwen2.5-VL: sides rounded to 28 pixels, a token for each 28 x 28, within the pixel limits
  (arXiv 2502.13923, section 2.1, and the published preprocessing).
- Qwen3-VL: the same with 32 pixels (its published preprocessing).
- Gemini 1.5 to 2.5: 258 tokens up to 384 x 384, else 258 for each tile (Gemini API documentation, "Tokens").
- GPT-4o and GPT-4.1: 85 tokens, and 170 for each tile of 512 after scaling to 768 (OpenAI documentation,
  "Images and vision").

A model that is in no family is counted by its own processor where one is named (`count_by`), and else by
the 28-pixel rule, as an estimate.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from recallreach.memory.delivery.cost import visual_tokens

PatchRule = Callable[[int, int], int]
"""Tokens of a picture of so many pixels across and down."""

PUBLISHED_MOST = 12_845_056
"""Pixels at most in the published preprocessing of Qwen2.5-VL (56 x 56 at least)."""


def qwen_tokens(
    width: int, height: int, *, side: int = 28, fewest: int = 56 * 56, most: int = PUBLISHED_MOST
) -> int:
    """Tokens of a picture for the Qwen-VL family.

    Args:
        width, height: pixels.
        side: pixels behind one token, across and down.
        fewest, most: pixels (area) within which the picture is brought before it is cut into patches.
    """
    across, down = max(1, round(width / side)), max(1, round(height / side))
    area = across * down * side * side
    if area > most:
        shrink = math.sqrt(width * height / most)
        across, down = (max(1, math.floor(pixels / shrink / side)) for pixels in (width, height))
    elif area < fewest:
        stretch = math.sqrt(fewest / (width * height))
        across, down = (math.ceil(pixels * stretch / side) for pixels in (width, height))
    return across * down


def gemini_tokens(width: int, height: int) -> int:
    """Tokens of a picture for Gemini 1.5 to 2.5: one tile up to 384 pixels a side, else tiles cut at two
    thirds of the shorter side, of 256 to 768 pixels."""
    if max(width, height) <= 384:
        return 258
    unit = min(768, max(256, math.floor(min(width, height) / 1.5)))
    return 258 * math.ceil(width / unit) * math.ceil(height / unit)


def gpt_tokens(width: int, height: int) -> int:
    """Tokens of a picture for GPT-4o and GPT-4.1 in high detail."""
    scale = min(1.0, 2048 / max(width, height))
    scale = min(scale, 768 / (min(width, height)))
    return 85 + 170 * math.ceil(width * scale / 512) * math.ceil(height * scale / 512)


_FAMILIES: tuple[tuple[str, PatchRule], ...] = (
    (r"qwen-?2(\.5)?[-_]?vl", qwen_tokens),
    (r"qwen-?3(\.\d)?[-_]?vl", partial(qwen_tokens, side=32, fewest=65_536, most=16_777_216)),
    (r"gemini-(1|2)(\.|-)", gemini_tokens),
    (r"gpt-4(o|\.1)(?!.*mini)", gpt_tokens),
)


def rule_of(model: str) -> PatchRule | None:
    """The rule of a model's family, by the model's name; None where the family is not known."""
    return next((rule for form, rule in _FAMILIES if re.search(form, model, re.IGNORECASE)), None)


def count_by(processor: Any) -> PatchRule:
    """The rule that a `transformers` processor follows: a blank picture of each size, prepared once.

    Args:
        processor: an image-text processor with an image token, as `AutoProcessor` loads it.
    """

    @lru_cache(maxsize=256)
    def count(width: int, height: int) -> int:
        from PIL import Image

        text = processor.image_token
        prepared = processor(text=[text], images=[Image.new("RGB", (width, height))], return_tensors="np")
        return int((prepared["input_ids"] == image_token_id(processor)).sum())

    return count


def image_token_id(processor: Any) -> int:
    """The id of the token that stands for a piece of a picture."""
    found = getattr(processor, "image_token_id", None)
    if found is None:
        found = processor.tokenizer.convert_tokens_to_ids(processor.image_token)
    return int(found)


ESTIMATE: PatchRule = visual_tokens
"""The 28-pixel rule without limits, for models of no known family."""
