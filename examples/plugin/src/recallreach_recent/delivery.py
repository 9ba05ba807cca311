"""A delivery that gives the agent titles and addresses, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from recallreach.memory.types import Delivered, DeliveredItem, Query, Retrieved, TextPart


class Headlines:
    """One line an item: tag, title and address."""

    name = "headlines"

    def deliver(self, query: Query, hits: Sequence[Retrieved]) -> Delivered:
        """Lines in order of relevance; pictures stay where they are."""
        items = tuple(
            DeliveredItem(
                f"M{rank}", hit.record.url, hit.record.id, f"M{rank}: {hit.record.title} at {hit.record.url}"
            )
            for rank, hit in enumerate(hits, start=1)
        )
        return Delivered(tuple(TextPart(item.text) for item in items), items)
