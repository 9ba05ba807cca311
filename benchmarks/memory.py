"""Speed of memory, one run, side by side, one thread: `python benchmarks/memory.py`."""

from __future__ import annotations

import argparse
import io
import os
import time
import tracemalloc
from collections.abc import Callable

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from PIL import Image

from recallreach.memory.bank import Bank
from recallreach.memory.check import QUERY, sample_hits, sample_picture
from recallreach.memory.delivery import build_delivery
from recallreach.memory.delivery.stamp import as_part, stamped
from recallreach.memory.encoders.embedded import Eye, RetrievalEncoder
from recallreach.memory.parts import CachedEncoder
from recallreach.memory.pictures import decode
from recallreach.memory.retrieval import cosine, top_k
from recallreach.memory.tiles import TiledChannel
from recallreach.memory.types import Delivered, Delivery, Experience, Retrieved

VIEW = Experience("/product/0", "Item", "", None, 0, 0)


def best(task: Callable[[], object], repeats: int = 5) -> float:
    """Seconds of the fastest of some runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return min(times)


def row(name: str, value: float, unit: str, remark: str = "") -> None:
    print(f"{name:<52}{value:>12,.3f} {unit:<10}{remark}")


def jpeg(seed: int) -> bytes:
    """A 512 px JPEG with grain, as the shop's pictures have."""
    noise = np.random.default_rng(seed).normal(0, 2, (512, 512, 3))
    pixels = np.asarray(decode(sample_picture(seed, 512))) + noise
    buffer = io.BytesIO()
    Image.fromarray(pixels.clip(0, 255).astype(np.uint8)).save(buffer, "JPEG", quality=92, subsampling=0)
    return buffer.getvalue()


def filled(rows: np.ndarray) -> Bank:
    bank = Bank()
    for vector in rows:
        bank.append(VIEW, {"visual": vector})
    return bank


def retrieval(sizes: list[int], dimension: int = 768) -> Bank:
    rng = np.random.default_rng(0)
    query = rng.standard_normal(dimension).astype(np.float32)
    bank = Bank()
    for size in sizes:
        rows = rng.standard_normal((size, dimension)).astype(np.float32)
        start = time.perf_counter()
        bank = filled(rows)
        row(f"write {size:,} records of {dimension}", size / (time.perf_counter() - start), "records/s")
        matrix = bank.vectors("visual")
        ours = best(lambda matrix=matrix: top_k(cosine(matrix, query), 5))
        raw = best(lambda matrix=matrix: matrix @ query)
        row(f"retrieve 5 of {size:,}", ours * 1e3, "ms", f"{ours / raw:.2f} x one raw product")
    return bank


def forking(bank: Bank) -> None:
    row(f"fork a bank of {len(bank):,}", best(bank.fork, 100) * 1e6, "us")
    tracemalloc.start()
    forks = [bank.fork() for _ in range(1000)]
    row("memory of one fork", tracemalloc.get_traced_memory()[0] / len(forks), "bytes")
    tracemalloc.stop()


def encoding() -> None:
    encoder, eye = RetrievalEncoder.load(), Eye.load()
    pictures = [jpeg(seed) for seed in range(16)]
    for batch in (1, 4, 16):
        seconds = best(lambda batch=batch: encoder.encode_images(pictures[:batch]), 3)
        row(f"coarse encoder, batch of {batch}", seconds / batch * 1e3, "ms/picture")
    row("eye, one picture of 512 px", best(lambda: eye._look(pictures[0]), 3) * 1e3, "ms")
    eye.score(pictures[0], ["red mug"])
    row("eye, remembered picture", best(lambda: eye.score(pictures[0], ["red mug"])) * 1e3, "ms")
    cached = CachedEncoder(encoder)
    cached.encode_images(pictures)
    row("coarse encoder, remembered", best(lambda: cached.encode_images(pictures)) / 16 * 1e3, "ms/picture")
    for grid in (1, 2, 3, 4):
        seconds = best(lambda grid=grid: TiledChannel(encoder, grid).vectors(pictures[0]), 2)
        row(f"embed one picture as {grid} x {grid} tiles", seconds * 1e3, "ms")


def delivering() -> None:
    template = sample_hits(2)[0]
    hits = [Retrieved(template.record, 1.0, {}, jpeg(seed)) for seed in range(10)]

    def first(delivery: Delivery) -> Delivered:
        as_part.cache_clear()
        stamped.cache_clear()
        return delivery.deliver(QUERY, hits)

    for name in ("text", "caption+pixels", "delivermem"):
        delivery = build_delivery(name)
        seconds = best(lambda delivery=delivery: first(delivery))
        row(f"deliver ten 512 px items, {name}, first time", seconds * 1e3, "ms")
        seconds = best(lambda delivery=delivery: delivery.deliver(QUERY, hits))
        row(f"deliver ten 512 px items, {name}, again", seconds * 1e3, "ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    forking(retrieval(parser.parse_args().sizes))
    encoding()
    delivering()


if __name__ == "__main__":
    main()
