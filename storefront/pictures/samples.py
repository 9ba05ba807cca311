"""Random training pictures: cues planted in random scenes, cut out or whole, one or two milliseconds each.

Scenes share furniture, palettes and compositor with the shop's pictures but no catalogue: which cue a product
has is never read here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image

from recallreach.errors import ConfigError, UnknownNameError
from recallreach.seeding import stream
from recallreach.storefront.data import COLORS
from recallreach.storefront.pictures.art import FRAME, Anchor, Art, Bytes, LayerCache
from recallreach.storefront.pictures.colors import CUE_COLORS, LINEAR, Floats, oklab
from recallreach.storefront.pictures.compose import (
    clipped,
    compose_scene,
    corner_at,
    moved,
    plant,
    shifted_anchors,
)
from recallreach.storefront.pictures.light import develop
from recallreach.storefront.pictures.looks import Look, draw_look
from recallreach.storefront.pictures.sprites import Sprite, Window, make_sprite

Indices = npt.NDArray[np.int64]
Pair = tuple[str, str]

FRACTIONS = (0.008, 0.030)
"""Smallest and largest cue area in training pictures, as a fraction of the frame."""

SIZES = tuple(float(size) for size in np.geomspace(*FRACTIONS, 8))
"""Cue areas are one of these, so that scaled sprites can be reused."""

SCENES_HELD, PICTURES_PER_SCENE = 32, 48
"""Scenes kept ready, and how many pictures one scene gives on average before it is replaced."""

WITHOUT_CUE = 0.2
"""Share of training pictures that show no cue."""

ANYWHERE = 0.3
"""Share of cues that stand at a random place instead of near an anchor."""

JITTER = 24
"""Standard deviation of a cue's distance from its anchor, in pixels."""

LEAST_CONTRAST, ATTEMPTS = 0.10, 6
"""OKLab distance below which another place is tried, and how often."""

CROP_REACH = 0.35
"""Largest distance of a crop's centre from the cue's, each way, as a fraction of the crop."""

LAYER_BYTES = 160 * 2**20


@dataclass(slots=True)
class _Scene:
    light: npt.NDArray[np.float16]
    base: Bytes
    look: Look
    anchors: tuple[Anchor, ...]


@dataclass(frozen=True, slots=True)
class _Planted:
    """One picture to be: which cue stands where in which scene; without a sprite there is none."""

    scene: _Scene
    centre: tuple[float, float]
    pair: tuple[int, int] = (-1, -1)
    sprite: Sprite | None = None
    corner: tuple[int, int] = (0, 0)


class SceneSampler:
    """An endless, seeded source of labelled training pictures.

    Equal arguments and equal calls give equal pictures.

    Args:
        seed: non-negative.
        objects: slugs of the cue objects to show; None takes all there is art for.
        colors: colour names to show; None takes all ten.
        held_out: (object slug, colour) pairs that are never shown, to test whether pairs are composed.
        art: another folder of layers.

    Raises:
        UnknownNameError: an object or colour that does not exist.
        ConfigError: every pair is held out.
    """

    def __init__(
        self,
        seed: int,
        objects: Sequence[str] | None = None,
        colors: Sequence[str] | None = None,
        held_out: Collection[Pair] = frozenset(),
        *,
        art: Art | None = None,
    ) -> None:
        self.art = art or Art()
        self.objects = _known("cue object", objects, self.art.cues)
        self.colors = _known("colour", colors, COLORS)
        held = frozenset(held_out)
        self._pairs = [
            (o, c)
            for o, slug in enumerate(self.objects)
            for c, color in enumerate(self.colors)
            if (slug, color) not in held
        ]
        if not self._pairs:
            raise ConfigError("every (object, colour) pair is held out: nothing is left to show")
        self._rng = stream(seed, "scene sampler")
        self._layers = LayerCache(LAYER_BYTES)
        self._scenes: list[_Scene] = []
        self._seen_by_pair: dict[tuple[int, int], Floats] = {}

    def crops(self, n: int, size: int = 96) -> tuple[Bytes, Indices, Indices]:
        """`n` cut-outs at full resolution, with the cue anywhere in them, partly cut off at worst.

        Returns:
            pictures (n, size, size, 3), index in `objects` and index in `colors` (n,), both -1 where there is
            no cue.

        Raises:
            ConfigError: `size` does not fit the frame.
        """
        if not 8 <= size <= FRAME:
            raise ConfigError(f"a crop of {size} pixels does not fit a frame of {FRAME}")
        return self._collect(n, size, self._crop)

    def frames(self, n: int, size: int = 128) -> tuple[Bytes, Indices, Indices]:
        """`n` whole pictures, scaled to `size` by Pillow's bilinear filter; returns as `crops` does."""
        return self._collect(n, size, self._frame)

    def _collect(
        self, n: int, size: int, cut: Callable[[_Planted, int], Bytes]
    ) -> tuple[Bytes, Indices, Indices]:
        pictures = np.empty((n, size, size, 3), np.uint8)
        labels = np.empty((2, n), np.int64)
        for index in range(n):
            planted = self._planted()
            pictures[index] = cut(planted, size)
            labels[:, index] = planted.pair
        return pictures, labels[0], labels[1]

    def _crop(self, planted: _Planted, size: int) -> Bytes:
        reach = CROP_REACH * size
        left, top = (
            int(np.clip(round(middle - size / 2 + self._rng.uniform(-reach, reach)), 0, FRAME - size))
            for middle in planted.centre
        )
        return self._cut(planted, (slice(top, top + size), slice(left, left + size)))

    def _frame(self, planted: _Planted, size: int) -> Bytes:
        whole = Image.fromarray(self._cut(planted, (slice(0, FRAME), slice(0, FRAME))))
        return np.asarray(whole.resize((size, size), Image.Resampling.BILINEAR))

    def _cut(self, planted: _Planted, view: Window) -> Bytes:
        """The pixels of one view of the frame, with the cue where it shows."""
        scene, sprite = planted.scene, planted.sprite
        pixels = scene.base[view].copy()
        if sprite is None:
            return pixels
        shown, part = clipped(sprite.alpha.shape, planted.corner, view)
        if shown[0].start < shown[0].stop and shown[1].start < shown[1].stop:
            color = CUE_COLORS[self.colors[planted.pair[1]]]
            light = plant(scene.light[:, *shown].astype(np.float32), sprite, color, part)
            at = scene.look.grain[0] + shown[0].start, scene.look.grain[1] + shown[1].start
            pixels[moved(shown, -view[0].start, -view[1].start)] = develop(light, at)
        return pixels

    def _planted(self) -> _Planted:
        scene = self._scene()
        if self._rng.random() < WITHOUT_CUE:
            return _Planted(scene, self._spot(scene))
        pair = self._pairs[int(self._rng.integers(len(self._pairs)))]
        sprite = self._sprite(self.objects[pair[0]], int(self._rng.integers(len(SIZES))))
        seen = self._seen(pair, sprite)
        for _ in range(ATTEMPTS):
            corner = corner_at(sprite, *self._spot(scene))
            if np.linalg.norm(seen - _behind(scene.base, sprite, corner)) >= LEAST_CONTRAST:
                break
        centre = corner[0] + sprite.centre[0], corner[1] + sprite.centre[1]
        return _Planted(scene, centre, pair, sprite, corner)

    def _spot(self, scene: _Scene) -> tuple[float, float]:
        """Column and row of a point of the frame, near an anchor or anywhere."""
        if self._rng.random() < ANYWHERE:
            return float(self._rng.uniform(0, FRAME)), float(self._rng.uniform(0, FRAME))
        anchor = scene.anchors[int(self._rng.integers(len(scene.anchors)))]
        right, down = self._rng.normal(0, JITTER, 2)
        return anchor.x + float(right), anchor.y + float(down)

    def _scene(self) -> _Scene:
        """One of the scenes held; now and then a new one takes the place of an old one."""
        if len(self._scenes) < SCENES_HELD:
            self._scenes.append(self._new_scene())
            return self._scenes[-1]
        index = int(self._rng.integers(SCENES_HELD))
        if self._rng.random() < 1 / PICTURES_PER_SCENE:
            self._scenes[index] = self._new_scene()
        return self._scenes[index]

    def _new_scene(self) -> _Scene:
        category, style = self.art.furniture[int(self._rng.integers(len(self.art.furniture)))]
        layers = self._layers.get((category, style), lambda: self.art.piece(category, style))
        look = draw_look(self._rng, style, int(self._rng.integers(1 << 16)))
        light = compose_scene(layers, look).astype(np.float16)
        base = develop(light.astype(np.float32), look.grain)
        return _Scene(light, base, look, shifted_anchors(layers, look))

    def _sprite(self, slug: str, size: int) -> Sprite:
        return self._layers.get((slug, size), lambda: make_sprite(self.art.cue(slug), SIZES[size]))

    def _seen(self, pair: tuple[int, int], sprite: Sprite) -> Floats:
        if pair not in self._seen_by_pair:
            self._seen_by_pair[pair] = sprite.seen(CUE_COLORS[self.colors[pair[1]]])
        return self._seen_by_pair[pair]


def _behind(base: Bytes, sprite: Sprite, corner: tuple[int, int]) -> Floats:
    """OKLab of the median of every fourth pixel, both ways, behind the middle of the object."""
    left, top, right, bottom = sprite.box
    rows = slice(corner[1] + top, corner[1] + bottom, 4)
    columns = slice(corner[0] + left, corner[0] + right, 4)
    pixels = base[rows, columns][sprite.mask[top:bottom:4, left:right:4]]
    return np.median(oklab(LINEAR[pixels]), axis=0).astype(np.float32)


def _known(kind: str, asked: Sequence[str] | None, known: tuple[str, ...]) -> tuple[str, ...]:
    for name in asked or ():
        if name not in known:
            raise UnknownNameError(kind, name, known)
    return known if asked is None else tuple(asked)
