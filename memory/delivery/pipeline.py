"""A delivery as a pipeline of its three decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recallreach.memory.delivery.controls import Counterparts, stand_in
from recallreach.memory.delivery.decisions import WITHHELD, Identity, Modality, Name, Time, draws
from recallreach.memory.delivery.stamp import as_part, stamped
from recallreach.memory.types import Delivered, DeliveredItem, ImagePart, Part, Query, Retrieved, TextPart


@dataclass(frozen=True, slots=True)
class Pipeline:
    """D1 modality, D2 identity and D3 time over the retrieved list, in relevance order.

    Each item is one text part and, right after it, its own picture; a heading before the first item states
    the rules once. Nothing retrieved delivers nothing. Pure: records, pictures and vectors stay as they are.

    Attributes:
        name: what users type.
        modality, identity, time: the decisions.
        seed: decides the draws of controls.
        counterparts: pictures of the shop, for the controls that need them.
    """

    name: str
    modality: Modality
    identity: Identity
    time: Time
    seed: int = 0
    counterparts: Counterparts | None = None

    def with_counterparts(self, counterparts: Counterparts) -> Pipeline:
        """The same delivery with pictures of a shop at hand."""
        return replace(self, counterparts=counterparts)

    def deliver(self, query: Query, hits: Sequence[Retrieved]) -> Delivered:
        """Turn hits into what the agent reads.

        Raises:
            PictureError: a picture is lost or cannot be decoded.
            ConfigError: a control needs pictures of the shop, and there are none.
            DataError: a date is not ISO 8601, or the shop has no picture that a control needs.
        """
        names = self.identity.names(len(hits), draws(self.seed, "identity", query, hits))
        records = [hit.record for hit in hits]
        dates = self.time.stamps(records, draws(self.seed, "time", query, hits))
        avoid = {record.url for record in records}
        items = tuple(
            self._item(hit, name, date, avoid) for hit, name, date in zip(hits, names, dates, strict=True)
        )
        parts: list[Part] = [TextPart(self._heading(hits))] if items else []
        for item in items:
            parts.append(TextPart(item.text))
            if item.image is not None:
                parts.append(item.image)
        return Delivered(tuple(parts), items)

    def _heading(self, hits: Sequence[Retrieved]) -> str:
        pixels = any(self.modality.slot(hit) is not None for hit in hits)
        sentences = [
            f"Memory found {len(hits)} {'item' if len(hits) == 1 else 'items'}, most relevant first.",
            self.identity.rule(pixels),
            "Each picture follows the line of its item." if pixels else "",
            self.time.rule(),
        ]
        return " ".join(filter(None, sentences))

    def _item(self, hit: Retrieved, name: Name, date: str, avoid: set[str]) -> DeliveredItem:
        slot, kind = self.modality.slot(hit), self.modality.pictures
        withheld = slot is not None and kind == "withheld"
        fields = [name.stated, date, self.modality.proxy_text(hit), WITHHELD if withheld else ""]
        image = None
        if slot is not None and not withheld:
            shown = stand_in(kind, slot, hit.record.url, avoid, self.counterparts, self.seed)
            image = _part(shown, name.stamped)
        control = "" if slot is None or kind == "own" else kind
        text = " ".join(filter(None, fields)) or "(item)"
        return DeliveredItem(name.tag, hit.record.url, hit.record.id, text, image, control)


def _part(picture: bytes, tag: str) -> ImagePart:
    return stamped(picture, tag) if tag else as_part(picture)


@dataclass(frozen=True, slots=True)
class Nothing:
    """Delivers nothing, whatever was retrieved."""

    name: str = "nothing"

    def deliver(self, query: Query, hits: Sequence[Retrieved]) -> Delivered:
        """Always empty."""
        return Delivered()
