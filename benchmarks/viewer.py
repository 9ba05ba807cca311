"""How quick the viewer is on a large run, and what the report of a large run takes.

1. Milliseconds for each kind of page of a run of many probes, over loopback, beside the same pages of a run a
   hundredth as large: both are asked in turn, so a busy machine slows both alike.
2. Seconds and peak memory of the report, each in a process of its own, for a large run and for a tenth of it.

The runs are made up: rows, traces and sessions as a real run has them, without a shop or an agent.

    python benchmarks/viewer.py --probes 100000 --report 50000
"""

from __future__ import annotations

import argparse
import io
import json
import os
import platform
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from PIL import Image

from recallreach.agents.results import HitTrace, ItemTrace, PartTrace, RecallResult, TurnTrace
from recallreach.env.trajectory import TrajectoryStore
from recallreach.env.types import SessionPlan, Trajectory, TrajectoryStep
from recallreach.files import sha256
from recallreach.storefront.server import ShopServer
from recallreach.study import events, schema
from recallreach.study.config import StudyConfig
from recallreach.study.store import ResultStore
from recallreach.study.units import Unit, to_row
from recallreach.study.viewer import create_viewer

SYSTEMS = ("no-memory", "text-only", "caption", "dualmem", "mma", "m2a", "worldmm", "long-context")
CHAINS, SESSIONS, STEPS = 20, 10, 25
PAGES = {
    "overview": "/",
    "list": "/probes",
    "list, wrong only": "/probes?verdict=wrong",
    "list, one system and reach": "/probes?system=dualmem&reach=4",
    "list, lost at": "/probes?stage=misread",
    "list, search": "/probes?q=mug+77",
    "list, last page": "/probes?page=999999",
    "session": "/chains/3/sessions/2",
}
REPORT = """
import json, resource, sys, time
from pathlib import Path
from recallreach.study.report import write_report
started = time.perf_counter()
write_report(Path(sys.argv[1]))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
seconds, cpu = time.perf_counter() - started, time.process_time()
print(json.dumps({"seconds": seconds, "cpu": cpu, "peak": peak}))
"""


def main() -> None:
    """Measure, print, and write JSON where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--probes", type=int, default=100_000, help="probes of the run that is viewed")
    parser.add_argument("--report", type=int, default=50_000, help="probes of the run that is reported")
    parser.add_argument("--rounds", type=int, default=10, help="times that each page is asked for")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}\n")
    with tempfile.TemporaryDirectory() as place:
        sizes = {"large": arguments.probes, "small": max(arguments.probes // 100, 100)}
        pages = view(
            {name: make_up(Path(place) / name, size) for name, size in sizes.items()}, arguments.rounds
        )
        show_pages(pages, sizes)
        reports = {
            size: report(make_up(Path(place) / f"report-{size}", size))
            for size in (arguments.report // 10, arguments.report)
        }
        show_reports(reports)
    if arguments.json:
        arguments.json.write_text(json.dumps({"pages": pages, "reports": reports}, indent=1))


def make_up(folder: Path, probes: int) -> Path:
    """A finished run of so many probes."""
    folder.mkdir()
    config = StudyConfig.parse({"name": folder.name, "chains": CHAINS, "sessions": SESSIONS})
    systems = [
        {"label": name, "memory": {"name": name, "options": {}}, "delivery": {"name": "text"}}
        for name in SYSTEMS
    ]
    told: dict[str, Any] = {
        "format": 1,
        "config": config.model_dump(mode="json"),
        "products": 1000,
        "objects": 100,
        "unknown": [],
        "systems": systems,
        "encoders": {"pictures": "embedded", "texts": "hashed", "captions": "embedded"},
        "browser": None,
        "catalog": "0" * 64,
        "renderer": "1",
        "versions": {"recallreach": "0"},
        "git": "not a git checkout",
        "python": platform.python_version(),
        "platform": platform.platform(),
        "started_at": "2026-01-01T00:00:00+00:00",
        "finished_at": "2026-01-01T01:00:00+00:00",
        "results_digest": None,
    }
    (folder / "manifest.json").write_text(json.dumps(told))
    pictures = _sessions(TrajectoryStore(folder / "trajectories"))
    _fill(folder / "results.sqlite", probes, pictures)
    return folder


def _sessions(store: TrajectoryStore) -> list[str]:
    digests = [store.pictures.put(_picture(number)) for number in range(STEPS)]
    for chain in range(CHAINS):
        for index in range(SESSIONS):
            steps = tuple(_step(number, digests) for number in range(STEPS))
            plan = SessionPlan(chain, index, "lamp", "Look around", STEPS, "2024-03-01T10:00:00")
            store.save(Trajectory(plan, steps, tuple(f"{number:08x}" for number in range(STEPS))))
    return digests


def _picture(number: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (512, 512), (10 * number, 90, 120)).save(file, "JPEG")
    return file.getvalue()


def _step(number: int, digests: list[str]) -> TrajectoryStep:
    url, words = f"/product/{number:08x}", "A lamp of turned beech with a linen shade. " * 20
    reply = f"Thought: I look at number {number}.\nAction: click_index({number})"
    return TrajectoryStep(
        reply, f"click_index({number})", url, f"Lamp {number}", words, digests[number], "2024-03-01T10:00:00"
    )


def _fill(path: Path, probes: int, digests: list[str]) -> None:
    with ResultStore(path) as store:
        for name in SYSTEMS:
            store.register(name, {})
    db = sqlite3.connect(path)
    traces: dict[Unit, list[tuple[str, str]]] = {}
    for unit in _units(probes):
        traced = replace(unit, **{name: getattr(PLAIN, name) for name in UNTRACED})
        if traced not in traces:
            traces[traced] = [events.to_row(event) for event in _trace(traced, digests).events()]
        rows = traces[traced]
        digest, row = schema.trace_digest(rows), to_row(unit)
        db.execute(schema.INSERT_UNIT, (*row, digest, schema.row_checksum(row, digest)))
        db.executemany(schema.INSERT_EVENT, ((unit.key, n, *entry) for n, entry in enumerate(rows)))
    db.commit()
    db.close()


UNTRACED = (
    "key",
    "probe",
    "phrase",
    "session",
    "chain",
    "tree",
    "reach",
    "first_seen",
    "seen",
    "bank",
    "place",
)
"""What a made-up trace does not tell, so that units that differ in nothing else share one."""


def _units(probes: int) -> Iterator[Unit]:
    for number in range(probes):
        asked, system = divmod(number, len(SYSTEMS))
        chain, session = asked % CHAINS, asked // CHAINS % SESSIONS
        reach = asked // (CHAINS * SESSIONS) % (session + 1)
        right = (number * 7919) % 10 < system + 1
        stage = "" if right else ("not retrieved", "misread", "not delivered")[number % 3]
        yield Unit(
            key=sha256(str(number).encode()),
            system=SYSTEMS[system],
            tree=chain,
            chain=chain,
            session=session,
            probe=f"c{chain}-s{session}-{asked:08x}",
            target=f"{asked % STEPS:08x}",
            phrase=f"red mug {asked}",
            first_seen=session - reach,
            last_seen=session - reach,
            reach=reach,
            place=asked % 12,
            places=12,
            seen=12 * (session + 1),
            bank=15 * (session + 1),
            status="ok",
            correct=right,
            answer=f"{asked % STEPS:08x}" if right else "ffffffff",
            kind="",
            reason="",
            stage=stage,
            rank=1 if right or stage == "misread" else None,
            steps=2,
            actions=("open(M1)", "add_to_wishlist"),
            calls=2,
            images=5,
            visual_tokens=1620,
            text_tokens=900,
            reply_tokens=60,
            seconds=0.2,
            finished_at="2026-01-01T00:00:00+00:00",
        )


PLAIN = next(_units(1))


def _trace(unit: Unit, digests: list[str]) -> events.Trace:
    url, line = f"/product/{unit.target}", "M1 [2024/03/01 (Fri) 10:00] a product photograph of a lamp. " * 4
    hits = tuple(
        HitTrace(
            rank, f"/product/{rank:08x}", unit.last_seen, rank, 1 - rank / 10, {"visual": 0.5, "verbal": 0.4}
        )
        for rank in range(5)
    )
    parts = tuple(
        part
        for rank in range(5)
        for part in (PartTrace("text", line), PartTrace("image", "", digests[rank], 512, 512, "image/jpeg"))
    )
    items = tuple(ItemTrace(f"M{rank + 1}", f"/product/{rank:08x}", rank, digests[rank]) for rank in range(5))
    turns = tuple(
        TurnTrace("/", f"Thought: M1 shows it, so I open it.\nAction: {action}", action, action, (), "", url)
        for action in unit.actions
    )
    result = RecallResult(
        unit.probe,
        "matcher",
        unit.system,
        "pixels",
        "ok",
        unit.correct,
        unit.answer,
        turns=turns,
        retrieved=hits,
        delivered=parts,
        items=items,
        bank=unit.bank,
    )
    return events.Trace(f"Find the {unit.phrase}.", {unit.target: digests[0]}, result)


def view(folders: dict[str, Path], rounds: int) -> dict[str, dict[str, list[float]]]:
    """Milliseconds of each page, by the run it is of."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    servers = {name: ShopServer(create_viewer(folder)).start() for name, folder in folders.items()}
    try:
        addresses = {name: _pages(server.url) for name, server in servers.items()}
        for _ in range(rounds):
            for page in addresses["large"]:
                for name, server in servers.items():
                    found[page][name].append(_milliseconds(server.url + addresses[name][page]))
    finally:
        for server in servers.values():
            server.close()
    return {page: dict(times) for page, times in found.items()}


def _pages(root: str) -> dict[str, str]:
    """The fixed pages, and one probe alone and side by side, as the list leads there."""
    key, query = re.findall(
        r'class="cue"><a href="/probes/(\w+)(\?[^"]*)"', _get(f"{root}/probes?verdict=wrong")
    )[20]
    pair = re.findall(r'href="(/compare/[^"]+)"', _get(f"{root}/probes/{key}"))[0]
    return {**PAGES, "probe": f"/probes/{key}{query}", "side by side": pair.replace("&amp;", "&")}


def _get(address: str) -> str:
    with urllib.request.urlopen(address) as answer:
        return str(answer.read().decode())


def _milliseconds(address: str) -> float:
    started = time.perf_counter()
    _get(address)
    return 1000 * (time.perf_counter() - started)


def report(folder: Path) -> dict[str, float]:
    """Seconds, processor seconds and peak memory in bytes of one report, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", REPORT, str(folder)], capture_output=True, text=True, check=True
    )
    told: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    unit = 1 if platform.system() == "Darwin" else 1024
    return {**told, "peak": told["peak"] * unit}


def show_pages(pages: dict[str, dict[str, list[float]]], sizes: dict[str, int]) -> None:
    """Median and 90th percentile of each page, and its ratio to the small run."""
    print(f"{'page':<28}{sizes['large']:>10,} probes   90 %{sizes['small']:>12,} probes   ratio")
    for page, times in pages.items():
        large, small = median(times["large"]), median(times["small"])
        high = quantiles(times["large"], n=10)[-1]
        print(f"{page:<28}{large:>14.1f} ms {high:>7.1f}{small:>16.1f} ms {large / small:>9.1f}")


def show_reports(reports: dict[int, dict[str, float]]) -> None:
    """Time and memory of each report."""
    print()
    for probes, figures in reports.items():
        peak, seconds = figures["peak"] / 2**30, figures["seconds"]
        cpu = f"{figures['cpu']:.1f} s of processor, imports included"
        print(f"report of {probes:>7,} probes: {seconds:6.1f} s ({cpu}), {peak:.2f} GiB")


if __name__ == "__main__":
    main()
