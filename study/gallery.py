"""A few probes of each system, right and wrong, as a reader wants to see them."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recallreach.env.actions import parse_reply
from recallreach.seeding import stream
from recallreach.study.pictures import RunPictures
from recallreach.study.store import ResultStore, Unit
from recallreach.study.thumbnails import thumbnail

PER_VERDICT = 2
"""Probes shown per system and verdict."""
LONGEST_TEXT = 280


@dataclass(frozen=True, slots=True)
class Shown:
    """One delivered item: its tag, its line, and its picture as a data URI ("" without one)."""

    tag: str
    text: str
    picture: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What the agent thought and did."""

    thought: str
    action: str
    message: str


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One probe of the gallery; all text is raw and must be escaped by the template."""

    unit: Unit
    goal: str
    items: tuple[Shown, ...]
    turns: tuple[Turn, ...]
    chosen: str
    wanted: str

    @property
    def pictured(self) -> bool:
        """Whether any delivered item came with its picture."""
        return any(item.picture for item in self.items)


def pick(units: Sequence[Unit], seed: int, most: int = PER_VERDICT) -> list[Unit]:
    """At most so many right and wrong probes of one system: a seeded choice, different reaches first."""
    found = []
    for correct in (True, False):
        fitting = [unit for unit in units if unit.ok and unit.correct is correct]
        found += _spread(fitting, seed)[:most]
    return found


def _spread(units: Sequence[Unit], seed: int) -> list[Unit]:
    order = stream(seed, "gallery").permutation(len(units))
    queues: dict[int, list[Unit]] = {}
    for index in order:
        queues.setdefault(units[index].reach, []).append(units[index])
    by_turn = [(turn, -reach, unit) for reach, queue in queues.items() for turn, unit in enumerate(queue)]
    return [unit for _, _, unit in sorted(by_turn, key=lambda entry: entry[:2])]


def exhibit(store: ResultStore, kept: RunPictures, unit: Unit) -> Exhibit:
    """Everything the gallery shows of one unit."""
    trace = store.trace(unit.key)
    pictures = trace["pictures"]
    return Exhibit(
        unit=unit,
        goal=trace["goal"],
        items=tuple(_items(kept, trace)),
        turns=tuple(_turn(turn) for turn in trace["turns"]),
        chosen=_small(kept, pictures.get(unit.answer or "", "")),
        wanted=_small(kept, pictures.get(unit.target, "")),
    )


def _items(kept: RunPictures, trace: Mapping[str, Any]) -> list[Shown]:
    """The delivered items with the text part that stands before each picture."""
    lines = [part["text"] for part in trace["delivered"] if part["kind"] == "text"]
    offset = len(lines) - len(trace["items"])
    return [
        Shown(
            item["tag"],
            _short(lines[offset + number]) if offset >= 0 else "",
            _small(kept, item["image"]),
        )
        for number, item in enumerate(trace["items"])
    ]


def _small(kept: RunPictures, digest: str) -> str:
    picture = kept.get(digest)
    return data_uri(thumbnail(picture)) if picture else ""


def _turn(turn: Mapping[str, Any]) -> Turn:
    return Turn(_short(parse_reply(turn["reply"]).thought), turn["asked"], turn["message"])


def _short(text: str) -> str:
    folded = " ".join(text.split())
    return folded if len(folded) <= LONGEST_TEXT else f"{folded[:LONGEST_TEXT].rstrip()} ..."


def data_uri(data: bytes | None, media_type: str = "image/jpeg") -> str:
    """Bytes as a data URI, or "" for None."""
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}" if data else ""
