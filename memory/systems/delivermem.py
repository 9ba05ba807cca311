"""DeliverMem as one fixed configuration: 2 x 2 tiles to retrieve, pixels, tags and dates to deliver.

Source: "Retrieved but Not Delivered" (arXiv 2609.32590). Its parts are there one by one: the tiles as an
option of `dualmem`, the decisions of delivery in `recallreach.memory.delivery`.
"""

from __future__ import annotations

from typing import ClassVar

from recallreach.memory.parts import Parts
from recallreach.memory.systems.dualmem import DualMem


class DeliverMem(DualMem):
    """DualMem over 2 x 2 tiles (alpha 0.75), delivered by `delivermem`; it has no options on purpose.

    Args:
        parts: encoder (visual), text encoder (verbal) and captioner.
    """

    name: ClassVar[str] = "delivermem"
    default_delivery: ClassVar[str] = "delivermem"

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts, tiles=2)
