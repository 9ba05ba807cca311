"""All pictures of a catalogue at once, in several processes, and single products written out for people."""

from __future__ import annotations

import io
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from recallreach.files import write_atomically
from recallreach.storefront.pictures.renderer import Pictures

if TYPE_CHECKING:
    from recallreach.storefront.catalog import Catalog

Progress = Callable[[int, int], None]
"""Called with the number of products done and the number of all products."""

_worker: list[Pictures] = []


def build_all(pictures: Pictures, progress: Progress | None = None, workers: int | None = None) -> int:
    """Render and store every picture of the catalogue, with and without cue.

    Args:
        pictures: whose catalogue, options and cache.
        progress: told after each collection.
        workers: processes; None takes one per processor. One renders in this process.

    Returns:
        How many products had to be rendered; the others were there already.

    Raises:
        DataError: a layer is missing or damaged, or the cache cannot be written; what is there stays usable.
    """
    catalog = pictures.catalog
    groups = [[p.id for p in catalog.products_in(entry.slug)] for entry in catalog.collections]
    count = min(workers or os.cpu_count() or 1, len(groups))
    built = _build_in_pool(pictures, groups, count) if count > 1 else _build_here(pictures, groups)
    done = rendered = 0
    for size, new in built:
        done, rendered = done + size, rendered + new
        if progress is not None:
            progress(done, len(catalog))
    return rendered


def show(pictures: Pictures, product_id: str, folder: Path) -> tuple[Path, Path, Path]:
    """Write one product's base, cued picture and mask (1-bit PNG) into `folder`; return the three paths.

    Raises:
        UnknownNameError: no such product.
        DataError: a layer is missing or damaged, or the folder cannot be written.
    """
    rendered = pictures.render(product_id)
    suffix = pictures.media_type.removeprefix("image/").replace("jpeg", "jpg")
    mask = io.BytesIO()
    Image.fromarray(rendered.mask).save(mask, "PNG")
    written = {
        folder / f"{product_id}-base.{suffix}": pictures.encode(rendered.base),
        folder / f"{product_id}-cued.{suffix}": pictures.encode(rendered.cued),
        folder / f"{product_id}-mask.png": mask.getvalue(),
    }
    for path, data in written.items():
        write_atomically(path, data)
    base, cued, masked = written
    return base, cued, masked


def _build_here(pictures: Pictures, groups: Iterable[Sequence[str]]) -> Iterator[tuple[int, int]]:
    for ids in groups:
        yield len(ids), sum(pictures.build(product_id) for product_id in ids)


def _build_in_pool(
    pictures: Pictures, groups: Sequence[Sequence[str]], workers: int
) -> Iterator[tuple[int, int]]:
    options = (pictures.catalog, pictures.folder, pictures.cue_fraction, pictures.lossless)
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=spawn, initializer=_start, initargs=options) as pool:
        tasks = [pool.submit(_build_group, ids) for ids in groups]
        try:
            for task in as_completed(tasks):
                yield task.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _start(catalog: Catalog, folder: Path, cue_fraction: float, lossless: bool) -> None:
    _worker[:] = [Pictures.of(catalog, folder, cue_fraction=cue_fraction, lossless=lossless)]


def _build_group(ids: Sequence[str]) -> tuple[int, int]:
    return len(ids), sum(_worker[0].build(product_id) for product_id in ids)
