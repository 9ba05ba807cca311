"""Every product of a full catalogue: 1,000 pictures rendered twice, in two processes at the same time."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from recallreach.storefront.catalog import Catalog
from recallreach.storefront.pictures import Pictures, Rendered
from recallreach.storefront.pictures.art import FRAME

SEED = 1
LEAST_CONTRAST = 0.12
LOW_CONTRAST = {"beige sticky tape roll": 0.11}
"""Cue phrases that may stand out less than that, and by how much they must."""

FRACTION, TOLERANCE, LONGEST = 0.017, 0.0005, 0.26

OTHER_PROCESS = f"""
import hashlib, sys
from recallreach.storefront.catalog import Catalog
from recallreach.storefront.pictures import Pictures
catalog = Catalog.synthetic({SEED})
pictures = Pictures(catalog, sys.argv[1])
for product in reversed(catalog.products):
    found = pictures.render(product.id)
    print(product.id, hashlib.sha256(found.base.tobytes() + found.cued.tobytes()).hexdigest())
"""


@dataclass(frozen=True, slots=True)
class Fact:
    """What one rendering showed."""

    phrase: str
    contrast: float
    fraction: float
    longest: float
    inside: bool
    equal_outside: bool
    digest: str


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog.synthetic(SEED)


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[subprocess.Popen[str]]:
    """Another process that renders the same products, last first."""
    command = [sys.executable, "-c", OTHER_PROCESS, str(tmp_path_factory.mktemp("elsewhere"))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield process


@pytest.fixture(scope="module")
def facts(
    catalog: Catalog, elsewhere: subprocess.Popen[str], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Fact]:
    pictures = Pictures(catalog, tmp_path_factory.mktemp("here"))
    return {one.id: _fact(catalog.cue_of(one.id).phrase, pictures.render(one.id)) for one in catalog}


def _fact(phrase: str, found: Rendered) -> Fact:
    rows, columns = np.nonzero(found.mask)
    return Fact(
        phrase,
        found.placement.contrast,
        float(found.mask.mean()),
        float(max(np.ptp(rows), np.ptp(columns)) + 1) / FRAME,
        bool(min(rows.min(), columns.min()) > 0 and max(rows.max(), columns.max()) < FRAME - 1),
        bool(((found.base == found.cued).all(axis=2) | found.changed).all()),
        hashlib.sha256(found.base.tobytes() + found.cued.tobytes()).hexdigest(),
    )


def test_the_catalogue_is_whole(catalog: Catalog) -> None:
    assert len(catalog) == 1000
    assert len(catalog.collections) == 100
    assert len({catalog.cue_of(one.id).phrase for one in catalog}) == 1000


def test_every_cue_stands_out(facts: dict[str, Fact]) -> None:
    weak = {
        fact.phrase: round(fact.contrast, 3)
        for fact in facts.values()
        if fact.contrast < LOW_CONTRAST.get(fact.phrase, LEAST_CONTRAST)
    }
    assert weak == {}


def test_every_mask_has_the_asked_size_and_lies_inside(facts: dict[str, Fact]) -> None:
    """Long objects stop at 26 % of the frame; all others cover 1.7 % of it."""
    for product_id, fact in facts.items():
        assert fact.inside, product_id
        assert fact.longest <= LONGEST + 2 / FRAME, product_id
        assert fact.fraction <= FRACTION + TOLERANCE, product_id
        assert fact.fraction >= FRACTION - TOLERANCE or fact.longest >= LONGEST - 2 / FRAME, product_id


def test_every_pair_is_equal_outside_its_changed_area(facts: dict[str, Fact]) -> None:
    assert [product_id for product_id, fact in facts.items() if not fact.equal_outside] == []


def test_every_picture_is_another(facts: dict[str, Fact]) -> None:
    assert len({fact.digest for fact in facts.values()}) == len(facts)


def test_another_process_renders_the_same_pixels_in_another_order(
    facts: dict[str, Fact], elsewhere: subprocess.Popen[str]
) -> None:
    output, _ = elsewhere.communicate(timeout=280)
    assert elsewhere.returncode == 0
    assert dict(line.split() for line in output.splitlines()) == {
        product_id: fact.digest for product_id, fact in facts.items()
    }
