"""L1, the fingerprints: hashes of a product's own cue, whole or cut, in what is served for that product."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from recallreach.storefront.types import Cue

SURE = 10
"""Hexadecimal digits of a hash that one product alone makes a finding of."""

SHORT, FEWEST = 6, 3
"""A shorter prefix counts from this many digits, when at least this many products show it the same way."""

_HEX = re.compile(r"[0-9a-f]{6,}")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{10,}")
_NUMBER = re.compile(r"\d{6,}")
ALGORITHMS = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "blake2b", "blake2s")


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A hash of a cue that stands in a channel.

    Attributes:
        recipe: what was hashed and how, for instance "sha1 of the phrase".
        products: products that show it.
        example: (product, matched text) of the first.
    """

    recipe: str
    products: int
    example: tuple[str, str]


def fingerprints(texts: Mapping[str, Iterable[str]], cues: Mapping[str, Cue]) -> list[Fingerprint]:
    """Hashes of each product's own cue in its own texts.

    Args:
        texts: what one channel said for each product id.
        cues: the ground truth by product id.

    Returns:
        One entry a recipe, the one most products show first. The chance that random digits give one is about
        one in a thousand for a catalogue of a thousand products.
    """
    found: dict[str, dict[str, tuple[int, str]]] = defaultdict(dict)
    for product, said in texts.items():
        for recipe, digits, matched in _own(" ".join(said), cues[product]):
            if digits > found[recipe].get(product, (0, ""))[0]:
                found[recipe][product] = (digits, matched)
    rows = []
    for recipe, shown in found.items():
        if len(shown) >= FEWEST or max(digits for digits, _ in shown.values()) >= SURE:
            product, (_, matched) = next(iter(shown.items()))
            rows.append(Fingerprint(recipe, len(shown), (product, matched)))
    return sorted(rows, key=lambda row: -row.products)


def _own(text: str, cue: Cue) -> Iterable[tuple[str, int, str]]:
    """(recipe, hexadecimal digits that agree, text) of every hash of this cue."""
    runs = " ".join(_HEX.findall(text.lower()))
    tokens = " ".join(_BASE64.findall(text))
    numbers = set(_NUMBER.findall(text))
    if not (runs or tokens or numbers):
        return
    for hashed in _hashes(cue):
        if hashed.digits[:SHORT] in runs:
            longest = _common(runs, hashed.digits)
            yield hashed.recipe, longest, hashed.digits[:longest]
        for form in hashed.base64:
            if form in tokens:
                yield f"{hashed.recipe}, in base64", SURE, form
        if hashed.number in numbers:
            yield f"{hashed.recipe}, in decimal", SURE, hashed.number


@dataclass(frozen=True, slots=True)
class _Hash:
    recipe: str
    digits: str
    base64: tuple[str, ...]
    number: str


@functools.lru_cache(maxsize=4096)
def _hashes(cue: Cue) -> tuple[_Hash, ...]:
    return tuple(
        _Hash(f"{name} of {what}", digest.hex(), _base64_starts(digest), _number(digest))
        for what, said in _spoken(cue)
        for name, digest in _digests(said)
    )


def _base64_starts(digest: bytes) -> tuple[str, ...]:
    """The first ten base64 digits, plain and as addresses write them; none for a hash too short for that."""
    plain = base64.b64encode(digest).decode().rstrip("=")[:SURE]
    if len(plain) < SURE:
        return ()
    return tuple({plain: None, plain.translate(str.maketrans("+/", "-_")): None})


def _number(digest: bytes) -> str:
    return str(int.from_bytes(digest[:8], "big"))


def _common(runs: str, digest: str) -> int:
    """Length of the longest prefix of `digest` that stands in `runs`."""
    size = SHORT
    while size < len(digest) and digest[: size + 1] in runs:
        size += 1
    return size


def _spoken(cue: Cue) -> list[tuple[str, str]]:
    both = {
        "phrase": cue.phrase,
        "phrase with hyphens": cue.phrase.replace(" ", "-"),
        "phrase with underscores": cue.phrase.replace(" ", "_"),
        "colour:object": f"{cue.color}:{cue.object}",
        "object:colour": f"{cue.object}:{cue.color}",
        "object::colour": f"{cue.object}::{cue.color}",
        "object, colour": f"{cue.object} {cue.color}",
        "slug, colour": f"{cue.slug}-{cue.color}",
        "colour, slug": f"{cue.color}-{cue.slug}",
        "object": cue.object,
        "colour": cue.color,
        "slug": cue.slug,
    }
    return list(both.items())


def _digests(said: str) -> Iterable[tuple[str, bytes]]:
    raw = said.encode()
    for name in ALGORITHMS:
        yield name, hashlib.new(name, raw).digest()
    yield "crc32", zlib.crc32(raw).to_bytes(4, "big")
    yield "adler32", zlib.adler32(raw).to_bytes(4, "big")
