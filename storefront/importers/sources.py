"""Reading other people's files: every complaint names file and row, and nothing is imported by halves."""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image, ImageOps, UnidentifiedImageError

from recallreach.errors import DataError

MOST_SIDE, MOST_PIXELS = 12_000, 80_000_000
"""Largest side and largest number of pixels of a picture that is read."""

_READ = ("JPEG", "PNG", "WEBP")
_FORMATS = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp", "MPO": "image/jpeg"}
"""By what Pillow calls them; MPO is read as JPEG and cannot be asked for."""


def inside(folder: Path, relative: str, where: str) -> Path:
    """The file `relative` below `folder`, links followed.

    Raises:
        DataError: there is none, it is no file, or it lies outside the folder.
    """
    if not relative or "\x00" in relative:
        raise DataError(f"{where}: {relative!r} is no file name")
    path, root = folder / relative, folder.resolve()
    if not path.resolve().is_relative_to(root):
        raise DataError(f"{where}: {relative!r} leaves the folder {folder}")
    if not path.is_file():
        raise DataError(f"{where}: there is no picture {relative!r} in {folder}")
    return path


def read_bytes(path: Path, where: str) -> bytes:
    """The whole file, or DataError."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{where}: cannot read {path}: {error.strerror or error}") from error


def read_picture(path: Path, where: str) -> tuple[bytes, str]:
    """The bytes and the media type of a picture that can be decoded and is not too large.

    Raises:
        DataError: names what is wrong with it.
    """
    data = read_bytes(path, where)
    with _opened(data, path, where) as image:
        return data, _FORMATS[str(image.format)]


def read_pixels(path: Path, where: str) -> Image.Image:
    """A picture as RGB, turned as its camera says, transparency on white; raises like `read_picture`."""
    with _opened(read_bytes(path, where), path, where) as image:
        upright = ImageOps.exif_transpose(image)
        if upright.mode in ("RGBA", "LA", "PA") or "transparency" in upright.info:
            layer = upright.convert("RGBA")
            upright = Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer)
        return upright.convert("RGB")


@contextmanager
def _opened(data: bytes, path: Path, where: str) -> Iterator[Image.Image]:
    try:
        with Image.open(io.BytesIO(data), formats=_READ) as image:
            _check_size(image, path, where)
            image.load()
            yield image
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
        raise DataError(
            f"{where}: {path} is no JPEG, PNG or WebP picture, or is damaged ({error})"
        ) from error
    except Image.DecompressionBombError as error:
        raise DataError(f"{where}: {path} is too large: {error}") from error


def _check_size(image: Image.Image, path: Path, where: str) -> None:
    width, height = image.size
    if max(width, height) > MOST_SIDE or width * height > MOST_PIXELS:
        raise DataError(
            f"{where}: {path} has {width:,} x {height:,} pixels; at most {MOST_SIDE:,} a side and "
            f"{MOST_PIXELS // 10**6} million in all are read. Save a smaller copy."
        )


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """A new folder that becomes `target` when the block ends well, and vanishes when it does not.

    Raises:
        DataError: `target` is there already, or cannot be written.
    """
    if target.exists():
        raise DataError(f"{target} is there already; name a new folder, or remove that one first")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    except OSError as error:
        raise DataError(f"cannot write {target}: {error.strerror or error}") from error
    try:
        yield scratch
        scratch.chmod(0o755)
        scratch.rename(target)
    except OSError as error:
        raise DataError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
