"""Picture files of equal length: neither their size nor any metadata tells one picture from another.

JPEG is filled up with `0xFF` bytes before the end marker. The standard allows any number of them before a
marker (ITU-T T.81, B.1.1.2), so every decoder skips them and there is no field to read. Lossless WebP is
written in the extended layout and gets one chunk of an unknown type, which readers ignore (RFC 9649, "Unknown
Chunks").
"""

from __future__ import annotations

import io
import struct

from PIL import Image

from recallreach.storefront.pictures.art import Bytes

JPEG_QUALITY = 92
JPEG_LENGTH, WEBP_LENGTH = 96 * 1024, 512 * 1024
"""Bytes of a picture file; one that needs more takes the next multiple."""

_FILL = b"FILL"


def encode_jpeg(pixels: Bytes) -> bytes:
    """JPEG of quality 92 without chroma subsampling: equal blocks of 8 x 8 pixels decode to equal pixels.

    Each row of blocks ends in a restart marker, so that a copy can get other rows and keep the rest bit by
    bit.
    """
    raw = io.BytesIO()
    Image.fromarray(pixels).save(raw, "JPEG", quality=JPEG_QUALITY, subsampling=0, restart_marker_rows=1)
    body = raw.getvalue()
    return body[:-2] + b"\xff" * (_target(len(body), JPEG_LENGTH) - len(body)) + body[-2:]


def encode_webp(pixels: Bytes) -> bytes:
    """Lossless WebP: decodes to exactly `pixels`."""
    raw = io.BytesIO()
    Image.fromarray(pixels).save(raw, "WEBP", lossless=True, quality=0, method=0)
    image = raw.getvalue()[12:]
    height, width = pixels.shape[:2]
    canvas = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    head = b"VP8X" + struct.pack("<I", 10) + bytes(4) + canvas
    length = 12 + len(head) + len(image) + 8
    fill = bytes(_target(length, WEBP_LENGTH) - length)
    payload: bytes = b"WEBP" + head + image + _FILL + struct.pack("<I", len(fill)) + fill
    return b"RIFF" + struct.pack("<I", len(payload)) + payload


def _target(length: int, step: int) -> int:
    return -(-length // step) * step
