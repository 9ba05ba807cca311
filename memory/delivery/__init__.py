"""Deliveries by name: the stage between retrieval and answer. Rules: docs/delivery.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, get_args, runtime_checkable

from recallreach.errors import ConfigError, UnknownNameError
from recallreach.memory.types import Delivery
from recallreach.registry import Registry

if TYPE_CHECKING:
    from recallreach.memory.delivery.controls import Counterparts, Pictures
    from recallreach.memory.delivery.decisions import Dates, Tags

deliveries: Registry[Delivery] = Registry("delivery", "recallreach.deliveries")


@runtime_checkable
class UsesCounterparts(Protocol):
    """A delivery that can show pictures of the shop in the place of stored ones."""

    def with_counterparts(self, counterparts: Counterparts) -> Delivery:
        """The same delivery with these pictures at hand."""


def build_delivery(name: str, *, counterparts: Counterparts | None = None, **options: Any) -> Delivery:
    """A delivery by name.

    Args:
        name: a registered name, or `package.module:attribute` of a factory called as `factory(**options)`.
        counterparts: pictures of the shop, for the controls that need them.
        options: for the built-in pipelines `pictures`, `tags`, `dates`, `text_limit` and `seed`; for
            "pipeline" also `pixels` and `proxy`.

    Raises:
        UnknownNameError: no such delivery; close matches are listed.
        ConfigError: the delivery has no such option, or not with that value.
    """
    made = deliveries.make(name, **options)
    if counterparts is not None and isinstance(made, UsesCounterparts):
        return made.with_counterparts(counterparts)
    return made


def compose(
    name: str,
    pixels: bool,
    proxy: bool,
    pictures: Pictures,
    tags: Tags,
    dates: Dates,
    *,
    text_limit: int,
    seed: int,
) -> Delivery:
    """A pipeline of the three decisions; what the options mean: `delivery.decisions`.

    Raises:
        ConfigError: a value that no decision knows, or a picture control where no pixels are delivered.
    """
    from recallreach.memory.delivery import controls, decisions
    from recallreach.memory.delivery.pipeline import Pipeline

    _check("pictures", pictures, controls.Pictures)
    _check("tags", tags, decisions.Tags)
    _check("dates", dates, decisions.Dates)
    if text_limit < 1 or seed < 0:
        raise ConfigError(f"text_limit counts from 1 and seed from 0, got {text_limit} and {seed}")
    if pictures != "own" and not pixels:
        raise ConfigError(f"pictures={pictures!r} controls what pixels show, and {name!r} delivers none")
    modality = decisions.Modality(pixels, proxy, pictures, text_limit)
    return Pipeline(name, modality, decisions.Identity(tags), decisions.Time(dates), seed)


def _check(option: str, value: str, known: Any) -> None:
    if value not in get_args(known):
        raise ConfigError(str(UnknownNameError(f"value of {option}", str(value), get_args(known))))


def _named(
    name: str, *, pixels: bool, proxy: bool, tags: Tags = "stated"
) -> Callable[[], Callable[..., Delivery]]:
    usual = tags

    def load() -> Callable[..., Delivery]:
        def factory(
            *,
            pictures: Pictures = "own",
            tags: Tags = usual,
            dates: Dates = "stated",
            text_limit: int = 600,
            seed: int = 0,
        ) -> Delivery:
            return compose(name, pixels, proxy, pictures, tags, dates, text_limit=text_limit, seed=seed)

        return factory

    return load


def _pipeline() -> Callable[..., Delivery]:
    def factory(
        *,
        pixels: bool = True,
        proxy: bool = True,
        pictures: Pictures = "own",
        tags: Tags = "both",
        dates: Dates = "stated",
        text_limit: int = 600,
        seed: int = 0,
    ) -> Delivery:
        return compose("pipeline", pixels, proxy, pictures, tags, dates, text_limit=text_limit, seed=seed)

    return factory


def _nothing() -> Callable[..., Delivery]:
    from recallreach.memory.delivery.pipeline import Nothing

    return Nothing


deliveries.add(
    "delivermem",
    "pixels and proxy text, tags stamped and stated, dates stated (arXiv 2609.32590)",
    _named("delivermem", pixels=True, proxy=True, tags="both"),
)
deliveries.add(
    "caption+pixels",
    "proxy text and picture, tag and date stated",
    _named("caption+pixels", pixels=True, proxy=True),
)
deliveries.add("pixels", "picture alone, tag and date stated", _named("pixels", pixels=True, proxy=False))
deliveries.add("text", "proxy text alone, tag and date stated", _named("text", pixels=False, proxy=True))
deliveries.add("pipeline", "the three decisions, each as its options say", _pipeline)
deliveries.add("nothing", "nothing, whatever was retrieved", _nothing)
