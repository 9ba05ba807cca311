"""`recallreach check`: the public contract checkers, from the command line."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Annotated, Any

import typer

from recallreach.errors import ConfigError, RecallReachError, UnknownNameError
from recallreach.memory.check import ContractError
from recallreach.study.listing import registries

KINDS = {
    "memory": "memories",
    "delivery": "deliveries",
    "agent": "agents",
    "encoder": "encoders",
    "text-encoder": "text-encoders",
    "captioner": "captioners",
}
"""Kinds with a checker, and the registry each is looked up in."""


def check(
    kind: Annotated[str, typer.Argument(help=", ".join(KINDS), metavar="KIND", show_default=False)],
    part: Annotated[
        str, typer.Argument(help="A registered name, or module:Class of your own.", show_default=False)
    ],
    options: Annotated[
        list[str] | None,
        typer.Option(
            "--option", "-o", help="An option of the part, for instance alpha=0.5.", metavar="KEY=VALUE"
        ),
    ] = None,
) -> None:
    """Check that a part keeps the contract of its kind. Your own is looked for in the current folder too."""
    check_part(kind, part, dict(map(parse_option, options or [])))
    typer.echo(f"{kind} {part!r} keeps its contract.")


def check_part(kind: str, part: str, options: dict[str, Any]) -> None:
    """Run the checker of a kind on a part.

    Raises:
        UnknownNameError: no such kind or part.
        ContractError: the part breaks a promise.
        RecallReachError: it cannot be loaded or made, or it failed on the way; the cause is chained.
    """
    if kind not in KINDS:
        raise UnknownNameError("kind of part", kind, KINDS)
    registry = registries()[KINDS[kind]]

    def make(*parts: Any) -> Any:
        return registry.make(part, *parts, **options)

    try:
        _checker(kind)(make)
    except ContractError as error:
        raise ContractError(f"{kind} {part!r} breaks its contract: {error}") from error
    except RecallReachError:
        raise
    # A part of somebody else may fail in any way, and even end the program; the cause is shown by --debug.
    except (Exception, SystemExit) as error:
        raise RecallReachError(
            f"{kind} {part!r} failed while it was checked: {type(error).__name__}: {error} ({_place(error)})"
        ) from error


def parse_option(text: str) -> tuple[str, object]:
    """Key and value of "key=value"; the value is read as in a study file, or else is a text.

    Raises:
        ConfigError: there is no "=" or no key.
    """
    key, equals, value = text.partition("=")
    if not (equals and key.strip()):
        raise ConfigError(f"an option is given as key=value, got {text!r}")
    try:
        return key.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return key.strip(), value.strip()


def _checker(kind: str) -> Callable[[Callable[..., Any]], None]:
    from recallreach.agents.check import check_agent
    from recallreach.memory import check as memory

    checkers: dict[str, Callable[[Callable[..., Any]], None]] = {
        "memory": memory.check_memory,
        "delivery": memory.check_delivery,
        "agent": check_agent,
        "encoder": memory.check_encoder,
        "text-encoder": memory.check_text_encoder,
        "captioner": memory.check_captioner,
    }
    return checkers[kind]


def _place(error: BaseException) -> str:
    """File and line where an error was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "nowhere" if trace is None else f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
