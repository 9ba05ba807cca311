"""Training samples: the source's protocol, and chunks of samples that worker processes render ahead.

Rendering is slower than training, so each sample is used several times: chunks enter training on a fixed
schedule, which keeps a run independent of how fast the workers are.
"""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Literal, Protocol
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from recallreach.errors import DataError
from recallreach.files import write_atomically
from recallreach.memory.encoders.embedded import Pixels
from recallreach.seeding import stream

View = Literal["crops", "frames"]
Indices = NDArray[np.int64]
Samples = tuple[Pixels, Indices, Indices]


class CropSource(Protocol):
    """Where training pictures come from; equal seeds give equal sequences."""

    def crops(self, n: int, size: int) -> Samples:
        """n pieces of pictures at full resolution, most around the small object.

        Returns:
            uint8 (n, size, size, 3), object index (n,) and colour index (n,); both -1 where none is visible.
        """

    def frames(self, n: int, size: int) -> Samples:
        """n whole pictures of size x size, as `crops`."""


MakeSource = Callable[[int], CropSource]
"""A picklable function from a seed to a source."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the samples of one training phase are made.

    Attributes:
        view: crops or whole frames.
        size: side as rendered, in pixels.
        shrink: whole factor by which each is then averaged down.
        chunk: samples a chunk.
        chunks: chunks in all.
    """

    view: View
    size: int
    shrink: int = 1
    chunk: int = 512
    chunks: int = 32


def render_chunk(make_source: MakeSource, recipe: Recipe, seed: int, index: int, path: Path) -> None:
    """Render one chunk into an .npz file: JPEG artefacts of a random quality, then the averaging down."""
    source = make_source(int(stream(seed, "chunk", recipe.view, recipe.size, index).integers(2**31)))
    draw = source.crops if recipe.view == "crops" else source.frames
    pixels, names, colors = draw(recipe.chunk, recipe.size)
    qualities = stream(seed, "jpeg", recipe.view, recipe.size, index).integers(80, 96, len(pixels))
    small = np.stack(
        [_degraded(one, int(quality), recipe.shrink) for one, quality in zip(pixels, qualities, strict=True)]
    )
    buffer = io.BytesIO()
    np.savez(buffer, pixels=small, names=names.astype(np.int64), colors=colors.astype(np.int64))
    write_atomically(path, buffer.getvalue())


def read_chunk(path: Path) -> Samples:
    """One chunk as `render_chunk` wrote it."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            return file["pixels"], file["names"], file["colors"]
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise DataError(f"the training chunk {path} is damaged: {error}. Delete it and run again.") from error


class ChunkQueue:
    """Chunks 0, 1, 2, ... in order; those not on disk are rendered by the pool, some ahead, or here."""

    def __init__(
        self,
        pool: ProcessPoolExecutor | None,
        make_source: MakeSource,
        recipe: Recipe,
        seed: int,
        folder: Path,
    ) -> None:
        self._render = (pool, make_source, seed)
        self._recipe, self._folder = recipe, folder
        self._pending: dict[int, Future[None]] = {}

    def take(self, index: int, ahead: int = 3) -> Samples:
        """Chunk `index`, waiting for it if need be, while the next `ahead` are ordered."""
        last = index + ahead if self._render[0] else index
        for wanted in range(index, min(last + 1, self._recipe.chunks)):
            self._order(wanted)
        if index in self._pending:
            self._pending.pop(index).result()
        return read_chunk(self._path(index))

    def _order(self, index: int) -> None:
        if index in self._pending or self._path(index).exists():
            return
        pool, make_source, seed = self._render
        job = (make_source, self._recipe, seed, index, self._path(index))
        if pool is None:
            render_chunk(*job)
        else:
            self._pending[index] = pool.submit(render_chunk, *job)

    def _path(self, index: int) -> Path:
        recipe = self._recipe
        return self._folder / f"{recipe.view}-{recipe.size}-{recipe.shrink}-{recipe.chunk}-{index:04d}.npz"


@contextmanager
def render_pool(workers: int) -> Iterator[ProcessPoolExecutor | None]:
    """Worker processes, or None for no workers; on the way out, chunks not yet begun are dropped."""
    if not workers:
        yield None
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=_end_with_parent) as pool:
        try:
            yield pool
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _end_with_parent() -> None:
    """Without this, a worker of a parent that was killed would wait for orders for ever."""

    def watch() -> None:
        parent = parent_process()
        assert parent is not None
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _degraded(pixels: Pixels, quality: int, shrink: int) -> Pixels:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG", quality=quality, subsampling=0)
    with Image.open(buffer) as image:
        return np.asarray(image.reduce(shrink) if shrink > 1 else image)
