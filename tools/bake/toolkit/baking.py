"""Baking one asset: build, render, pack, check."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from .anchors import check_anchors, pixel_anchors
from .fingerprint import fingerprint
from .pack import Layers, layers_of, touches_frame
from .registry import CueModel, FurnitureModel
from .render import Passes, render_passes
from .scene import cue_camera, fit_cue, place_camera, reset, studio
from .settings import TOOLKIT_VERSION, Kind, Settings

FURNITURE_PIXELS = 512


def bake_cue(model: CueModel, settings: Settings, threads: int) -> tuple[Layers, dict[str, Any], list[str]]:
    """Layers cropped to the sprite, their JSON record, and warnings."""
    reset()
    cove = studio()
    model.build()
    place_camera(cue_camera(fit_cue()))
    full = _packed(render_passes(cove, settings, threads))
    warnings = ["the object is cut by the frame"] if touches_frame(full.tint[..., 3]) else []
    layers = full.cropped()
    height, width = layers.shadow.shape
    record = {"format": 1, "kind": "cue", "name": model.name, "size": [width, height], "thin": model.thin}
    return layers, record | {"bake": bake_record(model.build, "cue", settings)}, warnings


def bake_furniture(
    model: FurnitureModel, style: str, settings: Settings, threads: int
) -> tuple[Layers, dict[str, Any], list[str]]:
    """Uncropped layers, their JSON record (anchors in 512-pixel units), and warnings."""
    reset()
    piece = model.build(style)
    cove = studio(piece.wall)
    place_camera(piece.camera)
    layers = _packed(render_passes(cove, settings, threads))
    alpha = layers.tint[..., 3]
    anchors = pixel_anchors(piece.anchors, alpha, settings.pixels, FURNITURE_PIXELS)
    warnings = check_anchors(anchors, alpha, FURNITURE_PIXELS / settings.pixels, FURNITURE_PIXELS)
    record = {
        "format": 1,
        "kind": "furniture",
        "category": model.category,
        "style": style,
        "size": [FURNITURE_PIXELS, FURNITURE_PIXELS],
        "horizon": piece.horizon,
        "anchors": anchors,
    }
    return layers, record | {"bake": bake_record(model.build, "furniture", settings, style)}, warnings


def _packed(passes: Passes) -> Layers:
    return layers_of(passes.bright, passes.dark, passes.shadow, passes.bright_second)


def bake_record(build: Any, kind: Kind, settings: Settings, style: str = "") -> dict[str, Any]:
    """What the JSON says about how the layers were made."""
    values = settings.as_json() | {"kind": kind, "style": style, "toolkit": TOOLKIT_VERSION}
    code = fingerprint(Path(inspect.getfile(build)), build.__name__, values)
    return {"hash": code, "samples": settings.samples, "pixels": settings.pixels, "toolkit": TOOLKIT_VERSION}
