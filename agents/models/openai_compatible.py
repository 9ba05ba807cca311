"""Any server with the OpenAI chat-completions protocol, through the official client (extra `openai`)."""

from __future__ import annotations

import base64
import importlib
import os
import weakref
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from recallreach.agents.models.answers import failure_of, reply_of, usage_of
from recallreach.agents.patches import ESTIMATE, rule_of
from recallreach.agents.retrying import Gate, Retry, persist
from recallreach.agents.types import Completion, Message, Usage
from recallreach.errors import ConfigError, MissingExtraError, UnknownNameError
from recallreach.memory.types import ImagePart, Part


class OpenAICompatible:
    """One model of one server.

    Args:
        model: the server's name for the model.
        base_url: address of the server, for instance "http://127.0.0.1:8000/v1"; else what `base_url_env`
            holds, else OpenAI's own.
        base_url_env: environment variable with the address.
        api_key_env: environment variable with the key. A server of your own may need none. The key itself is
            never an option, so that no study file or manifest holds it.
        temperature: 0 for the most probable answer.
        max_tokens: longest reply in tokens.
        seed: for servers that sample by one.
        omit: which of the three are not sent, for models that refuse them.
        extra: further fields of the request, for instance `{ reasoning_effort = "none" }`.
        revision: which weights the server has under that name; part of the cache key.
        processor: a `transformers` processor (hub id or folder) that counts the tokens of a picture, for
            models of no known family.
        timeout: seconds to wait for one reply.
        retries: further requests after 408, 409, 429, 5xx, half an answer, time-outs and dropped connections.
        concurrency: requests at once at most; fewer while the server says that it has too much to do.

    Raises:
        MissingExtraError: the package `openai` is not installed.
        ConfigError: there is no key and no address of your own; the address holds a password or a key; a
            number cannot be.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        base_url_env: str = "OPENAI_BASE_URL",
        api_key_env: str = "OPENAI_API_KEY",
        temperature: float = 0.0,
        max_tokens: int = 1024,
        seed: int | None = None,
        omit: Sequence[str] = (),
        extra: Mapping[str, Any] | None = None,
        revision: str = "",
        processor: str | None = None,
        timeout: float = 120.0,
        retries: int = 5,
        concurrency: int = 8,
    ) -> None:
        self.name, self._model, self._revision = f"openai:{model}", model, revision
        self.max_tokens = max_tokens
        self.retry, self.gate = Retry(tries=retries + 1), Gate(concurrency)
        self.patch_rule = _rule(model, processor)
        self._library = _library()
        address = base_url or os.environ.get(base_url_env) or None
        self._key = os.environ.get(api_key_env, "")
        _check_access(model, address, self._key, api_key_env)
        settings = {"temperature": temperature, "max_tokens": max_tokens, "seed": seed}
        unknown = sorted(set(omit) - set(settings))
        if unknown:
            raise UnknownNameError("field to omit", unknown[0], settings)
        sent = {name: value for name, value in settings.items() if value is not None and name not in omit}
        self._settings = sent
        self._extra = dict(extra or {})
        self._client: Any = self._library.OpenAI(
            api_key=self._key or "none",
            base_url=address,
            timeout=timeout,
            max_retries=0,
            # A request that is sent on holds pictures and a key that were meant for one server.
            http_client=self._library.DefaultHttpxClient(follow_redirects=False, timeout=timeout),
        )
        weakref.finalize(self, self._client.close)

    def identity(self) -> dict[str, Any]:
        """Model, revision and decoding settings; the address of the server is no part of it."""
        return {
            "backend": "openai",
            "model": self._model,
            "revision": self._revision,
            "settings": self._settings,
            "extra": self._extra,
        }

    def complete(self, messages: Sequence[Message]) -> Completion:
        """One completion, asked for again while the server is busy.

        Raises:
            ModelError: the server did not answer, or not with text, after all tries.
        """
        answer, tries = persist(lambda: self.request(messages), self.retry, self.gate)
        return Completion(answer.text, answer.usage + Usage(tries=tries))

    def request(self, messages: Sequence[Message]) -> Completion:
        """One request.

        Raises:
            ModelError: the server did not answer, or not with text.
        """
        content = [{"role": message.role, "content": content_of(message)} for message in messages]
        try:
            answer = self._client.chat.completions.create(
                model=self._model, messages=content, extra_body=self._extra or None, **self._settings
            )
        except (self._library.OpenAIError, ValueError) as error:
            # The cause may quote the request or the key; what can be told stands in the message.
            raise failure_of(self._library, error, self.name, self._key) from None
        text = reply_of(answer, self._key)
        return Completion(text, usage_of(answer, messages, text, self.patch_rule))


def _library() -> Any:
    try:
        return importlib.import_module("openai")
    except ImportError as error:
        raise MissingExtraError("the model 'openai'", "openai", "openai") from error


def _rule(model: str, processor: str | None) -> Any:
    if processor is None:
        return rule_of(model) or ESTIMATE
    from recallreach.agents.models.local import load_processor
    from recallreach.agents.patches import count_by

    return count_by(load_processor(processor))


def _check_access(model: str, address: str | None, key: str, key_env: str) -> None:
    if not key and address is None:
        raise ConfigError(f"model {model!r} needs a key in {key_env}, or a base_url of your own server")
    if address is None:
        return
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"base_url is an address such as http://127.0.0.1:8000/v1, got {address[:80]!r}")
    if parts.username or parts.password or parts.query:
        raise ConfigError(
            f"base_url of model {model!r} holds a user, a password or a query; leave them out and put the "
            f"key into the environment variable {key_env}, so that it is written nowhere"
        )


def content_of(message: Message) -> str | list[dict[str, Any]]:
    """Interleaved parts in order; messages of the assistant and the system are plain text."""
    if message.role != "user":
        return "\n".join(part.text for part in message.parts if not isinstance(part, ImagePart))
    return [_item(part) for part in message.parts]


def _item(part: Part) -> dict[str, Any]:
    if isinstance(part, ImagePart):
        return {"type": "image_url", "image_url": {"url": data_url(part.data, part.media_type)}}
    return {"type": "text", "text": part.text}


@lru_cache(maxsize=1024)
def data_url(data: bytes, media_type: str) -> str:
    """A picture as a data URL; each is encoded once."""
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"
