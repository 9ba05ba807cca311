"""What a picture file says beside its pixels: container, size, and every piece of metadata in it."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from PIL import Image, UnidentifiedImageError

_JPEG_CODING = {0xC0, 0xC1, 0xC2, 0xC4, 0xDB, 0xDD}
_PNG_CODING = {b"IHDR", b"IDAT", b"IEND", b"PLTE", b"tRNS"}
_WEBP_CODING = {b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF"}
_MOST_INFLATED = 1 << 20
FILLERS = ("WebP FILL", "PNG fiLl")
"""Segments that pad a file to a common length; only their presence is read."""


@dataclass(frozen=True, slots=True)
class PictureFacts:
    """One picture file.

    Attributes:
        size: "512 x 512", or "" where it is no picture.
        mode: format and pixel mode, for instance "JPEG RGB".
        metadata: (name of the segment, what it says) of everything that is not coded pixels.
    """

    size: str
    mode: str
    metadata: tuple[tuple[str, str], ...]


def read_picture(data: bytes) -> PictureFacts:
    """Facts of an encoded picture; pixels are not decoded. What is no picture has neither size nor mode."""
    try:
        with Image.open(io.BytesIO(data)) as image:
            size, mode = f"{image.width} x {image.height}", f"{image.format} {image.mode}"
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        size = mode = ""
    return PictureFacts(size, mode, tuple(_segments(data)))


def _segments(data: bytes) -> Iterator[tuple[str, str]]:
    if data.startswith(b"\xff\xd8"):
        yield from _jpeg(data)
    elif data.startswith(b"\x89PNG\r\n\x1a\n"):
        yield from _png(data)
    elif data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        yield from _webp(data)


def _jpeg(data: bytes) -> Iterator[tuple[str, str]]:
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if marker == 0xDA:
            break
        length = int.from_bytes(data[at + 2 : at + 4], "big")
        payload = data[at + 4 : at + 2 + length]
        if marker not in _JPEG_CODING:
            yield f"JPEG {_jpeg_name(marker)}", _said(payload)
        at += 2 + max(length, 2)
    end = data.rfind(b"\xff\xd9")
    if end >= 0 and data[end + 2 :]:
        yield "after the end", _said(data[end + 2 :])


def _jpeg_name(marker: int) -> str:
    if marker == 0xFE:
        return "comment"
    return f"APP{marker - 0xE0}" if 0xE0 <= marker <= 0xEF else f"segment {marker:02X}"


def _png(data: bytes) -> Iterator[tuple[str, str]]:
    at = 8
    while at + 12 <= len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, payload = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        if kind not in _PNG_CODING:
            yield _named(f"PNG {kind.decode('latin-1')}", _inflated(kind, payload))
        at += 12 + length
        if kind == b"IEND":
            break
    if data[at:]:
        yield "after the end", _said(data[at:])


def _inflated(kind: bytes, payload: bytes) -> bytes:
    """Text of a compressed chunk beside its key; other chunks as they are."""
    if kind not in (b"zTXt", b"iTXt", b"iCCP"):
        return payload
    key, _, rest = payload.partition(b"\0")
    for start in range(min(len(rest), 64)):
        if rest[start : start + 1] == b"\x78":
            try:
                unpacked = zlib.decompressobj().decompress(rest[start:], _MOST_INFLATED)
            except zlib.error:
                continue
            return key + b"\0" + unpacked
    return payload


def _webp(data: bytes) -> Iterator[tuple[str, str]]:
    at = 12
    end = min(len(data), 8 + int.from_bytes(data[4:8], "little"))
    while at + 8 <= end:
        kind, length = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        if kind not in _WEBP_CODING:
            yield _named(f"WebP {kind.decode('latin-1').strip()}", data[at + 8 : at + 8 + length])
        at += 8 + length + length % 2
    if data[end:]:
        yield "after the end", _said(data[end:])


def _named(name: str, payload: bytes) -> tuple[str, str]:
    if name in FILLERS and not payload.strip(b"\0"):
        return name, "padding"
    return name, _said(payload)


def _said(payload: bytes) -> str:
    return payload.decode("latin-1")
