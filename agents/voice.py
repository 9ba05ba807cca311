"""How the scripted shopper words its thoughts."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources

import numpy as np


class Voice:
    """Draws a sentence for an intention, never the same one twice in a row."""

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random
        self._last: dict[str, str] = {}

    def say(self, intention: str, **slots: str) -> str:
        """One sentence for `intention`, with its slots filled."""
        choices = [line for line in _sentences()[intention] if line != self._last.get(intention)]
        line = choices[int(self._random.integers(len(choices)))] if choices else self._last[intention]
        self._last[intention] = line
        return line.format(**slots)


@cache
def _sentences() -> dict[str, list[str]]:
    text = resources.files("recallreach.agents").joinpath("data/shopper.json").read_text(encoding="utf-8")
    sentences: dict[str, list[str]] = json.loads(text)
    return sentences
