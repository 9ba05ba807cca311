"""Encoders by name: of pictures and texts (`encoders`), and of texts only (`text_encoders`)."""

from __future__ import annotations

from typing import Any

from recallreach.memory.types import Encoder, TextEncoder
from recallreach.registry import Registry

encoders: Registry[Encoder] = Registry("encoder", "recallreach.encoders")
text_encoders: Registry[TextEncoder] = Registry("text encoder", "recallreach.text_encoders")


def _coarse() -> Any:
    from recallreach.memory.encoders.embedded import RetrievalEncoder

    return RetrievalEncoder.load


def _hashed() -> Any:
    from recallreach.memory.encoders.hashed import HashedTextEncoder

    return HashedTextEncoder


def _dual() -> Any:
    from recallreach.memory.encoders.hub import DualEncoder

    return DualEncoder


def _sentences() -> Any:
    from recallreach.memory.encoders.hub import SentenceTransformerEncoder

    return SentenceTransformerEncoder


encoders.add("embedded", "the coarse encoder that ships with the package", _coarse)
encoders.add("transformers", "any dual encoder of transformers: SigLIP, SigLIP 2, CLIP", _dual)
text_encoders.add("sentence-transformers", "any model of sentence-transformers", _sentences)
text_encoders.add("hashed", "hashed bag of words and character n-grams, nothing learned", _hashed)
