"""The foundations: errors, files, registry, seeding."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from recallreach.errors import ConfigError, DataError, RecallReachError, UnknownNameError
from recallreach.files import dump_json, read_json, sha256, write_atomically
from recallreach.registry import Registry
from recallreach.seeding import stream


def _registry() -> Registry[object]:
    registry: Registry[object] = Registry("memory", "recallreach.test_group")
    registry.add("dualmem", "two codes", lambda: dict)
    registry.add("caption", "one code", lambda: list)
    return registry


def test_unknown_name_says_what_was_asked_what_is_known_and_what_is_near() -> None:
    with pytest.raises(UnknownNameError) as caught:
        _registry().factory("dualmen")
    assert "'dualmen'" in str(caught.value)
    assert "'dualmem'" in str(caught.value)
    assert "caption" in str(caught.value)


def test_a_long_list_of_known_names_is_cut() -> None:
    message = str(UnknownNameError("product", "p", [f"p{number:03}" for number in range(500)]))
    assert "p000" in message
    assert "p499" not in message
    assert message.endswith("and 476 more.")


def test_unknown_name_crosses_a_process_boundary() -> None:
    error = UnknownNameError("memory", "dualmen", ["dualmem"], "Do this.")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.known) == (str(error), ["dualmem"])


def test_registry_resolves_built_ins_and_dotted_names() -> None:
    registry = _registry()
    assert registry.factory("dualmem") is dict
    assert registry.factory("collections:OrderedDict").__name__ == "OrderedDict"
    assert registry.names() == ["caption", "dualmem"]


def test_a_part_is_made_from_parts_and_options_or_refused_by_name() -> None:
    registry: Registry[object] = Registry("thing", "recallreach.test_group")
    registry.add("pair", "two numbers", lambda: lambda left, *, right=1: left / right)
    assert registry.make("pair", 6, right=3) == 2
    with pytest.raises(ConfigError, match=r"thing 'pair' does not take these options: .* It knows: right\."):
        registry.make("pair", 6, wrong=3)
    with pytest.raises(ConfigError, match=r"thing 'pair' cannot be made with \{'right': 'x'\}"):
        registry.make("pair", 6, right="x")


class Heavy:
    """What must not be made where one only looks ahead."""

    def __init__(self, model: str = "", size: int = 1) -> None:
        raise AssertionError("this was loaded")

    @staticmethod
    def look_ahead(model: str = "", size: int = 1) -> None:
        if size < 1:
            raise ValueError("size is from 1")


def test_looking_ahead_refuses_what_making_would_and_makes_nothing() -> None:
    registry: Registry[object] = Registry("thing", "recallreach.test_group")
    registry.add("heavy", "loads much", lambda: Heavy)
    registry.add("plain", "says nothing of itself", lambda: lambda *, right=1: 1 / 0)
    registry.look_ahead("heavy", "model", size=2)
    registry.look_ahead("plain", right=3)
    with pytest.raises(ConfigError, match=r"thing 'heavy' cannot be made with .* size is from 1"):
        registry.look_ahead("heavy", size=0)
    with pytest.raises(ConfigError, match=r"does not take these options: .* It knows: model, size\."):
        registry.look_ahead("heavy", sze=1)
    with pytest.raises(UnknownNameError, match="'heavy'"):
        registry.look_ahead("havy")


@pytest.mark.parametrize("target", ["no_such_module_here:Thing", "collections:NoSuchThing"])
def test_registry_says_why_a_dotted_name_does_not_load(target: str) -> None:
    with pytest.raises(RecallReachError, match="cannot load memory"):
        _registry().factory(target)


def test_a_name_is_registered_once() -> None:
    registry = _registry()
    load: Callable[[], Callable[..., object]] = lambda: dict  # noqa: E731
    with pytest.raises(ValueError, match="twice"):
        registry.add("dualmem", "again", load)


def test_write_replaces_the_whole_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "file.txt"
    write_atomically(target, "one")
    write_atomically(target, b"two")
    assert target.read_bytes() == b"two"
    assert [path.name for path in target.parent.iterdir()] == ["file.txt"]


def test_write_into_a_file_as_folder_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("x")
    with pytest.raises(DataError, match="cannot write"):
        write_atomically(tmp_path / "plain" / "file.txt", "x")


def test_failed_rename_leaves_no_temporary_file(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "inside").write_text("x")
    with pytest.raises(DataError, match="cannot write"):
        write_atomically(tmp_path / "taken", "x")
    assert os.listdir(tmp_path) == ["taken"]


def test_read_json_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        read_json(tmp_path / "none.json")
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(DataError, match=r"broken\.json is not valid JSON"):
        read_json(tmp_path / "broken.json")


def test_json_text_does_not_depend_on_key_order() -> None:
    assert dump_json({"b": 1, "a": 2}) == dump_json({"a": 2, "b": 1})


def test_sha256_is_the_published_one() -> None:
    assert sha256(b"abc").startswith("ba7816bf8f01cfea")


def test_streams_depend_on_seed_and_purpose_only() -> None:
    draws = [
        stream(*key).integers(0, 2**62)
        for key in ((1, "a", 2), (1, "a", 2), (1, "a", 3), (2, "a", 2), (1, "a", "2"))
    ]
    assert draws[0] == draws[1]
    assert len(set(draws)) == 4
