"""How finely things are rendered."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

Kind = Literal["cue", "furniture"]

TOOLKIT_VERSION = 1


@dataclass(frozen=True)
class Settings:
    """Frame size in pixels, samples per pixel for colour and shadow passes, light bounces, and denoiser
    quality.

    ``shadow_shrink`` renders the soft shadow of a large picture at a fraction of its size.
    """

    pixels: int
    samples: int
    shadow_samples: int
    bounces: int
    shadow_bounces: int
    denoiser: Literal["HIGH", "FAST"]
    shadow_shrink: int = 1

    def as_json(self) -> dict[str, int | str]:
        """The fields as plain JSON."""
        return asdict(self)


FINAL: dict[Kind, Settings] = {
    "cue": Settings(224, 48, 24, 6, 2, "HIGH"),
    "furniture": Settings(512, 16, 12, 4, 2, "HIGH", 2),
}
PREVIEW: dict[Kind, Settings] = {
    "cue": Settings(128, 10, 4, 4, 0, "FAST"),
    "furniture": Settings(256, 8, 6, 2, 0, "FAST", 2),
}
