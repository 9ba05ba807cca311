"""From render passes to the shipped 8-bit layers, and back. NumPy and Pillow only."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

TINT_ALBEDO = 0.8
VISIBLE_ALPHA = 0.02
VISIBLE_SHADOW = 0.03
COLOUR_QUALITY = 92
SHADOW_QUALITY = {"cue": 80, "furniture": 85}


@dataclass(frozen=True)
class Layers:
    """Decoded or to-be-written layers, all (h, w, ...) uint8.

    ``tint`` RGBA: response to the tint with coverage; ``rest`` RGB: all that does not depend on it;
    ``shadow`` (h, w); ``second`` RGB: response to the second tint, if there is one.
    """

    tint: np.ndarray
    rest: np.ndarray
    shadow: np.ndarray
    second: np.ndarray | None = None

    def cropped(self) -> Layers:
        """The layers cut to where there is object or shadow."""
        visible = (self.tint[..., 3] > VISIBLE_ALPHA * 255) | (self.shadow > VISIBLE_SHADOW * 255)
        rows, columns = np.nonzero(visible)
        part = (slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1))
        second = None if self.second is None else self.second[part]
        return Layers(self.tint[part], self.rest[part], self.shadow[part], second)


def to_srgb(linear: np.ndarray) -> np.ndarray:
    """Linear 0..1 to 8-bit sRGB."""
    value = np.clip(linear, 0, 1)
    curve = np.where(value <= 0.0031308, value * 12.92, 1.055 * value ** (1 / 2.4) - 0.055)
    return np.round(curve * 255).astype(np.uint8)


def from_srgb(values: Any) -> np.ndarray:
    """8-bit sRGB to linear 0..1 (float32)."""
    scaled = np.asarray(values, np.float32) / 255
    return np.where(scaled <= 0.04045, scaled / 12.92, ((scaled + 0.055) / 1.055) ** 2.4).astype(np.float32)


def layers_of(
    bright: np.ndarray, dark: np.ndarray, shadow: np.ndarray, bright_second: np.ndarray | None = None
) -> Layers:
    """Turn premultiplied linear passes into straight 8-bit layers: tint response = (bright - dark) / 0.8."""
    alpha = np.clip(bright[..., 3], 0, 1)

    def straight(colour: np.ndarray) -> np.ndarray:
        return to_srgb(colour / np.maximum(alpha, 1e-2)[..., None] * (alpha > 0.004)[..., None])

    def response(lit: np.ndarray) -> np.ndarray:
        return straight(np.clip(lit[..., :3] - dark[..., :3], 0, None) / TINT_ALBEDO)

    tint = np.dstack([response(bright), np.round(alpha * 255).astype(np.uint8)])
    second = None if bright_second is None else response(bright_second)
    shade = np.round(np.clip(shadow, 0, 1) * 255).astype(np.uint8)
    return Layers(tint, straight(dark[..., :3]), shade, second)


def touches_frame(alpha: np.ndarray) -> bool:
    """Whether the object is cut by the frame."""
    edges = (alpha[0], alpha[-1], alpha[:, 0], alpha[:, -1])
    return any((edge > VISIBLE_ALPHA * 255).any() for edge in edges)


def write_layers(layers: Layers, stem: Path, kind: str, record: dict[str, Any]) -> None:
    """Write ``<stem>_d/_k/_s[/_d2].webp`` and ``<stem>.json``, each atomically, the JSON last."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    record_path = stem.with_name(stem.name + ".json")
    record_path.unlink(missing_ok=True)
    _write_webp(layers.tint, layer_path(stem, "d"), COLOUR_QUALITY)
    _write_webp(layers.rest, layer_path(stem, "k"), COLOUR_QUALITY)
    _write_webp(layers.shadow, layer_path(stem, "s"), SHADOW_QUALITY[kind])
    if layers.second is None:
        layer_path(stem, "d2").unlink(missing_ok=True)
    else:
        _write_webp(layers.second, layer_path(stem, "d2"), COLOUR_QUALITY)
    _replace(record_path, (json.dumps(record, indent=1) + "\n").encode())


def layer_path(stem: Path, layer: str) -> Path:
    """Path of one layer image."""
    return stem.with_name(f"{stem.name}_{layer}.webp")


def _write_webp(values: np.ndarray, path: Path, quality: int) -> None:
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    Image.fromarray(values).save(scratch, "WEBP", quality=quality, method=6, exact=True)
    os.replace(scratch, path)


def _replace(path: Path, content: bytes) -> None:
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    scratch.write_bytes(content)
    os.replace(scratch, path)


def read_layers(stem: Path) -> Layers:
    """Read layers written by :func:`write_layers`."""
    tint = np.asarray(Image.open(layer_path(stem, "d")).convert("RGBA"))
    rest = np.asarray(Image.open(layer_path(stem, "k")).convert("RGB"))
    shadow = np.asarray(Image.open(layer_path(stem, "s")).convert("L"))
    second_path = layer_path(stem, "d2")
    second = np.asarray(Image.open(second_path).convert("RGB")) if second_path.exists() else None
    return Layers(tint, rest, shadow, second)


def read_record(stem: Path) -> dict[str, Any] | None:
    """The JSON beside the layers, or None when there is none that can be read."""
    path = stem.with_name(stem.name + ".json")
    try:
        return dict(json.loads(path.read_text()))
    except (FileNotFoundError, json.JSONDecodeError):
        return None


def check_written(stem: Path) -> None:
    """Raise ValueError unless the layers on disk fit together and are not empty."""
    layers, record = read_layers(stem), read_record(stem)
    if record is None:
        raise ValueError(f"{stem.name}.json is missing.")
    shapes = {tuple(a.shape[:2]) for a in (layers.tint, layers.rest, layers.shadow)}
    if layers.second is not None:
        shapes.add(tuple(layers.second.shape[:2]))
    width, height = record["size"]
    if shapes != {(height, width)}:
        raise ValueError(
            f"{stem.name}: layer sizes {sorted(shapes)} do not match the recorded {(height, width)}."
        )
    if (layers.tint[..., 3] > 127).mean() < 0.01:
        raise ValueError(f"{stem.name}: almost nothing is visible.")
