# ruff: noqa: E501 (one case a line)
"""Importers: the released DMV-Bench layout, a folder with a table, and the repair; all or nothing, named errors."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from recallreach.errors import ConfigError, DataError
from recallreach.storefront.app import create_app
from recallreach.storefront.audit.crawl import crawl
from recallreach.storefront.audit.features import features_of
from recallreach.storefront.audit.fetch import InProcessFetcher
from recallreach.storefront.audit.levels import Settings, audit_reading
from recallreach.storefront.catalog import Catalog
from recallreach.storefront.data import COLORS
from recallreach.storefront.importers.dmvbench import import_dmvbench
from recallreach.storefront.importers.folder import import_folder
from recallreach.storefront.importers.padding import common_length, filled, stripped
from recallreach.storefront.importers.repair import repair
from recallreach.storefront.importers.sources import read_pixels
from recallreach.storefront.pictures import Pictures
from recallreach.storefront.pictures.files import FilePictures

OBJECTS = (
    "wool scarf",
    "ceramic mug",
    "eye sleep mask",
    "tennis ball",
    "stapler",
    "postcard",
    "laptop",
    "cardigan",
)
RELEASED = "RECALLREACH_DMVBENCH"
"""Environment variable that names a folder with the two released JSON files, to test with them."""


def picture(size=(32, 24), kind="PNG", seed=0, **options) -> bytes:
    data = io.BytesIO()
    pixels = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    Image.fromarray(pixels).save(data, kind, **options)
    return data.getvalue()


def lookalike(folder: Path) -> tuple[Path, Path]:
    """Two files made like the released ones: one object a collection, colours in one fixed order by number."""
    rows, variants, products, collections = [], [], [], []
    names = iter(OBJECTS)
    for category in ("chair", "wall_art"):
        for style in ("modern", "rustic", "vintage", "deco"):
            piece, name = f"{category}_{style}", next(names)
            products.append({"id": f"prod_{piece}", "baseName": piece, "longDesc": "Sized for everyday use.",
                             "material": "varied", "price": 280.0})  # fmt: skip
            collections.append({"id": f"col_{piece}", "slug": piece, "displayName": f"{style.title()} Line"})
            for number, color in enumerate(COLORS):
                code = f"{len(rows) * 2654435761 % 2**32:08x}"
                rows.append({"cat": category, "style": style, "prod_idx": number, "url_hash": code,
                             "cue_object": name, "cue_color": color})  # fmt: skip
                variants.append({"urlHash": code, "displayName": f"{style.title()} {number + 1:02d}",
                                 "price": 280.99 + 4.2 * number, "collectionId": f"col_{piece}",
                                 "productId": f"prod_{piece}"})  # fmt: skip
    categories = [{"slug": "chair", "display": "Chairs", "description": "Seats."},
                  {"slug": "wall_art", "display": "Wall Art", "description": "To look at."}]  # fmt: skip
    registry, seed_file = folder / "cue_registry.json", folder / "seed_v2.json"
    registry.write_text(json.dumps({"rows": rows}))
    parts = {"categories": categories, "collections": collections, "products": products, "variants": variants}
    seed_file.write_text(json.dumps(parts))
    return registry, seed_file


def with_pictures(folder: Path, registry: Path) -> Path:
    for number, row in enumerate(json.loads(registry.read_text())["rows"]):
        path = folder / "with_cue" / row["cat"] / row["style"] / f"{row['prod_idx']:02d}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture((8, 8), seed=number))
    return folder


@pytest.fixture(scope="module")
def released(tmp_path_factory) -> tuple[Path, Path, Path]:
    """Registry, seed file and pictures: the released files where the variable names them, else a look-alike."""
    folder = tmp_path_factory.mktemp("released")
    named = os.environ.get(RELEASED)
    files = (Path(named) / "cue_registry.json", Path(named) / "seed_v2.json") if named else lookalike(folder)
    return *files, with_pictures(folder / "images", files[0])


@pytest.fixture(scope="module")
def imported(released, tmp_path_factory) -> Path:
    target = tmp_path_factory.mktemp("imported") / "dmvbench"
    import_dmvbench(*released, target)
    return target


def audit(catalog: Catalog):
    app = create_app(catalog, Pictures.of(catalog))
    return audit_reading(crawl(InProcessFetcher(app), catalog), catalog, Settings(), "in process")


def test_the_released_catalogue_keeps_ids_titles_prices_and_pictures(released, imported):
    catalog = Catalog.load(imported / "catalog.json")
    rows = json.loads(released[0].read_text())["rows"]
    assert [p.id for p in catalog] == [row["url_hash"] for row in rows]
    assert [c.color for c in catalog.cues] == [row["cue_color"] for row in rows]
    first = catalog.products_in(catalog.collections[0].slug)
    assert [p.price_cents for p in first] == sorted(p.price_cents for p in first)
    source = Pictures.of(catalog)
    assert isinstance(source, FilePictures)
    number = catalog.products[3].picture.rpartition("-")[2]
    original = released[2] / "with_cue" / rows[3]["cat"] / rows[3]["style"] / number
    assert source.picture(catalog.products[3].id) == original.read_bytes()


def test_a_catalogue_without_imported_pictures_has_none_to_serve():
    drawn = Catalog.synthetic(0, variants=1)
    with pytest.raises(DataError, match="no imported pictures"):
        FilePictures(drawn).picture(drawn.products[0].id)


def test_every_use_of_the_released_catalogue_warns(imported, caplog):
    Catalog.load(imported / "catalog.json")
    assert "gives its cues away" in caplog.text


def test_hidden_titles_show_addresses_and_one_price_a_collection(released, tmp_path):
    catalog = import_dmvbench(*released, tmp_path / "hidden", titles="hidden")
    assert {p.title for p in catalog} == {f"/product/{p.id}" for p in catalog}
    assert all(len({p.price_cents for p in catalog.products_in(c.slug)}) == 1 for c in catalog.collections)


def test_the_audit_finds_the_leaks_of_the_released_catalogue_by_itself_and_repair_ends_them(
    imported, tmp_path
):
    catalog = Catalog.load(imported / "catalog.json")
    report = audit(catalog)
    told = {(f.channel, f.target): f.bits for f in report.of("L2") if f.bits is not None}
    whole = {held.target: held.entropy for held in report.channels[0].held} or {
        held.target: held.entropy for channel in report.channels for held in channel.held
    }
    for channel in ("page title", "price", "position on collection pages", "picture file name"):
        assert told[channel, "colour"] == pytest.approx(whole["colour"]), channel
    assert told["collection it is listed in", "object"] == pytest.approx(whole["object"])
    attacks = {attack.target: attack for attack in report.attacks}
    assert attacks["product"].leaks
    repaired = repair(catalog, tmp_path / "repaired", seed=1)
    assert repaired.warning == ""
    assert audit(repaired).findings == ()


def test_repair_keeps_products_pictures_and_cues_together(imported, tmp_path):
    catalog = Catalog.load(imported / "catalog.json")
    repaired = repair(catalog, tmp_path / "repaired", seed=3, keep_categories=True)
    old, new = Pictures.of(catalog), Pictures.of(repaired)
    lengths = {len(new.picture(product.id)) for product in repaired}
    assert len(lengths) == 1
    by_phrase = {catalog.cue_of(p.id).phrase: p for p in catalog}
    for product in list(repaired)[::17]:
        before = by_phrase[repaired.cue_of(product.id).phrase]
        assert product.category == before.category
        assert product.id != before.id
        pixels = [
            np.asarray(Image.open(io.BytesIO(s.picture(p.id)))) for s, p in ((old, before), (new, product))
        ]
        assert np.array_equal(*pixels)
    assert "category" in repaired.warning


def test_a_synthetic_catalogue_is_not_repaired(tmp_path):
    with pytest.raises(ConfigError, match="needs no repair"):
        repair(Catalog.synthetic(0, variants=1), tmp_path / "no")


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_files_are_stripped_and_filled_without_a_changed_pixel(kind):
    found = Image.Exif()
    found[0x010E] = "a mug"
    data = picture(kind=kind, exif=found) + b"mug"
    bare = stripped(data)
    full = filled(bare, common_length([len(bare)]))
    assert b"mug" not in full
    assert len(full) % 4096 == 0
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(full))), np.asarray(Image.open(io.BytesIO(data))))


# What is wrong with the released files.


def broken(released, tmp_path, change) -> pytest.ExceptionInfo:
    registry, seed_file, images = released
    value = json.loads(registry.read_text())
    change(value["rows"])
    (tmp_path / "registry.json").write_text(json.dumps(value))
    with pytest.raises(DataError) as caught:
        import_dmvbench(tmp_path / "registry.json", seed_file, images, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["registry.json"]
    return caught


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: rows[4].update(prod_idx=77), "there is no picture"),
        (lambda rows: rows[4].update(cat="../../with_cue/chair"), "leaves the folder"),
        (lambda rows: rows[4].update(cue_color=rows[3]["cue_color"]), "the cue .* belongs to"),
        (lambda rows: rows[4].update(url_hash=rows[3]["url_hash"]), "the id .* is there twice"),
        (lambda rows: rows[4].update(cue_color="redd"), "did you mean 'red'"),
        (lambda rows: rows[4].pop("cue_object"), "lacks cue_object"),
        (lambda rows: rows.clear(), "no list 'rows'"),
    ],
)
def test_a_wrong_registry_is_refused_and_nothing_is_left(released, tmp_path, change, said):
    caught = broken(released, tmp_path, change)
    assert caught.match(said)
    assert "registry.json" in str(caught.value)


# A folder of one's own.

ROWS = [
    {"picture": "a.jpg", "title": "Old chair", "category": "Chairs", "collection": "Attic", "price": "120.50", "license": "CC0"},
    {"picture": "b.png", "title": "New chair", "category": "Chairs", "collection": "Attic", "price": "1,299", "license": "CC-BY 4.0"},
    {"picture": "sub/c.webp", "title": "Tall lamp", "category": "Lamps & light", "collection": "", "price": "", "license": ""},
]  # fmt: skip


@pytest.fixture
def own(tmp_path) -> Path:
    folder = tmp_path / "own"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.jpg").write_bytes(picture((90, 60), "JPEG", 1))
    (folder / "b.png").write_bytes(picture((60, 90), "PNG", 2))
    (folder / "sub" / "c.webp").write_bytes(picture((64, 64), "WEBP", 3))
    return folder


def table(folder: Path, rows, name="products.csv") -> Path:
    path = folder / name
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_folder_becomes_a_shop_with_exact_masks_and_licences(own, tmp_path):
    made = import_folder(own, table(own, ROWS), tmp_path / "shop", seed=5)
    catalog = made.catalog
    assert [p.title for p in catalog] == [row["title"] for row in ROWS]
    assert [p.price_cents for p in catalog][:2] == [12050, 129900]
    assert catalog.photos is not None
    assert [photo.license for photo in catalog.photos.entries] == ["CC0", "CC-BY 4.0", ""]
    source = Pictures.of(catalog)
    sizes = set()
    for product in catalog:
        shown = source.render(product.id)
        sizes |= {len(source.picture(product.id)), len(source.base(product.id))}
        assert 0.008 < shown.mask.mean() < 0.02
        assert shown.changed[shown.mask].mean() > 0.9
        near = np.zeros_like(shown.mask)
        rows, columns = np.nonzero(shown.mask)
        near[
            max(0, rows.min() - 140) : rows.max() + 140, max(0, columns.min() - 140) : columns.max() + 140
        ] = True
        assert not (shown.changed & ~near).any()
    assert len(sizes) == 1
    assert (
        create_app(catalog, source).test_client().get(f"/media/{catalog.products[0].picture}").status_code
        == 200
    )


def test_the_same_folder_and_seed_give_the_same_catalogue(own, tmp_path):
    rows = table(own, ROWS)
    one, two, other = (import_folder(own, rows, tmp_path / name, seed=seed).catalog
                       for name, seed in (("one", 1), ("two", 1), ("other", 2)))  # fmt: skip
    assert one.hash == two.hash
    assert one.hash != other.hash


def test_a_cue_may_be_asked_for(own, tmp_path):
    rows = [
        {**row, "cue_object": "ceramic mug", "cue_color": color}
        for row, color in zip(ROWS, ("red", "blue", "Green"), strict=True)
    ]
    catalog = import_folder(own, table(own, rows), tmp_path / "shop").catalog
    assert [cue.phrase for cue in catalog.cues] == [
        "red ceramic mug",
        "blue ceramic mug",
        "green ceramic mug",
    ]


def refused(own: Path, tmp_path: Path, path: Path, said: str) -> None:
    with pytest.raises(DataError, match=said) as caught:
        import_folder(own, path, tmp_path / "shop")
    assert path.name in str(caught.value)
    assert not (tmp_path / "shop").exists()
    assert not [entry for entry in tmp_path.iterdir() if entry.name.startswith(".")]


def changed(**cells):
    return [ROWS[0], {**ROWS[1], **cells}, ROWS[2]]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (changed(picture="missing.jpg"), r"row 3: there is no picture 'missing\.jpg'"),
        (changed(picture="../secret.png"), r"row 3: '\.\./secret\.png' leaves the folder"),
        (changed(picture="a.jpg"), r"row 3: the picture 'a\.jpg' is in row 2 already"),
        (changed(price="cheap"), "row 3: price 'cheap' is no number"),
        (changed(title=""), "row 3: title is empty"),
        (changed(category="!!!"), "row 3: '!!!' has no letter"),
        ([{**row, "id": "7"} for row in ROWS], "row 3: the id '7' is in row 2 already"),
        ([{**row, "colour": "red"} for row in ROWS], "row 1: unknown column 'colour'"),
        ([{"picture": "a.jpg", "title": "x"}], "row 1: lacks the column category"),
        ([{**row, "cue_object": "stapler", "cue_color": "red"} for row in ROWS], "row 3: the cue 'red stapler' is in row 2"),
        ([{**row, "cue_object": "staple", "cue_color": "red"} for row in ROWS], "row 2: unknown cue object 'staple'; did you mean"),
    ],
)  # fmt: skip
def test_a_wrong_table_is_refused_by_file_and_row(own, tmp_path, rows, said):
    (tmp_path / "secret.png").write_bytes(picture())
    refused(own, tmp_path, table(own, rows), said)


def test_a_table_that_is_not_utf8_is_refused_by_row(own, tmp_path):
    path = table(own, ROWS)
    path.write_bytes(path.read_bytes().replace(b"New", b"N\xe9w"))
    refused(own, tmp_path, path, "row 3: is not UTF-8 text")


def test_a_picture_of_thirty_thousand_pixels_is_refused_by_row(own, tmp_path):
    (own / "b.png").write_bytes(picture((30_000, 1)))
    refused(own, tmp_path, table(own, ROWS), "row 3: .* has 30,000 x 1 pixels")


def test_a_damaged_picture_is_refused_after_others_were_planted(own, tmp_path):
    data = (own / "b.png").read_bytes()
    (own / "b.png").write_bytes(data[: len(data) // 2])
    refused(own, tmp_path, table(own, ROWS), "row 3: .*damaged")


def test_a_link_that_leads_out_of_the_folder_is_refused(own, tmp_path):
    (tmp_path / "secret.png").write_bytes(picture())
    (own / "b.png").unlink()
    (own / "b.png").symlink_to(tmp_path / "secret.png")
    refused(own, tmp_path, table(own, ROWS), "leaves the folder")


def test_a_folder_that_is_there_is_not_overwritten(own, tmp_path):
    (tmp_path / "shop").mkdir()
    with pytest.raises(DataError, match="is there already"):
        import_folder(own, table(own, ROWS), tmp_path / "shop")


def test_a_changed_picture_file_is_refused_when_it_is_served(imported):
    catalog = Catalog.load(imported / "catalog.json")
    assert catalog.photos is not None
    path = imported / catalog.photos.entries[0].cued
    data = path.read_bytes()
    path.write_bytes(data + b"x")
    try:
        with pytest.raises(DataError, match="not the file that was imported"):
            Pictures.of(catalog).picture(catalog.products[0].id)
    finally:
        path.write_bytes(data)


def test_a_rank_in_the_collection_is_a_feature():
    groups = ["a"] * 3 + ["b"] * 3
    names = {f.name for f in features_of([(value,) for value in ("10", "9", "100", "30", "2", "1")], groups)}
    assert "rank of the first number in its collection" in names


def test_bytes_that_are_no_picture_are_told(tmp_path: Path) -> None:
    (tmp_path / "bad.png").write_bytes(b"no picture")
    with pytest.raises(DataError, match=r"row 2: .*bad\.png is no JPEG, PNG or WebP picture"):
        read_pixels(tmp_path / "bad.png", "row 2")
