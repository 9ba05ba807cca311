"""How fast a study runs, how fast its store writes, and how fast a large store is read.

1. Probes per second of the whole embedded study (browsing included): in this process, and through Chromium
   with one and with two workers. All three answer the same questions and must agree; the ratio of two and one
   worker is what counts on a busy machine.
2. Units written per second into a results store, one transaction each, beside bare SQLite transactions of the
   same number of rows on the same disk.
3. Milliseconds for a page of 50, a filter and a trace in a store of many probes.

    python benchmarks/study.py --chains 2 --units 20000
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from recallreach.agents.results import HitTrace, RecallResult, TurnTrace
from recallreach.study.config import StudyConfig
from recallreach.study.events import Trace
from recallreach.study.reading import Filter, StoreReader
from recallreach.study.run import run_study
from recallreach.study.store import ResultStore
from recallreach.study.units import COLUMNS, Unit

ENGINES: dict[str, dict[str, Any]] = {
    "in process": {"transport": "in_process", "engine": "inline"},
    "Chromium, 1 worker": {"transport": "chromium", "engine": "local", "workers": 1},
    "Chromium, 2 workers": {"transport": "chromium", "engine": "local", "workers": 2},
}
SYSTEMS, REACHES, PAGE = ("dualmem", "caption", "text-only", "no-memory"), 10, 50


def main() -> None:
    """Measure, print, and write JSON where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chains", type=int, default=2, help="chains of the study")
    parser.add_argument("--sessions", type=int, default=3, help="sessions of a chain")
    parser.add_argument(
        "--units", type=int, default=100_000, help="probes of the large store; 0 leaves it out"
    )
    parser.add_argument("--only", choices=("study", "store"), help="one part only")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}\n")
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as place:
        if arguments.only != "store":
            figures["study"] = study(Path(place), arguments.chains, arguments.sessions)
        if arguments.only != "study":
            figures["writes"] = writes(Path(place))
            if arguments.units:
                figures["reads"] = reads(Path(place), arguments.units)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1))


def study(place: Path, chains: int, sessions: int) -> dict[str, dict[str, float]]:
    """Seconds and probes per second of one study on each engine."""
    figures, digests = {}, set()
    for name, engine in ENGINES.items():
        values = {"chains": chains, "sessions": sessions, "probes": 1, "out": str(place), **engine}
        config = StudyConfig.parse({"name": name.replace(" ", "-").replace(",", ""), **values})
        started = time.perf_counter()
        results = run_study(config)
        seconds = time.perf_counter() - started
        digests.add(results.digest)
        probes = sum(score.attempted for score in results.scores)
        figures[name] = {"probes": probes, "seconds": seconds, "probes_per_second": probes / seconds}
        print(f"{name:24}{probes:6} probes {seconds:8.1f} s {probes / seconds:8.2f} probes/s")
    gain = figures["Chromium, 1 worker"]["seconds"] / figures["Chromium, 2 workers"]["seconds"]
    print(f"two workers over one: {gain:.2f} x; results {'equal' if len(digests) == 1 else 'DIFFER'}\n")
    return figures


def writes(place: Path, count: int = 500) -> dict[str, float]:
    """Units per second, beside bare transactions of SQLite; both take turns."""
    bare = sqlite3.connect(place / "bare.sqlite", isolation_level=None)
    bare.execute("PRAGMA journal_mode = WAL")
    bare.execute("PRAGMA synchronous = FULL")
    bare.execute("CREATE TABLE rows (number INTEGER, text TEXT)")
    ours, floor = [], []
    with ResultStore(place / "writes.sqlite") as store:
        for label in SYSTEMS:
            store.register(label, {})
        for unit, trace in made(count):
            ours.append(timed(lambda unit=unit, trace=trace: store.add(unit, trace)))  # type: ignore[misc]
            floor.append(timed(lambda: bare_transaction(bare)))
    bare.close()
    figures = {"units_per_second": 1 / median(ours), "bare_per_second": 1 / median(floor)}
    ratio = median(ours) / median(floor)
    print(
        f"store: {figures['units_per_second']:,.0f} units/s, bare SQLite {figures['bare_per_second']:,.0f} "
        f"transactions/s: {ratio:.2f} x the time\n"
    )
    return {**figures, "ratio": ratio}


def bare_transaction(db: sqlite3.Connection) -> None:
    """Six rows in one transaction."""
    db.execute("BEGIN IMMEDIATE")
    db.executemany("INSERT INTO rows VALUES (?, ?)", [(number, "x" * 200) for number in range(6)])
    db.commit()


def reads(place: Path, count: int) -> dict[str, float]:
    """Milliseconds of what a viewer asks of a store with so many probes."""
    path = place / "large.sqlite"
    fill(path, count)
    with StoreReader(path) as store:
        last = max(0, count // len(SYSTEMS) - PAGE)
        wanted = Filter(systems=("dualmem",), reaches=(3,), correct=False)
        key = store.units(limit=1, offset=last)[0].key
        jobs: dict[str, Callable[[], object]] = {
            "first page": lambda: store.units(limit=PAGE),
            "page at the end": lambda: store.units(limit=PAGE, offset=count - PAGE),
            "filtered page": lambda: store.units(wanted, limit=PAGE),
            "filtered count": lambda: store.count(wanted),
            "facets": store.facets,
            "trace": lambda: store.trace(key),
            "same probe": lambda: store.same_probe(store.unit(key).probe),
        }
        figures = {name: 1e3 * median(timed(job) for _ in range(5)) for name, job in jobs.items()}
    print(f"{count:,} probes, {path.stat().st_size / 1e6:,.0f} MB")
    for name, value in figures.items():
        print(f"  {name:18}{value:8.1f} ms")
    return figures


def fill(path: Path, count: int) -> None:
    """A store of so many units, written without waiting for the disk."""
    with ResultStore(path) as store:
        for label in SYSTEMS:
            store.register(label, {})
        store._db.execute("PRAGMA synchronous = OFF")
        for unit, trace in made(count):
            store.add(unit, trace)


def made(count: int) -> Iterator[tuple[Unit, Trace]]:
    """Units with traces of about the size that real ones have."""
    turns = tuple(TurnTrace("/", "Thought: " + "x" * 150, "done", "done", (), "", "/") for _ in range(3))
    hits = tuple(HitTrace(n, f"/product/{n:08x}", 0, n, 0.5, {"visual": 0.5}) for n in range(5))
    result = RecallResult("p", "matcher", "dualmem", "pixels", "ok", True, turns=turns, retrieved=hits)
    trace = Trace("On an earlier visit you had a product page open.", {}, result)
    plain = dict.fromkeys(COLUMNS, 0) | dict.fromkeys(
        ("target", "phrase", "kind", "reason", "stage"), "red mug"
    )
    for number in range(count):
        place, system = divmod(number, len(SYSTEMS))
        probe = f"c{place // 1000}-s9-{place:08x}"
        facts: dict[str, Any] = {
            **plain,
            "key": f"{SYSTEMS[system]}/{probe}",
            "system": SYSTEMS[system],
            "probe": probe,
            "chain": place // 1000,
            "session": 9,
            "reach": place % REACHES,
            "status": "ok",
            "kind": "",
            "correct": bool((place + system) % 3),
            "answer": "aaaaaaaa",
            "rank": 1,
            "actions": ("done",),
            "seconds": 0.1,
            "finished_at": "2026-01-01T00:00:00+00:00",
        }
        yield Unit(**facts), replace(trace, goal=f"{trace.goal} {number}")


def timed(job: Callable[[], object]) -> float:
    """Seconds of one call."""
    started = time.perf_counter()
    job()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
