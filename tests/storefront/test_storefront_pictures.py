"""The compositor: pixels, masks, placement, files and cache."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from recallreach import files
from recallreach.errors import ConfigError, DataError, UnknownNameError
from recallreach.storefront.catalog import Catalog
from recallreach.storefront.pictures import Pictures, Rendered
from recallreach.storefront.pictures.art import FRAME, Art, Bytes
from recallreach.storefront.pictures.building import build_all, show
from recallreach.storefront.pictures.cache import default_cache
from recallreach.storefront.pictures.encoding import JPEG_LENGTH, WEBP_LENGTH
from recallreach.storefront.pictures.looks import look_of

SAMPLE = 36


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return Catalog.synthetic(1)


@pytest.fixture(scope="session")
def pictures(catalog: Catalog, tmp_path_factory: pytest.TempPathFactory) -> Pictures:
    return Pictures(catalog, tmp_path_factory.mktemp("pictures"))


@pytest.fixture(scope="session")
def sample(catalog: Catalog) -> list[str]:
    """Ids evenly spread over the catalogue."""
    chosen = np.linspace(0, len(catalog) - 1, min(SAMPLE, len(catalog))).round().astype(int)
    return [catalog.products[index].id for index in chosen]


@pytest.fixture(scope="session")
def rendered(pictures: Pictures, sample: list[str]) -> dict[str, Rendered]:
    return {product_id: pictures.render(product_id) for product_id in sample}


@pytest.fixture
def spare_art(tmp_path: Path) -> Art:
    """A copy of all layers, to be damaged."""
    shutil.copytree(Art().folder, tmp_path / "art")
    return Art(tmp_path / "art")


def decoded(data: bytes) -> Bytes:
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image.convert("RGB"))


def digest(pixels: Bytes) -> str:
    return hashlib.sha256(pixels.tobytes()).hexdigest()


def test_base_and_cued_are_equal_outside_the_object_and_its_shadow(rendered: dict[str, Rendered]) -> None:
    for product_id, picture in rendered.items():
        assert picture.base.shape == picture.cued.shape == (FRAME, FRAME, 3)
        assert np.array_equal(picture.base[~picture.changed], picture.cued[~picture.changed])
        assert picture.changed[picture.mask].mean() > 0.9, product_id
        assert picture.changed.mean() < 4 * picture.mask.mean() + 0.01, product_id


def test_jpeg_is_equal_outside_the_touched_blocks(pictures: Pictures, rendered: dict[str, Rendered]) -> None:
    for product_id, picture in list(rendered.items())[:6]:
        base, cued = decoded(pictures.base(product_id)), decoded(pictures.picture(product_id))
        blocks = picture.changed.reshape(64, 8, 64, 8).any((1, 3)).repeat(8, 0).repeat(8, 1)
        assert np.array_equal(base[~blocks], cued[~blocks])
        assert not np.array_equal(base, cued)


def test_lossless_files_hold_the_rendered_pixels(
    catalog: Catalog, rendered: dict[str, Rendered], tmp_path: Path
) -> None:
    lossless = Pictures(catalog, tmp_path, lossless=True)
    assert lossless.media_type == "image/webp"
    for product_id, picture in list(rendered.items())[:3]:
        data = lossless.picture(product_id)
        assert np.array_equal(decoded(data), picture.cued)
        assert np.array_equal(decoded(lossless.base(product_id)), picture.base)
        assert len(data) == WEBP_LENGTH
        assert int.from_bytes(data[4:8], "little") == len(data) - 8


def jpeg_segments(data: bytes) -> list[int]:
    """Marker codes of the segments before the scan."""
    position, found = 2, []
    while data[position + 1] != 0xDA:
        found.append(data[position + 1])
        position += 2 + int.from_bytes(data[position + 2 : position + 4], "big")
    return found


def test_files_say_nothing_beside_their_pixels(pictures: Pictures, sample: list[str]) -> None:
    """Equal length, no metadata segment, equal tables: only the entropy-coded scan differs."""
    coded = [pictures.picture(product_id) for product_id in sample]
    assert {len(data) for data in coded} == {JPEG_LENGTH}
    assert {tuple(jpeg_segments(data)) for data in coded} == {
        (0xE0, 0xDB, 0xDB, 0xC0, 0xC4, 0xC4, 0xC4, 0xC4, 0xDD)
    }
    heads = {data[: data.index(b"\xff\xda")] for data in coded}
    assert len(heads) == 1


def test_base_knows_nothing_of_the_cue(catalog: Catalog, sample: list[str], tmp_path: Path) -> None:
    swapped = dataclasses.replace(catalog, cues=catalog.cues[::-1])
    ours, theirs = Pictures(catalog, tmp_path / "a"), Pictures(swapped, tmp_path / "b")
    for product_id in sample[:8]:
        assert catalog.cue_of(product_id) != swapped.cue_of(product_id)
        assert look_of(catalog, product_id) == look_of(swapped, product_id)
        assert ours.base(product_id) == theirs.base(product_id)
        assert ours.picture(product_id) != theirs.picture(product_id)


def test_variants_differ_in_body_colour(catalog: Catalog) -> None:
    for collection in catalog.collections[:10]:
        looks = [look_of(catalog, product.id) for product in catalog.products_in(collection.slug)]
        assert len({look.body for look in looks}) == len(looks)
        assert len({look.backdrop for look in looks}) > 1


def test_rendering_order_and_a_small_layer_cache_change_nothing(
    catalog: Catalog, rendered: dict[str, Rendered], tmp_path: Path
) -> None:
    forgetful = Pictures(catalog, tmp_path)
    forgetful._layers.limit = 1
    for product_id in list(rendered)[:6][::-1]:
        assert digest(forgetful.render(product_id).cued) == digest(rendered[product_id].cued)


def test_options_change_the_picture_and_its_place_in_the_cache(catalog: Catalog, tmp_path: Path) -> None:
    product = catalog.products[0].id
    small, large = (Pictures(catalog, tmp_path, cue_fraction=size) for size in (0.004, 0.017))
    assert small.render(product).mask.mean() == pytest.approx(0.004, abs=0.0005)
    assert small.picture(product) != large.picture(product)
    assert small.base(product) == large.base(product)
    with pytest.raises(ConfigError, match=r"cue_fraction is 0\.5"):
        Pictures(catalog, tmp_path, cue_fraction=0.5)


def entries(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_cache_is_used_and_survives_damage(
    catalog: Catalog, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    product = catalog.products[0].id
    first = Pictures(catalog, tmp_path).picture(product)
    [entry] = entries(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(Pictures, "render", lambda *_: pytest.fail("rendered although cached"))
        assert Pictures(catalog, tmp_path).picture(product) == first
    entry.write_bytes(entry.read_bytes()[:-100])
    with caplog.at_level(logging.WARNING):
        assert Pictures(catalog, tmp_path).picture(product) == first
    assert "is damaged" in caplog.text
    assert entries(tmp_path) == [entry]
    caplog.clear()
    assert Pictures(catalog, tmp_path).picture(product) == first
    assert caplog.text == ""


def test_unreadable_cache_is_explained(catalog: Catalog, tmp_path: Path) -> None:
    product = catalog.products[0].id
    pictures = Pictures(catalog, tmp_path)
    pictures.picture(product)
    [entry] = entries(tmp_path)
    entry.unlink()
    entry.mkdir()
    with pytest.raises(DataError, match=f"cannot read the cached picture .*{entry.name}"):
        pictures.picture(product)


def test_full_disk_leaves_nothing(catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class FullDisk(io.BytesIO):
        def write(self, data: object) -> int:
            raise OSError(28, "No space left on device")

    def opened(handle: int, mode: str) -> FullDisk:
        os.close(handle)
        return FullDisk()

    monkeypatch.setattr(files.os, "fdopen", opened)
    with pytest.raises(DataError, match="No space left on device"):
        Pictures(catalog, tmp_path).picture(catalog.products[0].id)
    assert entries(tmp_path) == []


def test_cache_in_a_place_that_is_no_folder(catalog: Catalog, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match=r"cannot (read|write)"):
        Pictures(catalog, tmp_path / "file").picture(catalog.products[0].id)


def test_default_cache_can_be_moved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RECALLREACH_CACHE", str(tmp_path))
    assert default_cache() == tmp_path
    monkeypatch.delenv("RECALLREACH_CACHE")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_cache() == tmp_path / ".cache" / "recallreach"


@pytest.mark.parametrize(
    ("layer", "spoil", "message"),
    [
        ("_d.webp", lambda path: path.unlink(), "_d.webp does not exist"),
        ("_k.webp", lambda path: path.write_bytes(path.read_bytes()[:40]), "_k.webp is damaged"),
        ("_s.webp", lambda path: path.write_bytes(b"not a picture"), "_s.webp is damaged"),
        ("_k.webp", lambda path: Image.new("RGB", (9, 9)).save(path), "_k.webp is 9 x 9 pixels"),
        (".json", lambda path: path.write_text("{}"), ".json lacks format, kind"),
        (".json", lambda path: path.write_text("{"), ".json is not valid JSON"),
    ],
)
@pytest.mark.parametrize("kind", ["cues", "furniture"])
def test_damaged_layers_are_named(
    spare_art: Art, tmp_path: Path, kind: str, layer: str, spoil: Callable[[Path], None], message: str
) -> None:
    catalog = Catalog.synthetic(1, variants=1, art=spare_art)
    product = catalog.products[0]
    stem = catalog.cue_of(product.id).slug if kind == "cues" else product.collection
    spoil(spare_art.folder / kind / f"{stem}{layer}")
    with pytest.raises(DataError, match=message) as caught:
        Pictures(catalog, tmp_path / "cache").picture(product.id)
    assert stem in str(caught.value)
    assert entries(tmp_path / "cache") == []


def test_unknown_product_is_refused(pictures: Pictures) -> None:
    with pytest.raises(UnknownNameError, match="unknown product 'ffff'"):
        pictures.picture("ffff")


@pytest.mark.parametrize("workers", [1, 2])
def test_build_all_renders_what_single_calls_render(tmp_path: Path, workers: int) -> None:
    catalog = Catalog.synthetic(2, variants=2)
    told: list[tuple[int, int]] = []
    pictures = Pictures(catalog, tmp_path / "all")
    assert build_all(pictures, lambda done, total: told.append((done, total)), workers) == len(catalog)
    assert told[-1] == (len(catalog), len(catalog))
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert build_all(pictures, workers=1) == 0
    assert len(entries(tmp_path / "all")) == 2 * len(catalog)
    alone = Pictures(catalog, tmp_path / "alone")
    for product in list(catalog)[:2]:
        assert pictures.picture(product.id) == alone.picture(product.id)
        assert pictures.base(product.id) == alone.base(product.id)


def test_several_processes_share_a_cache(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from recallreach.storefront.catalog import Catalog\n"
        "from recallreach.storefront.pictures import Pictures\n"
        "catalog = Catalog.synthetic(2, variants=1)\n"
        "pictures = Pictures(catalog, sys.argv[1])\n"
        "print(*[hash(pictures.picture(product.id)) for product in catalog])\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(2)
    ]
    told = {process.communicate()[0] for process in running}
    assert [process.returncode for process in running] == [0, 0]
    assert len(told) == 1
    assert len(entries(tmp_path)) == len(Catalog.synthetic(2, variants=1))


def test_show_writes_three_aligned_files(pictures: Pictures, sample: list[str], tmp_path: Path) -> None:
    base, cued, mask = show(pictures, sample[0], tmp_path)
    rendered = pictures.render(sample[0])
    with Image.open(mask) as image:
        assert image.mode == "1"
        assert np.array_equal(np.asarray(image), rendered.mask)
    assert base.read_bytes() == pictures.base(sample[0])
    assert cued.read_bytes() == pictures.picture(sample[0])
