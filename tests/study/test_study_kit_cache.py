"""Vectors of encoders that do not ship with the package are kept between studies."""

from __future__ import annotations

from pathlib import Path

import pytest

from recallreach.memory.shelf import Shelf
from recallreach.study.config import StudyConfig
from recallreach.study.kit import ENCODINGS, Kit


def test_a_text_is_encoded_once_for_all_studies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECALLREACH_CACHE", str(tmp_path))
    encoder = "recallreach.memory.encoders.hashed:HashedTextEncoder"
    values = {"memories": ["caption", {"name": "caption", "text_encoder": encoder, "label": "own"}]}
    config = StudyConfig.parse(values)
    for _ in range(2):
        usual, own = (Kit(config).parts(memory) for memory in config.memories)
        rows = [parts.text_encoder.encode_texts(["a red mug"]).tolist() for parts in (usual, own)]
        assert rows[0] == rows[1]
    assert len(Shelf(tmp_path / ENCODINGS)) == 1
