"""A small real shop without art: plain pictures, an eye that knows them by heart, memories made for tests."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pytest
from flask import Flask, request
from PIL import Image
from werkzeug.serving import make_server

from recallreach.agents.loops import browse
from recallreach.agents.shopper import ScriptedShopper
from recallreach.env.store_env import StoreEnv
from recallreach.env.transports import InProcessTransport
from recallreach.env.types import Probe, SessionPlan, Trajectory
from recallreach.files import sha256
from recallreach.memory.types import Experience, Query, Record, Retrieved
from recallreach.seeding import stream
from recallreach.storefront.app import create_app
from recallreach.storefront.catalog import Catalog, Category, Collection
from recallreach.storefront.types import Cue, Product

COLORS = ("red", "orange", "yellow", "green", "blue", "purple", "brown", "beige", "white", "black")
OBJECTS = (
    "eye sleep mask",
    "tennis ball",
    "alarm clock",
    "hourglass",
    "wool scarf",
    "denim jacket",
    "plush teddy",
)
OBJECTS += ("ceramic mug", "knit socks", "brass key", "straw hat", "paper fan")
NAMES = {"chair": "Chairs", "plant-pot": "Plant pots", "table-lamp": "Table lamps"}
STYLES = ("modern", "rustic", "nordic", "baroque")


class PlainPictures:
    """A flat picture of a colour of its own for every product."""

    media_type = "image/png"

    def picture(self, product_id: str) -> bytes:
        return _png(tuple(stream(0, "picture", product_id).integers(0, 256, 3)), int(product_id, 16))

    def base(self, product_id: str) -> bytes:
        return _png((128, 128, 128), 0)


def _png(color: Sequence[int], mark: int) -> bytes:
    image = Image.new("RGB", (56, 84), tuple(int(part) for part in color))
    for bit in range(32):
        image.putpixel((bit, 0), (255, 255, 255) if mark >> bit & 1 else (0, 0, 0))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


class Blobs(dict[str, bytes]):
    """Pictures by SHA-256."""

    def put(self, picture: bytes) -> str:
        self[sha256(picture)] = picture
        return sha256(picture)

    def get(self, key: str) -> bytes:  # type: ignore[override]
        return self[key]


class KnowingEye:
    """Log odds +4 for the phrase of the product in the picture, -4 for every other."""

    def __init__(self, phrases: dict[str, str]) -> None:
        self._phrases = phrases
        self.looks = 0

    def score(self, picture: bytes, phrases: Sequence[str]) -> np.ndarray:
        self.looks += 1
        shown = self._phrases.get(sha256(picture))
        return np.array([4.0 if phrase == shown else -4.0 for phrase in phrases], np.float32)


class ListMemory:
    """Keeps product pages in order; `choose` says which records a query returns."""

    name = "list"

    def __init__(self, choose: Callable[[list[Record], Query, int], list[Record]] | None = None) -> None:
        self._choose = choose or (lambda records, query, k: records[-k:][::-1])
        self.records: list[Record] = []
        self.pictures = Blobs()
        self.offered: list[Experience] = []
        self.sessions = 0
        self.queries: list[Query] = []

    def write(self, experience: Experience) -> None:
        self.offered.append(experience)
        if experience.picture is not None:
            key = self.pictures.put(experience.picture)
            facts = (experience.url, experience.title, experience.text, key)
            place = (experience.session, experience.step, experience.seen_at)
            self.records.append(Record(len(self.records), *facts, *place))

    def retrieve(self, query: Query, k: int) -> list[Retrieved]:
        self.queries.append(query)
        chosen = self._choose(self.records, query, k)
        return [
            Retrieved(record, 1.0 - rank / 10, {"rank": float(rank)}, self.pictures.get(record.picture or ""))
            for rank, record in enumerate(chosen)
        ]

    def end_session(self) -> None:
        self.sessions += 1

    def fork(self) -> Self:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self.records)


@dataclass
class World:
    """A shop, its ground truth, and everything that the loops need."""

    catalog: Catalog
    pictures: PlainPictures
    env: StoreEnv
    eye: KnowingEye

    def plan(self, seed: int, index: int = 0, budget: int | None = None) -> SessionPlan:
        rng = stream(seed, "plan", index)
        category = self.catalog.categories[int(rng.integers(len(self.catalog.categories)))]
        goal = f"Look for something new among our {category.name}. Compare several, keep the one you like."
        steps = int(rng.integers(22, 29)) if budget is None else budget
        return SessionPlan(0, index, category.slug, goal, steps, "2024-05-11T19:33:00")

    def session(self, seed: int, blobs: Blobs | None = None, **options: Any) -> Trajectory:
        store = Blobs() if blobs is None else blobs
        return browse(self.env, ScriptedShopper(), self.plan(seed, **options), seed=seed, pictures=store)

    def probe(self, product_id: str, **changes: Any) -> Probe:
        phrase = self.catalog.cue_of(product_id).phrase
        goal = f"Earlier you saw a product whose picture had a {phrase} in it. Find that product again."
        probe = Probe(f"c0-s0-{product_id}", 0, 0, product_id, phrase, goal, 0, 0, 8)
        return replace(probe, **changes)

    def answers(self) -> dict[str, str]:
        return {self.catalog.cue_of(product.id).phrase: f"/product/{product.id}" for product in self.catalog}


def make_catalog(seed: int = 0, categories: int = 3, styles: int = 4, variants: int = 10) -> Catalog:
    """A catalogue of plain data; `seed` changes ids, file names, prices and which cue is where."""
    departments = tuple(Category(slug, name, f"All our {name.lower()}.") for slug, name in NAMES.items())[
        :categories
    ]
    collections = tuple(
        Collection(
            f"{department.slug}-{style}",
            department.slug,
            style,
            f"{style.title()} {department.name}",
            "Calm.",
        )
        for department in departments
        for style in STYLES[:styles]
    )
    count = len(collections) * variants
    ids = [f"{number:08x}" for number in stream(seed, "id").choice(2**32, count, replace=False)]
    pairs = [Cue(name, color, name.replace(" ", "-")) for name in OBJECTS for color in COLORS]
    cues = tuple(pairs[i] for i in stream(seed, "cue").permutation(len(pairs))[:count])
    prices = stream(seed, "price").integers(2_000, 90_000, count)
    products = tuple(
        Product(
            ids[i],
            collections[i // variants].category,
            collections[i // variants].style,
            f"{collections[i // variants].name} No. {i}",
            int(prices[i]),
            i % variants,
            f"{ids[i]}.png",
            "Made to last.",
            (("Width", "60 cm"),),
            (("Ada", 4, "Does what it should."),),
        )
        for i in range(count)
    )
    return Catalog(seed, departments, collections, products, cues)


class RenamedPictures(PlainPictures):
    """The pictures of another shop, whose products had other ids."""

    def __init__(self, before: dict[str, str]) -> None:
        self._before = before

    def picture(self, product_id: str) -> bytes:
        return super().picture(self._before[product_id])


def renamed(world: World) -> tuple[World, dict[str, str]]:
    """The same shop, each product under the id that another one had; and the new ids by the old."""
    ids = [product.id for product in world.catalog]
    new = dict(zip(ids, [*ids[7:], *ids[:7]], strict=True))
    catalog = world.catalog
    products = tuple(replace(one, id=new[one.id], picture=f"{new[one.id]}.png") for one in catalog)
    cues = tuple(catalog.cue_of(one.id) for one in catalog)
    other = Catalog(catalog.seed, catalog.categories, catalog.collections, products, cues)
    return make_world(other, RenamedPictures({value: key for key, value in new.items()})), new


def make_world(catalog: Catalog, pictures: PlainPictures | None = None) -> World:
    pictures = pictures or PlainPictures()
    app = create_app(catalog, pictures)
    phrases = {sha256(pictures.picture(product.id)): catalog.cue_of(product.id).phrase for product in catalog}
    return World(catalog, pictures, StoreEnv(InProcessTransport(app)), KnowingEye(phrases))


def completion(content: str | None = "Thought: yes\nAction: done", **message: Any) -> dict[str, Any]:
    """The body of a whole answer."""
    said = {"role": "assistant", "content": content, **message}
    choice = {"index": 0, "finish_reason": "stop", "message": said}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "tiny", "choices": [choice]}


class ChatServer:
    """Answers chat requests over HTTP with what `reply` makes; keeps the requests and their headers."""

    completion = staticmethod(completion)

    def __init__(self) -> None:
        self.requests: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.reply: Any = completion
        app = Flask("faulty")
        app.add_url_rule("/v1/chat/completions", "chat", self._chat, methods=["POST"])
        self._http = make_server("127.0.0.1", 0, app, threaded=True)
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)

    def _chat(self) -> Any:
        self.requests.append(request.get_json())
        self.headers.append(dict(request.headers))
        return self.reply()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


@pytest.fixture
def chat_server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


@pytest.fixture(scope="session")
def world() -> World:
    return make_world(make_catalog())


@pytest.fixture(scope="session")
def build_world() -> Callable[..., World]:
    return lambda **options: make_world(make_catalog(**options))


@pytest.fixture(scope="session")
def permuted(world: World) -> tuple[World, dict[str, str]]:
    return renamed(world)


@pytest.fixture
def blobs() -> Blobs:
    return Blobs()


@pytest.fixture
def list_memory() -> type[ListMemory]:
    return ListMemory


@pytest.fixture
def gold_memory(world: World) -> Callable[..., ListMemory]:
    """A memory of one session that returns the product with the asked cue, at a given rank among others."""

    def build(rank: int = 2, seed: int = 3, shop: World = world) -> ListMemory:
        def choose(records: list[Record], query: Query, k: int) -> list[Record]:
            first = {record.url: record for record in reversed(records)}
            wanted = [url for phrase, url in shop.answers().items() if phrase in query.text]
            others = [record for url, record in sorted(first.items()) if url not in wanted][: k - 1]
            gold = [first[url] for url in wanted if url in first]
            return (others[:rank] + gold + others[rank:])[:k]

        memory, store = ListMemory(choose), Blobs()
        from recallreach.agents.loops import remember

        remember(memory, shop.session(seed, store), store)
        return memory

    return build
