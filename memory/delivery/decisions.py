"""The three decisions of a delivery: D1 modality, D2 identity, D3 time (DeliverMem, arXiv 2609.32590)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from recallreach.errors import DataError
from recallreach.memory.errors import PictureError
from recallreach.memory.types import Record, Retrieved

_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True, slots=True)
class Modality:
    """D1: what stands for an item: its pixels, a proxy text, or both.

    Attributes:
        pixels: deliver the stored picture.
        proxy: deliver url, title and the caption, or the page text of systems that keep no caption.
        text_limit: characters of caption or page text; longer ones end in an ellipsis.
    """

    pixels: bool = True
    proxy: bool = True
    text_limit: int = 600

    def proxy_text(self, record: Record) -> str:
        """The proxy of a record on one line, or "" when this modality has none."""
        if not self.proxy:
            return ""
        body = shortened(record.caption or record.text, self.text_limit)
        head = " | ".join(filter(None, [record.url, " ".join(record.title.split())]))
        return ": ".join(filter(None, [head, body]))

    def picture(self, hit: Retrieved) -> bytes | None:
        """The picture to deliver, or None when there is none or this modality withholds it.

        Raises:
            PictureError: the record has a picture, but the hit does not carry its bytes.
        """
        if not self.pixels:
            return None
        if hit.picture is None and hit.record.picture is not None:
            raise PictureError(f"record {hit.record.id} lost its picture {hit.record.picture}")
        return hit.picture


@dataclass(frozen=True, slots=True)
class Identity:
    """D2: the name of an item, M1 to Mk by relevance rank.

    Attributes:
        stamped: write the tag into the top-left corner of the delivered copy.
        stated: write the tag on the item's line.
    """

    stamped: bool = True
    stated: bool = True

    def tag(self, rank: int) -> str:
        """The tag of the item at a rank, from 0; "" when items are not named."""
        return f"M{rank + 1}" if self.stamped or self.stated else ""

    def rule(self, pixels: bool) -> str:
        """The sentence that explains tags once, before the first item; "" when items are not named."""
        if not self.tag(0):
            return ""
        places = []
        if self.stated:
            places.append("on its line")
        if self.stamped and pixels:
            places.append("in the top-left corner of its picture")
        shown = f", shown {' and '.join(places)}" if places else ""
        return f"Each item has a tag, M1 for the most relevant{shown}."


@dataclass(frozen=True, slots=True)
class Time:
    """D3: when an item was seen.

    Attributes:
        stated: write the record's own date on its line, as in "[2024/05/11 (Sat) 19:33]".
    """

    stated: bool = True

    def stamp(self, record: Record) -> str:
        """The date of a record, or "" when it has none or dates are not stated.

        Raises:
            DataError: `seen_at` is not ISO 8601.
        """
        if not self.stated or not record.seen_at:
            return ""
        moment = _moment(record)
        return f"[{moment:%Y/%m/%d} ({_WEEKDAYS[moment.weekday()]}) {moment:%H:%M}]"


def _moment(record: Record) -> datetime:
    try:
        return datetime.fromisoformat(record.seen_at)
    except ValueError as error:
        raise DataError(
            f"record {record.id} was seen at {record.seen_at!r}, which is not ISO 8601"
        ) from error


def shortened(text: str, limit: int) -> str:
    """Text with white space folded, cut at a word where it is longer than `limit` characters."""
    folded = " ".join(text.split())
    if len(folded) <= limit:
        return folded
    head = folded[: limit - 1]
    return (head.rsplit(" ", 1)[0] or head) + "…"
