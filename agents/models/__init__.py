"""Chat models by name. How to run each: docs/models.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recallreach.agents.types import ChatModel
from recallreach.registry import Registry

models: Registry[ChatModel] = Registry("model", "recallreach.models")


def build_model(name: str, **options: Any) -> ChatModel:
    """A chat model.

    Args:
        name: a registered name, or `package.module:attribute` of a factory called as `factory(**options)`.
        options: the model's own options.

    Raises:
        UnknownNameError: no such model; close matches are listed.
        ConfigError: the model has no such option, or not with that value.
        MissingExtraError: the model needs an optional package.
    """
    return models.make(name, **options)


def _scripted() -> Callable[..., ChatModel]:
    from recallreach.agents.models.scripted import ScriptedModel

    return ScriptedModel


def _openai() -> Callable[..., ChatModel]:
    from recallreach.agents.models.openai_compatible import OpenAICompatible

    return OpenAICompatible


def _local() -> Callable[..., ChatModel]:
    from recallreach.agents.models.local import LocalModel

    return LocalModel


models.add("scripted", "replies from a list or a function; for tests", _scripted)
models.add("openai", "any server with the OpenAI chat protocol: vLLM, Ollama, Gemini, ...", _openai)
models.add("transformers", "a vision-language model in this process: Qwen2.5-VL, SmolVLM, ...", _local)
