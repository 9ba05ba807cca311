"""A made-up run for the tests of the viewer: two systems, two chains, thirty probes of each system."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from recallreach.agents.results import HitTrace, ItemTrace, PartTrace, RecallResult, TurnTrace
from recallreach.env.trajectory import TrajectoryStore
from recallreach.env.types import SessionPlan, Trajectory, TrajectoryStep
from recallreach.files import sha256, write_atomically
from recallreach.memory.types import Record
from recallreach.study.banks import snapshot
from recallreach.study.events import Trace
from recallreach.study.store import ResultStore, Unit

MakeUnit = Callable[..., Unit]
RUDE = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
PRODUCTS = [f"{number:08x}" for number in range(1, 5)]
SYSTEMS = ("caption", "dualmem")
PROBES = 30


def picture(shade: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (64, 48), (shade, 90, 120)).save(file, "JPEG")
    return file.getvalue()


def session(store: TrajectoryStore, chain: int, index: int) -> None:
    digests = [store.pictures.put(picture(40 * number)) for number in range(len(PRODUCTS))]
    steps = [TrajectoryStep("", "", "/", "Home", f"Welcome {RUDE}", None, "2024-03-01T10:00:00")]
    for product, digest in zip(PRODUCTS, digests, strict=True):
        reply = f'Thought: what about {product} {RUDE}\nAction: navigate("/product/{product}")'
        action, url = f'navigate("/product/{product}")', f"/product/{product}"
        steps.append(
            TrajectoryStep(reply, action, url, f"Lamp {product}", "text", digest, "2024-03-01T10:01:00")
        )
    plan = SessionPlan(chain, index, "lamp", "Look around", 24, "2024-03-01T10:00:00")
    store.save(Trajectory(plan, tuple(steps), tuple(PRODUCTS)))


def trace(unit: Unit, delivered: bytes) -> Trace:
    digest, url = sha256(delivered), f"/product/{unit.target}"
    turn = TurnTrace(
        "/", f"Thought: M1 {RUDE}\nAction: open(M1)", "open(M1)", f'navigate("{url}")', (), RUDE, url
    )
    result = RecallResult(
        unit.probe,
        "matcher",
        unit.system,
        "pixels",
        unit.status,
        correct=unit.correct,
        answer=unit.answer,
        turns=(
            turn,
            TurnTrace(url, "Action: add_to_wishlist", "add_to_wishlist", "add_to_wishlist", (), "", url),
        ),
        retrieved=(HitTrace(0, url, 0, 1, 0.9, {"visual": 0.8}),) if unit.rank else (),
        delivered=(
            PartTrace("text", "Memory found 1 item."),
            PartTrace("text", f"M1 {RUDE}"),
            PartTrace("image", "", digest, 64, 48, "image/jpeg"),
        ),
        items=(ItemTrace("M1", url, 0, digest),),
    )
    return Trace(f"Find the {unit.phrase}", {unit.target: digest}, result)


class Holding:
    """A memory of which only the bank is looked at."""

    bank = (Record(0, "/product/00000001", RUDE, "page text", None, 0, 1, "2024-03-01T10:01:00", "a lamp"),)


def unit_of(make_unit: MakeUnit, system: str, number: int) -> Unit:
    right = number % 3 > 0
    status = "error" if number == PROBES - 1 else "ok"
    changes: dict[str, Any] = {
        "correct": right and status == "ok",
        "rank": 1 if right else None,
        "status": status,
    }
    changes["stage"] = "error" if status == "error" else "" if right else "not retrieved"
    changes["kind"] = "crash" if status == "error" else ""
    target = PRODUCTS[number % len(PRODUCTS)]
    place = {"chain": number % 2, "session": 1, "reach": number % 2, "last_seen": 1 - number % 2}
    phrase = f"red mug {number} {RUDE if number == 0 else ''}"
    probe = f"c{number % 2}-s1-{number:03d}"
    key = sha256(f"{system} {probe}".encode())
    return make_unit(
        number,
        key=key,
        system=system,
        probe=probe,
        phrase=phrase,
        target=target,
        answer=target,
        **place,
        **changes,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder without units; `filled` writes them."""
    path = tmp_path_factory.mktemp("runs") / "made-up"
    path.mkdir()
    systems = [{"label": name, "memory": {"name": name, "options": {}}, "delivery": {}} for name in SYSTEMS]
    config = {"name": "made-up", "seed": 0, "chains": 2, "sessions": 2, "agent": {"name": "matcher"}}
    config["memories"] = [{"name": name} for name in SYSTEMS]
    manifest = {
        "format": 1,
        "config": config,
        "products": 4,
        "systems": systems,
        "started_at": "2026-01-01T00:00:00",
    }
    write_atomically(path / "manifest.json", json.dumps(manifest | {"finished_at": None}))
    catalog = {"products": [{"id": product, "title": f"Lamp {product}"} for product in PRODUCTS]}
    write_atomically(path / "catalog.json", json.dumps(catalog))
    recorded = TrajectoryStore(path / "trajectories")
    for chain in range(2):
        for index in range(2):
            session(recorded, chain, index)
    return path


@pytest.fixture
def delivered() -> bytes:
    """The picture that every agent of the run was given."""
    return picture(200)


@pytest.fixture
def later(make_unit: MakeUnit) -> tuple[Unit, Trace]:
    """An answer that is not in the run yet."""
    unit = replace(unit_of(make_unit, "dualmem", PROBES + 1), probe="later", key="later")
    return unit, trace(unit, picture(10))


@pytest.fixture
def failed(make_unit: MakeUnit) -> tuple[Unit, Trace]:
    """A probe that was lost to an error before anything was delivered or done."""
    unit = unit_of(make_unit, "dualmem", PROBES - 1)
    unit = replace(unit, reason=f"the browser said {RUDE}", answer=None)
    told = trace(unit, b"")
    return unit, replace(told, result=replace(told.result, turns=(), delivered=(), items=()))


@pytest.fixture
def filled(folder: Path, make_unit: MakeUnit, delivered: bytes) -> Path:
    """The run folder with `PROBES` probes of two systems."""
    (folder / "report.html").write_text("<p>the report</p>")
    path = folder / "results.sqlite"
    if not path.exists():
        with ResultStore(path) as store:
            for system in SYSTEMS:
                store.register(system, {})
                bank = snapshot(Holding(), system, 0, 1)  # type: ignore[arg-type]
                for number in range(PROBES):
                    unit = unit_of(make_unit, system, number)
                    store.add(unit, trace(unit, delivered), {sha256(delivered): delivered}, bank)
    return folder
