"""Training of the embedded encoders over any source of pictures with known objects and colours.

Both networks learn with the sigmoid pairwise loss (SigLIP, arXiv 2303.15343): every picture of a batch
against every phrase of the vocabulary, so that the batch size does not limit the number of negatives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from recallreach.errors import DataError
from recallreach.memory.encoders.checkpoint import Kind, fresh_network
from recallreach.memory.encoders.embedded import Pixels, as_tensor
from recallreach.memory.encoders.network import Network
from recallreach.memory.encoders.samples import (
    ChunkQueue,
    Indices,
    MakeSource,
    Recipe,
    Samples,
    View,
    render_pool,
)
from recallreach.memory.encoders.vocabulary import NONE, Vocabulary
from recallreach.seeding import stream

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Phase:
    """One stretch of training.

    Attributes:
        name: unique in a plan.
        recipes: what it trains on, equally often; all give pictures of one size.
        steps: optimiser steps.
        batch: samples a step.
        peak: highest learning rate of its one-cycle schedule.
        first: chunks of each recipe that must be there before the first step; the others enter evenly until
            3/4 of the steps.
    """

    name: str
    recipes: tuple[Recipe, ...]
    steps: int
    batch: int
    peak: float
    first: int = 4

    def ready(self, recipe: Recipe, step: int) -> int:
        """Chunks of a recipe in use at a step."""
        share = min(1.0, step / max(1, self.steps * 3 // 4))
        first = min(self.first, recipe.chunks)
        return first + math.floor((recipe.chunks - first) * share)

    def rate(self, step: int) -> float:
        """Learning rate at a step: up a cosine for 30 % of the steps, then down to nothing."""
        warm = max(1, round(0.3 * self.steps))
        if step < warm:
            return self.peak * (0.04 + 0.96 * (1 - math.cos(math.pi * step / warm)) / 2)
        return self.peak * (1 + math.cos(math.pi * (step - warm) / max(1, self.steps - warm))) / 2


@dataclass(frozen=True, slots=True)
class Plan:
    """All that determines a training run, besides the source.

    Attributes:
        kind: which of the two encoders.
        seed: of initialisation, pictures and batches.
        phases: in order.
        held_out: (object, colour) indices that the source never shows; the loss leaves these phrases out, so
            that a network learns nothing about them but what their parts give.
    """

    kind: Kind
    seed: int
    phases: tuple[Phase, ...]
    held_out: tuple[tuple[int, int], ...] = ()

    def facts(self) -> dict[str, Any]:
        """JSON values for the checkpoint's header."""
        return asdict(self)


def standard_plan(
    kind: Kind, seed: int, scale: float = 1.0, held_out: Sequence[tuple[int, int]] = ()
) -> Plan:
    """The plan behind the shipped weights; `scale` stretches the number of steps and chunks.

    The coarse encoder sees a quarter of the frame, half of it and all of it averaged down to one size, since
    tiles of a frame are encoded like frames.
    """

    def phase(name: str, recipes: tuple[Recipe, ...], steps: int, batch: int, peak: float) -> Phase:
        return Phase(name, recipes, max(1, round(steps * scale)), batch, peak)

    def recipe(view: View, size: int, shrink: int, chunk: int, chunks: int) -> Recipe:
        return Recipe(view, size, shrink, chunk, max(1, round(chunks * scale)))

    if kind == "eye":
        near = phase("near", (recipe("crops", 96, 1, 512, 48),), 3000, 64, 4e-3)
        wide = phase("wide", (recipe("crops", 256, 1, 128, 32),), 300, 12, 1e-3)
    else:
        part, half = recipe("crops", 192, 6, 512, 40), recipe("crops", 320, 10, 512, 32)
        near = phase("near", (part,), 2000, 64, 4e-3)
        wide = phase("wide", (part, half, recipe("frames", 512, 16, 512, 48)), 4000, 64, 3e-3)
    return Plan(kind, seed, (near, wide), tuple(held_out))


def pairwise_loss(
    logits: Tensor, names: Tensor, colors: Tensor, held_out: Sequence[tuple[int, int]] = ()
) -> Tensor:
    """Sigmoid pairwise loss, summed over the phrases and averaged over the pictures.

    Args:
        logits: (n, objects, colors) log odds.
        names, colors: (n,) indices; -1 for a picture that shows no object, for which every phrase is wrong.
        held_out: (object, colour) indices that do not count.
    """
    signs = -torch.ones_like(logits)
    shown = names >= 0
    signs[shown.nonzero()[:, 0], names[shown], colors[shown]] = 1.0
    losses = -functional.logsigmoid(signs * logits)
    for name, color in held_out:
        losses[:, name, color] = 0.0
    return losses.sum() / len(logits)


def train(
    plan: Plan,
    vocabulary: Vocabulary,
    make_source: MakeSource,
    folder: Path,
    *,
    workers: int = 1,
    save_every: int = 100,
    report: Report = print,
) -> Network:
    """Train a network; a run that was interrupted continues from its last saved step.

    Args:
        plan: seed and phases; a folder belongs to one plan.
        vocabulary: what the source's indices mean.
        make_source: picklable; called in worker processes with a seed for each chunk.
        folder: for rendered chunks and the training state.
        workers: rendering processes; 0 renders in this one.
        save_every: steps between saved states.
        report: gets one line of progress each 50 steps.

    Returns:
        The trained network in evaluation mode.

    Raises:
        DataError: the folder holds the state of another plan, or cannot be written.
    """
    run = _Run(plan, vocabulary, folder)
    with render_pool(workers) as pool:
        for number, phase in enumerate(plan.phases[run.phase :], run.phase):
            chunks = folder / "chunks"
            queues = [ChunkQueue(pool, make_source, one, plan.seed, chunks) for one in phase.recipes]
            run.enter(number)
            for step, batch in _batches(phase, plan.seed, queues, run.step):
                loss = run.update(phase.rate(step), batch)
                if step % 50 == 0 or step + 1 == phase.steps:
                    report(f"{plan.kind} {phase.name} {step + 1}/{phase.steps} loss {loss:.4f}")
                if (step + 1) % save_every == 0 or step + 1 == phase.steps:
                    run.save(step + 1)
    return run.network.eval()


class _Run:
    """Network, optimiser and position of a run, on disk between stretches."""

    def __init__(self, plan: Plan, vocabulary: Vocabulary, folder: Path) -> None:
        self._plan, self._path = plan, folder / f"{plan.kind}-state.pt"
        self.network = fresh_network(plan.kind, vocabulary, plan.seed).train()
        self._optimiser = torch.optim.AdamW(self.network.parameters(), weight_decay=1e-4)
        self.phase, self.step = 0, 0
        folder.mkdir(parents=True, exist_ok=True)
        if self._path.exists():
            self._restore(torch.load(self._path, weights_only=True))

    def enter(self, phase: int) -> None:
        if phase != self.phase:
            self.phase, self.step = phase, 0

    def update(self, rate: float, batch: Samples) -> float:
        pixels, names, colors = batch
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        images = as_tensor(pixels)
        logits = self.network.local_logits if self._plan.kind == "eye" else self.network.whole_logits
        truth = torch.from_numpy(names), torch.from_numpy(colors)
        loss = pairwise_loss(logits(images), *truth, self._plan.held_out)
        self._optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 5.0)
        self._optimiser.step()
        return float(loss.detach())

    def save(self, step: int) -> None:
        self.step = step
        state = {
            "plan": repr(self._plan),
            "phase": self.phase,
            "step": step,
            "network": self.network.state_dict(),
            "optimiser": self._optimiser.state_dict(),
        }
        partial = self._path.with_suffix(".partial")
        torch.save(state, partial)
        partial.replace(self._path)

    def _restore(self, state: Mapping[str, Any]) -> None:
        if state["plan"] != repr(self._plan):
            raise DataError(f"{self._path} belongs to another training plan; use another folder or delete it")
        self.network.load_state_dict(state["network"])
        self._optimiser.load_state_dict(state["optimiser"])
        self.phase, self.step = state["phase"], state["step"]


def _batches(
    phase: Phase, seed: int, queues: Sequence[ChunkQueue], start: int
) -> Iterator[tuple[int, Samples]]:
    pools: list[list[Samples]] = [[] for _ in queues]
    for step in range(start, phase.steps):
        for recipe, queue, pool in zip(phase.recipes, queues, pools, strict=True):
            while len(pool) < phase.ready(recipe, step):
                pool.append(queue.take(len(pool)))
        yield step, _draw(phase.batch, stream(seed, "batch", phase.name, step), pools)


def _draw(batch: int, rng: np.random.Generator, pools: Sequence[Sequence[Samples]]) -> Samples:
    picked = [_pick(rng, pools[kind]) for kind in rng.integers(0, len(pools), batch)]
    pixels = np.stack([image for image, _, _ in picked])
    mirrored = rng.random(batch) < 0.5
    pixels[mirrored] = pixels[mirrored, :, ::-1]
    names: Indices = np.array([name for _, name, _ in picked], np.int64)
    colors: Indices = np.array([color for _, _, color in picked], np.int64)
    return pixels, names, np.where(names == NONE, NONE, colors)


def _pick(rng: np.random.Generator, pool: Sequence[Samples]) -> tuple[Pixels, int, int]:
    pixels, names, colors = pool[int(rng.integers(len(pool)))]
    row = int(rng.integers(len(pixels)))
    return pixels[row], int(names[row]), int(colors[row])
