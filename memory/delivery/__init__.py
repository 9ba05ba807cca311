"""Deliveries by name: the stage between retrieval and answer. Rules: docs/memory.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recallreach.errors import ConfigError
from recallreach.memory.types import Delivery
from recallreach.registry import Registry

deliveries: Registry[Delivery] = Registry("delivery", "recallreach.deliveries")


def build_delivery(name: str, **options: Any) -> Delivery:
    """A delivery by name.

    Args:
        name: a registered name, or `package.module:attribute` of a factory called as `factory(**options)`.
        options: for the built-in pipelines `text_limit`, `stamped`, `stated` and `dated`.

    Raises:
        UnknownNameError: no such delivery; close matches are listed.
        ConfigError: the delivery has no such option.
    """
    return deliveries.make(name, **options)


def _pipeline(
    name: str, *, pixels: bool, proxy: bool, stamped: bool = False, stated: bool = True, dated: bool = True
) -> Callable[[], Callable[..., Delivery]]:
    defaults = (stamped, stated, dated)

    def load() -> Callable[..., Delivery]:
        from recallreach.memory.delivery.decisions import Identity, Modality, Time
        from recallreach.memory.delivery.pipeline import Pipeline

        def factory(
            *,
            text_limit: int = 600,
            stamped: bool = defaults[0],
            stated: bool = defaults[1],
            dated: bool = defaults[2],
        ) -> Delivery:
            if text_limit < 1:
                raise ConfigError(f"text_limit is a number of characters from 1, got {text_limit}")
            modality = Modality(pixels, proxy, text_limit)
            return Pipeline(name, modality, Identity(stamped, stated), Time(dated))

        return factory

    return load


def _nothing() -> Callable[..., Delivery]:
    from recallreach.memory.delivery.pipeline import Nothing

    return Nothing


deliveries.add(
    "delivermem",
    "pixels and proxy text, tags stamped and stated, dates stated (arXiv 2609.32590)",
    _pipeline("delivermem", pixels=True, proxy=True, stamped=True),
)
deliveries.add(
    "caption+pixels",
    "proxy text and picture, tag and date stated",
    _pipeline("caption+pixels", pixels=True, proxy=True),
)
deliveries.add("pixels", "picture alone, tag and date stated", _pipeline("pixels", pixels=True, proxy=False))
deliveries.add("text", "proxy text alone, tag and date stated", _pipeline("text", pixels=False, proxy=True))
deliveries.add("nothing", "nothing, whatever was retrieved", _nothing)
