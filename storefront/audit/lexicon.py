"""L1, the words: what no part of the shop may say, and every form in which it would be recognised."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from recallreach.files import read_json
from recallreach.storefront.audit.encodings import unveil
from recallreach.storefront.data import COLORS, FUNCTION_WORDS
from recallreach.storefront.types import Cue

_WORD = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
FEWEST_LETTERS = 3
"""Shorter parts of cue names ("tv") count only as part of the whole name."""

LONG_ENOUGH = 4
"""Letters of a colour from which it counts inside a longer word: "red" is in "tapered" by chance."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One cue word in one text.

    Attributes:
        word: the cue word or name that was found.
        form: how it was written there: "word", "synonym of mug", "base64", ...
        matched: the text that was taken for it.
    """

    word: str
    form: str
    matched: str


@functools.cache
def _data(name: str) -> Any:
    return read_json(Path(str(files("recallreach.storefront.audit") / "data" / name)))


def declared_phrases() -> Mapping[str, str]:
    """Phrases every shop may say although they hold a cue word, with the reason (`data/declared.json`)."""
    phrases: Mapping[str, str] = _data("declared.json")
    return phrases


@dataclass(frozen=True)
class Lexicon:
    """Cue words of one catalogue with their synonyms, and the phrases that are declared.

    Attributes:
        singles: every forbidden word in its plain form, and what it stands for.
        phrases: forbidden names of several words, as tuples of plain words, and what they stand for.
        squashed: names and colour-and-word pairs written without a gap.
        declared: phrases that the shop may say, as tuples of plain words, with the reason.
    """

    singles: Mapping[str, str]
    phrases: Mapping[tuple[str, ...], str]
    squashed: Mapping[str, str]
    declared: Mapping[tuple[str, ...], str] = field(default_factory=dict)

    @classmethod
    def of(cls, cues: Iterable[Cue], declared: Iterable[str] = ()) -> Lexicon:
        """The lexicon of a catalogue's cues; `declared` adds phrases of the user's own shop."""
        names = sorted({cue.object for cue in cues})
        plain = {name: tuple(_plain(name)) for name in names}
        words = {word: "" for parts in plain.values() for word in parts if _counts(word)}
        words |= dict.fromkeys(COLORS, "")
        phrases = {parts: "" for parts in plain.values() if len(parts) > 1}
        for meant, said in _synonyms(names):
            parts = tuple(_plain(said))
            if len(parts) > 1:
                phrases.setdefault(parts, f"synonym of {meant}")
            else:
                words.setdefault(parts[0], f"synonym of {meant}")
        reasons = {tuple(_plain(phrase)): reason for phrase, reason in declared_phrases().items()}
        reasons |= {tuple(_plain(phrase)): "declared by the user" for phrase in declared}
        return cls(words, phrases, _squashed(plain.values()), reasons)

    def hits(self, text: str) -> list[Hit]:
        """Everything forbidden in `text`, in plain or in disguise; the same word and form once."""
        found: dict[tuple[str, str], Hit] = {}
        for form, seen in unveil(text):
            if form in ("reversed", "rot13"):
                hits: Iterable[Hit] = self._long_words(seen)
            else:
                hits = self._plain_hits(seen)
            for hit in hits:
                written = hit.form if not form else f"{form}, {hit.form}" if hit.form != "word" else form
                found.setdefault((hit.word, written), Hit(hit.word, written, hit.matched))
        return list(found.values())

    def declared_in(self, text: str) -> list[str]:
        """Declared phrases that `text` says."""
        words = _plain(text)
        return [" ".join(phrase) for phrase in self.declared if _covered(words, [phrase])]

    def _plain_hits(self, text: str) -> Iterator[Hit]:
        words = _plain(text)
        if not any(self._interesting(word) for word in words):
            return
        hidden = _covered(words, self.declared)
        for at, word in enumerate(words):
            if at in hidden:
                continue
            known = _form(word, self.singles)
            if known is not None:
                yield Hit(known, self.singles[known] or "word", word)
            elif word in self.squashed:
                yield Hit(self.squashed[word], "written without a gap", word)
        for phrase, meaning in self.phrases.items():
            if phrase[0] in words and _covered(words, [phrase]) - hidden:
                yield Hit(" ".join(phrase), meaning or "whole name", " ".join(phrase))

    def _interesting(self, word: str) -> bool:
        return word in self._starts or word in self.squashed or _form(word, self.singles) is not None

    @functools.cached_property
    def _starts(self) -> frozenset[str]:
        return frozenset(phrase[0] for phrase in self.phrases)

    def _long_words(self, text: str) -> Iterator[Hit]:
        """Words of at least five letters: shorter ones are other words read backwards ("pan", "nap")."""
        for word in _plain(text):
            if len(word) >= 5 and word in self.singles:
                yield Hit(word, "word", word)


def queries(cues: Sequence[Cue]) -> list[str]:
    """What a searcher of the cues would type: phrases, objects, colours, single words and synonyms."""
    names = sorted({cue.object for cue in cues})
    words = sorted({word for name in names for word in _plain(name) if _counts(word)})
    said = [synonym for _, synonym in _synonyms(names)]
    asked = [*(cue.phrase for cue in cues), *names, *COLORS, *words, *said]
    return list(dict.fromkeys(asked))


def _synonyms(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    data = _data("synonyms.json")
    for color, said in data["colors"].items():
        yield from ((color, word) for word in said)
    for name in names:
        yield from ((name, word) for word in data["objects"].get(name, ()))


def _plain(text: str) -> list[str]:
    """Folded words: camelCase split, accents and invisible signs dropped, full-width letters made plain."""
    text = _CAMEL.sub(" ", text)
    if not text.isascii():
        spread = unicodedata.normalize("NFKD", text).replace("’", "'")
        text = "".join(sign for sign in spread if unicodedata.category(sign) not in ("Mn", "Cf"))
    return _WORD.findall(text.casefold().replace("'", ""))


def _counts(word: str) -> bool:
    return len(word) >= FEWEST_LETTERS and word not in FUNCTION_WORDS


def _form(word: str, known: Mapping[str, str]) -> str | None:
    """The known word that `word` is a form of: itself, or the other number."""
    forms: tuple[str, ...] = (word, word + "s", word.removesuffix("s"), word.removesuffix("es"))
    if word.endswith("ves"):
        forms += (word[:-3] + "f", word[:-3] + "fe")
    if word.endswith("ies"):
        forms += (word[:-3] + "y",)
    return next((form for form in forms if form in known), None)


def _covered(words: Sequence[str], phrases: Iterable[tuple[str, ...]]) -> set[int]:
    """Positions of `words` that are part of one of the phrases; the last word may be a plural."""
    covered: set[int] = set()
    for phrase in phrases:
        size = len(phrase)
        for at in (index for index, word in enumerate(words) if word == phrase[0]):
            part = tuple(words[at : at + size])
            if part == phrase or part == (*phrase[:-1], phrase[-1] + "s"):
                covered.update(range(at, at + size))
    return covered


def _squashed(names: Iterable[tuple[str, ...]]) -> dict[str, str]:
    listed = list(names)
    words = {word for parts in listed for word in parts if _counts(word)}
    joined = {"".join(parts): " ".join(parts) for parts in listed if len(parts) > 1}
    for color in COLORS:
        joined |= {color + "".join(parts): f"{color} {' '.join(parts)}" for parts in listed}
        if len(color) >= LONG_ENOUGH:
            joined |= {color + word: f"{color} {word}" for word in words}
            joined |= {word + color: f"{word} {color}" for word in words}
    return {written: meant for written, meant in joined.items() if written not in words}
