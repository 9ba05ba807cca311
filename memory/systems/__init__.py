"""Memory systems by name. Rules of each: docs/memory.md."""

from __future__ import annotations

from typing import Any

from recallreach.memory.parts import Parts
from recallreach.memory.types import MemorySystem
from recallreach.registry import Registry

memories: Registry[MemorySystem] = Registry("memory", "recallreach.memories")


def build_memory(name: str, parts: Parts, **options: Any) -> MemorySystem:
    """A fresh, empty memory system.

    Args:
        name: a registered name, or `package.module:attribute` of a factory, called as
            `factory(parts, **options)`.
        parts: encoders and captioner to build from.
        options: the system's own options.

    Raises:
        UnknownNameError: no such system; close matches are listed.
        ConfigError: the system has no such option, or not with that value.
    """
    return memories.make(name, parts, **options)


def _no_memory() -> Any:
    from recallreach.memory.systems.textual import NoMemory

    return NoMemory


def _text_only() -> Any:
    from recallreach.memory.systems.textual import TextOnly

    return TextOnly


def _caption() -> Any:
    from recallreach.memory.systems.textual import Caption

    return Caption


def _long_context() -> Any:
    from recallreach.memory.systems.textual import LongContext

    return LongContext


def _dualmem() -> Any:
    from recallreach.memory.systems.dualmem import DualMem

    return DualMem


memories.add("no-memory", "stores nothing; the floor", _no_memory)
memories.add("text-only", "page text, text cosine; what remains without pictures", _text_only)
memories.add("caption", "a caption of each picture, text cosine", _caption)
memories.add(
    "long-context", "page text of everything, newest first, oldest dropped at a token budget", _long_context
)
memories.add("dualmem", "picture vector and caption vector, min-max fusion (arXiv 2606.27499)", _dualmem)
