"""Speed of delivery, one run, side by side, one core: `python benchmarks/delivery.py`.

Times are CPU time of this process, so that other work on the machine does not count; the fastest of some
runs.
"""

from __future__ import annotations

import argparse
import io
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

from recallreach.memory.check import QUERY, sample_hits, sample_picture
from recallreach.memory.delivery import build_delivery
from recallreach.memory.delivery.controls import drawn
from recallreach.memory.delivery.stamp import as_part, stamped
from recallreach.memory.pictures import decode
from recallreach.memory.types import Delivered, Retrieved
from recallreach.storefront.pictures.encoding import encode_jpeg

ITEMS, SIDE = 10, 512
REPEATS = 9


def best(task: Callable[[], object], repeats: int = REPEATS) -> float:
    """CPU milliseconds of the fastest of some runs."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        task()
        times.append(time.process_time() - start)
    return 1e3 * min(times)


def scene(seed: int) -> np.ndarray:
    """A picture with grain, as the shop's have."""
    noise = np.random.default_rng(seed).normal(0, 2, (SIDE, SIDE, 3))
    pixels = np.asarray(decode(sample_picture(seed, SIDE))) + noise
    return pixels.clip(0, 255).astype(np.uint8)


def plain_jpeg(pixels: np.ndarray) -> bytes:
    """A JPEG as another program writes it: no restart markers."""
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG", quality=92, subsampling=0)
    return buffer.getvalue()


def hits_of(pictures: list[bytes]) -> list[Retrieved]:
    record = sample_hits(2)[0].record
    return [Retrieved(record, 1.0, {}, picture) for picture in pictures]


def forget() -> None:
    for cache in (as_part, stamped, drawn):
        cache.cache_clear()


def first(name: str, hits: list[Retrieved], **options: str) -> float:
    """Milliseconds of delivering all items that no delivery has met before."""
    delivery = build_delivery(name, **options)

    def task() -> Delivered:
        forget()
        return delivery.deliver(QUERY, hits)

    return best(task)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="Also write the figures to this file.")
    target = parser.parse_args().json
    scenes = [scene(seed) for seed in range(ITEMS)]
    shop, other = hits_of([encode_jpeg(one) for one in scenes]), hits_of([plain_jpeg(one) for one in scenes])
    found = {
        f"{name}, the shop's pictures": first(name, shop) for name in ("delivermem", "caption+pixels", "text")
    }
    found["delivermem, JPEGs without restart markers"] = first("delivermem", other)
    delivery = build_delivery("delivermem")
    found["delivermem, met before"] = best(lambda: delivery.deliver(QUERY, shop))
    for kind in ("blank", "noise", "blurred"):
        found[f"delivermem, pictures={kind}"] = first("delivermem", shop, pictures=kind)
    raw = best(lambda: [decode(hit.picture or b"") for hit in shop])
    print(f"{ITEMS} items of {SIDE} px, CPU ms (and against decoding the ten pictures, {raw:.1f} ms)")
    for name, value in found.items():
        print(f"{name:<48}{value:>9.2f}{value / raw:>9.2f} x")
    if target:
        target.write_text(json.dumps({"decode_ms": raw, **found}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
