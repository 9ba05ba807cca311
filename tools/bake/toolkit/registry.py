"""What a model is, and where models register themselves. Nothing here needs Blender."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

AnchorKind = Literal["seat", "shelf", "top", "floor", "wall"]
Point = tuple[float, float, float]

CATEGORIES = (
    "chair",
    "sofa",
    "lamp",
    "cushion",
    "vase",
    "rug",
    "table",
    "bookshelf",
    "plant-pot",
    "wall-art",
)


@dataclass(frozen=True)
class Camera:
    """A camera at ``location`` looking at ``target`` (metres) through a ``lens`` (mm on a 36 mm sensor)."""

    location: Point
    target: Point
    lens: float = 62


@dataclass(frozen=True)
class Anchor:
    """A place where a cue may stand: ``point`` is the middle of its foot, ``width`` and ``height`` are
    free metres."""

    name: str
    kind: AnchorKind
    point: Point
    width: float
    height: float


@dataclass(frozen=True)
class Piece:
    """A built piece of furniture.

    Floor anchors may be left out: two are then found on the free backdrop beside the piece. ``wall`` puts
    a plain wall at that y instead of the cove; ``horizon`` is the pixel row where the backdrop turns from
    wall to floor.
    """

    objects: list[Any]
    anchors: list[Anchor]
    camera: Camera
    wall: float | None = None
    horizon: int = 250


@dataclass(frozen=True)
class CueModel:
    """A registered cue: its published name, how it is made, whether it is thin, and its builder."""

    name: str
    technique: str
    thin: bool
    build: Callable[[], list[Any]]

    @property
    def slug(self) -> str:
        """File name stem."""
        return slug_of(self.name)


@dataclass(frozen=True)
class FurnitureModel:
    """A registered furniture category, its builder and the styles it can be built in."""

    category: str
    build: Callable[[str], Piece]
    styles: tuple[str, ...] = field(default=())


CUES: dict[str, CueModel] = {}
FURNITURE: dict[str, FurnitureModel] = {}


def slug_of(name: str) -> str:
    """File name stem of a cue name: ``"wall calendar (small)"`` becomes ``"wall-calendar"``."""
    plain = re.sub(r"\([^)]*\)", "", name.lower()).replace("'", "").replace("\u2019", "")
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def cue(
    name: str, technique: str, thin: bool = False
) -> Callable[[Callable[[], list[Any]]], Callable[[], list[Any]]]:
    """Register the decorated function as the model of the cue ``name``."""

    def register(build: Callable[[], list[Any]]) -> Callable[[], list[Any]]:
        model = CueModel(name, technique, thin, build)
        if model.slug in CUES:
            raise ValueError(f"Two models are registered for the cue {name!r}.")
        CUES[model.slug] = model
        return build

    return register


def furniture(
    category: str, styles: tuple[str, ...] | None = None
) -> Callable[[Callable[[str], Piece]], Callable[[str], Piece]]:
    """Register the decorated function as the builder of ``category`` (in all ten styles unless ``styles``
    is given)."""
    from .styles import STYLES

    def register(build: Callable[[str], Piece]) -> Callable[[str], Piece]:
        if category not in CATEGORIES:
            raise ValueError(f"{category!r} is not one of {', '.join(CATEGORIES)}.")
        FURNITURE[category] = FurnitureModel(category, build, styles or tuple(STYLES))
        return build

    return register
