"""The shop as a Gymnasium environment: text in, pages out, graded by the product page open at the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import InvalidAction
from numpy.typing import NDArray

from recallreach.env.actions import Reply, parse_reply, product_id_of
from recallreach.env.errors import EpisodeOverError
from recallreach.env.rendering import as_pixels, as_text
from recallreach.env.spaces import MOST_STEPS, action_space, as_dict, observation_space
from recallreach.env.types import AddToWishlist, Done, Invalid, Navigate, Observation, Open, Transport
from recallreach.env.urls import RefusedError
from recallreach.errors import ConfigError, close_matches


@dataclass(frozen=True, slots=True)
class Task:
    """What one episode is about.

    Attributes:
        goal: the instruction; shown in every observation.
        budget: steps allowed, at least 1.
        target: id of the right product, or None where nothing is graded as right. Never shown.
        min_steps: `done` or `add_to_wishlist` before this step is refused (0 allows any end).
    """

    goal: str = "Look around the shop; finish with add_to_wishlist on a product you like."
    budget: int = 28
    target: str | None = None
    min_steps: int = 0

    def __post_init__(self) -> None:
        for name, (kind, told) in _KINDS.items():
            if not isinstance(getattr(self, name), kind):
                raise ConfigError(f"{name}={getattr(self, name)!r} is no {told}")
        if not 1 <= self.budget <= MOST_STEPS or not 0 <= self.min_steps <= self.budget:
            raise ConfigError(
                f"budget={self.budget} must be 1 to {MOST_STEPS}, and "
                f"min_steps={self.min_steps} must be 0 to the budget"
            )


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds that one step took; two of them always compare equal, since time is no part of an outcome."""

    parse: float = field(default=0.0, compare=False)
    transport: float = field(default=0.0, compare=False)
    total: float = field(default=0.0, compare=False)


_KINDS: dict[str, tuple[Any, str]] = {
    "goal": (str, "text"),
    "budget": ((int, np.integer), "whole number"),
    "target": ((str, type(None)), "product id"),
    "min_steps": ((int, np.integer), "whole number"),
}
TaskSource = Callable[[np.random.Generator], Task]
_OPTIONS = tuple(entry.name for entry in fields(Task))


class StoreEnv(gymnasium.Env[dict[str, Any], str]):
    """One shopper in the shop.

    An action is the text of a reply ("Thought: ...\\nAction: click_index(3)") or a bare action.
    `add_to_wishlist` and `done` end the episode (`terminated`), a spent budget does, too (`truncated`); the
    product page open at that moment is graded, and the reward is 1.0 when it is the target's, else 0.0. A
    reply without a usable action costs a step and says why.

    `info` holds `observation` (typed), `action` (typed), `problems`, `graded` (product id or None),
    `correct`, `invalid_actions` and `early_endings` (counts so far), and `timings`.

    Args:
        transport: the way to the shop; closed with the environment.
        pixels: whether the observation holds the decoded product picture.
        task: the episode's task where `reset` gets no options, or a function that draws one.
        render_mode: None; "ansi" (the page as text); "rgb_array" (the screenshot, or else a plain drawing);
            or "human": each page as text on standard output, where the transport shows no browser window.
        on_close: called once when the environment is closed, after its transport.
    """

    metadata = {"render_modes": ["human", "ansi", "rgb_array"], "render_fps": 1}  # noqa: RUF012 (declared so by gymnasium.Env)

    def __init__(
        self,
        transport: Transport,
        *,
        pixels: bool = False,
        task: Task | TaskSource | None = None,
        render_mode: str | None = None,
        on_close: Callable[[], None] | None = None,
    ) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ConfigError(f"unknown render_mode {render_mode!r}; known: {self.metadata['render_modes']}")
        self.transport = transport
        self.render_mode = render_mode
        self.action_space = action_space()
        self.observation_space = observation_space(pixels=pixels)
        self._pixels, self._on_close = pixels, on_close
        self._source = task
        self._task = Task()
        self._now: Observation | None = None
        self._over = False
        self._invalid, self._early = 0, 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start an episode on the home page with an empty cart and wishlist.

        Args:
            seed: seeds the draw of a task; the shop itself is not random.
            options: `goal`, `budget`, `target`, `min_steps`; each replaces that of the environment's own
                task.

        Raises:
            ConfigError: an unknown option or a value that cannot be.
            TransportError: the shop or the browser failed.
        """
        super().reset(seed=seed)
        started = time.perf_counter()
        self._now = None
        drawn = self._source(self.np_random) if callable(self._source) else self._source
        self._task = _with_options(drawn or Task(), options or {})
        self._over, self._invalid, self._early = False, 0, 0
        self._now = replace(self.transport.begin(), step=0, budget=self._task.budget)
        seconds = time.perf_counter() - started
        self._show()
        return self._seen(), self._info(Reply("", Done()), None, Timings(0.0, seconds, seconds)) | {
            "action": None
        }

    def step(self, action: str) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Carry out the action in a reply.

        Raises:
            EpisodeOverError: the episode has ended, or none was started.
            gymnasium.error.InvalidAction: the action is no text.
            TransportError: the step failed for technical reasons; it may be tried again.
        """
        before = self._running()
        if not isinstance(action, str):
            raise InvalidAction(
                f"an action is the text of a reply, for instance 'click_index(3)', not {action!r}"
            )
        started = time.perf_counter()
        reply = self._read(action, before)
        parsed = time.perf_counter()
        final = isinstance(reply.action, AddToWishlist | Done)
        early = final and before.step + 1 < self._task.min_steps
        after = replace(before, message=self._too_early()) if early else self.transport.act(reply.action)
        done = time.perf_counter()
        self._now = replace(after, step=before.step + 1, budget=self._task.budget)
        self._invalid += isinstance(reply.action, Invalid)
        self._early += early
        terminated = final and not early
        truncated = not terminated and self._now.step >= self._task.budget
        self._over = terminated or truncated
        page = before.url if terminated else self._now.url
        graded = product_id_of(page) if self._over else None
        info = self._info(
            reply, graded, Timings(parsed - started, done - parsed, time.perf_counter() - started)
        )
        self._show()
        return self._seen(), float(info["correct"]), terminated, truncated, info

    def render(self) -> str | NDArray[np.uint8] | None:
        """The page as text ("ansi") or as pixels ("rgb_array").

        None before the first reset, and in mode "human", which shows each page by itself.
        """
        if self.render_mode in (None, "human") or self._now is None:
            return None
        return as_text(self._now) if self.render_mode == "ansi" else as_pixels(self._now)

    def close(self) -> None:
        """Close the transport; a second call does nothing."""
        self._now, self._over = None, True
        self.transport.close()
        if self._on_close is not None:
            on_close, self._on_close = self._on_close, None
            on_close()

    def _running(self) -> Observation:
        if self._now is None:
            raise EpisodeOverError("no episode is running: call reset() before step()")
        if self._over:
            raise EpisodeOverError("the episode has ended: call reset() to start another")
        return self._now

    def _read(self, text: str, here: Observation) -> Reply:
        """Parse a reply; an absolute address of the shop becomes its path, so that records do not hold a
        port."""
        reply = parse_reply(text)
        origin = getattr(self.transport, "origin", None)
        if isinstance(reply.action, Open):
            unknown = f"no delivered item is called {reply.action.tag!r} here"
            return replace(reply, action=Invalid(unknown))
        if not isinstance(reply.action, Navigate) or origin is None:
            return reply
        try:
            return replace(reply, action=Navigate(origin.resolve(reply.action.target, here.url)))
        except RefusedError:
            return reply

    def _show(self) -> None:
        """In mode "human" without a browser window: the page goes to standard output."""
        if self.render_mode == "human" and self._now is not None and not self.transport.window:
            sys.stdout.write(f"{as_text(self._now)}\n\n")
            sys.stdout.flush()

    def _too_early(self) -> str:
        least = self._task.min_steps
        return f"Refused: it is too early to finish; keep comparing until step {least} at least."

    def _seen(self) -> dict[str, Any]:
        assert self._now is not None
        return as_dict(self._now, self._task.goal, pixels=self._pixels)

    def _info(self, reply: Reply, graded: str | None, timings: Timings) -> dict[str, Any]:
        return {
            "observation": self._now,
            "action": reply.action,
            "problems": reply.problems,
            "graded": graded,
            "correct": graded is not None and graded == self._task.target,
            "invalid_actions": self._invalid,
            "early_endings": self._early,
            "timings": timings,
        }


def _with_options(task: Task, options: Mapping[str, Any]) -> Task:
    unknown = sorted(set(options) - set(_OPTIONS))
    if unknown:
        near = close_matches(unknown[0], _OPTIONS)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        raise ConfigError(f"unknown reset option {unknown[0]!r}.{meant} Known: {', '.join(_OPTIONS)}.")
    return replace(task, **options)
