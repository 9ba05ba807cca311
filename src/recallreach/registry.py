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
        summary: one line for listings; "" where only the part itself can tell.
        load: a light function that imports and returns the factory.
        origin: the distribution that a plug-in comes from; "" for a built-in.
    """

    name: str
    summary: str
    load: Callable[[], Callable[..., PartT]]
    origin: str = ""


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

    def summaries(self) -> list[tuple[str, str]]:
        """(name, one line) of every part, sorted; a plug-in that cannot be loaded is logged and says so."""
        return sorted((entry.name, _summary(entry)) for entry in self)

    def factory(self, name: str) -> Callable[..., PartT]:
        """The factory of `name`, which may also be `package.module:attribute`.

        Raises:
            UnknownNameError: no such name; close matches are listed.
            RecallReachError: a plug-in or `package.module:attribute` cannot be imported; the cause is
                chained.
        """
        if ":" in name:
            return self._import(name)
        self._load_plugins()
        if name not in self._entries:
            hint = "A class of your own is named package.module:attribute."
            raise UnknownNameError(self.kind, name, self._entries, hint)
        entry = self._entries[name]
        return self._plugin(entry) if entry.origin else entry.load()

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
            raise self._refused(name, options, error) from error

    def look_ahead(self, name: str, *parts: object, **options: object) -> None:
        """Refuse what `make(name, *parts, **options)` would, without loading weights.

        A factory with a function `look_ahead` is asked with the same arguments and raises what it would raise
        when it is called; of others only the name and the options' names are looked at.

        Raises:
            UnknownNameError, RecallReachError: as `factory`.
            ConfigError: the factory does not take an option, or not with that value; the cause is chained.
        """
        factory = self.factory(name)
        self._check_options(name, factory, parts, options)
        looking = getattr(factory, "look_ahead", None)
        if not callable(looking):
            return
        try:
            looking(*parts, **options)
        except (TypeError, ValueError) as error:
            raise self._refused(name, options, error) from error

    def _refused(self, name: str, options: dict[str, object], error: Exception) -> ConfigError:
        return ConfigError(f"{self.kind} {name!r} cannot be made with {options or 'no options'}: {error}")

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
        # The code of others may fail in any way; the cause is chained and shown by --debug.
        except Exception as error:
            log.debug("loading %s", target, exc_info=True)
            raise RecallReachError(f"cannot load {self.kind} {target!r}: {_told(error)}") from error
        if not callable(found):
            raise RecallReachError(
                f"{self.kind} {target!r} is a {type(found).__name__}, not a class or function"
            )
        return found  # type: ignore[no-any-return]

    def _plugin(self, entry: Entry[PartT]) -> Callable[..., PartT]:
        try:
            return entry.load()
        except Exception as error:
            log.debug("loading the plug-in %s", entry.name, exc_info=True)
            raise RecallReachError(
                f"the plug-in {self.kind} {entry.name!r} from {entry.origin} cannot be loaded: {_told(error)}"
            ) from error

    def _load_plugins(self) -> None:
        if self._plugins_loaded:
            return
        self._plugins_loaded = True
        for point in entry_points(group=self.group):
            origin = point.dist.name if point.dist else point.value
            if point.name in self._entries:
                told = (self.kind, point.name, origin, self._entries[point.name].origin or "recallreach")
                log.warning("plug-in %s %r from %s is ignored: %s has that name", *told)
                continue
            self._entries[point.name] = Entry(point.name, "", point.load, origin)


def _summary(entry: Entry[Any]) -> str:
    if not entry.origin:
        return entry.summary
    try:
        doc = inspect.getdoc(entry.load()) or ""
    except Exception:
        # One broken plug-in must not keep the rest from being listed.
        log.warning("the plug-in %r from %s cannot be loaded", entry.name, entry.origin, exc_info=True)
        return f"plug-in from {entry.origin} that cannot be loaded"
    first = doc.split("\n")[0].rstrip(".")
    return f"{first} (plug-in from {entry.origin})" if first else f"plug-in from {entry.origin}"


def _told(error: Exception) -> str:
    """An error of other people's code on one line."""
    text = " ".join(str(error).split())
    return (
        text
        if isinstance(error, (ImportError, AttributeError, ValueError))
        else f"{type(error).__name__}: {text}"
    )
