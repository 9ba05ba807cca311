"""Rebuild the embedded encoders: `python -m recallreach.study.train_encoders`.

The shop's scene sampler feeds memory's training loop here, because memory itself knows nothing of the shop.
"""

from __future__ import annotations

import os
import shutil
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import numpy as np
import torch
import typer

from recallreach.errors import ConfigError, RecallReachError
from recallreach.files import dump_json, sha256
from recallreach.memory.encoders.checkpoint import SHIPPED, Kind, save_checkpoint
from recallreach.memory.encoders.samples import CropSource
from recallreach.memory.encoders.training import Plan, standard_plan, train
from recallreach.memory.encoders.vocabulary import Vocabulary
from recallreach.seeding import stream
from recallreach.storefront.data import COLORS
from recallreach.storefront.pictures.art import Art
from recallreach.storefront.pictures.samples import SceneSampler

Which = Literal["both", "coarse", "eye"]
HELD_OUT = 50
"""Pairs of object and colour, each of another object, that training never shows: a test of composition."""


def shop_vocabulary(art: Art) -> Vocabulary:
    """Every object there is art for, and the ten colours."""
    return Vocabulary(tuple(art.cue_names[slug] for slug in art.cues), tuple(art.cues), tuple(COLORS))


def art_hash(art: Art) -> str:
    """SHA-256 over the layers that training pictures are made of."""
    cues = {slug: art.fingerprint("cues", slug) for slug in art.cues}
    pieces = {"-".join(piece): art.fingerprint("furniture", "-".join(piece)) for piece in art.furniture}
    return sha256(dump_json({"cues": cues, "furniture": pieces}).encode())


def held_out_pairs(vocabulary: Vocabulary, seed: int, count: int = HELD_OUT) -> tuple[tuple[int, int], ...]:
    """(object, colour) indices to hold out, drawn by seed; at most half of the objects are concerned."""
    rng = stream(seed, "held-out pairs")
    count = min(count, len(vocabulary.objects) // 2)
    objects = rng.choice(len(vocabulary.objects), count, replace=False)
    return tuple((int(name), int(rng.integers(len(vocabulary.colors)))) for name in np.sort(objects))


def make_source(art_folder: Path, held_out: tuple[tuple[int, int], ...], seed: int) -> CropSource:
    """The shop's sampler over all art in a folder, as worker processes need it: importable."""
    art, colors = Art(art_folder), tuple(COLORS)
    pairs = {(art.cues[name], colors[color]) for name, color in held_out}
    return SceneSampler(seed, held_out=pairs, art=art)


def train_one(plan: Plan, art: Art, out: Path, folder: Path, *, workers: int) -> Path:
    """Train by one plan on all art of a folder and write `<out>/<kind>.safetensors`.

    Args:
        plan: seed and phases.
        art: the layers to make pictures of.
        out: where the weights go.
        folder: chunks and state; a run that was interrupted continues from here.
        workers: rendering processes.
    """
    art = _snapshot(art, folder)
    source, vocabulary, used = (
        partial(make_source, art.folder, plan.held_out),
        shop_vocabulary(art),
        art_hash(art),
    )
    state = art.folder.parent / f"{plan.kind}-{plan.seed}"
    network = train(plan, vocabulary, source, state, workers=workers, report=typer.echo)
    facts: dict[str, Any] = {**plan.facts(), "art": used, "steps": sum(phase.steps for phase in plan.phases)}
    path = out / f"{plan.kind}.safetensors"
    save_checkpoint(path, plan.kind, network, vocabulary, facts)
    return path


def _snapshot(art: Art, folder: Path) -> Art:
    """A copy of the art under its own hash, so that art that is added meanwhile cannot change a run."""
    copy = folder / f"art-{os.getpid()}"
    shutil.copytree(art.folder, copy)
    kept = folder / art_hash(Art(copy))[:12] / "art"
    if kept.exists():
        shutil.rmtree(copy)
    else:
        kept.parent.mkdir(parents=True, exist_ok=True)
        copy.rename(kept)
    return Art(kept)


def main(
    which: Annotated[str, typer.Option(help="coarse, eye or both")] = "both",
    steps: Annotated[
        int | None, typer.Option(help="Steps of the first phase; the others and the data scale with it.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of initialisation, pictures and batches.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for the weights.")] = SHIPPED,
    folder: Annotated[Path, typer.Option(help="Folder for chunks and the state to resume from.")] = Path(
        "cache/encoders"
    ),
    art: Annotated[Path | None, typer.Option(help="Another folder of picture layers.")] = None,
    workers: Annotated[int, typer.Option(help="Rendering processes.")] = 1,
    threads: Annotated[int, typer.Option(help="Torch threads.")] = 1,
) -> None:
    """Train the embedded encoders on the shop's own pictures; run again to continue after an interruption."""
    torch.set_num_threads(threads)
    try:
        for kind in _kinds(which):
            layers = Art() if art is None else Art(art)
            plan = _plan(kind, seed, steps, layers)
            typer.echo(f"wrote {train_one(plan, layers, out, folder, workers=workers)}")
    except RecallReachError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(1) from error


def _kinds(which: str) -> tuple[Kind, ...]:
    if which not in get_args(Which):
        raise ConfigError(f"--which is {', '.join(get_args(Which))}; got {which!r}")
    return ("coarse", "eye") if which == "both" else tuple(kind for kind in get_args(Kind) if kind == which)


def _plan(kind: Kind, seed: int, steps: int | None, layers: Art) -> Plan:
    if steps is not None and steps < 1:
        raise ConfigError(f"--steps counts optimiser steps from 1; got {steps}")
    first = standard_plan(kind, seed).phases[0].steps
    scale = 1.0 if steps is None else steps / first
    return standard_plan(kind, seed, scale, held_out_pairs(shop_vocabulary(layers), seed))


if __name__ == "__main__":
    typer.run(main)
