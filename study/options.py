"""The keys of a study as options of the command line: the same names, the same meaning."""

from __future__ import annotations

import functools
import inspect
import tomllib
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from recallreach.study.config import CatalogChoice, StudyConfig

PANEL = "Study (the same keys as in a study file)"
_SEPARATOR = "__"


def with_study_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command one option per key of `StudyConfig`; those given arrive as `overrides`."""
    options = list(_options())

    @functools.wraps(command)
    def wrapper(**given: Any) -> None:
        mine = {option.name for option in options}
        overrides = {
            name.replace(_SEPARATOR, "."): parse_value(name, text)
            for name, text in given.items()
            if name in mine and text is not None
        }
        command(**{name: value for name, value in given.items() if name not in mine}, overrides=overrides)

    signature = inspect.signature(command, eval_str=True)
    own = [parameter for name, parameter in signature.parameters.items() if name != "overrides"]
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [*(entry.replace(kind=keyword) for entry in own), *options]
    wrapper.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {entry.name: entry.annotation for entry in parameters}
    return wrapper


def parse_value(name: str, text: str) -> object:
    """Read an option's text as TOML would: 3, 0.5, [1, 2], { name = "x" }; lists may go without brackets."""
    field = _fields()[name]
    if field.annotation is str:
        return text
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        listed = "," in text or "tuple" in str(field.annotation)
        return _listed(text) if listed else text


def _listed(text: str) -> list[object]:
    try:
        found: list[object] = tomllib.loads(f"value = [{text}]")["value"]
    except tomllib.TOMLDecodeError:
        return [part.strip() for part in text.split(",")]
    return found


def _options() -> Iterator[inspect.Parameter]:
    for name, field in _fields().items():
        option = typer.Option(
            f"--{name.replace(_SEPARATOR, '.')}",
            help=field.description,
            metavar="VALUE",
            show_default=False,
            rich_help_panel=PANEL,
        )
        keyword = inspect.Parameter.KEYWORD_ONLY
        yield inspect.Parameter(name, keyword, default=None, annotation=Annotated[str | None, option])


def _fields() -> dict[str, FieldInfo]:
    found: dict[str, FieldInfo] = {}
    for name, field in StudyConfig.model_fields.items():
        if field.annotation is CatalogChoice:
            found.update(_nested(name, CatalogChoice))
        else:
            found[name] = field
    return found


def _nested(table: str, model: type[BaseModel]) -> dict[str, FieldInfo]:
    return {f"{table}{_SEPARATOR}{name}": field for name, field in model.model_fields.items()}
