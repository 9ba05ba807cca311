"""Errors of memory: each names the record, channel or picture it is about."""

from __future__ import annotations

from recallreach.errors import DataError, RecallReachError


class VectorError(RecallReachError):
    """A vector that a bank or an encoder cannot accept: not finite, or of another dimension."""


class PictureError(DataError):
    """A picture that is not in the store, or bytes that no decoder can read."""


class CaptionError(RecallReachError):
    """A captioner that gave no usable text; it is an error and never becomes a memory."""


class MissingRecordError(RecallReachError):
    """An id that a bank does not hold, or cannot take."""


class BankError(DataError):
    """A bank folder that is damaged, in use, or of another kind; names every file that is wrong."""


class ReplyError(DataError):
    """A language model's reply that memory cannot use, however often it was asked.

    Attributes:
        kind: for counting, beside the kinds of failed model calls.
    """

    kind = "memory-reply"
