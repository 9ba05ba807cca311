"""Tile retrieval: overlapping tiles of the frame, each embedded like a frame, best tile counts.

Source: the retrieval side of DeliverMem (arXiv 2609.32590). A small object fills more of a tile than of the
frame.
"""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recallreach.errors import ConfigError
from recallreach.memory.bank import Bank
from recallreach.memory.pictures import decode
from recallreach.memory.retrieval import Scores
from recallreach.memory.types import Box, Encoder, Vectors

OVERLAP = 0.5
LARGEST_GRID = 4


def tile_boxes(grid: int, overlap: float = OVERLAP) -> list[Box]:
    """The tiles of a grid x grid cover, row by row.

    Args:
        grid: tiles a side, from 1 (the whole frame).
        overlap: share of a tile's side that it has in common with its neighbour, 0 to below 1.

    Returns:
        (left, top, right, bottom) each, as shares of the frame.
    """
    side = 1.0 / (grid - (grid - 1) * overlap)
    starts = [index * side * (1.0 - overlap) for index in range(grid)]
    return [(left, top, left + side, top + side) for top in starts for left in starts]


@dataclass(frozen=True)
class TiledChannel:
    """The visual channel of a bank, at one granularity: one vector a tile, kept as one bank channel a tile.

    Attributes:
        encoder: any encoder of pictures.
        grid: tiles a side, 1 to 4; at 1 the picture itself is embedded, as it is.
        channel: name of the channel; its tiles are `<channel>/0`, `<channel>/1`, ...
    """

    encoder: Encoder
    grid: int = 1
    channel: str = "visual"

    def __post_init__(self) -> None:
        if not 1 <= self.grid <= LARGEST_GRID:
            raise ConfigError(f"tiles are 1 to {LARGEST_GRID} a side, got {self.grid}")

    def vectors(self, picture: bytes) -> dict[str, Vectors | None]:
        """What to append to a bank for one picture."""
        rows = self.encoder.encode_images(self._tiles(picture))
        return dict(zip(self._names, rows, strict=True))

    def score(self, bank: Bank, query: Vectors) -> tuple[Scores, NDArray[np.intp]]:
        """Scores (n,) and the winning tile (n,) of each record; among equals the first tile wins."""
        by_tile = np.stack([bank.cosine(name, query) for name in self._names])
        return by_tile.max(axis=0), by_tile.argmax(axis=0)

    def present(self, bank: Bank) -> NDArray[np.bool_]:
        """(n,) which records have a picture in this channel."""
        return bank.present(self._names[0])

    def box(self, tile: int) -> Box:
        """Where a tile lies."""
        return tile_boxes(self.grid)[tile]

    @property
    def _names(self) -> list[str]:
        return [f"{self.channel}/{index}" for index in range(self.grid**2)]

    def _tiles(self, picture: bytes) -> list[bytes]:
        return [picture] if self.grid == 1 else cut(picture, tile_boxes(self.grid))


def cut(picture: bytes, boxes: list[Box]) -> list[bytes]:
    """Pieces of a picture, lossless.

    Raises:
        PictureError: the bytes cannot be decoded.
    """
    image = decode(picture)
    pieces = []
    for left, top, right, bottom in boxes:
        corners = (round(left * image.width), round(top * image.height))
        far = (
            max(corners[0] + 1, round(right * image.width)),
            max(corners[1] + 1, round(bottom * image.height)),
        )
        buffer = io.BytesIO()
        image.crop((*corners, *far)).save(buffer, "PNG", compress_level=1)
        pieces.append(buffer.getvalue())
    return pieces
