"""Any server with the OpenAI chat-completions protocol, through the official client (extra `openai`)."""

from __future__ import annotations

import base64
import importlib
import os
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from recallreach.agents.costs import messages_usage
from recallreach.agents.errors import MissingExtraError, ModelError, ModelErrorKind
from recallreach.agents.types import Completion, Message, Usage
from recallreach.errors import ConfigError
from recallreach.memory.delivery.cost import text_tokens
from recallreach.memory.types import ImagePart, Part

_LONGEST_REASON = 300


class OpenAICompatible:
    """One model of one server.

    Args:
        model: the server's name for the model.
        base_url: address of the server, for instance "http://127.0.0.1:8000/v1"; the client's default when
            None.
        api_key_env: environment variable that holds the key. A server of your own (`base_url`) may need none.
        temperature: 0 for the most probable answer.
        max_tokens: longest reply in tokens.
        timeout: seconds to wait for one reply.
        retries: further tries after 408, 409, 429, 5xx, time-outs and dropped connections; the client waits
            longer each time, as `Retry-After` says where it is sent.

    Raises:
        MissingExtraError: the package `openai` is not installed.
        ConfigError: there is no key and no `base_url`.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key_env: str = "OPENAI_API_KEY",
        temperature: float = 0.0,
        max_tokens: int = 1024,
        timeout: float = 120.0,
        retries: int = 4,
    ) -> None:
        self.name = f"openai:{model}"
        self._library = _library()
        self._key = os.environ.get(api_key_env, "")
        if not self._key and base_url is None:
            raise ConfigError(
                f"model {model!r} needs a key in {api_key_env}, or a base_url of your own server"
            )
        self._settings = {"model": model, "temperature": temperature, "max_tokens": max_tokens}
        self._client: Any = self._library.OpenAI(
            api_key=self._key or "none", base_url=base_url, timeout=timeout, max_retries=retries
        )

    def complete(self, messages: Sequence[Message]) -> Completion:
        """One completion; text tokens are estimates, seconds hold all tries.

        Raises:
            ModelError: the server did not answer, or not with text.
        """
        started = time.perf_counter()
        content = [{"role": message.role, "content": _content(message)} for message in messages]
        try:
            answer = self._client.chat.completions.create(messages=content, **self._settings)
        except self._library.OpenAIError as error:
            raise self._failure(error) from error
        except ValueError as error:
            raise ModelError("server", f"{self.name}: the server's answer is not JSON: {error}") from error
        text = _text(answer)
        spent = Usage(text_tokens=text_tokens(text), seconds=time.perf_counter() - started)
        return Completion(text, messages_usage(messages) + spent)

    def _failure(self, error: Exception) -> ModelError:
        reason = " ".join(str(error).split())
        reason = reason.replace(self._key, "<key>") if self._key else reason
        return ModelError(_kind(self._library, error), f"{self.name}: {reason[:_LONGEST_REASON]}")


def _library() -> Any:
    try:
        return importlib.import_module("openai")
    except ImportError as error:
        raise MissingExtraError("the model 'openai'", "openai", "openai") from error


def _kind(library: Any, error: Exception) -> ModelErrorKind:
    kinds: list[tuple[Any, ModelErrorKind]] = [
        (library.APITimeoutError, "timeout"),
        (library.APIConnectionError, "connection"),
        (library.RateLimitError, "rate-limit"),
        ((library.AuthenticationError, library.PermissionDeniedError), "authentication"),
        (library.InternalServerError, "server"),
        (library.APIStatusError, "request"),
    ]
    return next((kind for classes, kind in kinds if isinstance(error, classes)), "server")


def _content(message: Message) -> str | list[dict[str, Any]]:
    """Interleaved parts in order; messages of the assistant and the system are plain text."""
    if message.role != "user":
        return "\n".join(part.text for part in message.parts if not isinstance(part, ImagePart))
    return [_item(part) for part in message.parts]


def _item(part: Part) -> dict[str, Any]:
    if isinstance(part, ImagePart):
        return {"type": "image_url", "image_url": {"url": _data_url(part.data, part.media_type)}}
    return {"type": "text", "text": part.text}


@lru_cache(maxsize=1024)
def _data_url(data: bytes, media_type: str) -> str:
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"


def _text(answer: Any) -> str:
    """The reply, or ModelError where an answer holds none."""
    choices = getattr(answer, "choices", None)
    if choices is None:
        raise ModelError("server", f"the server sent no chat completion but {str(answer)[:120]!r}")
    if not choices:
        raise ModelError("empty", "the server sent a completion without choices")
    message = choices[0].message
    refused = getattr(message, "refusal", None)
    if refused or choices[0].finish_reason == "content_filter":
        raise ModelError(
            "refusal", f"the model refused: {str(refused or 'content filter')[:_LONGEST_REASON]}"
        )
    text = str(message.content or "")
    if not text.strip():
        raise ModelError(
            "empty", f"the model replied with nothing (finish reason {choices[0].finish_reason!r})"
        )
    return text
