"""Browsing sessions: which category, how long, when, and what the shopper is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from recallreach.env.types import SessionPlan
from recallreach.errors import ConfigError
from recallreach.seeding import stream

FEWEST_STEPS, MOST_STEPS = 22, 28
"""Steps of a browsing session (DMV-Bench, arXiv 2606.27499)."""

_FIRST_DAY = datetime(2024, 3, 1)
_FIRST_DAYS = 60
_DAYS_BETWEEN = 3
_HOURS = (8, 22)
_SECONDS_A_STEP = (20, 60)
_GOAL = (
    "You are furnishing your home and want one favourite out of this shop's {category}. Compare before you "
    "decide: look around at least three collections of {category}, open about a dozen product pages, and "
    "look at each picture, price and review. You have {budget} steps. With your last step, while the page of "
    "your favourite is open, finish with add_to_wishlist."
)


class CategoryLike(Protocol):
    """A category: slug and spoken name."""

    @property
    def slug(self) -> str:
        """For instance "plant-pot"."""

    @property
    def name(self) -> str:
        """For instance "Plant pots"."""


class CategorizedCatalog(Protocol):
    """What planning needs of a catalogue."""

    @property
    def categories(self) -> Sequence[CategoryLike]:
        """All categories, in a fixed order."""


@dataclass(frozen=True, slots=True)
class Branch:
    """Where a session stands in a rollout tree.

    Attributes:
        root: chain that the tree grows from; its calendar and its order of categories hold for all paths.
        choices: which child each session of the path was, from session 1 on; all zero is the root's chain.
    """

    root: int
    choices: tuple[int, ...]


def plan_session(
    catalog: CategorizedCatalog, seed: int, chain: int, index: int, branch: Branch | None = None
) -> SessionPlan:
    """Plan session `index` of a chain; depends on the arguments only, never on the length of the chain.

    Categories come in a shuffled order per chain, shuffled anew each time all have been visited. The budget
    is 22 to 28 steps. Sessions lie two to four simulated days apart. In a tree, siblings shop in different
    categories while there are enough, and no path visits one twice before it has visited all.

    Raises:
        ConfigError: the catalogue has no category, or a number is negative.
    """
    if not catalog.categories or min(seed, chain, index) < 0:
        raise ConfigError(
            f"cannot plan session {index} of chain {chain} with seed {seed}: numbers start from 0, and the "
            f"catalogue needs a category (it has {len(catalog.categories)})"
        )
    place = branch or Branch(chain, ())
    category = _category(catalog.categories, seed, place, index)
    draws = stream(seed, "chain", chain, "session", index, "budget")
    budget = int(draws.integers(FEWEST_STEPS, MOST_STEPS, endpoint=True))
    goal = _GOAL.format(category=category.name.lower(), budget=budget)
    started_at = _started(seed, place.root, chain, index).isoformat(timespec="seconds")
    return SessionPlan(chain, index, category.slug, goal, budget, started_at)


def seen_at(plan: SessionPlan, seed: int, step: int) -> str:
    """The simulated time of one step, ISO 8601: each is 20 to 60 seconds after the one before."""
    draws = stream(seed, "chain", plan.chain, "session", plan.index, "clock")
    low, high = _SECONDS_A_STEP
    seconds = sum(int(draws.integers(low, high, endpoint=True)) for _ in range(step))
    moment = datetime.fromisoformat(plan.started_at) + timedelta(seconds=seconds)
    return moment.isoformat(timespec="seconds")


def _category(categories: Sequence[CategoryLike], seed: int, branch: Branch, index: int) -> CategoryLike:
    """The root's order, in which each choice pulls a later category of the same round forward."""
    turn, place = divmod(index, len(categories))
    order = list(stream(seed, "chain", branch.root, "categories", turn).permutation(len(categories)))
    for depth in range(turn * len(categories), index + 1):
        choice = branch.choices[depth - 1] if 0 < depth <= len(branch.choices) else 0
        here = depth % len(categories)
        other = here + choice % (len(categories) - here)
        order[here], order[other] = order[other], order[here]
    return categories[int(order[place])]


def _started(seed: int, root: int, chain: int, index: int) -> datetime:
    """Start of a session: a day of its own in a grid of three days, moved by at most one, at waking hours."""
    origin = int(stream(seed, "chain", root, "first-day").integers(_FIRST_DAYS))
    draws = stream(seed, "chain", chain, "session", index, "start")
    day = origin + index * _DAYS_BETWEEN + int(draws.integers(2))
    first_hour, last_hour = _HOURS
    minute = int(draws.integers(first_hour * 60, last_hour * 60))
    return _FIRST_DAY + timedelta(days=day, minutes=minute)
