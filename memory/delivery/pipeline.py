"""A delivery as a pipeline of its three decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recallreach.memory.delivery.decisions import Identity, Modality, Time
from recallreach.memory.delivery.stamp import as_part, stamped
from recallreach.memory.types import Delivered, DeliveredItem, ImagePart, Part, Query, Retrieved, TextPart


@dataclass(frozen=True, slots=True)
class Pipeline:
    """D1 modality, D2 identity and D3 time over the retrieved list, in relevance order.

    Each item is one text part and, right after it, its own picture; a heading before the first item states
    the rules once. Nothing retrieved delivers nothing. Pure: records, pictures and vectors stay as they are.
    """

    name: str
    modality: Modality
    identity: Identity
    time: Time

    def deliver(self, query: Query, hits: Sequence[Retrieved]) -> Delivered:
        """Turn hits into what the agent reads.

        Raises:
            PictureError: a picture is lost or cannot be decoded.
        """
        items = tuple(self._item(rank, hit) for rank, hit in enumerate(hits))
        parts: list[Part] = [TextPart(self._heading(items))] if items else []
        for item in items:
            parts.append(TextPart(item.text))
            if item.image is not None:
                parts.append(item.image)
        return Delivered(tuple(parts), items)

    def _heading(self, items: tuple[DeliveredItem, ...]) -> str:
        pixels = any(item.image is not None for item in items)
        sentences = [
            f"Memory found {len(items)} {'item' if len(items) == 1 else 'items'}, most relevant first."
        ]
        sentences.append(self.identity.rule(pixels))
        sentences.append("Each picture follows the line of its item." if pixels else "")
        sentences.append("Dates in brackets say when the item was seen." if self.time.stated else "")
        return " ".join(filter(None, sentences))

    def _item(self, rank: int, hit: Retrieved) -> DeliveredItem:
        tag = self.identity.tag(rank)
        fields = [
            tag if self.identity.stated else "",
            self.time.stamp(hit.record),
            self.modality.proxy_text(hit.record),
            hit.note if self.modality.proxy else "",
        ]
        text = " ".join(filter(None, fields)) or "(item)"
        return DeliveredItem(tag, hit.record.url, hit.record.id, text, self._image(tag, hit))

    def _image(self, tag: str, hit: Retrieved) -> ImagePart | None:
        picture = self.modality.picture(hit)
        if picture is None:
            return None
        return stamped(picture, tag) if tag and self.identity.stamped else as_part(picture)


@dataclass(frozen=True, slots=True)
class Nothing:
    """Delivers nothing, whatever was retrieved."""

    name: str = "nothing"

    def deliver(self, query: Query, hits: Sequence[Retrieved]) -> Delivered:
        """Always empty."""
        return Delivered()
