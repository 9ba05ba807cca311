"""The closed vocabulary of the embedded encoders, and how it is found in free text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

NONE = -1


@dataclass(frozen=True)
class Vocabulary:
    """Object phrases and colour words, each known by its index.

    Attributes:
        objects: phrases as people say them ("eye sleep mask").
        slugs: asset names of the same objects ("eye-sleep-mask").
        colors: colour words.
    """

    objects: tuple[str, ...]
    slugs: tuple[str, ...]
    colors: tuple[str, ...]
    _object_pattern: re.Pattern[str] = field(init=False, repr=False, compare=False)
    _color_pattern: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_object_pattern", _pattern(self.objects))
        object.__setattr__(self, "_color_pattern", _pattern(self.colors))

    def find(self, text: str) -> tuple[int, int]:
        """Indices of the object and the colour that a text names; NONE for what it does not name.

        The longest known phrase wins, then the earliest. The colour is the word right before that object, or
        else the first colour word outside it. Case and punctuation do not matter.
        """
        folded = " ".join(re.findall(r"[a-z0-9]+", text.casefold()))
        matches = [match for match in self._object_pattern.finditer(folded) if match[1]]
        best = max(matches, key=lambda match: (len(match[1]), -match.start()), default=None)
        if best is None:
            return NONE, self._first_color(folded)
        name = self._index(self.objects, best[1])
        before = self._last_color(folded[: best.start(1)])
        outside = folded[: best.start(1)] + "| " + folded[best.end(1) :]
        return name, self._first_color(outside) if before == NONE else before

    def phrase(self, name: int, color: int) -> str:
        """Colour and object as people say them."""
        return f"{self.colors[color]} {self.objects[name]}"

    def _first_color(self, text: str) -> int:
        match = next((found for found in self._color_pattern.finditer(text) if found[1]), None)
        return NONE if match is None else self._index(self.colors, match[1])

    def _last_color(self, text: str) -> int:
        word = text.rstrip().rpartition(" ")[2]
        return self._index(self.colors, word) if word in self.colors else NONE

    def _index(self, known: tuple[str, ...], found: str) -> int:
        return next(index for index, phrase in enumerate(known) if _folded(phrase) == found)


def _folded(phrase: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", phrase.casefold()))


def _pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted({_folded(phrase) for phrase in phrases}, key=len, reverse=True)
    return re.compile(r"(?<![a-z0-9])(?=(" + "|".join(map(re.escape, longest_first)) + r")(?![a-z0-9]))")
