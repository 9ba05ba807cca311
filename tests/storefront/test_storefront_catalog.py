"""The catalogue: independent draws, clean text, checked files."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recallreach.errors import ConfigError, DataError, UnknownNameError
from recallreach.storefront.catalog import Catalog
from recallreach.storefront.catalog_synthetic import series_of
from recallreach.storefront.data import COLORS, CueWords, cue_words, shop_words
from recallreach.storefront.pictures.art import Art
from recallreach.storefront.types import Cue

PUBLISHED_SERIES = {
    "Aria",
    "Atlas",
    "Hollow",
    "Lumen",
    "Marlowe",
    "Meridian",
    "Saga",
    "Solène",
    "Vesper",
    "Wren",
}
LEAST_P = 0.001


@pytest.fixture(scope="session")
def full_art(tmp_path_factory: pytest.TempPathFactory) -> Art:
    """Names of all 100 objects and all 100 pieces, without layers: enough to draw a catalogue."""
    folder = tmp_path_factory.mktemp("art")
    (folder / "cue_names.json").write_text((Art().folder / "cue_names.json").read_text())
    (folder / "cues").mkdir()
    (folder / "furniture").mkdir()
    for slug in Art(folder).cue_names:
        (folder / "cues" / f"{slug}.json").write_text("{}")
    for category, style in itertools.product(shop_words()["categories"], shop_words()["styles"]):
        facts = json.dumps({"category": category, "style": style})
        (folder / "furniture" / f"{category}-{style}.json").write_text(facts)
    return Art(folder)


@pytest.fixture(scope="session")
def full(full_art: Art) -> Catalog:
    return Catalog.synthetic(7, art=full_art)


def test_full_size_catalogue_uses_each_cue_once(full: Catalog) -> None:
    assert (len(full), len(full.collections), len(full.categories)) == (1000, 100, 10)
    assert {(cue.slug, cue.color) for cue in full.cues} == set(itertools.product(full.art.cues, COLORS))
    assert len({product.id for product in full}) == len({product.picture for product in full}) == 1000
    assert all(re.fullmatch(r"[0-9a-f]{8}", product.id) for product in full)
    assert all(re.fullmatch(r"[0-9a-f]{12}\.jpg", product.picture) for product in full)


def test_lookups_agree(full: Catalog) -> None:
    for product in itertools.islice(full, 0, None, 97):
        assert full.by_id(product.id) is full.by_picture(product.picture) is product
        assert product in full.products_in(product.collection)
    orders = [[p.order for p in full.products_in(entry.slug)] for entry in full.collections]
    assert orders == [list(range(10))] * 100
    assert [c.style for c in full.collections_in("sofa")] == list(shop_words()["styles"])


@pytest.mark.parametrize("lookup", [Catalog.by_id, Catalog.by_picture, Catalog.cue_of, Catalog.products_in])
def test_unknown_names_are_refused(full: Catalog, lookup: Callable[[Catalog, str], object]) -> None:
    with pytest.raises(UnknownNameError, match="nothing-like-it"):
        lookup(full, "nothing-like-it")


def test_titles_carry_an_invented_series_and_a_number_of_their_own(full: Catalog) -> None:
    series = [series_of(entry) for entry in full.collections]
    assert len(set(series)) == 100
    assert not PUBLISHED_SERIES & set(shop_words()["series"])
    for entry in full.collections:
        numbers = [int(p.title.rpartition(" No. ")[2]) for p in full.products_in(entry.slug)]
        assert len(set(numbers)) == 10
        assert all(p.title.startswith(f"{series_of(entry)} ") for p in full.products_in(entry.slug))


def test_shop_never_sees_the_cue(full_art: Art) -> None:
    """Other cue objects leave every word, price, id and place of the shop as they were."""
    some, others = full_art.cues[:40], full_art.cues[40:80]
    one = Catalog.synthetic(3, objects=some, variants=4, art=full_art)
    other = Catalog.synthetic(3, objects=others, variants=4, art=full_art)
    assert one.products == other.products
    assert one.collections == other.collections
    assert one.cues != other.cues


def test_equal_seeds_give_equal_catalogues(full_art: Art, full: Catalog) -> None:
    assert Catalog.synthetic(7, art=full_art) == full
    other = Catalog.synthetic(8, art=full_art)
    assert not {p.id for p in other} & {p.id for p in full}
    assert other.cues != full.cues


def test_every_product_says_the_same_kind_of_things(full: Catalog) -> None:
    assert len({tuple(label for label, _ in product.details) for product in full}) == 1
    for product in full:
        assert all(value for _, value in product.details)
        assert len(product.description.split()) >= 8
        assert 2 <= len(product.reviews) <= 4
        assert all(author and text and 1 <= stars <= 5 for author, stars, text in product.reviews)


def channels(catalog: Catalog) -> dict[str, list[int]]:
    """What a text-only attacker sees of each product, as small integers."""
    found: dict[str, list[int]] = {
        name: [] for name in ("price rank", "cents", "number", "order", "id", "picture", "stars")
    }
    for product in catalog:
        prices = sorted(p.price_cents for p in catalog.products_in(product.collection))
        found["price rank"].append(prices.index(product.price_cents))
        found["cents"].append(product.price_cents % 100)
        found["number"].append(int(product.title.rpartition(" ")[2]) // 10)
        found["order"].append(product.order)
        found["id"].append(int(product.id[0], 16))
        found["picture"].append(int(product.picture[0], 16))
        found["stars"].append(sum(stars for _, stars, _ in product.reviews))
    return found


def association(left: npt.ArrayLike, right: npt.ArrayLike, times: int = 999) -> float:
    """Permutation p-value of the chi-square statistic of two lists of labels."""
    _, a = np.unique(np.asarray(left), return_inverse=True)
    _, b = np.unique(np.asarray(right), return_inverse=True)
    expected = np.outer(np.bincount(a), np.bincount(b)) / len(a)
    rng, columns = np.random.default_rng(0), expected.shape[1]

    def statistic(other: npt.NDArray[np.intp]) -> float:
        table = np.bincount(a * columns + other, minlength=expected.size).reshape(expected.shape)
        return float(((table - expected) ** 2 / expected).sum())

    observed = statistic(b)
    beaten = sum(statistic(rng.permutation(b)) >= observed for _ in range(times))
    return (1 + beaten) / (1 + times)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_no_channel_tells_colour_or_object(full_art: Art, seed: int) -> None:
    catalog = Catalog.synthetic(seed, art=full_art)
    colors = [cue.color for cue in catalog.cues]
    halves = [cue.slug > "m" for cue in catalog.cues]
    seen = channels(catalog)
    seen["collection"] = [[c.slug for c in catalog.collections].index(p.collection) for p in catalog]
    p_values = {
        (name, hidden): association(values, labels)
        for name, values in seen.items()
        for hidden, labels in (("colour", colors), ("object", halves))
    }
    assert min(p_values.values()) > LEAST_P, p_values


def test_association_finds_the_published_leak(full: Catalog) -> None:
    """With the cue tied to the order, as in the released catalogue, the same check raises the alarm."""
    tied = [COLORS[product.order] for product in full]
    assert association(channels(full)["order"], tied) <= LEAST_P


@pytest.mark.parametrize("seed", [0, 11])
def test_text_holds_no_cue_word(full_art: Art, seed: int) -> None:
    catalog = Catalog.synthetic(seed, art=full_art)
    words = cue_words(catalog.cues)
    assert {"mug", "scarf", "clock", "lily"} <= words.objects
    text = "\n".join(
        [f"{c.name} {c.blurb}" for c in (*catalog.categories, *catalog.collections)]
        + [json.dumps(dataclasses.asdict(product)) for product in catalog]
    )
    assert words.found_in(text.replace("plant-pot", "plant pot").replace("wall-art", "wall art")) == []


@settings(deadline=None)
@given(
    word=st.sampled_from(["mug", "scarf", "glass", "lily"]),
    plural=st.sampled_from(["", "s"]),
    case=st.sampled_from([str.lower, str.upper, str.title]),
    around=st.tuples(*[st.sampled_from([" ", "-", "_", ", ", '"', "/", "9"])] * 2),
)
def test_cue_words_are_found_in_any_shape(
    word: str, plural: str, case: Callable[[str], str], around: tuple[str, str]
) -> None:
    words = CueWords(frozenset({"mug", "scarf", "glass", "lily"}), frozenset({"red"}), frozenset())
    assert words.found_in(f"A{around[0]}{case(word + plural)}{around[1]}B") == [word]


def test_declared_phrases_count_only_whole() -> None:
    words = cue_words([Cue("wooden plant tag", "red", "wooden-plant-tag"), Cue("wall calendar", "red", "w")])
    assert words.found_in("Plant pots and wall art, a Plant Pot") == []
    assert words.found_in("wall plant") == ["wall", "plant"]


def test_too_many_products_are_refused(full_art: Art) -> None:
    with pytest.raises(ConfigError, match="100 products, but 3 objects x 10 colours give 30 different cues"):
        Catalog.synthetic(categories=["chair"], objects=full_art.cues[:3], art=full_art)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"categories": ["chairs"]}, "unknown category 'chairs'. Did you mean 'chair'"),
        ({"styles": ["modem"]}, "unknown style 'modem'. Did you mean 'modern'"),
        ({"objects": ["ceramic-mugs"]}, "unknown cue object 'ceramic-mugs'. Did you mean 'ceramic-mug'"),
        ({"seed": -1}, "is a whole number from 0 on"),
        ({"seed": "x"}, "seed is 'x'; it is a whole number"),
        ({"variants": 0}, "make no catalogue"),
        ({"categories": []}, "make no catalogue"),
    ],
)
def test_wrong_arguments_are_explained(full_art: Art, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((UnknownNameError, ConfigError), match=re.escape(message)):
        Catalog.synthetic(art=full_art, **arguments)


def test_piece_that_is_not_there_is_named(full_art: Art, tmp_path: Path) -> None:
    for part in ("cues", "furniture"):
        (tmp_path / part).mkdir()
    (tmp_path / "cue_names.json").write_text("[]")
    for slug in ("chair-modern", "sofa-rustic"):
        source = full_art.folder / "furniture" / f"{slug}.json"
        (tmp_path / "furniture" / source.name).write_text(source.read_text())
    with pytest.raises(UnknownNameError, match="chair-rustic"):
        Catalog.synthetic(categories=["chair"], styles=["rustic"], art=Art(tmp_path))


def test_save_and_load(tmp_path: Path) -> None:
    catalog = Catalog.synthetic(5, variants=3)
    catalog.save(tmp_path / "catalog.json")
    loaded = Catalog.load(tmp_path / "catalog.json")
    assert loaded == catalog
    assert loaded.hash == catalog.hash
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "catalog.json").read_bytes()


def test_hash_covers_data_and_layers(tmp_path: Path) -> None:
    for source in sorted(Art().folder.rglob("*")):
        if source.is_file():
            target = tmp_path / source.relative_to(Art().folder)
            target.parent.mkdir(exist_ok=True, parents=True)
            target.write_bytes(source.read_bytes())
    catalog = Catalog.synthetic(5, variants=2, art=Art(tmp_path))
    assert catalog.hash == Catalog.synthetic(5, variants=2).hash
    dearer = dataclasses.replace(catalog.products[0], price_cents=catalog.products[0].price_cents + 1)
    swapped = (catalog.cues[1], catalog.cues[0], *catalog.cues[2:])
    layer = tmp_path / "cues" / f"{catalog.cues[0].slug}_d.webp"
    layer.write_bytes(layer.read_bytes() + b"\0")
    others = [
        dataclasses.replace(catalog, seed=6),
        dataclasses.replace(catalog, products=(dearer, *catalog.products[1:])),
        dataclasses.replace(catalog, cues=swapped),
        Catalog.synthetic(5, variants=2, art=Art(tmp_path)),
    ]
    assert len({catalog.hash, *(other.hash for other in others)}) == 5


Spoil = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda d: d["products"][1].update(id=d["products"][0]["id"]), "have the same id"),
        (lambda d: d["products"][1].update(picture=d["products"][0]["picture"]), "have the same picture"),
        (lambda d: d["products"][1].update(cue=d["products"][0]["cue"]), "have the same cue"),
        (lambda d: d["products"][1].update(order=0), "have the same place"),
        (lambda d: d["products"][1].update(category="chairz"), "unknown category 'chairz'"),
        (lambda d: d["products"][1].update(style="modem"), "unknown collection"),
        (lambda d: d["products"][1]["cue"].update(color="blu"), "unknown colour 'blu'; did you mean 'blue'"),
        (lambda d: d["products"][1]["cue"].update(slug="mug"), "unknown cue object 'mug'"),
        (lambda d: d["collections"][0].update(category="stool"), "unknown category 'stool'"),
        (lambda d: d["products"][1].pop("title"), "lacks 'title'"),
        (lambda d: d["products"][1].pop("cue"), "lacks 'cue'"),
        (lambda d: d["products"][1].update(price_cents="12"), "price_cents is '12'"),
        (lambda d: d["products"][1].update(price_cents=-1), "price_cents is -1"),
        (lambda d: d["products"][1].update(picture="../secret.jpg"), "not a plain file name"),
        (lambda d: d["products"][1].update(reviews=[["A", 5]]), "product 1"),
        (lambda d: d["categories"][0].update(name=""), "name is ''"),
        (lambda d: d.update(products={}), "list of product entries is a dict"),
        (lambda d: d.update(seed="zero"), "seed is 'zero'"),
        (lambda d: d.pop("collections"), "lacks 'collections'"),
        (lambda d: d.update(format=9), "not a catalogue of format 1"),
    ],
)
def test_damaged_files_name_file_and_entry(tmp_path: Path, spoil: Spoil, message: str) -> None:
    path = tmp_path / "catalog.json"
    Catalog.synthetic(5, variants=2).save(path)
    value = json.loads(path.read_text())
    spoil(value)
    path.write_text(json.dumps(value))
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        Catalog.load(path)
    assert "catalog.json" in str(caught.value)


def test_missing_and_unparsable_files(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        Catalog.load(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(DataError, match="not valid JSON"):
        Catalog.load(tmp_path / "bad.json")
