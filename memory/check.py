"""Public contract checkers of memory: for our own tests and for plug-in authors.

Each builds two fresh instances, drives them alike, and raises `ContractError` with the first broken promise.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from PIL import Image, ImageDraw

from recallreach.errors import RecallReachError
from recallreach.files import sha256
from recallreach.memory.errors import CaptionError
from recallreach.memory.parts import Parts, embedded_parts
from recallreach.memory.types import (
    Captioner,
    Delivered,
    Delivery,
    Encoder,
    Experience,
    ImagePart,
    MemorySystem,
    Query,
    Record,
    Retrieved,
    TextEncoder,
    TextPart,
    Vectors,
)

QUERY = Query("Find the product whose picture also showed a red ceramic mug.", "/")


class ContractError(RecallReachError):
    """A part that breaks a promise of its contract."""


def require_members(part: object, contract: type) -> None:
    """Refuse a part that lacks methods or attributes of its contract, naming all of them.

    Raises:
        ContractError: something is missing.
    """
    methods = [name for name, value in vars(contract).items() if callable(value) and _promised(name)]
    attributes = [name for name in (*vars(contract), *contract.__annotations__) if _promised(name)]
    missing = [
        f"{name}()" if name in methods else name
        for name in dict.fromkeys([*attributes, *methods])
        if not hasattr(part, name) or (name in methods and not callable(getattr(part, name)))
    ]
    where = f"{contract.__module__}.{contract.__name__}"
    lacking = f"{type(part).__name__} lacks {', '.join(missing)}; {where} says what each has to do"
    _require(not missing, lacking)


def _promised(name: str) -> bool:
    return name == "__len__" or not name.startswith("_")


def check_memory(factory: Callable[[Parts], MemorySystem], parts: Parts | None = None) -> None:
    """Check a memory system.

    Args:
        factory: builds a fresh, empty system from parts, as a study does; called several times. The class
            itself will do.
        parts: what to build from; None takes the embedded ones.

    Raises:
        ContractError: names, an empty bank, order, ties, k, duplicates, missing pictures, failed captions,
            determinism, read-only retrieval or the independence of forks are not as `MemorySystem` promises.
    """
    given = embedded_parts() if parts is None else parts

    def fresh() -> MemorySystem:
        return factory(given)

    require_members(fresh(), MemorySystem)
    _check_names(fresh())
    _check_empty(fresh())
    views = sample_experiences()
    first, second = _written(fresh(), views), _written(fresh(), views)
    answer = _trace(first)
    _require(answer == _trace(first), "retrieve changes what the next retrieve returns")
    _require(answer == _trace(second), "two fresh instances given the same views answer differently")
    for k in (0, 1, 3, len(first) + 10):
        _check_hits(first, k)
    _check_duplicates(fresh(), views[0])
    _check_missing_picture(fresh(), views)
    _check_failed_caption(factory, given, views)
    _check_fork(fresh, views)


def check_delivery(factory: Callable[[], Delivery]) -> None:
    """Check a delivery: deterministic, pure, binds each image to its own line, and copes with k = 0.

    Raises:
        ContractError: a promise of `Delivery` is broken.
    """
    delivery = factory()
    require_members(delivery, Delivery)
    _require(bool(getattr(delivery, "name", "")), "a delivery needs a name")
    _require(isinstance(delivery.deliver(QUERY, []), Delivered), "deliver does not return a Delivered")
    hits = sample_hits()
    before = [_fingerprint(hit) for hit in hits]
    delivered = delivery.deliver(QUERY, hits)
    _require([_fingerprint(hit) for hit in hits] == before, "deliver changes the hits it is given")
    _require(delivered == factory().deliver(QUERY, hits), "two deliveries of the same hits differ")
    _check_binding(delivered)
    known = {hit.record.id for hit in hits}
    _require({item.record_id for item in delivered.items} <= known, "an item belongs to no hit")
    tags = [item.tag.casefold() for item in delivered.items if item.tag]
    _require(len(tags) == len(set(tags)), "two items share a tag")


def check_text_encoder(factory: Callable[[], TextEncoder], texts: Sequence[str] = ()) -> None:
    """Check an encoder of texts: shape, type, length 1 or 0, determinism, independence of batch and order.

    Args:
        factory: builds the encoder.
        texts: texts of your own to try besides the built-in ones.

    Raises:
        ContractError: a promise of `TextEncoder` is broken.
    """
    encoder = factory()
    require_members(encoder, TextEncoder)
    samples = [
        "a red ceramic mug",
        "",
        "naïve café №5",
        "word " * 300,
        "purple eye sleep mask on a shelf",
        *texts,
    ]
    _check_rows(encoder.encode_texts, samples, encoder.dimension, zero_allowed=True)
    _same(encoder.encode_texts(samples), factory().encode_texts(samples), "two fresh encoders")


def check_encoder(factory: Callable[[], Encoder], texts: Sequence[str] = ()) -> None:
    """Check an encoder of pictures and texts, as `check_text_encoder` does for texts.

    Raises:
        ContractError: a promise of `Encoder` is broken.
    """
    require_members(factory(), Encoder)
    check_text_encoder(factory, texts)
    encoder = factory()
    pictures = [sample_picture(seed, size) for seed, size in ((0, 64), (1, 64), (2, 97), (3, 200))]
    _check_rows(encoder.encode_images, pictures, encoder.dimension, zero_allowed=False)
    _same(encoder.encode_images(pictures), factory().encode_images(pictures), "two fresh encoders")


def check_captioner(factory: Callable[[], Captioner]) -> None:
    """Check a captioner: a name, a text that is not blank, and the same one from two fresh instances.

    Raises:
        ContractError: a promise of `Captioner` is broken.
    """
    captioner, picture = factory(), sample_picture(0, 128)
    require_members(captioner, Captioner)
    _require(bool(getattr(captioner, "name", "")), "a captioner needs a name")
    caption = captioner.caption(picture)
    _require(bool(caption.strip()), "a caption is blank; a captioner without an answer raises CaptionError")
    _require(caption == factory().caption(picture), "two fresh captioners describe one picture differently")
    try:
        text = captioner.caption(b"no picture")
    except RecallReachError:
        return
    raise ContractError(f"bytes that are no picture are described as {text[:80]!r}; that must be an error")


def sample_picture(seed: int, size: int = 64) -> bytes:
    """A small PNG: a coloured disc on a coloured ground, different for each seed."""
    rng = np.random.default_rng(seed)
    ground, disc = (tuple(int(value) for value in rng.integers(0, 256, 3)) for _ in range(2))
    image = Image.new("RGB", (size, size), ground)
    ImageDraw.Draw(image).ellipse((size // 4, size // 4, size // 2, size // 2), fill=disc)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def sample_experiences(count: int = 8) -> list[Experience]:
    """Views of product pages with pictures, with a listing page between every two sessions."""
    views = []
    for index in range(count):
        session = index // 3
        text = f"Lumen Chair No. {index}\nA chair of the {index}th kind.\n$ {100 + index}.00"
        view = (f"/product/{index:08x}", f"Lumen Chair No. {index}", text, sample_picture(index))
        views.append(Experience(*view, session, index % 3, f"2024-05-{11 + session:02d}T19:{index:02d}:00"))
    views.insert(3, Experience("/category/chair", "Chairs", "All chairs", None, 1, 0, "2024-05-12T19:00:00"))
    return views


def sample_hits(count: int = 3) -> list[Retrieved]:
    """Hits as a system with pictures and captions returns them; the last has neither picture nor caption."""
    hits = []
    for index in range(count):
        picture = None if index == count - 1 else sample_picture(index, 128)
        caption = "" if picture is None else f"A photograph of chair {index}."
        key = None if picture is None else sha256(picture)
        record = Record(
            index,
            f"/product/{index:08x}",
            f"Chair {index}",
            "Page text.",
            key,
            0,
            index,
            "2024-05-11T19:33:00",
            caption,
        )
        hits.append(Retrieved(record, 1.0 - index / 10, {}, picture))
    return hits


def _require(holds: bool, broken: str) -> None:
    if not holds:
        raise ContractError(broken)


def _written(system: MemorySystem, views: Sequence[Experience]) -> MemorySystem:
    session = views[0].session
    for view in views:
        if view.session != session:
            system.end_session()
            session = view.session
        system.write(view)
    system.end_session()
    return system


def _trace(system: MemorySystem) -> list[tuple[Record, float]]:
    return [(hit.record, hit.score) for hit in system.retrieve(QUERY, len(system) + 1)]


def _state(system: MemorySystem) -> tuple[int, list[tuple[Record, float]]]:
    return len(system), _trace(system)


def _check_names(system: MemorySystem) -> None:
    _require(bool(getattr(system, "name", "")), "a memory system needs a name")
    stated = getattr(system, "default_delivery", "")
    _require(bool(stated), "a memory system states its default_delivery")


def _check_empty(system: MemorySystem) -> None:
    _require(len(system) == 0, "a fresh system is not empty")
    _require(system.retrieve(QUERY, 5) == [], "an empty system retrieves something")
    system.end_session()
    _require(len(system.fork()) == 0, "a fork of an empty system is not empty")


def _check_hits(system: MemorySystem, k: int) -> None:
    hits = system.retrieve(QUERY, k)
    limit = len(system) if k and getattr(system, "ignores_k", False) else k
    _require(len(hits) <= limit, f"retrieve returns {len(hits)} hits for k = {k}")
    ids = [hit.record.id for hit in hits]
    _require(len(set(ids)) == len(ids), "one record is returned twice")
    order = [(-hit.score, hit.record.id) for hit in hits]
    _require(order == sorted(order), "hits are not best first with ties to the older record")
    for hit in hits:
        named = hit.record.picture
        delivered = None if hit.picture is None else sha256(hit.picture)
        _require(
            delivered == named, f"record {hit.record.id} names picture {named}, its hit carries {delivered}"
        )


def _check_duplicates(system: MemorySystem, view: Experience) -> None:
    for _ in range(3):
        system.write(view)
    hits = system.retrieve(QUERY, 3)
    ids = [hit.record.id for hit in hits]
    _require(len(ids) == len(set(ids)), "duplicate views come back as one record twice")
    if len({hit.score for hit in hits}) == 1:
        _require(ids == sorted(ids), "equal views do not come back oldest first")


def _check_missing_picture(system: MemorySystem, views: Sequence[Experience]) -> None:
    bare = [Experience(v.url, v.title, v.text, None, v.session, v.step, v.seen_at) for v in views]
    _written(system, bare)
    hits = system.retrieve(QUERY, len(views))
    _require(all(hit.picture is None for hit in hits), "a view without a picture comes back with one")


class _Refusing:
    """A captioner that fails on one picture."""

    def __init__(self, inner: Captioner, picture: bytes | None) -> None:
        self._inner, self._picture = inner, picture
        self.name = f"{inner.name}, failing once"

    def caption(self, picture: bytes) -> str:
        if picture == self._picture:
            raise CaptionError("the captioner gave no text")
        return self._inner.caption(picture)


def _check_failed_caption(
    factory: Callable[[Parts], MemorySystem], parts: Parts, views: Sequence[Experience]
) -> None:
    bad = 1
    system = factory(replace(parts, captioner=_Refusing(parts.captioner, views[bad].picture)))
    system.write(views[0])
    before = len(system)
    try:
        system.write(views[bad])
    except CaptionError:
        _require(len(system) == before, "a view whose caption failed was stored")
        others = [view for number, view in enumerate(views) if number != bad]
        went_on, without = _written(system, others[1:]), _written(factory(parts), others)
        _require(_trace(went_on) == _trace(without), "a view whose caption failed left something behind")


def _check_fork(factory: Callable[[], MemorySystem], views: Sequence[Experience]) -> None:
    half = len(views) // 2
    trunk = _written(factory(), views[:half])
    twin, frozen = trunk.fork(), trunk.fork()
    at_fork = _state(trunk)
    _written(trunk, views[half:])
    _require(_state(twin) == at_fork, "a fork sees what its origin wrote after the fork")
    _written(twin, views[:1])
    _require(_state(frozen) == at_fork, "a fork sees what another fork wrote")
    _require(_state(trunk) == _state(_written(factory(), views)), "writes to a fork change its origin")
    replayed = _written(factory(), views[:half])
    _require(
        _state(twin) == _state(_written(replayed, views[:1])),
        "a fork continues unlike a system that was replayed",
    )


def _check_binding(delivered: Delivered) -> None:
    parts = list(delivered.parts)
    for item in delivered.items:
        own = next(
            (i for i, part in enumerate(parts) if isinstance(part, TextPart) and part.text == item.text), None
        )
        _require(own is not None, f"the line of record {item.record_id} is not among the parts")
        assert own is not None
        after = parts[own + 1] if own + 1 < len(parts) else None
        image = after if isinstance(after, ImagePart) else None
        _require(image == item.image, f"the picture of record {item.record_id} does not follow its own line")
        del parts[: own + 1]


def _check_rows(
    encode: Callable[[Sequence[str]], Vectors] | Callable[[Sequence[bytes]], Vectors],
    items: Sequence[str] | Sequence[bytes],
    dimension: int,
    *,
    zero_allowed: bool,
) -> None:
    run: Callable[[Sequence[object]], Vectors] = encode  # type: ignore[assignment]
    rows = run(items)
    _require(rows.shape == (len(items), dimension), f"expected {(len(items), dimension)}, got {rows.shape}")
    _require(rows.dtype == np.float32, f"rows are {rows.dtype}, not float32")
    _require(bool(np.isfinite(rows).all()), "a row is not finite")
    lengths = np.linalg.norm(rows, axis=1)
    unit = np.isclose(lengths, 1.0, atol=1e-4)
    _require(bool((unit | (zero_allowed & (lengths == 0))).all()), f"rows have lengths {lengths}, not 1")
    _require(run([]).shape == (0, dimension), "an empty batch does not give (0, dimension)")
    _same(rows[::-1], run(list(reversed(items))), "another order")
    _same(rows, np.concatenate([run([item]) for item in items]), "batches of one")


def _same(rows: Vectors, others: Vectors, what: str) -> None:
    _require(bool(np.allclose(rows, others, atol=1e-5)), f"rows change with {what}")


def _fingerprint(hit: Retrieved) -> tuple[Record, float, dict[str, float], str | None]:
    return hit.record, hit.score, dict(hit.channels), None if hit.picture is None else sha256(hit.picture)
