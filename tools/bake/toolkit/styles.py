"""The ten furniture styles. A builder reads what it needs from a :class:`Style`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LegKind = Literal["rod", "block", "turned", "hairpin", "tapered", "sled", "stub", "fluted"]
FrameKind = Literal["metal", "wood", "lacquer", "cane"]


@dataclass(frozen=True)
class Style:
    """Shape language of one style.

    ``leg`` and ``frame`` name the legs and what they are made of, ``edge`` is the edge radius of soft
    parts in metres,
    ``puff`` how much cushions bulge (metres), ``slim`` scales thicknesses, ``tufted`` adds buttons or
    channels.
    """

    leg: LegKind
    frame: FrameKind
    edge: float
    puff: float
    slim: float = 1.0
    tufted: bool = False
    rounded: bool = False


STYLES: dict[str, Style] = {
    "modern": Style("rod", "metal", 0.05, 0.012),
    "minimalist": Style("sled", "metal", 0.02, 0.004, slim=0.75),
    "vintage": Style("turned", "wood", 0.055, 0.03, tufted=True, rounded=True),
    "industrial": Style("hairpin", "metal", 0.015, 0.006, slim=0.8),
    "scandinavian": Style("tapered", "wood", 0.04, 0.015, slim=0.85, rounded=True),
    "bohemian": Style("turned", "cane", 0.06, 0.035, rounded=True),
    "mid-century": Style("tapered", "wood", 0.03, 0.012, tufted=True),
    "rustic": Style("block", "wood", 0.025, 0.015, slim=1.35),
    "japandi": Style("stub", "wood", 0.03, 0.008, slim=0.9),
    "art-deco": Style("fluted", "lacquer", 0.07, 0.02, slim=1.15, tufted=True, rounded=True),
}
