"""The ReAct agent: any chat model, the page as it is, the whole session as previous turns.

Reply form: ReAct (arXiv 2210.03629), as used by DMV-Bench (arXiv 2606.27499). One agent browses and recalls;
the task it is given and whether memory was delivered make the difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recallreach.agents.costs import image_part
from recallreach.agents.models import build_model
from recallreach.agents.notebook import labels
from recallreach.agents.prompting import load_prompts
from recallreach.agents.text import storable
from recallreach.agents.types import ChatModel, Message, Turn
from recallreach.env.types import Observation
from recallreach.errors import ConfigError
from recallreach.memory.types import Delivered, ImagePart, Part, TextPart

LONGEST_REPLY = 4000
"""Characters of a reply that stay in the history; what a model adds to that says nothing about the shop."""
PAGE_PICTURE, SCREENSHOT = "Picture of this product:", "Screenshot of this page:"
FORGOTTEN = "(picture of an earlier page, no longer shown)"


@dataclass(frozen=True, slots=True)
class _Exchange:
    """One page shown and the reply to it."""

    shown: tuple[Part, ...]
    reply: str


class ReActAgent:
    """A chat model that reads pages and replies with `Thought:` and `Action:`.

    Args:
        model: a `ChatModel`, or the name of one in the registry `models`.
        model_options: options for a model given by name.
        prompts: version of the prompt files.
        page_pictures: how many of the pages shown last keep their picture and screenshot; 1 is the page open
            now.
        screenshots: whether screenshots are shown where the transport takes them.
    """

    name = "react"

    def __init__(
        self,
        model: ChatModel | str,
        *,
        model_options: dict[str, Any] | None = None,
        prompts: str = "react-1",
        page_pictures: int = 1,
        screenshots: bool = True,
    ) -> None:
        if page_pictures < 0:
            raise ConfigError(f"page_pictures is a number of pages from 0, got {page_pictures}")
        self.model = build_model(model, **(model_options or {})) if isinstance(model, str) else model
        self.prompts = load_prompts(prompts)
        self.page_pictures, self._screenshots = page_pictures, screenshots
        self.begin("", 0)

    def begin(self, goal: str, seed: int) -> None:
        """Wipe the context and take up a new task; the model's own sampling is not seeded here."""
        self._goal, self._shop = goal, ""
        self._history: list[_Exchange] = []

    def act(self, observation: Observation, delivered: Delivered | None = None) -> Turn:
        """One call of the model.

        Raises:
            ModelError: the model gave no usable answer.
        """
        messages = self.messages(observation, delivered)
        completion = self.model.complete(messages)
        reply = storable(completion.text)
        self.hear(messages, reply)
        return Turn(reply, completion.usage)

    def hear(self, messages: Sequence[Message], reply: str) -> None:
        """Take a reply to `messages` into the history."""
        self._history.append(_Exchange(messages[-1].parts, _kept(reply)))

    def messages(self, observation: Observation, delivered: Delivered | None = None) -> list[Message]:
        """The exact messages of the next call."""
        shown = self._page(observation)
        if not self._history:
            self._shop = self._categories(observation)
            shown = (*self._task(observation, delivered), *shown)
        turns = [Message("system", (TextPart(self._system(delivered)),))]
        for age, exchange in zip(range(len(self._history), 0, -1), self._history, strict=True):
            parts = exchange.shown if age < self.page_pictures else _without_pictures(exchange.shown)
            turns += [Message("user", parts), Message("assistant", (TextPart(exchange.reply),))]
        return [*turns, Message("user", shown if self.page_pictures else _without_pictures(shown))]

    def _system(self, delivered: Delivered | None) -> str:
        tagged = delivered is not None and any(item.tag for item in delivered.items)
        action = self.prompts.fill("memory_action") if tagged else ""
        return self.prompts.fill("system", shop=self._shop, memory_action=action)

    def _categories(self, page: Observation) -> str:
        """What this shop sells, as its first page names it; nothing where that page lists no categories."""
        named = ", ".join(labels(page, "category").values())
        return self.prompts.fill("shop", categories=named) if named else ""

    def _task(self, observation: Observation, delivered: Delivered | None) -> tuple[Part, ...]:
        template = "browse" if delivered is None else "recall"
        task = TextPart(self.prompts.fill(template, goal=self._goal, budget=observation.budget))
        if delivered is None:
            return (task,)
        return (task, *(delivered.parts or (TextPart(self.prompts.fill("nothing_remembered")),)))

    def _page(self, page: Observation) -> tuple[Part, ...]:
        links = "\n".join(f"[{link.index}] {link.label} ({link.href})" for link in page.links)
        message = f" {page.message}" if page.message else ""
        slots = {"step": page.step + 1, "budget": page.budget, "message": message, "links": links or "(none)"}
        text = self.prompts.fill("page", url=page.url, title=page.title, text=page.text, **slots)
        parts: list[Part] = [TextPart(text)]
        if page.picture is not None:
            parts += [TextPart(PAGE_PICTURE), _page_image(page.picture)]
        if page.screenshot is not None and self._screenshots:
            parts += [TextPart(SCREENSHOT), _page_image(page.screenshot)]
        return tuple(parts)


def _kept(reply: str) -> str:
    """A reply as it stays in the history."""
    return reply if len(reply) <= LONGEST_REPLY else reply[: LONGEST_REPLY - 1] + "…"


class PageImage(ImagePart):
    """A picture of a page, in contrast to a delivered one: it leaves the prompt when it is old."""

    __slots__ = ()


def _page_image(picture: bytes) -> PageImage:
    image = image_part(picture)
    return PageImage(image.data, image.width, image.height, image.media_type)


def _without_pictures(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """The same parts with page pictures taken out; delivered pictures stay."""
    return tuple(TextPart(FORGOTTEN) if isinstance(part, PageImage) else part for part in parts)
