"""Observations, actions, sessions, probes and trajectories: the closed types of the environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

LinkKind = Literal["home", "category", "collection", "product", "search", "page", "action", "other"]


@dataclass(frozen=True, slots=True)
class Link:
    """One numbered link of a page.

    Attributes:
        index: number used by `click_index(N)`, from 0, in document order.
        label: visible text, white space folded.
        href: path on the shop, for instance "/product/0a1b2c3d".
        kind: what it leads to.
    """

    index: int
    label: str
    href: str
    kind: LinkKind


@dataclass(frozen=True, slots=True)
class Observation:
    """What the agent sees after a step; equal on both transports for equal actions.

    Attributes:
        url: path and query on the shop, for instance "/product/0a1b2c3d".
        title: page title.
        text: visible text, one block a line.
        links: numbered links in document order.
        picture: encoded bytes of the product picture, on product pages only.
        screenshot: encoded screenshot, when the transport was asked for one. No part of equality: a browser
            may draw one page twice with a few pixels a few levels apart.
        step: actions taken so far in this session.
        budget: actions allowed in this session.
        message: the environment's word on the last action (why it was refused, for instance), or "".
    """

    url: str
    title: str
    text: str
    links: tuple[Link, ...]
    picture: bytes | None = field(default=None, repr=False)
    screenshot: bytes | None = field(default=None, repr=False, compare=False)
    step: int = 0
    budget: int = 0
    message: str = ""


@dataclass(frozen=True, slots=True)
class Navigate:
    """`navigate("/path")`: open a page of the shop by path or absolute URL."""

    target: str


@dataclass(frozen=True, slots=True)
class Click:
    """`click_index(N)`: follow the link numbered N."""

    index: int


@dataclass(frozen=True, slots=True)
class Search:
    """`search("words")`: use the shop's search."""

    words: str


@dataclass(frozen=True, slots=True)
class Back:
    """`back`: the page before this one in this session."""


@dataclass(frozen=True, slots=True)
class Open:
    """`open(M2)`: open the page of the delivered memory item with that tag."""

    tag: str


@dataclass(frozen=True, slots=True)
class AddToWishlist:
    """`add_to_wishlist`: final; answers with the product page now open."""


@dataclass(frozen=True, slots=True)
class Done:
    """`done`: final; answers with the page now open."""


@dataclass(frozen=True, slots=True)
class Invalid:
    """A reply without a usable action; it costs a step and the agent is told why."""

    reason: str


Action = Navigate | Click | Search | Back | Open | AddToWishlist | Done | Invalid


class Transport(Protocol):
    """One shopper's way to the shop: Chromium or in-process, with equal observations for equal actions.

    A transport holds one session (cookies, history) at a time. `Open` is resolved to `Navigate` before it
    reaches a transport. Technical failures raise `TransportError`; what the shop refuses is a `message`.
    """

    @property
    def window(self) -> bool:
        """Whether a person sees the pages in a browser window."""

    def begin(self) -> Observation:
        """Start a new session with empty cart, wishlist and history, and open the home page."""

    def act(self, action: Action) -> Observation:
        """Carry out one action and observe the page it leads to."""

    def close(self) -> None:
        """Release the session and the browser; a second call does nothing."""


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """One browsing session of a chain; depends on (seed, chain, index) only.

    Attributes:
        chain: chain number, from 0.
        index: session number in its chain, from 0.
        category: category slug to shop in.
        goal: the instruction the browsing agent reads.
        budget: number of steps, 22 to 28.
        started_at: simulated start, ISO 8601 ("2024-05-11T19:33:00").
    """

    chain: int
    index: int
    category: str
    goal: str
    budget: int
    started_at: str


@dataclass(frozen=True, slots=True)
class TrajectoryStep:
    """One step of a recorded session: what the agent wrote, what was done, the page it led to.

    Attributes:
        reply: the agent's raw ReAct text ("" for the opening page).
        action: canonical action text ("" for the opening page).
        url, title, text: the page after the action.
        picture: SHA-256 of the product picture after the action, or None.
        seen_at: simulated time, ISO 8601.
        message: the environment's word on the action.
    """

    reply: str
    action: str
    url: str
    title: str
    text: str
    picture: str | None
    seen_at: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One recorded browsing session; `steps[0]` is the opening page."""

    plan: SessionPlan
    steps: tuple[TrajectoryStep, ...]
    products: tuple[str, ...] = field(default=())
    """Distinct product ids in order of first view."""
    source: Mapping[str, str] = field(default_factory=dict)
    """What the recording depends on, by name: catalogue hash, seed, agent, model, prompt version."""


@dataclass(frozen=True, slots=True)
class PageView:
    """One page of a recorded session, as it is replayed into a memory.

    Attributes:
        url, title, text: as in `TrajectoryStep`.
        picture: encoded bytes of the product picture, or None.
        session: number of the session in its chain.
        step: step in the session, 0 for the opening page.
        seen_at: simulated time, ISO 8601.
    """

    url: str
    title: str
    text: str
    picture: bytes | None = field(repr=False)
    session: int
    step: int
    seen_at: str


@dataclass(frozen=True, slots=True)
class Probe:
    """One read-only recall question.

    Attributes:
        id: "c<chain>-s<session>-<product id>", unique in a study.
        chain: chain number.
        session: recall session: the session after which the question is asked, from 0.
        target: id of the right product (ground truth: for the grader only).
        phrase: cue phrase ("teal eye sleep mask").
        goal: the instruction the recall agent reads.
        first_seen, last_seen: sessions in which the target's page was first and last open.
        budget: steps allowed (default protocol: 8).
        counted_from: the view that reach is counted from; "first_seen" reproduces DMV-Bench's released code.
    """

    id: str
    chain: int
    session: int
    target: str
    phrase: str
    goal: str
    first_seen: int
    last_seen: int
    budget: int
    counted_from: Literal["last_seen", "first_seen"] = "last_seen"

    @property
    def reach(self) -> int:
        """Sessions between the view it is counted from and the recall."""
        return self.session - (self.last_seen if self.counted_from == "last_seen" else self.first_seen)
