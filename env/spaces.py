"""The declared spaces of `StoreEnv` and the way a typed observation enters them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import BytesIO
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from PIL import Image

from recallreach.env.shared_texts import PageText
from recallreach.env.types import Link, Observation

REPLY_LENGTH = 20_000
MOST_STEPS = 10_000
PICTURE_SHAPE = (512, 512, 3)
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

_RANGES: Final = (
    (0x0A, 0x0A),
    (0x20, 0x7E),
    (0xA0, 0x24F),
    (0x370, 0x52F),
    (0x2000, 0x206F),
    (0x20A0, 0x20CF),
    (0x2190, 0x21FF),
    (0x25A0, 0x26FF),
    (0xFFFD, 0xFFFD),
)
CHARSET = frozenset(chr(code) for first, last in _RANGES for code in range(first, last + 1))
_UNDECLARED = re.compile("[^" + "".join(f"\\u{first:04x}-\\u{last:04x}" for first, last in _RANGES) + "]")
_LENGTHS = {"goal": 2_000, "url": 4_000, "title": 1_000, "text": 40_000, "links": 40_000, "message": 2_000}


def action_space() -> spaces.Text:
    """A reply: ReAct text or a bare action."""
    return spaces.Text(REPLY_LENGTH, min_length=0, charset=CHARSET)


def observation_space(*, pixels: bool) -> spaces.Dict:
    """Texts, step and budget; with `pixels` also the product picture as (512, 512, 3) uint8, black where
    there is none."""
    entries: dict[str, spaces.Space[Any]] = {
        name: PageText(length, min_length=0, charset=CHARSET) for name, length in _LENGTHS.items()
    }
    entries["step"] = spaces.Discrete(MOST_STEPS + 1)
    entries["budget"] = spaces.Discrete(MOST_STEPS + 1)
    if pixels:
        entries["picture"] = spaces.Box(0, 255, PICTURE_SHAPE, np.uint8)
    return spaces.Dict(entries)


def as_dict(observation: Observation, goal: str, *, pixels: bool) -> dict[str, Any]:
    """The observation as an element of `observation_space`.

    Text beyond the declared lengths is cut; characters outside the declared set become U+FFFD. The typed
    `Observation` in `info` is never cut.
    """
    texts: Mapping[str, str] = {
        "goal": goal,
        "url": observation.url,
        "title": observation.title,
        "text": observation.text,
        "links": link_lines(observation.links),
        "message": observation.message,
    }
    entries: dict[str, Any] = {name: _projected(text, _LENGTHS[name]) for name, text in texts.items()}
    entries["step"], entries["budget"] = np.int64(observation.step), np.int64(observation.budget)
    if pixels:
        entries["picture"] = picture_array(observation.picture)
    return entries


def link_lines(links: tuple[Link, ...]) -> str:
    """The numbered links as text, one a line: `[3] Lumen Chair No. 47 -> /product/0a1b2c3d (product)`."""
    return "\n".join(f"[{link.index}] {link.label} -> {link.href} ({link.kind})" for link in links)


def picture_array(picture: bytes | None) -> NDArray[np.uint8]:
    """The decoded picture in the declared shape; black where there is none."""
    if picture is None:
        return np.zeros(PICTURE_SHAPE, np.uint8)
    with Image.open(BytesIO(picture)) as image:
        rgb = image.convert("RGB")
    if rgb.size != PICTURE_SHAPE[1::-1]:
        rgb = rgb.resize(PICTURE_SHAPE[1::-1], Image.Resampling.LANCZOS)
    return np.asarray(rgb, np.uint8)


def _projected(text: str, length: int) -> str:
    cut = text[:length]
    if cut.isascii() and cut.isprintable():
        return cut
    return _UNDECLARED.sub(REPLACEMENT, cut)
