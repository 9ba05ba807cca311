"""From a configuration to the things it names: catalogue, shop, transport, environment, agents, memories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, get_args

from flask import Flask

from recallreach.agents.models import models
from recallreach.agents.registry import agents, build_agent
from recallreach.agents.shopper import FEWEST_COLLECTIONS
from recallreach.agents.types import Agent
from recallreach.env.browser import Browser, find_browser
from recallreach.env.store_env import StoreEnv
from recallreach.env.types import Transport
from recallreach.errors import ConfigError, DataError, UnknownNameError
from recallreach.memory.captioners import captioners
from recallreach.memory.delivery import build_delivery, deliveries
from recallreach.memory.encoders import encoders, text_encoders
from recallreach.memory.encoders.checkpoint import SHIPPED, Kind, load_checkpoint
from recallreach.memory.systems import memories
from recallreach.memory.types import Delivery, MemorySystem
from recallreach.registry import Registry
from recallreach.storefront.app import create_app
from recallreach.storefront.catalog import Catalog
from recallreach.storefront.data import COLORS
from recallreach.storefront.pictures import Pictures
from recallreach.storefront.pictures.art import Art
from recallreach.storefront.server import ShopServer
from recallreach.study.config import CatalogChoice, Part, StudyConfig
from recallreach.study.decompose.gold import UsesAnswers
from recallreach.study.decompose.shop import ShopCounterparts, answers_of
from recallreach.study.kit import Kit, own_parts
from recallreach.study.manifest import weight_hashes

MOST_VARIANTS = 10
"""Products per collection where nothing else is asked for (DMV-Bench: 10)."""

OWN_DELIVERY = "default"
"""The delivery name that stands for each memory's own `default_delivery`."""


@dataclass(frozen=True, slots=True)
class System:
    """What a row of the results table is about: a memory and how its hits are delivered."""

    label: str
    memory: Part
    delivery: Part

    def identity(self) -> dict[str, Any]:
        """What decides the system's behaviour."""
        return {"memory": self.memory.identity(), "delivery": self.delivery.identity()}


def enumerated(labels: Sequence[str]) -> str:
    """Labels in a row, told apart by semicolons where one of them holds a comma."""
    return ("; " if any("," in label for label in labels) else ", ").join(labels)


def check_names(config: StudyConfig, source: str = "") -> None:
    """Refuse names that no registry knows, before anything is started.

    Raises:
        ConfigError: names the key, what was given, close matches and what is known.
    """
    parts: list[tuple[str, Registry[Any], Iterable[Part]]] = [
        ("memories", memories, config.memories),
        ("deliveries", deliveries, (part for part in config.deliveries if part.name != OWN_DELIVERY)),
        ("encoder", encoders, (config.encoder,)),
        ("text_encoder", text_encoders, (config.text_encoder,)),
        ("captioner", captioners, (config.captioner,)),
        ("memory_model", models, (config.memory_model,) if config.memory_model else ()),
        ("agent", agents, (config.agent,)),
        ("shopper", agents, (config.shopper,)),
    ]
    own: dict[str, Registry[Any]] = {
        "encoder": encoders,
        "text_encoder": text_encoders,
        "captioner": captioners,
    }
    for memory in config.memories:
        parts += [(f"memories: {key}", own[key], (part,)) for key, part in own_parts(memory).items()]
    for key, registry, named in parts:
        for part in named:
            _check_name(f"{source}: {key}" if source else key, registry, part.name)


def _check_name(where: str, registry: Registry[Any], name: str) -> None:
    known = registry.names()
    if ":" not in name and name not in known:
        raise ConfigError(f"{where}: {UnknownNameError(registry.kind, name, known)}")


def build_catalog(choice: CatalogChoice) -> Catalog:
    """Draw or read the catalogue a study asks for.

    Raises:
        DataError, ConfigError, UnknownNameError: it cannot be read or drawn.
    """
    if choice.source != "synthetic":
        path = Path(choice.source)
        if not (path.is_file() or (path / "catalog.json").is_file()):
            raise DataError(
                f'there is no catalogue at {choice.source!r}: name "synthetic", a file that '
                "`recallreach catalog build` wrote, or a folder that `recallreach catalog import` made."
            )
        return Catalog.load(path / "catalog.json" if path.is_dir() else path)
    art = Art()
    categories = _first("categories", choice.categories, [category for category, _ in art.furniture])
    styles = _first("styles", choice.styles, [style for _, style in art.furniture])
    objects = _first("objects", choice.objects, art.cues) or known_objects(art)
    categories = categories or comparable_categories(art, styles)
    fitting = [
        (category, style)
        for category, style in art.furniture
        if category in categories and (styles is None or style in styles)
    ]
    cues = len(objects) * len(COLORS)
    variants = choice.variants or max(1, min(MOST_VARIANTS, cues // max(1, len(fitting))))
    return Catalog.synthetic(
        choice.seed, categories=categories, styles=styles, variants=variants, objects=objects
    )


def known_objects(art: Art) -> tuple[str, ...]:
    """Slugs of the cue objects that there is art for and that both shipped encoders were trained on.

    Raises:
        DataError: the encoders' weights are missing or damaged.
    """
    kinds: tuple[Kind, ...] = get_args(Kind)
    vocabularies = [load_checkpoint(SHIPPED / f"{kind}.safetensors", kind).vocabulary for kind in kinds]
    return tuple(slug for slug in art.cues if all(slug in known.slugs for known in vocabularies))


def comparable_categories(art: Art, styles: Iterable[str] | None) -> tuple[str, ...]:
    """Categories with enough collections for a session that compares at least three.

    Where no category has as many, all there are.
    """
    wanted = None if styles is None else set(styles)
    counts = Counter(category for category, style in art.furniture if wanted is None or style in wanted)
    enough = tuple(category for category, count in counts.items() if count >= FEWEST_COLLECTIONS)
    return enough or tuple(counts)


def _first(key: str, wanted: int | tuple[str, ...] | None, there: Iterable[str]) -> tuple[str, ...] | None:
    if not isinstance(wanted, int):
        return wanted
    names = tuple(dict.fromkeys(there))
    if wanted > len(names):
        known = ", ".join(names)
        raise ConfigError(f"catalog.{key} asks for {wanted}, there is art for {len(names)}: {known}.")
    return names[:wanted]


def systems_of(config: StudyConfig, kit: Kit) -> tuple[System, ...]:
    """All systems of a study: every memory with every delivery.

    Raises:
        UnknownNameError, ConfigError: a memory or delivery cannot be built as asked.
    """
    return tuple(
        System(_label(memory, delivery), memory, _resolved(memory, delivery, kit))
        for memory in config.memories
        for delivery in config.deliveries
    )


def _label(memory: Part, delivery: Part) -> str:
    return memory.title if delivery.name == OWN_DELIVERY else f"{memory.title} + {delivery.title}"


def _resolved(memory: Part, delivery: Part, kit: Kit) -> Part:
    found = delivery
    if delivery.name == OWN_DELIVERY:
        built = kit.memory(memory)
        own = getattr(built, "default_delivery", None)
        if not isinstance(own, str):
            raise ConfigError(f"memory {memory.name!r} states no default_delivery: name one in deliveries.")
        found = Part(name=own, options=delivery.options)
    make_delivery(found)
    return found


def make_delivery(part: Part) -> Delivery:
    """A delivery."""
    return build_delivery(part.name, **part.options)


def make_agent(part: Part) -> Agent:
    """An agent."""
    return build_agent(part.name, **part.options)


@dataclass(frozen=True, slots=True)
class Materials:
    """What a study is made of, before anything runs.

    Attributes:
        kit: makes the memories.
        weights: SHA-256 of the encoder weights that ship with the package, by file.
        browser: None where the study runs in process.
    """

    config: StudyConfig
    catalog: Catalog
    pictures: Pictures
    kit: Kit
    systems: tuple[System, ...]
    weights: dict[str, str]
    browser: Browser | None

    @classmethod
    def gather(cls, config: StudyConfig, *, rehearsal: bool = False) -> Self:
        """Find or build everything that `config` names.

        Args:
            config: the study.
            rehearsal: build memories from the shipped parts, so that nothing is loaded or fetched.

        Raises:
            ConfigError, UnknownNameError, DataError, NoBrowserError: something is wrong or missing.
        """
        check_names(config)
        browser = find_browser() if config.transport == "chromium" else None
        catalog = build_catalog(config.catalog)
        kit = Kit(config, rehearsal=rehearsal)
        pictures = Pictures.of(catalog, cue_fraction=config.catalog.cue_fraction)
        # A cache or layer that cannot be used is told before anything is started.
        pictures.picture(next(iter(catalog)).id)
        return cls(
            config=config,
            catalog=catalog,
            pictures=pictures,
            kit=kit,
            systems=systems_of(config, kit),
            weights=weight_hashes(SHIPPED),
            browser=browser,
        )

    def identity(self) -> dict[str, Any]:
        """What must be equal for a run to be resumed (`manifest.IDENTITY`)."""
        return {
            "config": self.config.settings(),
            "catalog": self.catalog.hash,
            "renderer": str(self.pictures.version),
            "weights": self.weights,
        }

    def description(self) -> dict[str, Any]:
        """What else the manifest says of them."""
        usual = self.kit.parts(Part(name="study"))
        encoders = {
            "pictures": usual.encoder.name,
            "texts": usual.text_encoder.name,
            "captions": usual.captioner.name,
        }
        forest = self.config.forest
        tree = {"branching": forest.branching, "runs": forest.runs, "paths": forest.paths}
        tree |= {"flat_runs": forest.flat_runs, "saved": forest.saved}
        systems = [{"label": system.label, **system.identity()} for system in self.systems]
        counts = {"products": len(self.catalog), "objects": len(self.objects), "unknown": self.unknown}
        return {**counts, "systems": systems, "encoders": encoders, "tree": tree}

    def make_delivery(self, part: Part) -> Delivery:
        """A delivery that can reach the pictures of this shop."""
        counterparts = ShopCounterparts(self.catalog, self.pictures)
        return build_delivery(part.name, counterparts=counterparts, **part.options)

    def make_memory(self, part: Part) -> MemorySystem:
        """A fresh, empty memory; one that checks the harness is told the ground truth."""
        made = self.kit.memory(part)
        return made.with_answers(answers_of(self.catalog)) if isinstance(made, UsesAnswers) else made

    @property
    def objects(self) -> set[str]:
        """Slugs of the cue objects in the shop."""
        return {cue.slug for cue in self.catalog.cues}

    @property
    def unknown(self) -> list[str]:
        """Slugs of the cue objects in the shop that the shipped encoders do not know."""
        return sorted(self.objects - set(known_objects(self.catalog.art)))


class Shop:
    """The running shop and the environment on it: one browser, one server, closed together."""

    def __init__(self, materials: Materials) -> None:
        self._app: Flask = create_app(materials.catalog, materials.pictures)
        self._browser = materials.browser
        self._open = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as opening:
            self.transport = self._start(opening)
            self.env = StoreEnv(self.transport)
            opening.callback(self.env.close)
            self._open = opening.pop_all()
        return self

    def _start(self, opening: ExitStack) -> Transport:
        from recallreach.env.transports import ChromiumTransport, InProcessTransport

        if self._browser is None:
            return InProcessTransport(self._app)
        server = opening.enter_context(ShopServer(self._app))
        transport = ChromiumTransport(server.url, browser=self._browser)
        opening.callback(transport.close)
        return transport

    def __exit__(self, *_: object) -> None:
        self._open.close()
