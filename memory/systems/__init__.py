"""Memory systems by name. Rules of each: docs/memory.md."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
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


def _from(module: str, attribute: str) -> Callable[[], Callable[..., MemorySystem]]:
    """A light function that imports and returns the class."""

    def load() -> Callable[..., MemorySystem]:
        found: Callable[..., MemorySystem] = getattr(
            import_module(f"recallreach.memory.systems.{module}"), attribute
        )
        return found

    return load


memories.add("no-memory", "stores nothing; the floor", _from("textual", "NoMemory"))
memories.add(
    "text-only", "page text, text cosine; what remains without pictures", _from("textual", "TextOnly")
)
memories.add("caption", "a caption of each picture, text cosine", _from("textual", "Caption"))
memories.add(
    "long-context",
    "page text of everything, newest first, oldest dropped at a token budget",
    _from("textual", "LongContext"),
)
memories.add(
    "dualmem",
    "picture vector and caption vector, min-max fusion (arXiv 2606.27499)",
    _from("dualmem", "DualMem"),
)
memories.add(
    "delivermem",
    "dualmem over 2 x 2 tiles, delivered with pixels, tags and dates (arXiv 2609.32590)",
    _from("delivermem", "DeliverMem"),
)
memories.add("m2a", "raw log and managed store, fused short lists (arXiv 2602.07624)", _from("m2a", "M2A"))
memories.add(
    "m2a-dmv", "M2A as ported in DMV-Bench: token overlap, BM25 and picture", _from("ports", "M2ADmv")
)
memories.add("mma", "text cosine; each hit tells its confidence (arXiv 2602.16493)", _from("mma", "MMA"))
memories.add(
    "mma-dmv", "MMA as ported in DMV-Bench: relevance times confidence, gated", _from("ports", "MMADmv")
)
memories.add(
    "worldmm",
    "episodic, semantic and visual memory, read in rounds (arXiv 2512.02425)",
    _from("worldmm", "WorldMM"),
)
memories.add(
    "worldmm-dmv",
    "WorldMM as ported in DMV-Bench: routed token overlap, no pixels",
    _from("ports", "WorldMMDmv"),
)
