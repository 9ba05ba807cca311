"""The assets that can be baked: one per cue model, one per furniture category and style."""

from __future__ import annotations

import difflib
import importlib.util
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .baking import bake_cue, bake_furniture, bake_record
from .pack import Layers, check_written, layer_path, read_layers, read_record, write_layers
from .registry import CUES, FURNITURE, CueModel, FurnitureModel
from .settings import FINAL, Kind, Settings

TOOL = Path(__file__).resolve().parent.parent
ART = TOOL.parent.parent / "storefront" / "art"
OUT = TOOL / "out"


class UnknownAssetError(LookupError):
    """No model has the name that was asked for."""


@dataclass(frozen=True)
class Asset:
    """Something that can be baked."""

    kind: Kind
    slug: str
    model: CueModel | FurnitureModel
    style: str = ""

    @property
    def stem(self) -> Path:
        """Path of the layers without their endings."""
        return ART / ("cues" if self.kind == "cue" else "furniture") / self.slug

    def bake(self, settings: Settings, threads: int) -> tuple[Layers, dict[str, Any], list[str]]:
        """Render the layers; returns them with their record and warnings."""
        if isinstance(self.model, CueModel):
            return bake_cue(self.model, settings, threads)
        return bake_furniture(self.model, self.style, settings, threads)

    def write(self, layers: Layers, record: dict[str, Any]) -> None:
        """Write the layers and check what was written."""
        write_layers(layers, self.stem, self.kind, record)
        check_written(self.stem)

    def read(self) -> Layers:
        """The baked layers."""
        return read_layers(self.stem)

    def record(self) -> dict[str, Any] | None:
        """The baked JSON record, if there is one."""
        return read_record(self.stem)

    def is_fresh(self) -> bool:
        """Whether the layers on disk are what baking now would give."""
        record = self.record()
        if record is None or not all(layer_path(self.stem, k).exists() for k in ("d", "k", "s")):
            return False
        wanted = bake_record(self.model.build, self.kind, FINAL[self.kind], self.style)
        return record.get("bake", {}).get("hash") == wanted["hash"]


def load_models() -> None:
    """Import every ``cues_*.py`` and ``furniture_*.py`` in the models folder."""
    for path in sorted((TOOL / "models").glob("*.py")):
        if path.name.startswith(("cues_", "furniture_")):
            _load(path)


def _load(path: Path) -> None:
    name = f"models.{path.stem}"
    if name in sys.modules:
        return
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be imported.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # noqa: BLE001 - a module somebody is still writing must not block all others
        del sys.modules[name]
        print(f"warning: {path.name} was skipped: {type(error).__name__}: {error}", file=sys.stderr)


def all_assets() -> list[Asset]:
    """Every asset that has a model, cues first."""
    cues = [Asset("cue", slug, model) for slug, model in CUES.items()]
    pieces = [
        Asset("furniture", f"{model.category}-{style}", model, style)
        for model in FURNITURE.values()
        for style in model.styles
    ]
    return cues + pieces


def find(kind: str, names: Sequence[str]) -> list[Asset]:
    """The assets called ``names``; a furniture category stands for all its styles."""
    known = {a.slug: a for a in all_assets() if a.kind == kind}
    found: list[Asset] = []
    for name in names:
        found += _matching(kind, name, known)
    return found


def _matching(kind: str, name: str, known: dict[str, Asset]) -> list[Asset]:
    if name in known:
        return [known[name]]
    if kind == "furniture" and name in FURNITURE:
        return [a for a in known.values() if a.model is FURNITURE[name]]
    close = difflib.get_close_matches(name, known, 4, 0.5)
    hint = f" Did you mean {' or '.join(close)}?" if close else " `bake.py list` shows what there is."
    published = any(c["slug"] == name for c in published_cues())
    reason = "is a published cue but has no model yet" if published else "is not the name of a model"
    raise UnknownAssetError(f"{name!r} {reason}.{hint}")


def published_cues() -> list[dict[str, str]]:
    """The 100 published cues: name, slug and phrase."""
    return list(json.loads((ART / "cue_names.json").read_text()))
