"""Errors of memory: each names the record, channel or picture it is about."""

from __future__ import annotations

from recallreach.errors import DataError, RecallReachError


class VectorError(RecallReachError):
    """A vector that a bank or an encoder cannot accept: not finite, or of another dimension."""


class PictureError(DataError):
    """A picture that is not in the store, or bytes that no decoder can read."""


class CaptionError(RecallReachError):
    """A captioner that gave no usable text; it is an error and never becomes a memory."""
