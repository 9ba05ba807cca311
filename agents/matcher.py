"""The built-in recall agent of the embedded default: reads what was delivered, with a small trained eye.

What it is: a fixed procedure, not a language model. It finds the colour and object that the question names,
looks at each delivered picture with the embedded `Eye` (a network trained by this repository on its own
pictures), reads delivered text for the same words, opens the best supported item, looks at the picture of
that page, and answers. What it is not: a searcher. It never goes through the shop with its eye, because then
the shop, not the memory, would answer the question; without evidence in memory it guesses and says so. Its
numbers say what a memory and a delivery carry, and are not comparable with those of a vision-language model.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from recallreach.agents.costs import turn_usage
from recallreach.agents.cue import CuePhrase, named, read_cue
from recallreach.agents.text import react
from recallreach.agents.types import Turn
from recallreach.agents.wander import Wanderer, opening, product_items
from recallreach.env.actions import product_id_of
from recallreach.env.types import Action, AddToWishlist, Observation
from recallreach.memory.types import Delivered, DeliveredItem
from recallreach.seeding import stream


class Sight(Protocol):
    """What the matcher needs of `recallreach.memory.encoders.embedded.Eye`."""

    def score(self, picture: bytes, phrases: Sequence[str]) -> NDArray[np.floating]:
        """Log odds that the picture shows each phrase: shape (n,)."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A delivered product with the support found for it, 0 to 1, and where it was found."""

    item: DeliveredItem
    support: float
    seen: bool

    @property
    def product(self) -> str | None:
        return product_id_of(self.item.url)

    @property
    def name(self) -> str:
        return self.item.tag or self.item.url


@dataclass(slots=True)
class _Search:
    """One question as far as it has come."""

    waiting: list[_Candidate]
    checked: dict[str, tuple[_Candidate, float]] = field(default_factory=dict)
    asked: str | None = None
    """Product whose page was last asked for; a page that does not open is not asked for again."""

    def best(self) -> _Candidate:
        """The checked candidate whose page showed the cue most clearly; the earlier one on a tie."""
        return max(self.checked.values(), key=lambda pair: pair[1])[0]


class Matcher:
    """Answers from delivered pictures and texts; see the module's description for what it is.

    Args:
        eye: scores pictures against phrases; the embedded `Eye` when None (loaded on first use).
        sure: probability from which on the cue counts as there in a page's own picture.
        possible: probability below which a delivered picture is no evidence at all.
    """

    name = "matcher"

    def __init__(self, eye: Sight | None = None, *, sure: float = 0.5, possible: float = 0.05) -> None:
        self._eye = eye
        self._sure, self._possible = sure, possible
        self.begin("", 0)

    def begin(self, goal: str, seed: int) -> None:
        """Forget everything and read the question."""
        self._cue = read_cue(goal)
        self._wanderer = Wanderer(stream(seed, "matcher", "guess"))
        self._search: _Search | None = None
        self._looked = False

    def act(self, observation: Observation, delivered: Delivered | None = None) -> Turn:
        """The next step."""
        started = time.perf_counter()
        self._looked = False
        thought, action = self._decide(observation, delivered or Delivered())
        seconds = time.perf_counter() - started
        return Turn(
            react(thought, action), turn_usage(observation, delivered, looked=self._looked, seconds=seconds)
        )

    def _decide(self, page: Observation, delivered: Delivered) -> tuple[str, Action]:
        first = self._search is None
        if self._search is None:
            self._search = _Search(self._weigh(delivered))
        if self._cue is None or not (self._search.waiting or self._search.checked):
            return self._guess(page, delivered, first)
        here = product_id_of(page.url)
        self._check(page, here)
        if here is not None and here in self._search.checked:
            return self._judge(page, here, self._cue)
        if not (self._search.waiting or self._search.checked):
            return self._guess(page, Delivered(), first)
        return self._open_next(page, self._cue)

    # Weighing what was delivered.

    def _weigh(self, delivered: Delivered) -> list[_Candidate]:
        """The products that memory gives any evidence for, best supported first, delivery order on a tie."""
        if self._cue is None:
            return []
        found: dict[str | None, _Candidate] = {}
        for item in delivered.items:
            candidate = self._supported(item, self._cue)
            known = found.get(candidate.product)
            if candidate.product is not None and (known is None or candidate.support > known.support):
                found[candidate.product] = candidate
        return sorted(
            (candidate for candidate in found.values() if candidate.support > 0), key=lambda one: -one.support
        )

    def _supported(self, item: DeliveredItem, cue: CuePhrase) -> _Candidate:
        read = text_support(cue, item.text)
        if item.image is None:
            return _Candidate(item, read, seen=False)
        seen = self._look(item.image.data, cue)
        seen = seen if seen >= self._possible else 0.0
        return _Candidate(item, max(seen, read / 2), seen=seen >= read / 2)

    def _look(self, picture: bytes, cue: CuePhrase) -> float:
        if self._eye is None:
            from recallreach.memory.encoders.embedded import Eye

            self._eye = Eye.load()
        log_odds = float(self._eye.score(picture, [str(cue)])[0])
        return 1 / (1 + math.exp(-max(-60.0, min(60.0, log_odds))))

    # Opening and checking pages.

    def _check(self, page: Observation, here: str | None) -> None:
        """Look at the page's own picture when the page is the candidate just opened."""
        assert self._search is not None
        search = self._search
        if search.asked not in (None, here):
            search.waiting = [one for one in search.waiting if one.product != search.asked]
        candidate = next((one for one in search.waiting if one.product == here), None)
        if here is None or candidate is None or self._cue is None:
            return
        search.waiting.remove(candidate)
        self._looked = page.picture is not None
        seen = candidate.support if page.picture is None else self._look(page.picture, self._cue)
        search.checked[here] = (candidate, seen)

    def _judge(self, page: Observation, here: str, cue: CuePhrase) -> tuple[str, Action]:
        assert self._search is not None
        left = page.budget - page.step
        candidate, seen = self._search.checked[here]
        if page.picture is None or seen >= self._sure:
            return f"This is the page of {candidate.name}, and I am sure about the {cue}.", AddToWishlist()
        if self._search.waiting and left >= 3:
            return self._open_next(page, cue)
        best = self._search.best()
        if best.product == here or left <= 1:
            return f"I do not see the {cue} clearly, but no other item fits better.", AddToWishlist()
        thought = f"None shows the {cue} clearly; {best.name} came closest, so I return to it."
        return thought, opening(best.item, best.item.url)

    def _open_next(self, page: Observation, cue: CuePhrase) -> tuple[str, Action]:
        assert self._search is not None
        if not self._search.waiting:
            best = self._search.best()
            return f"Of all items {best.name} came closest.", opening(best.item, best.item.url)
        candidate = self._search.waiting[0]
        self._search.asked = candidate.product
        verb = "shows" if candidate.seen else "mentions"
        doubt = "The picture here does not show it. " if self._search.checked else ""
        thought = f"{doubt}{candidate.name} {verb} the {cue} most clearly of what I have not checked."
        return thought if doubt else _first(candidate, cue), opening(candidate.item, candidate.item.url)

    def _guess(self, page: Observation, delivered: Delivered, first: bool) -> tuple[str, Action]:
        thought, action = self._wanderer.decide(page, delivered)
        if not first:
            return thought, action
        wanted = f"a {self._cue}" if self._cue else "what was asked"
        known = "names or shows" if product_items(delivered) else "holds anything about"
        return f"Nothing I remember {known} {wanted}, so this is a guess. {thought}", action


def text_support(cue: CuePhrase, text: str) -> float:
    """How far a text names the cue, 0 to 1: the object's words count .7, the colour .3, or .2 alone."""
    color, share = named(cue, text)
    return 0.7 * share + 0.3 * color if share > 0 else 0.2 * color


def _first(candidate: _Candidate, cue: CuePhrase) -> str:
    if candidate.seen:
        return f"{candidate.name} shows the {cue} most clearly, so I open it."
    return f"{candidate.name} mentions the {cue} most fully, so I open it."
