"""What a product is, and the one fact that is only in its pixels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Cue:
    """The incidental object in a product's picture (DMV-Bench, arXiv 2606.27499, section 3).

    Attributes:
        object: how a person names the object, for instance "eye sleep mask".
        color: one of the ten colour names.
        slug: the object's asset name, for instance "eye-sleep-mask".
    """

    object: str
    color: str
    slug: str

    @property
    def phrase(self) -> str:
        """Colour and object as a person says them: "purple eye sleep mask"."""
        return f"{self.color} {self.object}"


@dataclass(frozen=True, slots=True)
class Product:
    """Everything the shop may say about a product; the cue is not among it.

    Attributes:
        id: eight hexadecimal digits, an independent draw; the page is `/product/<id>`.
        category: category slug, for instance "plant-pot".
        style: style slug, for instance "art-deco".
        title: for instance "Lumen Chair No. 47".
        price_cents: price in cents.
        order: position in its collection's listing, from 0.
        picture: file name of the picture, an independent draw; served as `/media/<picture>`.
        description: one or two sentences, the same kind of text for every product.
        details: (label, value) rows of the product page.
        reviews: (author, stars, text) rows of the product page.
    """

    id: str
    category: str
    style: str
    title: str
    price_cents: int
    order: int
    picture: str
    description: str
    details: tuple[tuple[str, str], ...] = ()
    reviews: tuple[tuple[str, int, str], ...] = ()

    @property
    def collection(self) -> str:
        """Slug of the collection: `<category>-<style>`."""
        return f"{self.category}-{self.style}"


class CatalogLike(Protocol):
    """A set of products and the bijection to their cues.

    The cues are the ground truth: the shop never receives them, only the picture renderer and the grader's
    question writer do.
    """

    @property
    def hash(self) -> str:
        """SHA-256 over everything that changes what the shop shows or asks."""

    def __iter__(self) -> Iterator[Product]: ...

    def __len__(self) -> int: ...

    def by_id(self, product_id: str) -> Product:
        """The product, or UnknownNameError."""

    def cue_of(self, product_id: str) -> Cue:
        """The ground truth of one product."""


class PictureSource(Protocol):
    """Where the shop gets the bytes of a product picture."""

    def picture(self, product_id: str) -> bytes:
        """The encoded picture with its cue; equal bytes for equal catalogues and renderer versions."""

    @property
    def media_type(self) -> str:
        """For instance "image/jpeg"."""
