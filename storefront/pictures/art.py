"""The baked layers: what there is, read and checked, with a memory bound.

Each asset is three WebP files and one JSON file, path-traced once at development time (`tools/bake`): `d` the
diffuse response to a tint with coverage in alpha, `k` everything that does not depend on the tint, `s` the
shadow.
"""

from __future__ import annotations

import functools
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from PIL import Image

from recallreach.errors import DataError, UnknownNameError
from recallreach.files import read_json, sha256
from recallreach.storefront.pictures.colors import LINEAR, Floats

Bytes = npt.NDArray[np.uint8]
LAYER_FORMAT = 1
FRAME = 512
"""Side of a furniture layer and of a picture, in pixels."""

LoadedT = TypeVar("LoadedT", bound="Sized")


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place on a furniture piece where an object can stand.

    Attributes:
        name: unique in the piece.
        kind: "seat", "shelf", "top", "floor" or "wall".
        x: horizontal middle of the place, in pixels of the frame.
        y: where the object's lower edge rests, in pixels of the frame.
        width: free width, in pixels.
        height: free height above `y`, in pixels.
    """

    name: str
    kind: str
    x: float
    y: float
    width: float
    height: float


class Sized:
    """Something made of arrays that the layer cache can weigh."""

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays held."""
        return sum(value.nbytes for value in _arrays(self))


@dataclass(frozen=True)
class CueLayers(Sized):
    """One cue object in bytes as stored: `diffuse` (h, w, 4), `rest` (h, w, 3) and `shadow` (h, w)."""

    diffuse: Bytes
    rest: Bytes
    shadow: Bytes
    thin: bool


@dataclass(frozen=True)
class FurnitureLayers(Sized):
    """One furniture piece in linear light, cut to the part of the frame that it covers.

    Attributes:
        top: row of the cut in the frame.
        left: column of the cut in the frame.
        diffuse: response to the body colour, (3, h, w).
        second: response to the second tint, (3, h, w), if it has one.
        rest: light that depends on no tint, (3, h, w).
        alpha: coverage, (h, w).
        shadow: of the whole frame, (512, 512) bytes.
        horizon: row where floor and wall meet.
        anchors: where objects can stand.
    """

    top: int
    left: int
    diffuse: Floats
    second: Floats | None
    rest: Floats
    alpha: Floats
    shadow: Bytes
    horizon: float
    anchors: tuple[Anchor, ...]


def _arrays(holder: object) -> list[npt.NDArray[Any]]:
    return [value for value in vars(holder).values() if isinstance(value, np.ndarray)]


class LayerCache:
    """Least recently used layers up to a number of bytes; safe for several threads."""

    def __init__(self, limit: int) -> None:
        self.limit, self.held = limit, 0
        self._entries: OrderedDict[object, Sized] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: object, load: Callable[[], LoadedT]) -> LoadedT:
        """The entry of `key`, loaded if need be; the oldest ones leave when the limit is passed."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
                return self._entries[key]  # type: ignore[return-value]
        loaded = load()
        with self._lock:
            if key not in self._entries:
                self._entries[key] = loaded
                self.held += loaded.nbytes
            while self.held > self.limit and len(self._entries) > 1:
                self.held -= self._entries.popitem(last=False)[1].nbytes
        return loaded


@dataclass(frozen=True)
class Art:
    """A folder of layers.

    Attributes:
        folder: holds `cue_names.json`, `cues/` and `furniture/`.
    """

    folder: Path = field(default_factory=lambda: Path(str(files("recallreach.storefront") / "art")))

    @functools.cached_property
    def cue_names(self) -> Mapping[str, str]:
        """How a person names each known cue object, by slug; some may have no layers yet."""
        path = self.folder / "cue_names.json"
        try:
            return {entry["slug"]: entry["phrase"] for entry in read_json(path)}
        except (KeyError, TypeError) as error:
            raise DataError(f"{path}: every entry needs 'slug' and 'phrase'") from error

    @functools.cached_property
    def cues(self) -> tuple[str, ...]:
        """Slugs of the cue objects with layers, in the order of the name list."""
        return tuple(slug for slug in self.cue_names if (self.folder / "cues" / f"{slug}.json").exists())

    @functools.cached_property
    def furniture(self) -> tuple[tuple[str, str], ...]:
        """(category, style) of the pieces with layers, sorted."""
        found = (read_json(path) for path in sorted((self.folder / "furniture").glob("*.json")))
        return tuple(sorted((entry["category"], entry["style"]) for entry in found))

    def cue(self, slug: str) -> CueLayers:
        """Read one cue object's layers.

        Raises:
            UnknownNameError: there is no such object.
            DataError: a layer is missing or damaged; the file is named.
        """
        if slug not in self.cues:
            raise UnknownNameError("cue object", slug, self.cues)
        stem = self.folder / "cues" / slug
        facts = _facts(stem, "cue")
        width, height = facts["size"]
        return CueLayers(
            diffuse=_layer(stem, "d", "RGBA", (height, width)),
            rest=_layer(stem, "k", "RGB", (height, width)),
            shadow=_layer(stem, "s", "L", (height, width)),
            thin=bool(facts["thin"]),
        )

    def piece(self, category: str, style: str) -> FurnitureLayers:
        """Read one furniture piece's layers; raises like `cue`."""
        if (category, style) not in self.furniture:
            known = [f"{category}-{style}" for category, style in self.furniture]
            raise UnknownNameError("furniture piece", f"{category}-{style}", known)
        stem = self.folder / "furniture" / f"{category}-{style}"
        facts = _facts(stem, "furniture")
        size = (FRAME, FRAME)
        diffuse = _layer(stem, "d", "RGBA", size)
        cut = _extent(stem, diffuse[..., 3])
        has_second = _path(stem, "d2").exists()
        return FurnitureLayers(
            top=cut[0].start,
            left=cut[1].start,
            diffuse=_planes(diffuse[cut]),
            second=_planes(_layer(stem, "d2", "RGB", size)[cut]) if has_second else None,
            rest=_planes(_layer(stem, "k", "RGB", size)[cut]),
            alpha=diffuse[..., 3][cut].astype(np.float32) / np.float32(255),
            shadow=_layer(stem, "s", "L", size),
            horizon=float(facts["horizon"]),
            anchors=_anchors(stem, facts),
        )

    def fingerprint(self, kind: str, name: str) -> str:
        """SHA-256 over the files of one asset; `kind` is "cues" or "furniture".

        Raises:
            DataError: the asset has no files.
        """
        found = sorted((self.folder / kind).glob(f"{name}[._]*"))
        if not found:
            raise DataError(f"{self.folder / kind / name}.json does not exist")
        return sha256("".join(f"{path.name} {sha256(_read(path))}\n" for path in found).encode())


def _extent(stem: Path, alpha: Bytes) -> tuple[slice, slice]:
    rows, columns = np.flatnonzero(alpha.any(1)), np.flatnonzero(alpha.any(0))
    if not len(rows):
        raise DataError(f"{_path(stem, 'd')} is empty: nothing covers a pixel")
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)


def _planes(pixels: Bytes) -> Floats:
    return LINEAR[np.moveaxis(pixels[..., :3], 2, 0)]


def _path(stem: Path, layer: str) -> Path:
    return stem.with_name(f"{stem.name}_{layer}.webp")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error


def _facts(stem: Path, kind: str) -> Mapping[str, Any]:
    path = stem.with_name(f"{stem.name}.json")
    facts: Mapping[str, Any] = read_json(path)
    wanted = {"cue": ("size", "thin"), "furniture": ("size", "horizon", "anchors")}[kind]
    missing = [key for key in ("format", "kind", *wanted) if key not in facts]
    if missing:
        raise DataError(f"{path} lacks {', '.join(missing)}")
    if (facts["format"], facts["kind"]) != (LAYER_FORMAT, kind):
        asked = json.dumps({"format": LAYER_FORMAT, "kind": kind})
        raise DataError(f"{path} says format {facts['format']!r}, kind {facts['kind']!r}; expected {asked}")
    return facts


def _anchors(stem: Path, facts: Mapping[str, Any]) -> tuple[Anchor, ...]:
    names = ("name", "kind", "x", "y", "width", "height")
    try:
        found = tuple(Anchor(*(entry[name] for name in names)) for entry in facts["anchors"])
    except (KeyError, TypeError) as error:
        raise DataError(f"{stem}.json: every anchor needs {', '.join(names)}") from error
    if not found:
        raise DataError(f"{stem}.json has no anchors: nothing can be placed on this piece")
    return found


def _layer(stem: Path, layer: str, mode: str, size: tuple[int, int]) -> Bytes:
    path = _path(stem, layer)
    try:
        with Image.open(path) as image:
            pixels = np.asarray(image.convert(mode))
    except FileNotFoundError as error:
        raise DataError(
            f"{path} does not exist; the art folder is incomplete, reinstall recallreach"
        ) from error
    except (OSError, ValueError, SyntaxError) as error:
        raise DataError(f"{path} is damaged: {error}; reinstall recallreach") from error
    if pixels.shape[:2] != size:
        raise DataError(
            f"{path} is {pixels.shape[1]} x {pixels.shape[0]} pixels, its JSON says {size[1]} x {size[0]}"
        )
    return pixels
