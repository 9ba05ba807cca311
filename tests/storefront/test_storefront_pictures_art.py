"""The committed layers: every cue object in every colour, and every furniture piece."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recallreach.errors import UnknownNameError
from recallreach.storefront.data import COLORS, shop_words
from recallreach.storefront.pictures.art import FRAME, Art, LayerCache, Sized
from recallreach.storefront.pictures.colors import (
    CUE_COLORS,
    LINEAR,
    backdrops,
    cue_color,
    linear,
    nearest_color,
    oklab,
    palette,
    seen_lab,
    srgb,
)
from recallreach.storefront.pictures.light import develop, grain_tile, tone_table
from recallreach.storefront.pictures.sheets import _wrapped, cue_sheet, furniture_sheet
from recallreach.storefront.pictures.sprites import make_sprite

LEAST_SHARE = 0.60
SHARE_EXCEPTIONS: dict[tuple[str, str], float] = {}
"""(object, colour) whose share of tint pixels nearest to their own colour may be lower, and how low."""

BORDER_COVERAGE = 16
"""Alpha of at most 1/16 may touch a sprite's border; more means the object was cut off."""

ART = Art()


@pytest.mark.parametrize("slug", ART.cues)
def test_tint_reads_as_its_own_colour(slug: str) -> None:
    sprite = make_sprite(ART.cue(slug), 0.017)
    assert sprite.tinted.sum() > 0.2 * sprite.mask.sum(), "too little of the object takes the colour"
    for index, color in enumerate(COLORS):
        light = sprite.light(cue_color(color)) / np.maximum(sprite.alpha, 1e-3)
        lab = oklab(LINEAR[develop(np.minimum(light, 3), (0, 0))][sprite.tinted])
        assert nearest_color(np.median(lab, axis=0)) == index, f"{color} {slug} reads as another colour"
        share = float((nearest_color(lab) == index).mean())
        assert share >= SHARE_EXCEPTIONS.get((slug, color), LEAST_SHARE), f"{color} {slug}: {share:.2f}"


@pytest.mark.parametrize("slug", ART.cues)
def test_object_is_not_cut_off(slug: str) -> None:
    alpha = ART.cue(slug).diffuse[..., 3]
    border = np.concatenate([alpha[0], alpha[-1], alpha[:, 0], alpha[:, -1]])
    assert border.max() <= BORDER_COVERAGE


@pytest.mark.parametrize(("category", "style"), ART.furniture)
def test_piece_can_carry_a_cue(category: str, style: str) -> None:
    piece = ART.piece(category, style)
    assert any(anchor.kind == "floor" for anchor in piece.anchors)
    assert len({anchor.name for anchor in piece.anchors}) == len(piece.anchors)
    for anchor in piece.anchors:
        assert 0 <= anchor.x <= FRAME
        assert 0 <= anchor.y <= FRAME
        assert min(anchor.width, anchor.height) > 0
        assert anchor.kind in {"seat", "shelf", "top", "floor", "wall"}


def test_every_asset_belongs_to_a_known_name() -> None:
    words = shop_words()
    assert {path.stem for path in (ART.folder / "cues").glob("*.json")} == set(ART.cues)
    assert all(
        category in words["categories"] and style in words["styles"] for category, style in ART.furniture
    )
    assert len(set(ART.cue_names.values())) == len(ART.cue_names) == 100


def test_every_style_has_ten_body_colours() -> None:
    for style in shop_words()["styles"]:
        assert len(set(palette(style).body)) >= 10
        assert palette(style).second
    with pytest.raises(UnknownNameError, match="modern"):
        palette("modem")


def test_named_colours_are_told_apart() -> None:
    lab = seen_lab()
    apart = np.linalg.norm(lab[:, None] - lab[None], axis=-1) + np.eye(len(COLORS))
    assert apart.min() > 0.13
    assert tuple(CUE_COLORS) == COLORS
    studio = oklab(linear(backdrops()))
    assert np.linalg.norm(studio[:, None] - lab[None], axis=-1).min() > 0.15


def test_linear_and_srgb_are_inverse() -> None:
    values = np.arange(256)
    assert np.array_equal(np.round(srgb(linear(values)) * 255), values)


def test_tone_curve_rises_and_never_clips() -> None:
    table = tone_table()
    assert (np.diff(table) >= 0).all()
    assert table[0] == 0
    assert 255 * 16 - 64 < table[-1] <= 255 * 16


def test_grain_is_the_only_noise() -> None:
    flat = np.full((3, 64, 64), 0.2, np.float32)
    pixels = develop(flat, (5, 9)).astype(int)
    assert np.ptp(pixels) <= 4
    assert np.array_equal(pixels[..., 0], pixels[..., 1])
    moved = develop(flat[:, 10:, 20:], (15, 29)).astype(int)
    assert np.array_equal(moved, pixels[10:, 20:])
    assert abs(float(grain_tile().mean())) < 0.1


class Block(Sized):
    """A stand-in of known weight."""

    def __init__(self, size: int) -> None:
        self.data = np.zeros(size, np.uint8)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 60)), max_size=60), st.integers(1, 120))
def test_layer_cache_keeps_its_bound(asked: list[tuple[int, int]], limit: int) -> None:
    cache = LayerCache(limit)
    sizes: dict[int, int] = {}
    for key, size in asked:
        sizes.setdefault(key, size)
        found = cache.get(key, lambda key=key: Block(sizes[key]))  # type: ignore[misc]
        assert found.nbytes == sizes[key]
        assert cache.held <= max(limit, sizes[key])


def test_layer_cache_loads_once_and_drops_the_oldest() -> None:
    cache, loaded = LayerCache(100), []

    def load(key: str) -> Block:
        return cache.get(key, lambda: loaded.append(key) or Block(40))  # type: ignore[func-returns-value]

    for key in ("a", "b", "a", "c", "a", "b"):
        load(key)
    assert loaded == ["a", "b", "c", "b"]


@pytest.mark.parametrize(
    ("label", "lines"),
    [
        ("satin ribbon bow", ["satin", "ribbon", "bow"]),
        ("tv remote", ["tv remote"]),
        ("lily-of-the-valley", ["lily-of-", "the-", "valley"]),
        ("eucalyptus sprig", ["eucalyptus", "sprig"]),
        ("", []),
    ],
)
def test_labels_are_broken_at_spaces_and_hyphens_and_stay_whole(label: str, lines: list[str]) -> None:
    assert _wrapped(label, 9, len) == lines


def test_sheets_show_everything() -> None:
    cues = cue_sheet(ART, ART.cues[:4], 56)
    assert cues.size[0] == 4 * 56
    assert cues.size[1] > 10 * 56
    furniture = furniture_sheet(ART, 64)
    styles = {style for _, style in ART.furniture}
    assert furniture.size[0] == 64 * len(styles)
