"""Picture files of one length and without metadata, pixels untouched: what a file weighs must say nothing."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable

from recallreach.errors import DataError

STEP = 4096
_PNG_KEPT = frozenset({b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND", b"gAMA", b"sRGB"})
_WEBP_KEPT = frozenset({b"VP8 ", b"VP8L", b"ALPH"})
_PNG_FILL, _WEBP_FILL = b"fiLl", b"FILL"
_SMALLEST_FILL = 12


def common_length(lengths: Iterable[int]) -> int:
    """A length that all these files can be filled up to."""
    return -(-(max(lengths) + _SMALLEST_FILL) // STEP) * STEP


def stripped(data: bytes) -> bytes:
    """The file without comments, EXIF, colour profiles and anything behind its end; it decodes to the same
    pixels.

    Raises:
        DataError: it is neither JPEG, PNG nor WebP.
    """
    if data.startswith(b"\xff\xd8"):
        return _jpeg_stripped(data)
    if data.startswith(b"\x89PNG"):
        return data[:8] + b"".join(raw for kind, raw in _png_chunks(data) if kind in _PNG_KEPT)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp_stripped(data)
    raise DataError("a picture is neither JPEG, PNG nor WebP")


def filled(data: bytes, length: int) -> bytes:
    """The file filled up to `length` bytes with what every decoder skips.

    JPEG: `0xFF` before the end marker (ITU-T T.81, B.1.1.2). PNG: a private ancillary chunk (W3C PNG, 4.7.2).
    WebP: a chunk of an unknown type (RFC 9649, "Unknown Chunks").
    """
    missing = length - len(data)
    if data.startswith(b"\xff\xd8"):
        return data[:-2] + b"\xff" * missing + data[-2:]
    if data.startswith(b"\x89PNG"):
        payload = bytes(missing - 12)
        check = zlib.crc32(_PNG_FILL + payload)
        chunk = struct.pack(">I", len(payload)) + _PNG_FILL + payload + struct.pack(">I", check)
        return data[:-12] + chunk + data[-12:]
    body = data[8:] + _WEBP_FILL + struct.pack("<I", missing - 8) + bytes(missing - 8)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _png_chunks(data: bytes) -> Iterable[tuple[bytes, bytes]]:
    at = 8
    while at + 12 <= len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        kind = data[at + 4 : at + 8]
        yield kind, data[at : at + 12 + size]
        if kind == b"IEND":
            return
        at += 12 + size


def _jpeg_stripped(data: bytes) -> bytes:
    """Without application segments (but Adobe's, which says how colours are coded), comments and trailers."""
    kept, at = [data[:2]], 2
    while data[at + 1] != 0xDA:
        if data[at + 1] == 0xFF:
            at += 1
            continue
        marker, size = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == 0xEE or not (0xE0 <= marker <= 0xEF or marker == 0xFE):
            kept.append(data[at : at + 2 + size])
        at += 2 + size
    end = _jpeg_end(data, at)
    return b"".join([*kept, data[at:end], b"\xff\xd9"])


def _jpeg_end(data: bytes, at: int) -> int:
    """Where the end marker of the picture stands; markers inside coded pixels are stuffed or restarts."""
    while True:
        at = data.find(b"\xff", at)
        if at < 0 or at + 1 >= len(data):
            return len(data)
        if data[at + 1] == 0xD9:
            return at
        at += 1 if data[at + 1] == 0xFF else 2


def _webp_stripped(data: bytes) -> bytes:
    """The coded picture alone, in the extended layout that allows filling."""
    at, end, kept = 12, 8 + int.from_bytes(data[4:8], "little"), []
    head = b""
    while at + 8 <= end:
        kind, size = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        whole = data[at : at + 8 + size + size % 2]
        if kind == b"VP8X":
            head = whole[:8] + bytes([whole[8] & 0x10]) + whole[9:]
        elif kind in _WEBP_KEPT:
            kept.append(whole)
        at += len(whole)
    body = b"WEBP" + head + b"".join(kept)
    return b"RIFF" + struct.pack("<I", len(body)) + body
