"""Reading a probe's trace: which items were delivered, what of the target survived, what a thought names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from recallreach.agents.cue import CuePhrase, named, read_cue
from recallreach.env.actions import product_id_of

Naming = Literal["tag", "place", "address", "cue"]

_ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_THING = r"(?:memory |delivered |retrieved )?(?:item|picture|image|photo|entry|result|memory|product|one)\b"
_MENTION = re.compile(
    rf"\bM(?P<tag>\d+)\b"
    rf"|\b(?P<word>{'|'.join(_ORDINALS)}) {_THING}"
    rf"|\b(?P<count>\d+)(?:st|nd|rd|th) {_THING}"
    rf"|\b(?:item|picture|image|photo|entry|result) (?:no\. ?|number |#)?(?P<number>\d+)\b"
    rf"|/product/(?P<product>[0-9a-f]{{8}})",
    re.IGNORECASE,
)
_DISMISSED = re.compile(
    r"\b(?:not|nor|than|unlike|over|instead of|except|isn't)\W*(?:in|the|by|to)?\W*$", re.I
)
_SEEING = re.compile(
    r"\b(?:shows?|showing|showed|sees?|saw|seen|visible|contains?|depicts?|displays?|features?|has|there is"
    r"|there's|with|next to|beside|lying|sitting|standing|hanging)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:no|not|none|nothing|neither|never|cannot|without|guess|unclear|unsure|maybe|might)\b|n't\b"
    r"|\b(?:looking for|search(?:ing)? for|find|asked|task|need|want)\b",
    re.IGNORECASE,
)
_DATE = re.compile(r"\[(?:\d{4}/\d\d/\d\d \(\w{3}\) \d\d:\d\d|seen \d+ of \d+)\]")


@dataclass(frozen=True, slots=True)
class Item:
    """One delivered item as the trace tells it.

    Attributes:
        place: position in the delivery, from 0.
        tag: what addresses it ("M2"), or "".
        url: its page.
        product: id of that page's product, or None.
        line: its text part.
        own_picture: whether its own picture was delivered.
    """

    place: int
    tag: str
    url: str
    product: str | None
    line: str
    own_picture: bool

    @property
    def dated(self) -> bool:
        """Whether its line says when it was seen."""
        return _DATE.search(self.line) is not None


@dataclass(frozen=True, slots=True)
class Named:
    """What a thought names: the item (None where it speaks of the cue alone) and how."""

    item: Item | None
    by: Naming


def items_of(trace: Mapping[str, Any]) -> list[Item]:
    """The delivered items in order, each with its own line."""
    lines = [part["text"] for part in trace["delivered"] if part["kind"] == "text"]
    offset = len(lines) - len(trace["items"])
    return [
        Item(
            place,
            item["tag"],
            item["url"],
            product_id_of(item["url"]),
            lines[offset + place] if offset >= 0 else "",
            bool(item["image"]) and not item.get("control", ""),
        )
        for place, item in enumerate(trace["items"])
    ]


def items_of_product(items: Sequence[Item], product: str) -> list[Item]:
    """Those that are views of one product's page."""
    return [item for item in items if item.product == product]


def cue_phrase(phrase: str) -> CuePhrase:
    """The colour and the object of a probe's phrase."""
    return read_cue(f'"{phrase}"') or CuePhrase("", tuple(phrase.casefold().split()))


def names_cue(text: str, cue: CuePhrase) -> bool:
    """Whether a text names both the colour and the object of a cue."""
    color, share = named(cue, text)
    return share > 0 and (color or not cue.color)


def named_in(thought: str, items: Sequence[Item], cue: CuePhrase) -> Named | None:
    """The item that a thought names last (by tag, place or address), or the cue that it says it sees.

    "M2, not M1" names M2. A sentence that denies, doubts or only repeats the task does not count as seeing.
    """
    found = [
        mention
        for match in _MENTION.finditer(thought)
        if not _DISMISSED.search(thought[: match.start()]) and (mention := _mention(match, items))
    ]
    if found:
        return found[-1]
    sentences = re.split(r"(?<=[.!?;])\s+|\n", thought)
    seen = any(names_cue(one, cue) and _SEEING.search(one) and not _DENIED.search(one) for one in sentences)
    return Named(None, "cue") if seen else None


def _mention(match: re.Match[str], items: Sequence[Item]) -> Named | None:
    if match["tag"]:
        tag = f"m{int(match['tag'])}"
        return next((Named(item, "tag") for item in items if item.tag.casefold() == tag), None)
    if match["product"]:
        product = match["product"].lower()
        return next((Named(item, "address") for item in items if item.product == product), None)
    word, number = match["word"], match["count"] or match["number"]
    place = _ORDINALS.index(word.lower()) if word else int(number) - 1
    return Named(items[place], "place") if 0 <= place < len(items) else None
