"""A mock model with a known binding error: it sees the right picture and opens what stands one place off.

Only the tag in the picture tells it which item the picture belongs to, so that D2 must measure exactly that,
and attribution must call it by its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from recallreach.agents.loops import recall
from recallreach.agents.models.scripted import ScriptedModel
from recallreach.agents.react import PageImage, ReActAgent
from recallreach.agents.results import RecallResult
from recallreach.agents.types import Message
from recallreach.env.actions import product_id_of
from recallreach.env.probes import probe_goal
from recallreach.env.store_env import StoreEnv
from recallreach.env.transports import InProcessTransport
from recallreach.env.types import Probe
from recallreach.files import sha256
from recallreach.memory.check import sample_picture
from recallreach.memory.delivery import build_delivery
from recallreach.memory.delivery.controls import encoded
from recallreach.memory.delivery.stamp import plate_for
from recallreach.memory.pictures import decode
from recallreach.memory.types import Experience, ImagePart, Query, Record, Retrieved, TextPart
from recallreach.storefront.app import create_app
from recallreach.storefront.catalog import Catalog
from recallreach.study.decompose.attribution import failure_of
from recallreach.study.decompose.paired import mcnemar
from recallreach.study.events import Trace
from recallreach.study.store import Unit

MakeUnit = Callable[..., Unit]
ITEMS = 4
ORDINALS = ("first", "second", "third", "fourth")


class PlainPictures:
    """One simple picture a product."""

    media_type = "image/jpeg"

    def picture(self, product_id: str) -> bytes:
        return encoded(decode(sample_picture(int(product_id, 16), 256)))


class FirstItems:
    """Returns its first records, each with its picture."""

    name, default_delivery = "first", "delivermem"

    def __init__(self, products: Sequence[str]) -> None:
        self._pictures = [PlainPictures().picture(product) for product in products]
        self.bank = [
            Record(i, f"/product/{product}", "", "", sha256(self._pictures[i]), 0, i, "2024-05-11T19:33:00")
            for i, product in enumerate(products)
        ]

    def retrieve(self, query: Query, k: int) -> list[Retrieved]:
        return [Retrieved(record, 1.0, {}, self._pictures[record.id]) for record in self.bank][:k]

    def write(self, experience: Experience) -> None:
        """Its records are given."""

    def end_session(self) -> None:
        """Nothing to do."""

    def fork(self) -> FirstItems:
        return self

    def __len__(self) -> int:
        return len(self.bank)


def stamped_tag(picture: np.ndarray) -> str | None:
    """The tag in a picture's corner, read by comparing it with every plate."""
    distances = {}
    for number in range(ITEMS + 1):
        plate = np.asarray(plate_for(f"M{number}", (256, 256)), int)
        corner = picture[: plate.shape[0], : plate.shape[1]]
        distances[f"M{number}"] = float(np.abs(corner - plate).mean())
    best = min(distances, key=lambda tag: distances[tag])
    return best if distances[best] < 30 else None


def off_by_one(target: str) -> Callable[[Sequence[Message]], str]:
    """Sees which picture is the target's; opens its stamped tag, or else the item before it."""
    wanted = np.asarray(decode(PlainPictures().picture(target)), int)[32:]

    def reply(messages: Sequence[Message]) -> str:
        if len(messages) > 2:
            return "Thought: Here it is.\nAction: add_to_wishlist"
        parts = messages[1].parts
        images = [part for part in parts if isinstance(part, ImagePart) and not isinstance(part, PageImage)]
        shown = [np.asarray(decode(image.data), int) for image in images]
        place = next(i for i, pixels in enumerate(shown) if np.array_equal(pixels[32:], wanted))
        tag = stamped_tag(shown[place])
        if tag not in (None, "M0"):
            return f"Thought: {tag} shows the cue.\nAction: open({tag})"
        told = " ".join(part.text for part in parts[1:] if isinstance(part, TextPart))
        pages = list(dict.fromkeys(re.findall(r"/product/[0-9a-f]{8}", told)))
        page = pages[(place - 1) % len(pages)]
        return f'Thought: The {ORDINALS[place]} picture shows the cue.\nAction: navigate("{page}")'

    return reply


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog.synthetic(
        0, categories=("chair",), styles=("modern",), variants=ITEMS, objects=("ceramic-mug",)
    )


@pytest.fixture(scope="module")
def env(catalog: Catalog) -> StoreEnv:
    return StoreEnv(InProcessTransport(create_app(catalog, PlainPictures())))


@pytest.fixture
def ask(catalog: Catalog, env: StoreEnv, make_unit: MakeUnit) -> Callable[..., list[tuple[Unit, Any]]]:
    """All products asked for under one choice of tags: the unit and why it failed."""
    products = [product.id for product in catalog]

    def ask_all(tags: str) -> list[tuple[Unit, Any]]:
        found = []
        for place, target in enumerate(products):
            phrase = catalog.cue_of(target).phrase
            probe = Probe(f"c0-s0-{target}", 0, 0, target, phrase, probe_goal(phrase), 0, 0, 8)
            agent = ReActAgent(ScriptedModel(off_by_one(target)))
            delivery = build_delivery("delivermem", tags=tags)
            result = recall(env, agent, probe, FirstItems(products), delivery, k=ITEMS, seed=0)
            unit = _unit(make_unit, place, probe, result)
            found.append((unit, failure_of(unit, Trace(probe.goal, {}, result).to_json())))
        return found

    return ask_all


def _unit(make_unit: MakeUnit, place: int, probe: Probe, result: RecallResult) -> Unit:
    hits = [product_id_of(hit.url) for hit in result.retrieved]
    return make_unit(
        place,
        target=probe.target,
        phrase=probe.phrase,
        correct=bool(result.correct),
        answer=result.answer,
        rank=hits.index(probe.target) + 1,
    )


@pytest.mark.parametrize("tags", ["both", "stamped"])
def test_with_the_tag_in_the_picture_the_binding_error_cannot_happen(ask: Any, tags: str) -> None:
    assert [(unit.correct, failure) for unit, failure in ask(tags)] == [(True, None)] * ITEMS


@pytest.mark.parametrize("tags", ["stated", "constant", "none"])
def test_without_it_every_answer_is_a_neighbour_that_was_not_named(ask: Any, tags: str) -> None:
    found = ask(tags)
    assert not any(unit.correct for unit, _ in found)
    assert {(failure.kind, failure.by) for _, failure in found} == {("opened wrong", "place")}


def test_a_tag_of_another_item_misleads_in_reading_and_not_in_opening(ask: Any) -> None:
    found = ask("shuffled")
    assert not any(unit.correct for unit, _ in found)
    assert {failure.kind for _, failure in found} == {"misread"}


def test_d2_measures_the_error_and_nothing_else(ask: Any) -> None:
    arms = {tags: [unit.correct for unit, _ in ask(tags)] for tags in ("both", "stated")}
    only_first = sum(one and not two for one, two in zip(arms["both"], arms["stated"], strict=True))
    assert only_first == ITEMS
    assert mcnemar(only_first, 0) == 2 / 2**ITEMS
