"""What pictures cost: milliseconds per pair, a cold build, and memory (`--help` lists the options)."""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from recallreach.storefront.catalog import Catalog
from recallreach.storefront.data import COLORS
from recallreach.storefront.pictures import Pictures
from recallreach.storefront.pictures.art import Art
from recallreach.storefront.pictures.building import build_all
from recallreach.storefront.pictures.samples import SceneSampler

KILOBYTES_PER_MIB = 1024 if sys.platform != "darwin" else 1024 * 1024


def main() -> None:
    """Measure and print one JSON object."""
    options = _options()
    catalog = Catalog.synthetic(0, variants=_variants(options.products))
    with tempfile.TemporaryDirectory() as folder:
        pictures = Pictures(catalog, Path(folder) / "pairs", lossless=options.lossless)
        result = {"products": len(catalog), "pieces": len(catalog.collections), "lossless": options.lossless}
        result["pair_cpu_ms"] = _pair_milliseconds(pictures, options.pairs)
        result["peak_rss_mib_one_process"] = _peak(resource.RUSAGE_SELF)
        cold = Pictures(catalog, Path(folder) / "cold", lossless=options.lossless)
        result["workers"] = options.workers
        result["cold_build_wall_s"] = _seconds(lambda: build_all(cold, workers=options.workers))
        result["warm_build_wall_s"] = _seconds(lambda: build_all(cold, workers=1))
        result["peak_rss_mib_largest_worker"] = _peak(resource.RUSAGE_CHILDREN)
    if options.samples:
        result |= _sample_milliseconds(options.samples)
    print(json.dumps(result, indent=1))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--products", type=int, default=1000, help="at most; fewer if there is too little art"
    )
    parser.add_argument("--pairs", type=int, default=100, help="pairs to time in one process")
    parser.add_argument("--workers", type=int, default=2, help="processes of the cold build")
    parser.add_argument("--samples", type=int, default=0, help="training pictures to time")
    parser.add_argument("--lossless", action="store_true", help="WebP instead of JPEG")
    return parser.parse_args()


def _variants(products: int) -> int:
    """Products per collection, as near to the wish as pieces and cues allow."""
    art = Art()
    most = min(products, len(art.cues) * len(COLORS))
    return max(1, most // len(art.furniture))


def _pair_milliseconds(pictures: Pictures, count: int) -> float:
    """Processor time to render and encode base and cued picture, without the first pair of each piece."""
    first = {
        entry.slug: pictures.catalog.products_in(entry.slug)[0] for entry in pictures.catalog.collections
    }
    timed = [product for product in pictures.catalog if product not in first.values()][:count]
    started = 0.0
    spent = 0.0
    warmed: set[str] = set()
    for product in timed:
        if product.collection not in warmed:
            pictures.render(first[product.collection].id)
            warmed.add(product.collection)
        started = time.process_time()
        found = pictures.render(product.id)
        pictures.encode(found.base)
        pictures.encode(found.cued)
        spent += time.process_time() - started
    return round(1000 * spent / len(timed), 2)


def _sample_milliseconds(count: int) -> dict[str, float]:
    sampler = SceneSampler(0)
    sampler.crops(count)
    measured = {}
    for name, draw in (("crop", sampler.crops), ("frame", sampler.frames)):
        started = time.process_time()
        draw(count)
        measured[f"{name}_cpu_ms"] = round(1000 * (time.process_time() - started) / count, 2)
    return measured


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return round(time.perf_counter() - started, 2)


def _peak(who: int) -> int:
    return round(resource.getrusage(who).ru_maxrss / KILOBYTES_PER_MIB)


if __name__ == "__main__":
    main()
