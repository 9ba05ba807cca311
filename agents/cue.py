"""Reading a recall question: which colour and which object are asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass

COLORS = ("red", "orange", "yellow", "green", "blue", "purple", "brown", "beige", "white", "black")
"""The colour words an English-speaking agent knows here; other phrases are still read when quoted."""

_QUOTED = re.compile(r"[\"'“‘«]\s*([^\"'”’»\n]{2,60}?)\s*[\"'”’»]")
_COLORED = re.compile(rf"\b({'|'.join(COLORS)})\b((?:[ -][a-z]+)+)", re.IGNORECASE)
_ENDS = re.compile(
    r"""(a|an|the|in|on|at|of|to|by|for|from|with|near|next|beside|behind|under|over|inside|and|or|but|that|this
    |which|who|whose|was|were|is|are|be|been|had|has|have|you|we|i|it|its|their|your|my|somewhere|anywhere
    |appeared|appears|appearing|shown|showing|shows|visible|stood|lay|sat|hung|placed|lying|sitting|standing
    |hanging|when|while|during|then|there|again|as|please|find|open|add|only)""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class CuePhrase:
    """What a recall question asks for.

    Attributes:
        color: the colour word, or "" when none was recognised.
        words: the object's words in lower case, in order, for instance ("eye", "sleep", "mask").
    """

    color: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join((self.color, *self.words)).strip()

    @property
    def object(self) -> str:
        """The object alone: "eye sleep mask"."""
        return " ".join(self.words)


def read_cue(goal: str) -> CuePhrase | None:
    """The cue phrase of an instruction: quoted, or a colour word and the nouns after it; None without one."""
    candidates = [match.group(1) for match in _QUOTED.finditer(goal)]
    candidates += [match.group(1) + match.group(2) for match in _COLORED.finditer(goal)]
    phrases = [_phrase(candidate) for candidate in candidates]
    found = [phrase for phrase in phrases if phrase.words]
    return next((phrase for phrase in found if phrase.color), found[0] if found else None)


def _phrase(text: str) -> CuePhrase:
    words = re.findall(r"[a-z]+", text.casefold())
    while words and _ENDS.fullmatch(words[0]):
        words.pop(0)
    color = words.pop(0) if words and words[0] in COLORS else ""
    end = next((i for i, word in enumerate(words) if _ENDS.fullmatch(word)), len(words))
    return CuePhrase(color, tuple(words[:end]))


def named(phrase: CuePhrase, text: str) -> tuple[bool, float]:
    """Whether `text` names the colour, and how far it names the object: the share of its words.

    Plural or not does not matter. Half of the words and the last one are needed for it to count at all:
    "eye mask" may mean an eye sleep mask, "mask" alone or "eye" does not.
    """
    words = {_stem(word) for word in re.findall(r"[a-z]+", text.casefold())}
    wanted = [_stem(word) for word in phrase.words]
    share = sum(word in words for word in wanted) / len(wanted) if wanted else 0.0
    named_enough = share >= 0.5 and wanted[-1] in words
    return phrase.color in words, share if named_enough else 0.0


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
