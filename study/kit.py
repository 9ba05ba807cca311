"""The parts that memories are built from, each made once a process however many memories share it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from recallreach.agents.models import models
from recallreach.agents.models.scripted import ScriptedModel
from recallreach.agents.types import ChatModel
from recallreach.errors import ConfigError
from recallreach.memory.captioners import captioners
from recallreach.memory.encoders import encoders, text_encoders
from recallreach.memory.parts import CachedCaptioner, CachedEncoder, CachedTextEncoder, Parts, embedded_parts
from recallreach.memory.shelf import Shelf
from recallreach.memory.systems import build_memory
from recallreach.memory.types import Captioner, MemorySystem
from recallreach.registry import Registry
from recallreach.storefront.pictures.cache import default_cache
from recallreach.study.config import Part, StudyConfig

OWN_PARTS = ("encoder", "text_encoder", "captioner")
"""Keys of an entry of `memories` that name parts for this memory alone."""
ENCODINGS = "encodings.sqlite"
"""File in the picture cache's folder that keeps vectors for all studies; runs keep replies of models."""

LIGHT = frozenset({"embedded", "hashed", "model", "openai", "scripted"})
"""Encoders, captioners and models that are made in a moment."""

_EMBEDDED = ("embedded", "hashed", "embedded")

PartT = TypeVar("PartT")


class Kit:
    """Makes the memories of a study.

    Args:
        config: names the parts.
        rehearsal: take the shipped parts whatever the study names, so that nothing is loaded or fetched.
    """

    def __init__(self, config: StudyConfig, *, rehearsal: bool = False) -> None:
        self._config, self._rehearsal = config, rehearsal
        self._govern: Callable[[ChatModel], ChatModel] = lambda model: model
        self._made: dict[str, Any] = {}
        self._captioners: dict[str, Captioner] = {}
        self._sets: dict[str, Parts] = {}
        self._model: ChatModel | None = None

    def govern(self, wrap: Callable[[ChatModel], ChatModel]) -> None:
        """From now on, pass the models of memories and captioners through `wrap`, for instance a budget's."""
        self._govern, self._model = wrap, None
        self._sets.clear()
        self._captioners.clear()

    def memory(self, part: Part) -> MemorySystem:
        """A fresh, empty memory.

        Raises:
            ConfigError, UnknownNameError: the memory or one of its parts cannot be made as asked.
        """
        options = {key: value for key, value in part.options.items() if key not in OWN_PARTS}
        return build_memory(part.name, self.parts(part), **options)

    def parts(self, memory: Part) -> Parts:
        """What this memory is built from."""
        wanted = self._wanted(memory)
        key = _key(*wanted)
        if key not in self._sets:
            self._sets[key] = self._assembled(wanted)
        return self._sets[key]

    def names(self, memory: Part) -> list[str]:
        """Names of its encoder, text encoder, captioner and, where there is one, managing model."""
        parts = self.parts(memory)
        found = [parts.encoder.name, parts.text_encoder.name, parts.captioner.name]
        return [*found, parts.model.name] if parts.model is not None else found

    def model(self) -> ChatModel | None:
        """The model that manages memories, or None."""
        if self._model is None and self._config.memory_model is not None:
            part = self._config.memory_model
            self._model = self._govern(models.make(part.name, **part.options))
        return self._model

    def look_ahead(self) -> None:
        """Refuse what cannot be made of the parts that the study names, without loading weights.

        Raises:
            RecallReachError: as `memory` and `model` would.
        """
        for memory in self._config.memories:
            encoder, text_encoder, captioner = self._wanted(memory)
            _look_ahead(encoders, encoder)
            _look_ahead(text_encoders, text_encoder)
            self._look_at_captioner(captioner)
        if self._config.memory_model is not None:
            _look_ahead(models, self._config.memory_model)

    def _look_at_captioner(self, part: Part) -> None:
        model, bare = _modelled(part)
        if model is None:
            _look_ahead(captioners, bare)
        else:
            _look_ahead(models, model)
            _look_ahead(captioners, bare, ScriptedModel([]))

    @property
    def calls_models(self) -> bool:
        """Whether a memory of the study is managed by a model or has its captions from one."""
        described = (self._wanted(memory)[2] for memory in self._config.memories)
        return self._config.memory_model is not None or any("model" in part.options for part in described)

    def _wanted(self, memory: Part) -> tuple[Part, Part, Part]:
        config = self._config
        usual = {
            "encoder": config.encoder,
            "text_encoder": config.text_encoder,
            "captioner": config.captioner,
        }
        own = own_parts(memory)
        encoder, text_encoder, captioner = (own.get(key, usual[key]) for key in OWN_PARTS)
        return encoder, text_encoder, captioner

    def _assembled(self, wanted: tuple[Part, Part, Part]) -> Parts:
        """The shipped parts are shared by the whole process; others are cached by content here."""
        names = tuple(part.name for part in wanted)
        if self._rehearsal:
            return embedded_parts()
        if names == _EMBEDDED and not any(part.options for part in wanted):
            shipped = embedded_parts()
            return Parts(shipped.encoder, shipped.text_encoder, shipped.captioner, self.model())
        encoder = self._one("encoder", encoders, wanted[0])
        text_encoder = self._one("text_encoder", text_encoders, wanted[1])
        captioner = self._captioner(wanted[2])
        shelf = _shelf(default_cache() / ENCODINGS)
        kept = CachedEncoder(encoder, shelf), CachedTextEncoder(text_encoder, shelf)
        return Parts(*kept, CachedCaptioner(captioner), self.model())

    def _captioner(self, part: Part) -> Captioner:
        """A captioner; one with an option `model` gets that chat model, made with `model_options`."""
        key = _key(part)
        if key not in self._captioners:
            named, bare = _modelled(part)
            model = () if named is None else (self._govern(models.make(named.name, **named.options)),)
            self._captioners[key] = captioners.make(bare.name, *model, **bare.options)
        return self._captioners[key]

    def _one(self, kind: str, registry: Registry[PartT], part: Part) -> PartT:
        key = _key(kind, part)
        if key not in self._made:
            self._made[key] = registry.make(part.name, **part.options)
        made: PartT = self._made[key]
        return made


def _look_ahead(registry: Registry[Any], part: Part, *parts: object) -> None:
    look = registry.make if part.name in LIGHT else registry.look_ahead
    look(part.name, *parts, **part.options)


def _modelled(captioner: Part) -> tuple[Part | None, Part]:
    """A captioner's chat model, where it has one, and the captioner without it."""
    options = dict(captioner.options)
    name, given = options.pop("model", None), options.pop("model_options", {})
    if not (isinstance(name, str | None) and isinstance(given, dict)):
        told = f"model is a name and model_options a table, not {name!r} and {given!r}"
        raise ConfigError(f"captioner {captioner.name!r}: {told}.")
    bare = Part(name=captioner.name, options=options)
    return (None if name is None else Part(name=name, options=given)), bare


@cache
def _shelf(path: Path) -> Shelf:
    return Shelf(path)


def own_parts(memory: Part) -> dict[str, Part]:
    """The parts that an entry of `memories` names for itself, by key.

    Raises:
        ConfigError: one of them is neither a name nor a table.
    """
    return {key: _part(key, memory.options[key]) for key in OWN_PARTS if key in memory.options}


def _part(key: str, value: object) -> Part:
    if isinstance(value, Part):
        return value
    if isinstance(value, (str, dict)):
        with contextlib.suppress(ValidationError):
            return Part.model_validate(value)
    raise ConfigError(f"{key} of a memory is a name or a table with a name, not {value!r}.")


def _key(*parts: str | Part) -> str:
    return json.dumps([part if isinstance(part, str) else part.identity() for part in parts], sort_keys=True)
