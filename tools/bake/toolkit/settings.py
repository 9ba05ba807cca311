"""How finely things are rendered."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

Kind = Literal["cue", "furniture"]

TOOLKIT_VERSION = 1


@dataclass(frozen=True)
class Settings:
    """Frame size in pixels, samples per pixel for colour and shadow passes, and light bounces."""

    pixels: int
    samples: int
    shadow_samples: int
    bounces: int

    def as_json(self) -> dict[str, int]:
        """The fields as plain JSON."""
        return asdict(self)


FINAL: dict[Kind, Settings] = {
    "cue": Settings(224, 48, 24, 6),
    "furniture": Settings(512, 32, 16, 4),
}
PREVIEW: dict[Kind, Settings] = {
    "cue": Settings(128, 10, 6, 4),
    "furniture": Settings(256, 8, 6, 3),
}
