"""One registry per kind of part: built-ins, then entry points, then `package.module:attribute`."""

from __future__ import annotations

import importlib
import inspect
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, Generic, TypeVar

from recallreach.errors import ConfigError, RecallReachError, UnknownNameError

log = logging.getLogger(__name__)
PartT = TypeVar("PartT")


@dataclass(frozen=True, slots=True)
class Entry(Generic[PartT]):
    """One registered part.

    Attributes:
        name: what users type.
        summary: one line for listings.
        load: a light function that imports and returns the factory.
    """

    name: str
    summary: str
    load: Callable[[], Callable[..., PartT]]


class Registry(Generic[PartT]):
    """Factories of one kind of part by name; `group` is its entry-point group."""

    def __init__(self, kind: str, group: str) -> None:
        self.kind, self.group = kind, group
        self._entries: dict[str, Entry[PartT]] = {}
        self._plugins_loaded = False

    def add(self, name: str, summary: str, load: Callable[[], Callable[..., PartT]]) -> None:
        """Register a built-in; its heavy imports belong inside `load`."""
        if name in self._entries:
            raise ValueError(f"{self.kind} {name!r} is registered twice")
        self._entries[name] = Entry(name, summary, load)

    def names(self) -> list[str]:
        """All known names, sorted."""
        return sorted(entry.name for entry in self)

    def __iter__(self) -> Iterator[Entry[PartT]]:
        self._load_plugins()
        return iter(list(self._entries.values()))

    def factory(self, name: str) -> Callable[..., PartT]:
        """The factory of `name`, which may also be `package.module:attribute`.

        Raises:
            UnknownNameError: no such name; close matches are listed.
            RecallReachError: `package.module:attribute` cannot be imported.
        """
        if ":" in name:
            return self._import(name)
        self._load_plugins()
        if name not in self._entries:
            hint = "A class of your own is named package.module:attribute."
            raise UnknownNameError(self.kind, name, self._entries, hint)
        return self._entries[name].load()

    def make(self, name: str, *parts: object, **options: object) -> PartT:
        """A fresh part: the factory of `name`, called as `factory(*parts, **options)`.

        Raises:
            UnknownNameError, RecallReachError: as `factory`.
            ConfigError: the factory does not take an option, or not with that value; the cause is chained.
        """
        factory = self.factory(name)
        self._check_options(name, factory, parts, options)
        try:
            return factory(*parts, **options)
        except (TypeError, ValueError) as error:
            given = options or "no options"
            raise ConfigError(f"{self.kind} {name!r} cannot be made with {given}: {error}") from error

    def _check_options(
        self, name: str, factory: Callable[..., PartT], parts: tuple[object, ...], options: dict[str, object]
    ) -> None:
        signature = inspect.signature(factory)
        try:
            signature.bind(*parts, **options)
        except TypeError as error:
            named = [key for key, one in signature.parameters.items() if one.kind is not one.VAR_KEYWORD]
            told = ", ".join(named[len(parts) :]) or "none"
            raise ConfigError(
                f"{self.kind} {name!r} does not take these options: {error}. It knows: {told}."
            ) from error

    def _import(self, target: str) -> Callable[..., PartT]:
        module, _, attribute = target.partition(":")
        try:
            found: Any = importlib.import_module(module)
            for part in attribute.split("."):
                found = getattr(found, part)
        except (ImportError, AttributeError, ValueError) as error:
            raise RecallReachError(f"cannot load {self.kind} {target!r}: {error}") from error
        return found  # type: ignore[no-any-return]

    def _load_plugins(self) -> None:
        if self._plugins_loaded:
            return
        self._plugins_loaded = True
        for point in entry_points(group=self.group):
            if point.name in self._entries:
                log.warning("plug-in %s %r is ignored: the name is taken", self.kind, point.name)
                continue
            summary = f"plug-in from {point.dist.name if point.dist else point.value}"
            self._entries[point.name] = Entry(point.name, summary, point.load)
