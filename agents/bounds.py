"""The floor and the ceiling of the harness: an agent that guesses, and one that knows."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from recallreach.agents.costs import turn_usage
from recallreach.agents.text import react
from recallreach.agents.types import Turn
from recallreach.agents.wander import Wanderer
from recallreach.env.actions import product_id_of
from recallreach.env.types import Action, AddToWishlist, Navigate, Observation
from recallreach.errors import ConfigError
from recallreach.memory.types import Delivered
from recallreach.seeding import stream


class Guesser:
    """Answers with a uniform draw and looks at nothing: the floor.

    Args:
        products: paths of the products to draw from, for instance all that the chain has shown. Without any
            it draws from the delivered items, and without those it walks to a random product.
    """

    name = "guess"

    def __init__(self, products: Sequence[str] = ()) -> None:
        self._products = tuple(products)
        self.begin("", 0)

    def begin(self, goal: str, seed: int) -> None:
        """A new draw."""
        self._wanderer = Wanderer(stream(seed, "guess"), self._products)

    def act(self, observation: Observation, delivered: Delivered | None = None) -> Turn:
        """The next step towards the drawn product."""
        started = time.perf_counter()
        reply = react(*self._wanderer.decide(observation, delivered or Delivered()))
        seconds = time.perf_counter() - started
        return Turn(reply, turn_usage(observation, delivered, looked=False, seconds=seconds))


class Oracle:
    """Knows the answer: whatever it misses is the harness's fault. Never a result.

    Args:
        answers: path of the right product by cue phrase; only a check of the harness has this.

    Raises:
        ConfigError: no answers were given.
    """

    name = "oracle"

    def __init__(self, answers: Mapping[str, str] | None = None) -> None:
        if not answers:
            raise ConfigError(
                "the oracle is told the answers by the harness check that uses it and is no agent of a "
                "study; choose another one, for instance 'matcher'"
            )
        self._answers = {phrase.casefold(): url for phrase, url in answers.items()}
        self._url = ""

    def begin(self, goal: str, seed: int) -> None:
        """Look the answer up.

        Raises:
            ConfigError: the instruction names no phrase that it knows.
        """
        asked = [phrase for phrase in self._answers if phrase in goal.casefold()]
        if not asked:
            raise ConfigError(f"the oracle knows no phrase of this instruction: {goal!r}")
        self._url = self._answers[max(asked, key=len)]

    def act(self, observation: Observation, delivered: Delivered | None = None) -> Turn:
        """Go there and answer."""
        there = product_id_of(observation.url) == product_id_of(self._url)
        action: Action = AddToWishlist() if there else Navigate(self._url)
        thought = "This is the one." if there else "I know which one is meant."
        return Turn(react(thought, action), turn_usage(observation, delivered, looked=False, seconds=0.0))
