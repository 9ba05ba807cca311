"""Asking a language model for JSON: prompts from files, replies read tolerantly and refused in words."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from typing import Any, TypeVar

from recallreach.errors import UnknownNameError
from recallreach.files import sha256
from recallreach.memory.errors import ReplyError
from recallreach.memory.types import LanguageModel, Message, TextPart

TRIES = 3
_SHOWN = 200
AnswerT = TypeVar("AnswerT")


@cache
def prompt(name: str) -> str:
    """The text of one prompt file of this room.

    Raises:
        UnknownNameError: there is no such file.
    """
    files = {
        entry.name: entry for entry in resources.files("recallreach.memory").joinpath("prompts").iterdir()
    }
    known = [file.removesuffix(".md") for file in files if file.endswith(".md")]
    if name not in known:
        raise UnknownNameError("prompt", name, known)
    return files[f"{name}.md"].read_text(encoding="utf-8")


def prompt_version(name: str) -> str:
    """Name of a prompt and the first eight digits of its SHA-256: part of every cache key."""
    return f"{name}-{sha256(prompt(name).encode())[:8]}"


def system_message(name: str) -> Message:
    """The prompt file as the system's message."""
    return Message("system", (TextPart(prompt(name).strip()),))


def user_message(text: str) -> Message:
    """One text from the user."""
    return Message("user", (TextPart(text),))


def ask(model: LanguageModel, messages: Sequence[Message], read: Callable[[str], AnswerT]) -> AnswerT:
    """The model's answer as `read` understands it; where it does not, the model is told why, twice at most.

    Args:
        model: any chat model.
        messages: the request.
        read: turns the reply's text into the answer; a ValueError says what is wrong with it.

    Raises:
        ReplyError: no reply could be used.
        RecallReachError: the model gave none.
    """
    asked = list(messages)
    for left in range(TRIES - 1, -1, -1):
        text = model.complete(asked).text
        try:
            return read(text)
        except ValueError as error:
            if not left:
                shown = " ".join(text.split())[:_SHOWN]
                raise ReplyError(
                    f"{model.name} was asked {TRIES} times and said {shown!r}: {error}"
                ) from error
            asked += [Message("assistant", (TextPart(text),)), user_message(f"That cannot be used: {error}")]
    raise AssertionError("unreachable")


def one_object(text: str) -> dict[str, Any]:
    """The first JSON object in a reply.

    Raises:
        ValueError: there is none.
    """
    found = json_objects(text)
    if not found:
        raise ValueError("it holds no JSON object")
    return found[0]


def json_objects(text: str) -> list[dict[str, Any]]:
    """All JSON objects in a reply, whatever stands around them, in order."""
    decoder = json.JSONDecoder()
    found: list[dict[str, Any]] = []
    start = text.find("{")
    while start >= 0:
        try:
            value, end = decoder.raw_decode(text, start)
            found.append(value)
        except ValueError:
            end = start + 1
        start = text.find("{", end)
    return found
