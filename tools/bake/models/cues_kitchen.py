"""Cues from the kitchen and the table."""

from __future__ import annotations

from typing import Any

from toolkit import cue, lathe, tint, tube


@cue("ceramic mug", technique="lathe")
def ceramic_mug() -> list[Any]:
    """A straight mug with a round handle."""
    glaze = tint("glaze", 0.18)
    profile = [
        (0, 0),
        (0.036, 0),
        (0.04, 0.003),
        (0.041, 0.01),
        (0.041, 0.095),
        (0.0405, 0.098),
        (0.039, 0.098),
    ]
    profile += [(0.038, 0.094), (0.038, 0.012), (0.034, 0.008), (0, 0.008)]
    handle = [(0.039, 0, 0.082), (0.055, 0, 0.086), (0.072, 0, 0.075), (0.074, 0, 0.05), (0.068, 0, 0.028)]
    handle += [(0.052, 0, 0.018), (0.039, 0, 0.024)]
    return [lathe(profile, glaze), tube(handle, 0.0062, glaze)]
