"""The render passes: tint at 0.8, tint at 0, shadow."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from PIL import Image

from .materials import set_tint, tint_zones
from .pack import TINT_ALBEDO
from .scene import modelled_objects
from .settings import Settings


@dataclass(frozen=True)
class Passes:
    """Linear premultiplied RGBA renders (n, n, 4) and the shadow alpha (n, n)."""

    bright: np.ndarray
    dark: np.ndarray
    shadow: np.ndarray
    bright_second: np.ndarray | None


def configure(settings: Settings, threads: int) -> None:
    """Set up Cycles on the CPU with the denoiser and a transparent film."""
    scene = bpy.context.scene
    render = scene.render
    render.engine = "CYCLES"
    render.resolution_x = render.resolution_y = settings.pixels
    render.resolution_percentage = 100
    render.film_transparent = True
    render.threads_mode = "FIXED"
    render.threads = threads
    render.use_persistent_data = True
    scene.view_settings.view_transform = "Standard"
    render.image_settings.file_format = "OPEN_EXR"
    render.image_settings.color_mode = "RGBA"
    render.image_settings.color_depth = "32"
    _configure_cycles(scene.cycles, settings)


def _configure_cycles(cycles: Any, settings: Settings) -> None:
    cycles.device = "CPU"
    cycles.seed = 1
    cycles.use_adaptive_sampling = True
    cycles.adaptive_threshold = 0.02
    cycles.use_denoising = True
    cycles.denoiser = "OPENIMAGEDENOISE"
    cycles.denoising_quality = settings.denoiser
    cycles.denoising_prefilter = "FAST" if settings.denoiser == "FAST" else "ACCURATE"
    cycles.max_bounces = settings.bounces
    cycles.diffuse_bounces = 2
    cycles.glossy_bounces = 2
    cycles.transparent_max_bounces = 8


def render_passes(cove: Any, settings: Settings, threads: int = 1) -> Passes:
    """Render all passes of the scene in front of ``cove``."""
    configure(settings, threads)
    zones = tint_zones()
    if not zones:
        raise ValueError("The model has no tint material, so no colour could be given to it.")
    cove.visible_camera = False
    dark = _tinted_pass({}, settings)
    bright = _tinted_pass({1: TINT_ALBEDO}, settings)
    second = _tinted_pass({2: TINT_ALBEDO}, settings) if 2 in zones else None
    return Passes(bright, dark, _shadow_pass(cove, settings), second)


def _tinted_pass(albedo: dict[int, float], settings: Settings) -> np.ndarray:
    for zone in (1, 2):
        set_tint(zone, albedo.get(zone, 0.0))
    return _grab(settings.samples)


def _shadow_pass(cove: Any, settings: Settings) -> np.ndarray:
    for zone in (1, 2):
        set_tint(zone, 0.5)
    cove.visible_camera = True
    cove.is_shadow_catcher = True
    for thing in modelled_objects():
        thing.visible_camera = False
    scene = bpy.context.scene
    scene.cycles.max_bounces = settings.shadow_bounces
    scene.render.resolution_percentage = 100 // settings.shadow_shrink
    small = Image.fromarray(_grab(settings.shadow_samples)[..., 3])
    return np.asarray(small.resize((settings.pixels, settings.pixels), Image.Resampling.BICUBIC))


def _grab(samples: int) -> np.ndarray:
    scene = bpy.context.scene
    scene.cycles.samples = samples
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pass.exr"
        scene.render.filepath = str(path)
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(str(path))
        flat = np.empty(image.size[0] * image.size[1] * 4, np.float32)
        image.pixels.foreach_get(flat)
        size = image.size[0]
        bpy.data.images.remove(image)
    return flat.reshape(size, size, 4)[::-1].copy()
