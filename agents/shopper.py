"""The scripted comparison shopper: a seeded stand-in for a browsing model.

It acts from its goal and the pages' text and links alone, reads no picture, and writes the same ReAct text
as a model. The habits follow the browsing protocol of DMV-Bench (arXiv 2606.27499): one category, at least
three collections, about twelve products, the whole budget of 22 to 28 steps, and a wishlist entry at the end.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from recallreach.agents.costs import turn_usage
from recallreach.agents.notebook import Notebook, Viewed, link_to, page_path
from recallreach.agents.text import react
from recallreach.agents.types import Turn
from recallreach.agents.voice import Voice
from recallreach.env.types import Action, AddToWishlist, Back, Click, Done, Navigate, Observation, Search
from recallreach.memory.types import Delivered
from recallreach.seeding import stream

FEWEST_COLLECTIONS = 3
FEWEST_PRODUCTS, MOST_PRODUCTS = 11, 14
_CLOSING_STEPS = 2  # open the favourite, put it on the wishlist


@dataclass(slots=True)
class _Itinerary:
    """Where to go, drawn once the category page is known."""

    collections: list[str] = field(default_factory=list)
    products: int = FEWEST_PRODUCTS
    here: str | None = None
    stay_until: int = 0
    """Number of products viewed in all at which to leave the collection `here`."""

    def ahead(self) -> int:
        """Collections not entered yet."""
        return len(self.collections)


@dataclass(frozen=True, slots=True)
class _Taste:
    """What this session's shopper values; noise stands for all that is not in the text."""

    price: float
    stars: float
    noise: float


class ScriptedShopper:
    """Browses one category like a person comparing products; a drop-in `Agent` for the browse loop."""

    name = "shopper"

    def __init__(self) -> None:
        self.begin("", 0)

    def begin(self, goal: str, seed: int) -> None:
        """Forget everything and take up a new errand."""
        self._goal = goal
        self._random = stream(seed, "shopper", "moves")
        self._voice = Voice(stream(seed, "shopper", "voice"))
        self._notes, self._way = Notebook(), _Itinerary()
        taste = stream(seed, "shopper", "taste")
        self._taste = _Taste(*(float(weight) for weight in taste.uniform((0.0, 0.0, 0.5), (1.0, 1.0, 1.5))))
        self._noise_seed = int(taste.integers(2**31))
        self._last: Action | None = None
        self._planned = False

    def act(self, observation: Observation, delivered: Delivered | None = None) -> Turn:
        """Read the page, decide, and say why."""
        started = time.perf_counter()
        went_back = isinstance(self._last, Back)
        self._notes.read(observation, self._goal, went_back=went_back)
        thought, self._last = self._decide(observation)
        reply = react(thought, self._last)
        seconds = time.perf_counter() - started
        return Turn(reply, turn_usage(observation, delivered, looked=False, seconds=seconds))

    # Decisions, from the end of the session to its beginning.

    def _decide(self, page: Observation) -> tuple[str, Action]:
        left = page.budget - page.step
        if left <= _CLOSING_STEPS and self._notes.viewed:
            return self._close(page, left)
        if left <= 1:
            return self._voice.say("give_up"), Done()
        if self._notes.category is None:
            return self._voice.say("lost"), self._go(page, "/")
        if not self._notes.collections:
            category = self._notes.categories[self._notes.category]
            return self._voice.say("category", category=category), self._go(page, self._notes.category)
        self._plan(page)
        return self._browse(page, left)

    def _close(self, page: Observation, left: int) -> tuple[str, Action]:
        best = self._favourite()
        at_best = page_path(page.url) == best.href
        if left <= 1 and page_path(page.url) in self._notes.viewed:
            here = self._notes.viewed[page_path(page.url)]
            count = str(len(self._notes.viewed))
            return self._voice.say("finish", title=here.title, count=count), AddToWishlist()
        if left <= 1:
            return self._voice.say("give_up"), Done()
        return self._voice.say("reread" if at_best else "favourite", title=best.title), self._go(
            page, best.href
        )

    def _browse(self, page: Observation, left: int) -> tuple[str, Action]:
        slack = left - self._needed()
        if slack > 0 and len(self._notes.viewed) >= 4 and self._random.random() < 0.15:
            return self._look_again(page, slack)
        if self._staying():
            return self._next_product(page, slack)
        if self._way.ahead():
            return self._next_collection(page, slack)
        return self._linger(page, slack)

    def _next_product(self, page: Observation, slack: int) -> tuple[str, Action]:
        here = self._way.here or ""
        unseen = self._notes.unseen(here)
        visible = [href for href in unseen if link_to(page, href)] if page_path(page.url) == here else []
        if not visible and slack > 0 and self._random.random() < 0.6:
            return self._to_listing(page, here)
        href = self._pick(visible or unseen)
        intention = "product" if visible else "direct"
        thought = f"{self._remark(page)} {self._voice.say(intention, title=self._notes.title(href))}"
        return thought, self._go(page, href)

    def _to_listing(self, page: Observation, listing: str) -> tuple[str, Action]:
        trail = self._notes.trail
        if len(trail) > 1 and trail[-2] == listing:
            return f"{self._remark(page)} {self._voice.say('back')}", Back()
        label = self._notes.collections[listing]
        return f"{self._remark(page)} {self._voice.say('listing', collection=label)}", self._go(page, listing)

    def _next_collection(self, page: Observation, slack: int) -> tuple[str, Action]:
        category = self._notes.category or "/"
        at_category = page_path(page.url) == category
        if not at_category and slack > 0 and self._random.random() < 0.5:
            label = self._notes.categories[category]
            return f"{self._remark(page)} {self._voice.say('overview', category=label)}", self._go(
                page, category
            )
        intention = "next_collection" if self._notes.viewed and not at_category else "collection"
        href = self._way.collections.pop()
        self._way.here, self._way.stay_until = href, self._share(self._way.ahead() + 1)
        thought = self._voice.say(intention, collection=self._notes.collections[href])
        return f"{self._remark(page)} {thought}", self._go(page, href)

    def _linger(self, page: Observation, slack: int) -> tuple[str, Action]:
        """Everything planned is done and steps are left: read more, look again, or see what else there is."""
        unseen = [href for listing in self._notes.listings for href in self._notes.unseen(listing)]
        if unseen and len(self._notes.viewed) < MOST_PRODUCTS and (slack < 1 or self._random.random() < 0.35):
            href = self._pick(unseen)
            thought = self._voice.say("direct", title=self._notes.title(href))
            return f"{self._remark(page)} {thought}", self._go(page, href)
        return self._look_again(page, slack)

    def _look_again(self, page: Observation, slack: int) -> tuple[str, Action]:
        others = self._others(page)
        if not others:
            category = self._notes.category or "/"
            return self._voice.say("overview", category=self._notes.categories[category]), self._go(
                page, category
            )
        found = [href for href in others if link_to(page, href)]
        if page_path(page.url) == "/search" and found:
            title = self._notes.title(found[0])
            return self._voice.say("found", title=title), self._go(page, found[0])
        best = self._favourite().href
        href = best if best in others and self._random.random() < 0.5 else self._pick(others)
        if slack > 1 and self._random.random() < 0.35:
            words = self._notes.title(href)
            return f"{self._remark(page)} {self._voice.say('search', title=words)}", Search(words)
        return self._voice.say("revisit", title=self._notes.title(href)), self._go(page, href)

    def _others(self, page: Observation) -> list[str]:
        """Products to look at again; the favourite is kept for the end when the end is near."""
        others = [href for href in self._notes.viewed if href != page_path(page.url)]
        near = page.budget - page.step <= _CLOSING_STEPS + 1 and len(others) > 1
        return [href for href in others if href != self._favourite().href] if near else others

    # Judgement.

    def _plan(self, page: Observation) -> None:
        if self._planned:
            return
        self._planned = True
        known = list(self._notes.collections)
        roomy = page.budget - page.step >= 22
        wanted = FEWEST_COLLECTIONS + int(roomy and self._random.random() < 0.5)
        order = self._random.permutation(len(known))
        self._way.collections = [known[i] for i in order[: min(wanted, len(known))]]
        self._way.products = int(self._random.integers(FEWEST_PRODUCTS, MOST_PRODUCTS))

    def _needed(self) -> int:
        """Steps that the rest of the plan takes at least."""
        return max(0, self._way.products - len(self._notes.viewed)) + self._way.ahead() + _CLOSING_STEPS

    def _staying(self) -> bool:
        here = self._way.here
        unread = here is not None and here not in self._notes.listings
        return (
            not unread
            and len(self._notes.viewed) < self._way.stay_until
            and bool(self._notes.unseen(here or ""))
        )

    def _share(self, collections: int) -> int:
        """Number of products viewed in all at which to leave the collection just entered."""
        viewed = len(self._notes.viewed)
        missing = max(0, self._way.products - viewed)
        if collections == 1:
            return viewed + missing
        return viewed + max(2, round(missing / collections) + int(self._random.integers(-1, 2)))

    def _favourite(self) -> Viewed:
        return max(self._notes.viewed.values(), key=self._liking)

    def _liking(self, product: Viewed) -> float:
        typical = float(np.median([other.cents for other in self._notes.viewed.values()])) or 1.0
        noise = stream(self._noise_seed, product.href).random()
        taste = self._taste
        return taste.noise * noise + taste.stars * product.stars / 5 - taste.price * product.cents / typical

    def _remark(self, page: Observation) -> str:
        """A word about the price of the page just read, now and then."""
        viewed = list(self._notes.viewed.values())
        here = self._notes.viewed.get(page_path(page.url))
        if here is None or not here.price or self._random.random() < 0.5:
            return ""
        new = here is viewed[-1] and len(viewed) > 1
        before = viewed[-2].cents if new else here.cents
        intention = "priced" if here.cents == before else "cheaper" if here.cents < before else "dearer"
        return self._voice.say(intention, price=here.price)

    # Moving.

    def _pick(self, hrefs: list[str]) -> str:
        return hrefs[int(self._random.integers(len(hrefs)))]

    def _go(self, page: Observation, href: str) -> Action:
        """Click where the page links there, and type the address now and then or where it does not."""
        link = link_to(page, href)
        return Navigate(href) if link is None or self._random.random() < 0.15 else Click(link.index)
