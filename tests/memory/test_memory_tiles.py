"""Tile retrieval and the caches that systems share."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
import pytest
from PIL import Image

from recallreach.errors import ConfigError
from recallreach.memory.bank import Bank
from recallreach.memory.check import sample_picture
from recallreach.memory.errors import CaptionError, VectorError
from recallreach.memory.parts import CachedCaptioner, CachedEncoder, embedded_parts
from recallreach.memory.pictures import decode
from recallreach.memory.systems.dualmem import DualMem
from recallreach.memory.tiles import TiledChannel, cut, tile_boxes
from recallreach.memory.types import Experience, Query, Vectors


class Redness:
    """A picture's share of pure red pixels as an angle to (1, 0); every text is (1, 0)."""

    name, dimension = "redness", 2

    def __init__(self) -> None:
        self.seen: list[bytes] = []

    def encode_images(self, pictures: Sequence[bytes]) -> Vectors:
        self.seen += pictures
        shares = [float((np.asarray(decode(one)) == (255, 0, 0)).all(axis=2).mean()) for one in pictures]
        return np.array([[share, np.sqrt(1 - share**2)] for share in shares], np.float32).reshape(-1, 2)

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        return np.tile(np.array([1, 0], np.float32), (len(texts), 1))


def _spotted(left: int, top: int, side: int = 30) -> bytes:
    image = Image.new("RGB", (90, 90), "grey")
    image.paste((255, 0, 0), (left, top, left + side, top + side))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def test_tiles_overlap_by_half_and_cover_the_frame() -> None:
    assert tile_boxes(1) == [(0, 0, 1, 1)]
    np.testing.assert_allclose(
        tile_boxes(2),
        [(0, 0, 2 / 3, 2 / 3), (1 / 3, 0, 1, 2 / 3), (0, 1 / 3, 2 / 3, 1), (1 / 3, 1 / 3, 1, 1)],
    )
    for grid, side in ((3, 1 / 2), (4, 2 / 5)):
        boxes = tile_boxes(grid)
        assert len(boxes) == grid**2
        assert boxes[0][2] == pytest.approx(side)
        assert boxes[-1][2:] == pytest.approx((1, 1))
        assert boxes[1][0] == pytest.approx(side / 2)


def test_pieces_are_cut_without_loss() -> None:
    picture = sample_picture(0, 90)
    piece = cut(picture, [tile_boxes(2)[3]])[0]
    assert np.array_equal(np.asarray(decode(piece)), np.asarray(decode(picture))[30:, 30:])


def test_the_best_tile_counts_and_is_kept() -> None:
    channel = TiledChannel(Redness(), 2)
    bank = Bank()
    for spot in ((60, 0), (0, 60)):
        bank.append(Experience("/", "", "", None, 0, 0), channel.vectors(_spotted(*spot)))
    scores, winners = channel.score(bank, np.array([1, 0], np.float32))
    np.testing.assert_allclose(scores, [0.25, 0.25], atol=1e-6)
    assert winners.tolist() == [1, 2]
    assert channel.present(bank).tolist() == [True, True]


def test_a_grid_of_one_embeds_the_picture_as_it_is() -> None:
    encoder = Redness()
    TiledChannel(encoder, 1).vectors(_spotted(0, 0))
    assert encoder.seen == [_spotted(0, 0)]
    with pytest.raises(ConfigError, match="1 to 4 a side, got 5"):
        TiledChannel(encoder, 5)


def test_dualmem_with_tiles_says_which_part_matched() -> None:
    parts = embedded_parts()
    tiled = DualMem(type(parts)(Redness(), parts.text_encoder, parts.captioner), alpha=1.0, tiles=2)
    for spot in ((60, 60, 20), (60, 0, 30)):
        tiled.write(Experience("/p", "", "", _spotted(*spot), 0, 0))
    hits = tiled.retrieve(Query("red"), 2)
    assert [hit.record.id for hit in hits] == [1, 0]
    assert [hit.tile for hit in hits] == [tile_boxes(2)[1], tile_boxes(2)[3]]
    assert hits[0].channels["visual"] == pytest.approx(0.25)


def test_each_picture_and_text_is_encoded_once() -> None:
    inner = Redness()
    cached = CachedEncoder(inner)
    first, second = _spotted(0, 0), _spotted(30, 30, 60)
    rows = cached.encode_images([first, second, first])
    again = cached.encode_images([second, first])
    assert inner.seen == [first, second]
    assert np.array_equal(rows[[1, 0]], again)
    assert np.array_equal(rows[0], rows[2])
    assert cached.encode_images([]).shape == (0, 2)


def test_an_encoder_that_changes_its_dimension_is_refused() -> None:
    class Growing(Redness):
        def encode_texts(self, texts: Sequence[str]) -> Vectors:
            return np.ones((len(texts), 3), np.float32)

    with pytest.raises(VectorError, match=r"dimension 2 gave \(1, 3\)"):
        CachedEncoder(Growing()).encode_texts(["a"])


def test_captions_are_made_once_and_blank_ones_never_kept() -> None:
    class Counting:
        name = "counting"
        answers = iter([" ", "A chair. ", "another"])

        def caption(self, picture: bytes) -> str:
            return next(self.answers)

    captioner = CachedCaptioner(Counting())
    with pytest.raises(CaptionError, match="'counting' returned no text"):
        captioner.caption(b"x")
    assert [captioner.caption(b"x"), captioner.caption(b"x")] == ["A chair.", "A chair."]
