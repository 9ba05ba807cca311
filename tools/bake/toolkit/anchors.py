"""Anchors in pixels: projecting those a builder gives, and finding free floor beside the piece."""

from __future__ import annotations

from typing import Any

import numpy as np

from .registry import Anchor
from .scene import project

FLOOR_BOX = 100
CUE_BOX = 80
MARGIN = 4
MOST_COVERED = 0.06

Record = dict[str, Any]


def pixel_anchors(anchors: list[Anchor], alpha: np.ndarray, shown: int, pixels: int = 512) -> list[Record]:
    """Anchor records in ``pixels`` units; floor anchors are added where the builder gave none.

    ``alpha`` is the coverage (n, n) rendered at ``shown`` pixels.
    """
    records = [_projected(a, pixels) for a in anchors]
    if sum(r["kind"] == "floor" for r in records) < 2:
        taken = [r for r in records if r["kind"] == "floor"]
        records += _free_floor(alpha, pixels / shown, pixels, taken)
    return records


def _projected(anchor: Anchor, pixels: int) -> Record:
    x, y, scale = project(anchor.point, pixels)
    return _record(anchor.name, anchor.kind, x, y, anchor.width * scale, anchor.height * scale, scale)


def _record(name: str, kind: str, x: float, y: float, width: float, height: float, scale: float) -> Record:
    return {
        "name": name,
        "kind": kind,
        "x": round(x, 1),
        "y": round(y, 1),
        "width": round(width),
        "height": round(height),
        "px_per_metre": round(scale, 1),
    }


def covered_share(alpha: np.ndarray, unit: float, x: float, y: float, side: float = CUE_BOX) -> float:
    """Share of the square of ``side`` pixels standing on (x, y) that the piece covers."""
    left, right = (round((x + s * side / 2) / unit) for s in (-1, 1))
    top, bottom = round((y - side) / unit), round(y / unit)
    return float((alpha[max(top, 0) : bottom, max(left, 0) : right] > 127).mean())


def inside_frame(x: float, y: float, pixels: int, side: float = CUE_BOX) -> bool:
    """Whether a square of ``side`` pixels standing on (x, y) lies inside the frame."""
    return side / 2 + MARGIN <= x <= pixels - side / 2 - MARGIN and side + MARGIN <= y <= pixels - MARGIN


def _free_floor(alpha: np.ndarray, unit: float, pixels: int, taken: list[Record]) -> list[Record]:
    """The best free floor place left and right of the middle of the piece."""
    columns = np.nonzero((alpha > 127).any(0))[0]
    middle = float(columns.mean()) * unit
    spots = _floor_spots(alpha, unit, pixels)
    found = []
    for name, side in (("floor_right", 1), ("floor_left", -1)):
        here = [s for s in spots if (s[1] - middle) * side > 0 and not _near(s, taken)]
        if here:
            _, x, y, scale = min(here)
            found.append(_record(name, "floor", x, y, FLOOR_BOX, FLOOR_BOX * 1.3, scale))
    return found


def _near(spot: tuple[float, ...], taken: list[Record]) -> bool:
    return any(abs(spot[1] - t["x"]) < CUE_BOX for t in taken)


def _floor_spots(alpha: np.ndarray, unit: float, pixels: int) -> list[tuple[float, float, float, float]]:
    """(cost, x, y, scale) of floor places whose square is inside the frame and hardly covered."""
    rows = np.nonzero((alpha > 127).any(1))[0]
    base = float(rows.max()) * unit - 0.05 * pixels
    spots = []
    for px in np.arange(-1.6, 1.61, 0.08):
        for py in np.arange(-1.4, 0.81, 0.1):
            x, y, scale = project((float(px), float(py), 0.0), pixels)
            if not inside_frame(x, y, pixels, FLOOR_BOX):
                continue
            covered = covered_share(alpha, unit, x, y, FLOOR_BOX)
            if covered <= MOST_COVERED:
                centre = abs(x - pixels / 2)
                spots.append((covered * 1500 + abs(y - base) + 0.25 * centre, x, y, scale))
    return spots


def check_anchors(records: list[Record], alpha: np.ndarray, unit: float, pixels: int = 512) -> list[str]:
    """Sentences about anchors a cue could not use."""
    faults = []
    floors = [r for r in records if r["kind"] == "floor"]
    if len(floors) < 2:
        faults.append(f"only {len(floors)} floor anchor(s); two are needed")
    for anchor in records:
        x, y = anchor["x"], anchor["y"]
        if not (0 <= x < pixels and 0 <= y < pixels):
            faults.append(f"anchor {anchor['name']} lies outside the picture")
    for anchor in floors:
        x, y = anchor["x"], anchor["y"]
        if not inside_frame(x, y, pixels):
            faults.append(f"a cue of {CUE_BOX} px at {anchor['name']} would leave the frame")
        if covered_share(alpha, unit, x, y) > 0.5:
            faults.append(f"{anchor['name']} is mostly covered by the piece")
    return faults
