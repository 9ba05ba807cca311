"""Stamping touches only the top rows of a JPEG that allows it, and falls back where it does not."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from recallreach.memory.check import sample_picture
from recallreach.memory.delivery.controls import encoded
from recallreach.memory.delivery.splice import with_new_top
from recallreach.memory.delivery.stamp import plate_for, stamped
from recallreach.memory.errors import PictureError
from recallreach.memory.pictures import decode


def photo(width: int = 150, height: int = 131, seed: int = 0) -> Image.Image:
    """A picture with grain, its sides no multiples of the block."""
    noise = np.random.default_rng(seed).normal(0, 3, (height, width, 3))
    plain = np.asarray(decode(sample_picture(seed, 200)))[:height, :width]
    return Image.fromarray((plain + noise).clip(0, 255).astype(np.uint8))


def saved(image: Image.Image, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", **{"quality": 90, "subsampling": 0} | options)
    return buffer.getvalue()


def black(top: Image.Image) -> None:
    top.paste(0, (0, 0, 20, 20))


@pytest.mark.parametrize("rows", [1, 2, 5])
@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_below_the_changed_rows_every_byte_stays(rows: int, mode: str) -> None:
    before = saved(photo().convert(mode), restart_marker_rows=rows)
    after = with_new_top(before, 20, black)
    assert after is not None
    one, two = np.asarray(decode(before), int), np.asarray(decode(after), int)
    changed = 8 * rows * -(-20 // (8 * rows))
    assert one.shape == two.shape
    assert np.array_equal(one[changed:], two[changed:])
    assert np.abs(one - two)[:changed, 32:].max() <= 4
    assert two[:20, :20].max() < 40
    assert before[-200:] == after[-200:]
    assert before[:100] == after[:100]


def test_fill_bytes_before_the_end_stay() -> None:
    plain = encoded(photo())
    filled = plain[:-2] + b"\xff" * 5000 + plain[-2:]
    after = with_new_top(filled, 20, black)
    assert after is not None
    assert after.endswith(b"\xff" * 5000 + b"\xff\xd9")


def _other_tables() -> bytes:
    return saved(photo(), optimize=True, restart_marker_rows=1)


def _rotated() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    return saved(photo(), exif=exif, restart_marker_rows=1)


@pytest.mark.parametrize(
    "picture",
    [
        b"",
        b"no picture",
        b"\xff\xd8",
        b"\xff\xd8\xff",
        saved(photo()),
        saved(photo(), restart_marker_blocks=5),
        saved(photo(), subsampling=2, restart_marker_rows=1),
        saved(photo(), progressive=True, restart_marker_rows=1),
        saved(photo().convert("CMYK"), restart_marker_rows=1),
        _other_tables(),
        _rotated(),
        encoded(photo())[:3000],
        encoded(photo())[:-2],
        encoded(photo(height=16)),
        sample_picture(0),
    ],
    ids=lambda picture: f"{len(picture)} bytes",
)
def test_pictures_that_do_not_allow_it_are_left_to_the_plain_way(picture: bytes) -> None:
    assert with_new_top(picture, 20, black) is None


def test_every_cut_of_a_file_is_refused_or_decodes() -> None:
    whole = encoded(photo())
    for end in range(0, len(whole), 97):
        made = with_new_top(whole[:end], 20, black)
        assert made is None or decode(made).size == (150, 131)


def test_a_file_cut_short_is_an_error_and_no_grey_picture() -> None:
    whole = encoded(photo())
    for end in (30, 700, len(whole) // 2, len(whole) * 9 // 10):
        with pytest.raises(PictureError, match="cannot be decoded"):
            stamped(whole[:end], "M1")


def test_a_stamp_spliced_in_looks_like_one_drawn_in() -> None:
    image = photo(seed=4)
    plate = plate_for("M3", image.size)
    spliced = np.asarray(decode(stamped(encoded(image), "M3").data), int)
    drawn = decode(encoded(image))
    drawn.paste(plate, (0, 0))
    assert np.abs(spliced - np.asarray(decode(encoded(drawn)), int)).max() <= 24


def test_a_png_stays_lossless_but_for_its_plate() -> None:
    before = sample_picture(2, 128)
    part = stamped(before, "M1")
    plate = plate_for("M1", (128, 128))
    one, two = np.asarray(decode(before)), np.asarray(decode(part.data))
    assert part.media_type == "image/png"
    assert np.array_equal(two[: plate.height, : plate.width], np.asarray(plate))
    changed = (one != two).any(2)
    changed[: plate.height, : plate.width] = False
    assert not changed.any()


def test_a_grey_jpeg_gets_its_stamp_and_stays_grey() -> None:
    grey = saved(photo().convert("L"), restart_marker_rows=1)
    part = stamped(grey, "M1")
    with Image.open(io.BytesIO(part.data)) as image:
        assert image.mode == "L"
    corner = np.asarray(decode(part.data), int)[:12, :12]
    assert corner.min() < 40
    assert corner.max() > 200


def test_whatever_bytes_a_file_has_it_is_changed_or_left_and_never_breaks() -> None:
    whole, random = encoded(photo(80, 64)), np.random.default_rng(0)
    for _ in range(400):
        damaged = bytearray(whole)
        for place in random.integers(0, 700, 3):
            damaged[place] = random.integers(256)
        made = with_new_top(bytes(damaged), 20, black)
        assert made is None or made[:2] == b"\xff\xd8"
