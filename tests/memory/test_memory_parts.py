"""Parts by name, the cache on disk, and captions by a chat model."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from recallreach.errors import DataError, RecallReachError
from recallreach.memory.captioners.model import ModelCaptioner
from recallreach.memory.check import check_captioner, sample_picture
from recallreach.memory.errors import CaptionError, PictureError, VectorError
from recallreach.memory.parts import CachedCaptioner, CachedEncoder, CachedTextEncoder
from recallreach.memory.shelf import Shelf
from recallreach.memory.types import ImagePart, Message, Vectors

PICTURES = [sample_picture(seed, 24) for seed in range(3)]


class Counting:
    """Length of what it is given as an angle; counts what it was asked."""

    def __init__(self, name: str = "counting@1-float32", dimension: int = 2) -> None:
        self.name, self.dimension = name, dimension
        self.seen: list[object] = []

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        return self._rows(texts)

    def encode_images(self, pictures: Sequence[bytes]) -> Vectors:
        return self._rows(pictures)

    def _rows(self, items: Sequence[str] | Sequence[bytes]) -> Vectors:
        self.seen += items
        angles = np.array([len(item) for item in items], np.float32)
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


@dataclass
class Said:
    text: str


class Model:
    name = "model-7b@main"

    def __init__(self, *texts: str) -> None:
        self._texts = list(texts)
        self.asked: list[Sequence[Message]] = []

    def complete(self, messages: Sequence[Message]) -> Said:
        self.asked.append(messages)
        return Said(self._texts[min(len(self.asked), len(self._texts)) - 1])


def test_what_was_encoded_once_is_read_from_disk_by_the_next_process(tmp_path: Path) -> None:
    first = Counting()
    cached = CachedEncoder(first, Shelf(tmp_path / "cache.sqlite"))
    rows = cached.encode_images(PICTURES), cached.encode_texts(["a", "bb", "a"])
    second = Counting()
    again = CachedEncoder(second, Shelf(tmp_path / "cache.sqlite"))
    assert np.array_equal(again.encode_images(PICTURES), rows[0])
    assert np.array_equal(again.encode_texts(["a", "bb", "a"]), rows[1])
    assert (len(first.seen), second.seen) == (5, [])
    assert again.encode_texts(["ccc"]).shape == (1, 2)
    assert second.seen == ["ccc"]


def test_another_model_revision_or_content_is_another_entry(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "cache.sqlite")
    CachedEncoder(Counting("m@1-float32"), shelf).encode_texts(["a"])
    for name, text in (("m@2-float32", "a"), ("m@1-float16", "a"), ("m@1-float32", "b")):
        other = Counting(name)
        CachedEncoder(other, shelf).encode_texts([text])
        assert other.seen == [text]
    picture = Counting("m@1-float32")
    CachedEncoder(picture, shelf).encode_images([b"a"])
    assert picture.seen == [b"a"]


def test_an_entry_of_another_dimension_or_a_damaged_one_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    shelf = Shelf(path)
    CachedTextEncoder(Counting(), shelf).encode_texts(["a", "bb"])
    shelf.close()
    base = sqlite3.connect(path)
    with base:
        base.execute(
            "UPDATE shelf SET data = CAST(substr(data, 1, 8) || x'00000000' || substr(data, 13) AS BLOB)"
        )
    base.close()
    again = Counting()
    CachedTextEncoder(again, Shelf(path)).encode_texts(["a", "bb"])
    assert again.seen == ["a", "bb"]
    with pytest.raises(VectorError, match=r"dimension 3 gave \(1, 2\)"):
        CachedTextEncoder(Counting(dimension=3), Shelf(path)).encode_texts(["a"])


def test_captions_are_kept_by_picture_model_and_prompt(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "cache.sqlite")
    model = Model("A red chair.")
    captioner = ModelCaptioner(model)
    assert CachedCaptioner(captioner, shelf).caption(PICTURES[0]) == "A red chair."
    silent = ModelCaptioner(Model(""))
    assert silent.name == captioner.name
    assert CachedCaptioner(silent, shelf).caption(PICTURES[0]) == "A red chair."
    with pytest.raises(CaptionError):
        CachedCaptioner(silent, shelf).caption(PICTURES[1])
    other = ModelCaptioner(Model("Other."), prompt="worldmm-summary")
    assert other.name != captioner.name
    assert CachedCaptioner(other, shelf).caption(PICTURES[0]) == "Other."


def test_a_model_captions_one_picture_a_request() -> None:
    model = Model("  Two sentences. Here.\n")
    check_captioner(lambda: ModelCaptioner(model))
    system, user = model.asked[0]
    assert "Invent nothing" in system.parts[0].text  # type: ignore[union-attr]
    assert isinstance(user.parts[0], ImagePart)
    assert (user.parts[0].width, user.parts[0].media_type) == (128, "image/png")
    with pytest.raises(PictureError):
        ModelCaptioner(model).caption(b"nothing")
    with pytest.raises(CaptionError, match="model-7b@main described a picture with nothing"):
        ModelCaptioner(Model(" \n")).caption(PICTURES[0])


def test_several_processes_write_one_shelf(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom recallreach.memory.shelf import Shelf\n"
        "shelf = Shelf(sys.argv[1])\n"
        "for n in range(100):\n    shelf.put({f'{sys.argv[2]}-{n}': b'x' * n, f'shared-{n}': b'y'})\n"
    )
    path = str(tmp_path / "cache.sqlite")
    running = [subprocess.Popen([sys.executable, "-c", script, path, name]) for name in "ab"]
    assert [process.wait() for process in running] == [0, 0]
    shelf = Shelf(path)
    assert len(shelf) == 300
    assert shelf.get(["a-7", "b-99", "c-1"]) == {"a-7": b"x" * 7, "b-99": b"x" * 99}


def test_many_keys_are_read_at_once(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "cache.sqlite")
    entries = {f"k{number}": str(number).encode() for number in range(1200)}
    shelf.put(entries)
    assert shelf.get(list(entries)) == entries


def test_a_cache_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("this is no database, but long enough to be looked at as one" * 20)
    with pytest.raises(DataError, match=r"the cache .*text cannot be used: .*delete it"):
        Shelf(tmp_path / "text")
    with pytest.raises(DataError, match="cannot be used"):
        Shelf(tmp_path / "text" / "cache.sqlite")


def test_a_full_disk_is_told_and_what_was_kept_stays(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "cache.sqlite")
    shelf.put({"kept": b"1"})
    (pages,) = shelf._base.execute("PRAGMA page_count").fetchone()
    shelf._base.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(DataError, match="full"):
        shelf.put({"small": b"2", "large": b"x" * 100_000})
    assert shelf.get(["kept", "small", "large"]) == {"kept": b"1"}


def test_a_caption_of_other_settings_is_another_entry() -> None:
    class Set(Model):
        def __init__(self, temperature: float) -> None:
            super().__init__("A chair.")
            self._temperature = temperature

        def identity(self) -> dict[str, object]:
            return {"temperature": self._temperature}

    assert ModelCaptioner(Set(0.0)).name == ModelCaptioner(Set(0.0)).name
    assert len({ModelCaptioner(model).name for model in (Set(0.0), Set(0.5), Model())}) == 3


def test_a_broken_captioner_is_caught() -> None:
    class Anything:
        name = "anything"

        def caption(self, picture: bytes) -> str:
            return "A chair."

    with pytest.raises(RecallReachError, match="bytes that are no picture are described"):
        check_captioner(Anything)
