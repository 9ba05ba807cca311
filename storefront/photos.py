"""Pictures that were imported: which files belong to which product, and under which licence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from recallreach.errors import DataError

MEDIA_TYPES = {"image/jpeg": "jpg", "image/png": "png", "image/webp": "webp"}
"""What imported pictures may be, and how their files end."""


@dataclass(frozen=True, slots=True)
class Photo:
    """The pictures of one product, as paths below the folder of the catalogue.

    Attributes:
        cued: the picture with its cue.
        sha256: of that file.
        base: the same picture without the cue, or "" where there is none.
        mask: 1-bit PNG, white where the cue is, or "" where it is not known.
        license: as the importer was told, or "".
        source: what the picture was imported from.
    """

    cued: str
    sha256: str
    base: str = ""
    mask: str = ""
    license: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Photos:
    """All imported pictures of a catalogue, in the order of its products.

    Attributes:
        folder: where their paths begin; the folder of the catalogue file.
        media_type: of every picture, for instance "image/png".
        entries: by product.
    """

    folder: Path
    media_type: str
    entries: tuple[Photo, ...]

    def identity(self) -> dict[str, Any]:
        """What decides which pictures the shop shows, wherever the folder lies."""
        return {"media_type": self.media_type, "entries": [asdict(entry) for entry in self.entries]}

    @classmethod
    def read(cls, folder: Path, value: Mapping[str, Any], rows: list[Mapping[str, Any]]) -> Photos:
        """From the JSON of a catalogue file.

        Raises:
            DataError: a path leaves the folder, or the media type is none that the shop serves.
            KeyError, TypeError: an entry is not complete.
        """
        media_type = value["media_type"]
        if media_type not in MEDIA_TYPES:
            raise DataError(f"pictures of type {media_type!r}; known are {', '.join(MEDIA_TYPES)}")
        entries = tuple(Photo(**row["photo"]) for row in rows)
        for entry in entries:
            for path in (entry.cued, entry.base, entry.mask):
                if Path(path).is_absolute() or ".." in Path(path).parts:
                    raise DataError(f"the picture path {path!r} leaves the catalogue's folder")
        return cls(folder, media_type, entries)
