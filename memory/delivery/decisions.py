"""The three decisions of a delivery: D1 modality, D2 identity, D3 time (DeliverMem, arXiv 2609.32590).

Each decides for the whole list of hits at once, so that its controls (shuffled tags, ordinal dates) can be
drawn over all items. Draws depend on the delivery's seed, the question and the records only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import numpy as np

from recallreach.errors import DataError
from recallreach.memory.delivery.controls import Pictures
from recallreach.memory.errors import PictureError
from recallreach.memory.types import Query, Record, Retrieved
from recallreach.seeding import stream

Tags = Literal["both", "stated", "stamped", "none", "constant", "shuffled"]
Dates = Literal["stated", "none", "ordinal", "shuffled"]

CONSTANT_TAG = "M0"
WITHHELD = "(picture withheld)"
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True, slots=True)
class Modality:
    """D1: what stands for an item: its pixels, a proxy text, or both.

    Attributes:
        pixels: deliver a picture.
        proxy: deliver url, title and the caption, or the page text of systems that keep no caption.
        pictures: which picture: the item's own, or a control. "withheld" leaves the slot without a picture
            and says so on the line.
        text_limit: characters of caption or page text; longer ones end in an ellipsis.
    """

    pixels: bool = True
    proxy: bool = True
    pictures: Pictures = "own"
    text_limit: int = 600

    def proxy_text(self, hit: Retrieved) -> str:
        """The proxy of a hit on one line, with the system's note, or "" when this modality has none."""
        if not self.proxy:
            return ""
        record = hit.record
        body = shortened(record.caption or record.text, self.text_limit)
        head = " | ".join(filter(None, [record.url, " ".join(record.title.split())]))
        return " ".join(filter(None, [": ".join(filter(None, [head, body])), hit.note]))

    def slot(self, hit: Retrieved) -> bytes | None:
        """The stored picture that the item's slot is made from, or None when it has no slot.

        Raises:
            PictureError: the record has a picture, but the hit does not carry its bytes.
        """
        if not self.pixels:
            return None
        if hit.picture is None and hit.record.picture is not None:
            raise PictureError(f"record {hit.record.id} lost its picture {hit.record.picture}")
        return hit.picture


@dataclass(frozen=True, slots=True)
class Name:
    """How one item is named.

    Attributes:
        tag: what addresses it, as in `open(M2)`; "" where nothing does.
        stated: what its line says.
        stamped: what its picture bears.
    """

    tag: str
    stated: str
    stamped: str


@dataclass(frozen=True, slots=True)
class Identity:
    """D2: the name of an item, M1 to Mk by relevance rank.

    Attributes:
        tags: "both" states the tag on the item's line and stamps it into the delivered copy; "stated" and
            "stamped" do one of them; "none" neither. Controls: "constant" gives every item M0, which
            addresses none; "shuffled" stamps each picture with the tag of another item, while lines and
            addresses stay right.
    """

    tags: Tags = "both"

    def names(self, count: int, random: np.random.Generator) -> list[Name]:
        """The names of `count` items in order of rank."""
        own = [f"M{rank + 1}" for rank in range(count)]
        match self.tags:
            case "both":
                return [Name(tag, tag, tag) for tag in own]
            case "stated":
                return [Name(tag, tag, "") for tag in own]
            case "stamped":
                return [Name(tag, "", tag) for tag in own]
            case "none":
                return [Name("", "", "") for _ in own]
            case "constant":
                return [Name("", CONSTANT_TAG, CONSTANT_TAG) for _ in own]
            case "shuffled":
                return [
                    Name(tag, tag, own[other])
                    for tag, other in zip(own, deranged(count, random), strict=True)
                ]

    def rule(self, pixels: bool) -> str:
        """The sentence that explains tags once, before the first item; "" when items are not named.

        The controls keep the sentence of what they are a control for.
        """
        if self.tags == "none":
            return ""
        places = ["on its line"] if self.tags != "stamped" else []
        if self.tags != "stated" and pixels:
            places.append("in the top-left corner of its picture")
        shown = f", shown {' and '.join(places)}" if places else ""
        return f"Each item has a tag, M1 for the most relevant{shown}."


@dataclass(frozen=True, slots=True)
class Time:
    """D3: when an item was seen.

    Attributes:
        dates: "stated" writes the record's own date on its line, as in "[2024/05/11 (Sat) 19:33]"; "none"
            does not. Controls: "ordinal" writes only the place in time, "[seen 2 of 5]"; "shuffled" gives
            each dated item the date of another.
    """

    dates: Dates = "stated"

    def stamps(self, records: Sequence[Record], random: np.random.Generator) -> list[str]:
        """The date of each record, "" for one without a date or where dates are not told.

        Raises:
            DataError: `seen_at` is not ISO 8601.
        """
        if self.dates == "none":
            return ["" for _ in records]
        moments = [_moment(record) for record in records]
        if self.dates == "ordinal":
            return _ordinals(moments)
        dated = [index for index, moment in enumerate(moments) if moment]
        source = dict(zip(dated, dated, strict=True))
        if self.dates == "shuffled":
            source = {dated[place]: dated[other] for place, other in enumerate(deranged(len(dated), random))}
        return [_written(moments[source[index]]) if index in source else "" for index in range(len(records))]

    def rule(self) -> str:
        """The sentence that explains what is in brackets; "" when nothing is."""
        return {
            "none": "",
            "ordinal": "Numbers in brackets say in which order the items were seen.",
        }.get(self.dates, "Dates in brackets say when the item was seen.")


def draws(seed: int, decision: str, query: Query, hits: Sequence[Retrieved]) -> np.random.Generator:
    """The random stream of one decision for one question and its hits."""
    return stream(seed, "delivery", decision, query.text, *(hit.record.id for hit in hits))


def deranged(count: int, random: np.random.Generator) -> list[int]:
    """A random permutation without a fixed place: one cycle through all; of a single item, itself."""
    order = [int(place) for place in random.permutation(count)]
    following = dict(zip(order, order[1:] + order[:1], strict=True))
    return [following[place] for place in range(count)]


def shortened(text: str, limit: int) -> str:
    """Text with white space folded, cut at a word where it is longer than `limit` characters."""
    folded = " ".join(text.split())
    if len(folded) <= limit:
        return folded
    head = folded[: limit - 1]
    return (head.rsplit(" ", 1)[0] or head) + "…"


def _moment(record: Record) -> datetime | None:
    if not record.seen_at:
        return None
    try:
        return datetime.fromisoformat(record.seen_at)
    except ValueError as error:
        raise DataError(
            f"record {record.id} was seen at {record.seen_at!r}, which is not ISO 8601"
        ) from error


def _written(moment: datetime | None) -> str:
    return f"[{moment:%Y/%m/%d} ({_WEEKDAYS[moment.weekday()]}) {moment:%H:%M}]" if moment else ""


def _ordinals(moments: Sequence[datetime | None]) -> list[str]:
    known = sorted({moment for moment in moments if moment})
    return [f"[seen {known.index(moment) + 1} of {len(known)}]" if moment else "" for moment in moments]
