"""Word lists of the synthetic shop and the rules of what its text must never say."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recallreach.files import read_json

if TYPE_CHECKING:
    from recallreach.storefront.types import Cue

COLORS = ("red", "orange", "yellow", "green", "blue", "purple", "brown", "beige", "white", "black")
FUNCTION_WORDS = frozenset({"in", "of", "the", "s", "a", "and"})
"""Words of cue names that carry no object: "lily-of-the-valley", "candle in holder"."""

DECLARED_PHRASES = ("plant pot", "plant pots", "wall art")
"""Category names that hold a word of some cue name; the shop may say these, and only as the whole phrase."""


def data_file(name: str) -> Path:
    """Path of one file of this folder."""
    return Path(str(files("recallreach.storefront") / "data" / name))


@functools.cache
def shop_words() -> Mapping[str, Any]:
    """The lists that titles, descriptions, details and reviews are drawn from (`shop_words.json`)."""
    words: Mapping[str, Any] = read_json(data_file("shop_words.json"))
    return words


@dataclass(frozen=True, slots=True)
class CueWords:
    """What no text of the shop may contain.

    Attributes:
        objects: single words of the cue objects' names, singular as in the name.
        colors: the colour names in use.
        phrases: whole cue phrases, for instance "purple eye sleep mask".
        declared: phrases the shop may say although they hold a cue word.
    """

    objects: frozenset[str]
    colors: frozenset[str]
    phrases: frozenset[str]
    declared: tuple[str, ...] = DECLARED_PHRASES

    def found_in(self, text: str) -> list[str]:
        """Cue words in `text`, in order of appearance; plurals and any case count, declared phrases do not.

        >>> CueWords(frozenset({"mug"}), frozenset({"red"}), frozenset()).found_in("Two MUGS, one Red-Mug")
        ['mug', 'red', 'mug']
        """
        folded = " ".join(_words(text))
        for phrase in sorted(self.declared, key=len, reverse=True):
            folded = re.sub(rf"\b{re.escape(phrase)}\b", " ", folded)
        known = self.objects | self.colors
        return [hit for word in folded.split() if (hit := _match(word, known))]


def cue_words(cues: Iterable[Cue]) -> CueWords:
    """The words that the shop of these cues must not say; pass a catalogue's `cues`."""
    listed = tuple(cues)
    objects = {word for cue in listed for word in _words(cue.object)}
    return CueWords(
        objects=frozenset(objects - FUNCTION_WORDS),
        colors=frozenset({cue.color for cue in listed} | set(COLORS)),
        phrases=frozenset(cue.phrase for cue in listed),
    )


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.casefold())


def _match(word: str, known: frozenset[str]) -> str | None:
    forms = (word, word + "s", word.removesuffix("s"), word.removesuffix("es"))
    return next((form for form in forms if form in known), None)
