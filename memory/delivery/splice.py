"""Replacing the top rows of a JPEG without touching the rest.

A JPEG with restart markers is a sequence of pieces that decode on their own (ITU-T T.81, E.1.4, F.2.1.3.1).
Only the pieces under the change are decoded and coded again, with the picture's own tables; all others keep
their bytes, so that everything below is delivered exactly as it was stored, in a fraction of the time.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass

from PIL import Image

_BLOCK = 8
_SHORTEST_FRAME = 9
_DQT, _SOF0, _DHT, _SOS, _DRI = 0xDB, 0xC0, 0xC4, 0xDA, 0xDD
_FOREIGN = {0xE1, 0xEE}
"""Exif and Adobe segments may turn or recolour a picture."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where things lie in a baseline JPEG whose restart intervals are whole rows of blocks.

    Attributes:
        frame: offset of the content of the frame header; its height lies 1 and its width 3 bytes on.
        scan: offset of the first byte of coded data.
        end: offset of the end-of-image marker, fill bytes included.
        restarts: offsets of the restart markers.
        rows: pixel rows of one interval.
        across: blocks in a row.
        tables: everything that decides how blocks are coded: tables, components, scan header.
    """

    frame: int
    scan: int
    end: int
    restarts: tuple[int, ...]
    rows: int
    across: int
    tables: bytes


def with_new_top(jpeg: bytes, rows: int, change: Callable[[Image.Image], None]) -> bytes | None:
    """The picture with its top rows changed.

    Args:
        jpeg: an encoded picture.
        rows: number of pixel rows that the change needs.
        change: draws into the decoded top, which is at least `rows` high and in mode RGB or L.

    Returns:
        The new file, or None where this picture does not allow it: no JPEG, no restart markers at whole rows,
        progressive, subsampled, with tables of its own, rotated, or incomplete.
    """
    layout = _layout(jpeg)
    pieces = -(-rows // layout.rows) if layout else 0
    if layout is None or pieces > len(layout.restarts):
        return None
    cut = layout.restarts[pieces - 1]
    top = _decoded(jpeg, layout, cut, pieces * layout.rows)
    if top is None:
        return None
    change(top)
    coded = _coded(top, layout)
    return None if coded is None else jpeg[: layout.scan] + coded + jpeg[cut:]


def _layout(jpeg: bytes) -> _Layout | None:
    segments = _segments(jpeg)
    if segments is None or _FOREIGN & segments.keys() or not {_SOF0, _DRI, _DHT, _DQT} <= segments.keys():
        return None
    (frame, frame_end), scan = segments[_SOF0][0], segments[_SOS][0][1]
    height, width = _number(jpeg, frame + 1), _number(jpeg, frame + 3)
    if frame_end - frame < _SHORTEST_FRAME or not width:
        return None
    sampling = jpeg[frame + 7 : frame + 6 + 3 * jpeg[frame + 5] : 3]
    interval, across = _number(jpeg, segments[_DRI][0][0]), -(-width // _BLOCK)
    end = jpeg.rfind(b"\xff\xd9")
    if set(sampling) != {0x11} or jpeg[frame] != 8 or not interval or interval % across or end < scan:
        return None
    rows = _BLOCK * (interval // across)
    restarts = _restarts(jpeg, scan, end, -(-height // rows) - 1)
    if restarts is None:
        return None
    parts = [*segments[_DQT], *segments[_DHT], (frame + 5, frame_end), *segments[_SOS]]
    return _Layout(frame, scan, end, restarts, rows, across, b"".join(jpeg[a:b] for a, b in parts))


def _restarts(jpeg: bytes, scan: int, end: int, count: int) -> tuple[int, ...] | None:
    """Offsets of exactly `count` restart markers in their order, or None."""
    found, position = [], scan
    for number in range(count):
        position = jpeg.find(bytes((0xFF, 0xD0 + number % 8)), position, end)
        if position < 0:
            return None
        found.append(position)
        position += 2
    surplus = jpeg.find(bytes((0xFF, 0xD0 + count % 8)), position, end)
    return tuple(found) if surplus < 0 else None


def _segments(jpeg: bytes) -> dict[int, list[tuple[int, int]]] | None:
    """Start and end of each segment's content up to the scan, by marker; None where it is no such file."""
    found: dict[int, list[tuple[int, int]]] = {}
    position = 2
    if jpeg[:2] != b"\xff\xd8":
        return None
    while _SOS not in found:
        if position + 4 > len(jpeg) or jpeg[position] != 0xFF:
            return None
        end = position + 2 + _number(jpeg, position + 2)
        found.setdefault(jpeg[position + 1], []).append((position + 4, end))
        position = end
    return found


def _decoded(jpeg: bytes, layout: _Layout, cut: int, height: int) -> Image.Image | None:
    head = bytearray(jpeg[: layout.scan])
    head[layout.frame + 1 : layout.frame + 3] = height.to_bytes(2, "big")
    try:
        with Image.open(io.BytesIO(bytes(head) + jpeg[layout.scan : cut] + b"\xff\xd9")) as image:
            image.load()
            return image if image.mode in ("RGB", "L") else None
    except (OSError, SyntaxError, ValueError):
        return None


def _coded(top: Image.Image, layout: _Layout) -> bytes | None:
    """The coded data of the top, or None where Pillow would write it with other tables."""
    buffer, blocks = io.BytesIO(), layout.rows // _BLOCK * layout.across
    tables = getattr(top, "quantization", None)
    top.save(buffer, "JPEG", qtables=tables, subsampling=0, restart_marker_blocks=blocks)
    made = buffer.getvalue()
    written = _layout(made)
    return made[written.scan : written.end] if written and written.tables == layout.tables else None


def _number(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "big")
