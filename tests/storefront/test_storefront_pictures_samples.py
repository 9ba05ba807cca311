"""Training pictures: seeded, labelled rightly, and never of a held-out pair."""

from __future__ import annotations

import numpy as np
import pytest

from recallreach.errors import ConfigError, UnknownNameError
from recallreach.storefront.data import COLORS
from recallreach.storefront.pictures.colors import LINEAR, oklab, seen_lab
from recallreach.storefront.pictures.samples import WITHOUT_CUE, SceneSampler


def test_equal_seeds_give_equal_pictures() -> None:
    one, other = SceneSampler(3), SceneSampler(3)
    for left, right in zip(one.crops(12), other.crops(12), strict=True):
        assert np.array_equal(left, right)
    for left, right in zip(one.frames(2, 64), other.frames(2, 64), strict=True):
        assert np.array_equal(left, right)
    assert not np.array_equal(SceneSampler(4).crops(4)[0], SceneSampler(3).crops(4)[0])


def test_shapes_and_labels() -> None:
    sampler = SceneSampler(0)
    crops, objects, colors = sampler.crops(300, 96)
    assert crops.shape == (300, 96, 96, 3)
    assert crops.dtype == np.uint8
    assert np.array_equal(objects < 0, colors < 0)
    assert (objects < 0).mean() == pytest.approx(WITHOUT_CUE, abs=0.08)
    assert set(objects[objects >= 0]) <= set(range(len(sampler.objects)))
    assert set(colors[colors >= 0]) == set(range(10))
    frames, _, _ = sampler.frames(3, 128)
    assert frames.shape == (3, 128, 128, 3)


def test_crops_show_the_colour_they_are_labelled_with() -> None:
    crops, _, colors = SceneSampler(5).crops(200)
    shown = crops[colors >= 0]
    wanted = seen_lab()[colors[colors >= 0]]
    near = np.linalg.norm(oklab(LINEAR[shown]) - wanted[:, None, None], axis=-1) < 0.1
    enough = near.mean((1, 2)) > 0.01
    assert enough.mean() > 0.95


def test_held_out_pairs_never_appear() -> None:
    slug = SceneSampler(0).objects[0]
    held = frozenset((slug, color) for color in COLORS[:9])
    _, objects, colors = SceneSampler(1, objects=[slug], held_out=held).crops(60)
    assert set(colors[objects >= 0]) == {9}


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown cue object 'spoon'"):
        SceneSampler(0, objects=["spoon"])
    with pytest.raises(UnknownNameError, match="unknown colour 'gray'"):
        SceneSampler(0, colors=["gray"])
    slug = SceneSampler(0).objects[0]
    with pytest.raises(ConfigError, match="held out"):
        SceneSampler(0, [slug], ["red"], {(slug, "red")})
    with pytest.raises(ConfigError, match="a crop of 600 pixels"):
        SceneSampler(0).crops(1, 600)
