"""Public contract checker of agents: for our own tests and for plug-in authors."""

from __future__ import annotations

import io
from collections.abc import Callable

from PIL import Image

from recallreach.agents.costs import image_part
from recallreach.agents.types import Agent, Turn
from recallreach.env.types import Link, Observation
from recallreach.memory.check import ContractError, require_members
from recallreach.memory.types import Delivered, DeliveredItem, TextPart

GOAL = "Look at our Chairs and find the product whose picture also showed a red ceramic mug."


def check_agent(factory: Callable[[], Agent], *, goal: str = GOAL) -> None:
    """Check an agent.

    Args:
        factory: builds a fresh agent; called several times. Its model, if any, must answer the same to the
            same.
        goal: the instruction to begin with, for agents that need one of their own.

    Raises:
        ContractError: a turn without text or with a negative cost; replies that differ between two fresh
            agents with one seed, or between a fresh agent and one that has begun again (its context was not
            wiped).
    """
    require_members(factory(), Agent)
    _require(bool(factory().name), "an agent needs a name")
    for delivered in (None, Delivered(), sample_delivered()):
        used = factory()
        first = _episode(used, goal, 1, delivered)
        _require(first == _episode(factory(), goal, 1, delivered), "two fresh agents with one seed differ")
        _episode(used, goal, 2, delivered)
        _require(first == _episode(used, goal, 1, delivered), "begin does not wipe what was there before")


def _episode(agent: Agent, goal: str, seed: int, delivered: Delivered | None) -> list[str]:
    agent.begin(goal, seed)
    turns = [agent.act(observation, delivered) for observation in sample_observations()]
    for turn in turns:
        _check_turn(turn)
    return [turn.reply for turn in turns]


def _check_turn(turn: Turn) -> None:
    usage = turn.usage
    numbers = (usage.calls, usage.images, usage.visual_tokens, usage.text_tokens, usage.seconds)
    _require(bool(turn.reply.strip()), "a reply has no text; a model without an answer is a ModelError")
    _require(min(numbers) >= 0, f"a cost is negative: {usage}")


def sample_observations() -> list[Observation]:
    """A short walk: home, category, collection, product with picture, a page that does not exist, home."""
    home = Link(0, "Home", "/", "home")
    category = Link(1, "Chairs", "/category/chair", "category")
    collection = Link(2, "Quiet chairs", "/collection/chair-quiet", "collection")
    products = tuple(
        Link(2 + n, f"Quiet Chair No. {n}", f"/product/0000000{n}", "product") for n in (1, 2, 3)
    )
    pages = [
        Observation("/", "Shop", "Welcome.", (home, category)),
        Observation("/category/chair", "Chairs", "All our chairs.", (home, category, collection)),
        Observation("/collection/chair-quiet", "Quiet chairs", "3 pieces", (home, category, *products)),
        Observation(
            "/product/00000001", "Quiet Chair No. 1", "Quiet Chair No. 1\n$120.00", (home,), _picture()
        ),
        Observation("/product/0000000f", "Not found", "", (), message="There is no such page."),
        Observation("/", "Shop", "Welcome.", (home, category)),
    ]
    return [_counted(page, step, len(pages)) for step, page in enumerate(pages)]


def sample_delivered() -> Delivered:
    """Two items with tags, the second with a picture."""
    image = image_part(_picture())
    items = (
        DeliveredItem("M1", "/product/00000002", 0, "M1 a white chair"),
        DeliveredItem("M2", "/product/00000001", 1, "M2 a chair with a red ceramic mug on it", image),
    )
    return Delivered((TextPart(items[0].text), TextPart(items[1].text), image), items)


def _counted(page: Observation, step: int, budget: int) -> Observation:
    facts = (page.url, page.title, page.text, page.links, page.picture, page.screenshot)
    return Observation(*facts, step=step, budget=budget, message=page.message)


def _picture() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (64, 64), (140, 151, 156)).save(buffer, "PNG")
    return buffer.getvalue()


def _require(condition: bool, promise: str) -> None:
    if not condition:
        raise ContractError(promise)
