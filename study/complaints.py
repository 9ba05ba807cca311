"""What is wrong with a configuration, in one sentence: where, what was given, what is allowed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard, get_args

from pydantic import BaseModel, ValidationError

from recallreach.errors import close_matches

_TYPES = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a number that is finite; leave the key out for no limit",
    "string_type": "text in quotes",
    "bool_type": "true or false",
    "tuple_type": 'a list in brackets, such as ["one", "two"]',
    "dict_type": "a table",
    "model_type": "a name or a table",
    "too_short": "at least one entry",
    "string_too_short": "some text",
    "model_attributes_type": "a name or a table",
}


def first_sentence(error: ValidationError, model: type[BaseModel], source: str) -> str:
    """The first complaint of `error` as one sentence that begins with `source` and the key."""
    detail = error.errors()[0]
    path = [str(part) for part in detail["loc"]]
    key = ".".join(path)
    if detail["type"] == "extra_forbidden":
        return f"{source}: unknown key {key!r}. {_meant(path, model)}"
    if detail["type"] == "missing":
        return f"{source}: {key} is missing."
    return f"{source}: {key} = {detail['input']!r} cannot be used: {_allowed(detail)}."


def _allowed(detail: Mapping[str, Any]) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    if kind in _TYPES:
        return f"expected {_TYPES[kind]}"
    if kind == "literal_error":
        return f"expected {context['expected']}{_near(detail['input'], context['expected'])}"
    if kind == "value_error":
        return str(context["error"])
    bounds = {"greater_than_equal": "at least", "greater_than": "more than", "less_than_equal": "at most"}
    if kind in bounds:
        return f"expected {bounds[kind]} {next(iter(context.values())):,}".removesuffix(".0")
    if kind == "string_pattern_mismatch":
        return "expected letters, digits, '.', '_' and '-', beginning with a letter or digit"
    return str(detail["msg"])


def _near(given: object, expected: str) -> str:
    near = close_matches(str(given), [word.strip("'") for word in expected.replace(" or ", ", ").split(", ")])
    return f" (did you mean {near[0]!r}?)" if near else ""


def _meant(path: list[str], model: type[BaseModel]) -> str:
    known = sorted(_model_at(path[:-1], model).model_fields)
    near = close_matches(path[-1], known)
    return f"Did you mean {near[0]!r}?" if near else f"Known keys: {', '.join(known)}."


def _model_at(path: list[str], model: type[BaseModel]) -> type[BaseModel]:
    for name in path:
        field = model.model_fields.get(name)
        kinds = [field.annotation, *get_args(field.annotation)] if field else []
        model = next((kind for kind in kinds if _is_model(kind)), model)
    return model


def _is_model(kind: object) -> TypeGuard[type[BaseModel]]:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
