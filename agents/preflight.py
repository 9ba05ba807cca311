"""Before a run: does the model answer with as many pictures as it will get, and what will it all cost?

How a run uses it, after `ModelCalls.govern` and before the first session (not in a replay, and not where
nothing is left to be done):

    for check in preflight([shopper, agent], k=config.k):     # PreflightError says what to change
        reporter.say(check.line)
    work = Workload(sessions=..., probes=..., budget=config.budget, k=config.k)
    for line in estimate(work, agent.model, prices).lines:
        reporter.say(line)

`preflight` asks each different model once, past the cache, and enters the request in the books. An agent
without a model is passed over.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from PIL import Image

from recallreach.agents.budget import Prices
from recallreach.agents.calls import QUICK_TRIES, GovernedModel, ask, rule_for
from recallreach.agents.costs import image_part
from recallreach.agents.errors import ModelError
from recallreach.agents.types import ChatModel, Completion, Message, Usage
from recallreach.errors import RecallReachError
from recallreach.memory.types import Part, TextPart

QUESTION = "How many pictures stand above this line? Answer with the number alone."
_SIDE = 112
_COLORS = ("red", "green", "blue", "yellow", "purple", "orange", "white", "black")


class PreflightError(RecallReachError):
    """The model does not do what the run needs of it; nothing was run."""


@dataclass(frozen=True, slots=True)
class Check:
    """One model, asked once.

    Attributes:
        model: its name.
        images: pictures in the request.
        reply: what it said.
        counted: whether the reply names their number.
        usage: what the request took.
    """

    model: str
    images: int
    reply: str
    counted: bool
    usage: Usage

    @property
    def line(self) -> str:
        """One sentence for the user."""
        told = f"Model: {self.model} answers with {self.images} pictures ({self.usage.seconds:.1f} s)"
        said = " ".join(self.reply.split())[:40]
        doubt = f"; asked how many they are, it said {said!r}"
        return told if self.counted or self.images == 0 else told + doubt


def preflight(agents: Iterable[object], *, k: int, screenshots: bool = False) -> list[Check]:
    """Ask each different model of `agents` once, with the most pictures that one request of the run holds.

    Args:
        agents: all agents of the run; those without a model are passed over.
        k: memory items delivered at most.
        screenshots: whether pages come with a screenshot.

    Raises:
        PreflightError: a model does not answer; says why and what to change.
        BudgetSpentError: not one request is allowed.
    """
    asked: dict[str, tuple[ChatModel, int]] = {}
    for agent in agents:
        model = getattr(agent, "model", None)
        if model is not None:
            most = max(pictures_at_once(agent, k, screenshots), asked.get(model.name, (model, 0))[1])
            asked[model.name] = (model, most)
    return [check_model(model, images) for model, images in asked.values()]


def pictures_at_once(agent: object, k: int, screenshots: bool = False) -> int:
    """The most pictures that one request of an agent holds: delivered ones and those of the open pages."""
    pages = int(getattr(agent, "page_pictures", 1))
    return k + pages * (2 if screenshots else 1)


def check_model(model: ChatModel, images: int) -> Check:
    """One request with so many small pictures, past the cache.

    Raises:
        PreflightError: no usable answer; says why and what to change.
    """
    message = Message("user", (*_pictures(images), TextPart(QUESTION)))
    try:
        answer = _ask(model, message)
    except ModelError as error:
        raise PreflightError(_told(model, images, error)) from error
    counted = str(images) in re.findall(r"\d+", answer.text)
    return Check(model.name, images, answer.text, counted, answer.usage)


def _ask(model: ChatModel, message: Message) -> Completion:
    return (
        model.uncached([message])
        if isinstance(model, GovernedModel)
        else ask(model, [message], QUICK_TRIES)[0]
    )


def _pictures(count: int) -> Iterator[Part]:
    for number in range(count):
        picture = Image.new("RGB", (_SIDE, _SIDE), _COLORS[number % len(_COLORS)])
        buffer = io.BytesIO()
        picture.save(buffer, "PNG")
        yield image_part(buffer.getvalue())


def _told(model: ChatModel, images: int, error: ModelError) -> str:
    todo = advice(error, images)
    told = f"the model does not answer a request with {images} pictures, so nothing was run. {error}"
    return f"{told.rstrip('.')}. {todo}" if todo else told


_ADVICE: tuple[tuple[str, str], ...] = (
    (
        r"at most \d+ image|limit[-_]mm[-_]per[-_]prompt",
        "Start vLLM with --limit-mm-per-prompt '{{\"image\": {images}}}' (older versions: image={images}), "
        "or retrieve fewer items with k.",
    ),
    (
        r"image input is not supported|mmproj",
        "Start llama.cpp's server with --mmproj and the model's projector file, or choose a model that reads "
        "pictures.",
    ),
    (
        r"max[-_ ]model[-_ ]len|maximum context length|context (length|window|size)|n_ctx|too many tokens"
        r"|prompt is too long|exceeds? the .{0,30}context",
        "Give the server a longer context (vLLM: --max-model-len, llama.cpp: --ctx-size, Ollama: "
        "OLLAMA_CONTEXT_LENGTH), or lower k or page_pictures.",
    ),
    (
        r"too many images|maximum (number )?of \d+ images|only (one|1|a single) image|multiple images",
        "This server takes fewer pictures in one request: raise its limit, or retrieve fewer items with k.",
    ),
    (
        r"not (a )?multimodal|does not support (image|vision)|no support for image"
        r"|unknown content type|image_url is only supported",
        "Choose a model that reads pictures, or one whose server was started with its vision part.",
    ),
)
_BY_KIND = {
    "authentication": "Set the environment variable that api_key_env names to a valid key.",
    "connection": "Is the server running, and is base_url its address, with /v1 at the end?",
    "timeout": "Is the server still loading the model? Raise timeout, or try again.",
    "rate-limit": "Wait for the quota to come back, lower concurrency, or use another key.",
    "too-long": "Give the server a longer context, or lower k or page_pictures.",
    "memory": "Choose a smaller model, a smaller dtype, fewer pictures (k), or smaller ones (max_pixels).",
}


def advice(error: ModelError, images: int) -> str:
    """What to change so that a request with so many pictures is answered, or "" where nothing is known."""
    for form, todo in _ADVICE:
        if error.kind in ("request", "too-long", "server") and re.search(form, str(error), re.IGNORECASE):
            return todo.format(images=images)
    return _BY_KIND.get(error.kind, "")


@dataclass(frozen=True, slots=True)
class Workload:
    """What a run asks of one model.

    Attributes:
        sessions: browsing sessions that it carries out (0 where a script browses).
        probes: recall probes that it answers, over all systems.
        session_steps: steps of a session (DMV-Bench: 22 to 28).
        budget: steps allowed for a probe.
        probe_steps: steps that a probe takes as a rule: open an item, look, answer.
        k: items delivered for a probe.
        picture: width and height in pixels.
        page_tokens: text tokens of a page with its links, as the agent shows it.
        item_tokens: text tokens of a delivered item.
        reply_tokens: tokens of a reply as a rule.
    """

    sessions: int
    probes: int
    session_steps: int = 25
    budget: int = 8
    probe_steps: int = 3
    k: int = 5
    picture: tuple[int, int] = (512, 512)
    page_tokens: int = 750
    item_tokens: int = 80
    reply_tokens: int = 60


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will take: as a rule, and at most by its step budgets.

    Attributes:
        likely, most: calls, pictures and tokens.
        cost, most_cost: money, or None where no price is known.
        currency: of both.
        hour: price of an hour of waiting, which is not estimated; 0 where none is charged.
    """

    likely: Usage
    most: Usage
    cost: float | None = None
    most_cost: float | None = None
    currency: str = ""
    hour: float = 0.0

    @property
    def lines(self) -> list[str]:
        """Sentences for the user."""
        one, most = self.likely, self.most
        told = [
            f"Estimate: {one.calls:,} model calls (at most {most.calls:,}), {one.images:,} pictures, "
            f"{_millions(one.visual_tokens)} visual and {_millions(one.text_tokens)} text tokens"
        ]
        if self.cost is not None and self.most_cost is not None and not (self.hour and not self.cost):
            told.append(f"Cost: about {self.cost:,.2f} {self.currency} (at most {self.most_cost:,.2f})")
        if self.hour:
            told.append(f"Cost: {self.hour:,.2f} {self.currency} for each hour of waiting for replies")
        return told


class Named(Protocol):
    """What an estimate needs to know of a model: its name, for the price, and its `patch_rule`, if any."""

    @property
    def name(self) -> str:
        """Full name, for instance "openai:gemini-2.5-flash"."""


def estimate(work: Workload, model: Named, prices: Prices | None = None) -> Estimate:
    """What a run will take, from its design; whole-session history is counted, the cache is not.

    Raises:
        UnknownNameError: there are prices, and none for this model.
    """
    likely, most = _taken(work, model, work.probe_steps), _taken(work, model, work.budget)
    if prices is None:
        return Estimate(likely, most)
    return priced(likely, most, prices, model.name)


def priced(likely: Usage, most: Usage, prices: Prices, model: str) -> Estimate:
    """An estimate with its cost.

    Raises:
        UnknownNameError: there is no price for the model.
    """
    price = prices.of(model)
    return Estimate(likely, most, price.cost(likely), price.cost(most), prices.currency, price.hour)


_SYSTEM_TOKENS = 450
"""The system prompt and the task."""


def _taken(work: Workload, model: Named, probe_steps: int) -> Usage:
    browsing = _episode(work, model, work.session_steps, items=0)
    probing = _episode(work, model, probe_steps, items=work.k)
    return _times(browsing, work.sessions) + _times(probing, work.probes)


def _episode(work: Workload, model: Named, steps: int, items: int) -> Usage:
    """All calls of one episode: each holds the task, all pages and replies so far, and one page picture."""
    earlier = steps * (steps - 1) // 2
    pages = (steps + earlier) * work.page_tokens + earlier * work.reply_tokens
    fixed = steps * (_SYSTEM_TOKENS + items * work.item_tokens)
    written = steps * work.reply_tokens
    images = steps * (items + 1)
    visual = images * rule_for(model)(*work.picture)
    return Usage(steps, images, visual, pages + fixed + written, written)


def _times(usage: Usage, count: int) -> Usage:
    parts = (usage.calls, usage.images, usage.visual_tokens, usage.text_tokens, usage.reply_tokens)
    return Usage(*(part * count for part in parts))


def _millions(tokens: int) -> str:
    return f"{tokens / 1e6:,.1f} million" if tokens >= 100_000 else f"{tokens:,}"
