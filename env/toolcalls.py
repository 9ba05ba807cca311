"""Actions written as JSON: `{"action": "click_index", "index": 3}` and the tool-call forms of model
servers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from recallreach.env.grammar import build, name_of, read_action, takes_argument
from recallreach.env.types import Action, Invalid

_WRAPPERS = ("tool_calls", "tool_call", "function_call", "tool_use", "function", "action", "actions")
_NAME_KEYS = ("action", "name", "tool", "tool_name", "function", "command", "action_type")
_ARGUMENT_KEYS = ("arguments", "args", "parameters", "params", "kwargs", "action_input", "input")
_ARGUMENT_NAMES = {
    "navigate": ("url", "path", "target", "href", "page", "link", "to"),
    "click_index": ("index", "link", "number", "n", "i", "id", "target"),
    "search": ("query", "words", "q", "text", "keywords", "keyword", "term"),
    "open": ("tag", "item", "label", "id"),
}
_STARTS_TRIED = 8
_DEPTH = 5


def find_json(text: str) -> tuple[Action, int, int] | None:
    """The first action written as JSON in `text`, with where it starts and ends, or None."""
    for found, _ in zip(re.finditer(r"[\[{]\s{0,20}(?=[\"'{])", text), range(_STARTS_TRIED), strict=False):
        decoded = _decode(text, found.start())
        if decoded is None:
            continue
        action = action_of(decoded[0])
        if action is not None:
            return action, found.start(), decoded[1]
    return None


def action_of(value: object, depth: int = 0) -> Action | None:
    """The action that a decoded JSON value states, or None where it states none."""
    if depth > _DEPTH:
        return None
    if isinstance(value, str):
        return read_action(value).action
    if isinstance(value, list):
        return action_of(value[0], depth + 1) if value else None
    return _of_mapping(_folded(value), depth) if isinstance(value, dict) else None


def _folded(value: Mapping[object, object]) -> dict[str, object]:
    return {str(key).strip().casefold(): entry for key, entry in value.items()}


def _of_mapping(value: dict[str, object], depth: int) -> Action | None:
    for key in _WRAPPERS:
        if isinstance(value.get(key), dict | list):
            return action_of(value[key], depth + 1)
    named = next((key for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    if named is None:
        return _single_key(value)
    asked = str(value.pop(named))
    known = name_of(asked)
    return read_action(asked).action if known is None else _build(known, _arguments(value))


def _single_key(value: dict[str, object]) -> Action | None:
    """`{"click_index": 3}`, perhaps beside a thought."""
    for key, argument in value.items():
        name = name_of(key)
        if name is not None:
            return _build(name, argument)
    return None


def _arguments(value: dict[str, object]) -> object:
    key = next((key for key in _ARGUMENT_KEYS if key in value), None)
    argument = value if key is None else value[key]
    if isinstance(argument, str):
        decoded = _decode(argument, 0)
        return decoded[0] if decoded and isinstance(decoded[0], dict | list) else argument
    return argument


def _build(name: str, argument: object) -> Action:
    if not takes_argument(name):
        return build(name, "" if isinstance(argument, dict | list | bool) else _text(argument))
    if isinstance(argument, dict):
        folded = _folded(argument)
        argument = next((folded[key] for key in _ARGUMENT_NAMES[name] if key in folded), None)
    if isinstance(argument, list) and len(argument) == 1:
        argument = argument[0]
    if argument is None or isinstance(argument, bool | dict | list):
        return Invalid(f"{name} needs an argument, for instance {{{name!r}: ...}}")
    return build(name, _text(argument))


def _text(value: object) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e9:
        return str(int(value))
    return "" if value is None else str(value)


def _decode(text: str, start: int) -> tuple[object, int] | None:
    """The JSON value at `start` and where it ends; single quotes are tolerated."""
    try:
        return json.JSONDecoder(strict=False, parse_int=_number).raw_decode(text, start)
    except (ValueError, RecursionError):
        if "'" not in text or '"' in text:
            return None
    try:
        return json.JSONDecoder(strict=False, parse_int=_number).raw_decode(text.replace("'", '"'), start)
    except (ValueError, RecursionError):
        return None


def _number(digits: str) -> int | str:
    return int(digits) if len(digits) < 20 else digits
