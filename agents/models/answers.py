"""What an OpenAI-compatible server sent: the reply, its usage, or why there is none."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from recallreach.agents.costs import messages_usage, reply_usage
from recallreach.agents.errors import ModelError, ModelErrorKind
from recallreach.agents.patches import PatchRule
from recallreach.agents.redaction import redacted
from recallreach.agents.text import storable
from recallreach.agents.types import Message, Usage

_TOO_LONG = re.compile(
    r"context (length|window|size)|max_model_len|maximum.{0,30}tokens|prompt is too long|too many tokens",
    re.I,
)
_BODY, _SAME = 1000, 24
"""Characters of a server's answer that are told, and that must be in a message to count as told."""
_DELAY = re.compile(r"retry(?:Delay|[ _]in|[ _]after)['\"]?[:=\s]+['\"]?(\d+(?:\.\d+)?) ?s", re.I)


def reply_of(answer: Any, key: str = "") -> str:
    """The text of a completion.

    Args:
        answer: what the client made of the server's answer.
        key: the key in use, kept out of messages.

    Raises:
        ModelError: it holds none ("server", "empty" or "refusal").
    """
    choices = getattr(answer, "choices", None)
    if choices is None:
        sent = redacted(str(answer), [key])[:120]
        raise ModelError("server", f"the server sent no chat completion but {sent!r}")
    if not choices:
        raise ModelError("empty", "the server sent a completion without choices")
    message, reason = choices[0].message, choices[0].finish_reason
    refused = getattr(message, "refusal", None)
    if refused or reason == "content_filter":
        raise ModelError("refusal", f"the model refused: {redacted(str(refused or 'content filter'), [key])}")
    text = storable(_written(message))
    if not text.strip():
        raise ModelError(
            "empty", f"the model replied with nothing (finish reason {reason!r}){_hint(message)}"
        )
    return text


def _written(message: Any) -> str:
    """The content, the text parts of it, or the tool calls as the JSON that the action parser reads."""
    content = message.content
    if isinstance(content, list):
        return "\n".join(str(_field(part, "text") or "") for part in content)
    calls = getattr(message, "tool_calls", None) or []
    if content or not calls:
        return str(content or "")
    called = [_field(call, "function") for call in calls]
    return json.dumps([{"name": _field(f, "name"), "arguments": _field(f, "arguments")} for f in called])


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def _hint(message: Any) -> str:
    thought = getattr(message, "reasoning_content", None) or getattr(message, "reasoning", None)
    return "; it spent all tokens on reasoning: raise max_tokens, or turn reasoning down" if thought else ""


def usage_of(answer: Any, messages: Sequence[Message], text: str, rule: PatchRule) -> Usage:
    """What a call took: visual tokens by the model's rule, the others as the server counted them.

    Where the server counts nothing, or less than the pictures alone, text is estimated.
    """
    sent = messages_usage(messages, rule)
    counted = getattr(answer, "usage", None)
    read = getattr(counted, "prompt_tokens", None)
    if isinstance(read, int) and read > sent.visual_tokens:
        sent = Usage(1, sent.images, sent.visual_tokens, read - sent.visual_tokens)
    written = getattr(counted, "completion_tokens", None)
    return sent + reply_usage(text, written if isinstance(written, int) and written > 0 else None)


def failure_of(library: Any, error: Exception, model: str, key: str) -> ModelError:
    """A client's error by kind, with a message that holds neither key nor account."""
    if not isinstance(error, library.OpenAIError):
        return ModelError(
            "server", f"{model}: the server's answer is not JSON: {redacted(str(error), [key])}"
        )
    kind = _kind(library, error)
    reason = redacted(_reason(error), [key])
    if kind == "request" and _TOO_LONG.search(reason):
        kind = "too-long"
    return ModelError(kind, f"{model}: {reason}", retry_after=_retry_after(error))


def _kind(library: Any, error: Exception) -> ModelErrorKind:
    status = getattr(error, "status_code", None)
    kinds: list[tuple[Any, ModelErrorKind]] = [
        (library.APITimeoutError, "timeout"),
        (library.APIConnectionError, "connection"),
        (library.RateLimitError, "rate-limit"),
        ((library.AuthenticationError, library.PermissionDeniedError), "authentication"),
        (library.InternalServerError, "server"),
        (library.APIResponseValidationError, "server"),
        (library.APIStatusError, "server" if status in (408, 409) else "request"),
    ]
    return next((kind for classes, kind in kinds if isinstance(error, classes)), "server")


def _reason(error: Exception) -> str:
    """The error's own words and the server's; for a redirect, where it leads."""
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and 300 <= status < 400 and response is not None:
        place = urlsplit(response.headers.get("location", ""))
        target = f"{place.scheme}://{place.netloc}{place.path}" if place.netloc else place.path
        return f"the server redirects ({status}) to {target}; set base_url to the final address"
    if status is not None and response is not None:
        body = str(response.text)[:_BODY].strip()
        return str(error) if not body or body[:_SAME] in str(error) else f"{error}: {body}"
    cause = error.__cause__
    return str(error) if cause is None else f"{error} ({type(cause).__name__}: {cause})"


def _retry_after(error: Exception) -> float | None:
    """Seconds that the server asked to wait: `retry-after-ms`, `Retry-After` (seconds or a date), or its
    words."""
    response = getattr(error, "response", None)
    headers = getattr(response, "headers", {})
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        seconds = _number(headers.get(name))
        if seconds is not None:
            return seconds * unit
    moment = _date(headers.get("retry-after"))
    if moment is not None:
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())
    told = _DELAY.search(_reason(error)) if getattr(error, "status_code", None) == 429 else None
    return float(told.group(1)) if told else None


def _number(text: str | None) -> float | None:
    found = re.fullmatch(r"\s*(\d{1,9}(?:\.\d+)?)\s*", text or "")
    return float(found.group(1)) if found else None


def _date(text: str | None) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text or "")
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
