"""The training loop on coloured shapes: it learns, resumes, and depends on its seed alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from recallreach.errors import DataError
from recallreach.memory.encoders.checkpoint import Kind, fresh_network
from recallreach.memory.encoders.embedded import as_tensor
from recallreach.memory.encoders.network import Network, threads
from recallreach.memory.encoders.samples import Recipe, Samples, read_chunk, render_chunk
from recallreach.memory.encoders.training import Phase, Plan, pairwise_loss, standard_plan, train
from recallreach.memory.encoders.vocabulary import Vocabulary

WORDS = Vocabulary(("square", "cross"), ("square", "cross"), ("red", "blue"))
INK = np.array([[220, 30, 30], [30, 30, 220]], np.uint8)


class Shapes:
    """Squares and crosses in red and blue on grey; one picture in five shows nothing."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def crops(self, n: int, size: int) -> Samples:
        pixels = self._rng.integers(120, 136, (n, size, size, 3)).astype(np.uint8)
        names, colors = self._rng.integers(0, 2, (2, n))
        for image, name, color in zip(pixels, names, colors, strict=True):
            self._draw(image, int(name), INK[color])
        blank = self._rng.random(n) < 0.2
        pixels[blank] = 128
        return pixels, np.where(blank, -1, names), np.where(blank, -1, colors)

    def frames(self, n: int, size: int) -> Samples:
        return self.crops(n, size)

    def _draw(self, image: np.ndarray, name: int, ink: np.ndarray) -> None:
        side = len(image) // 2
        left, top = self._rng.integers(0, len(image) - side, 2)
        part = image[top : top + side, left : left + side]
        if name == 0:
            part[:] = ink
        else:
            part[side * 3 // 8 : side * 5 // 8] = ink
            part[:, side * 3 // 8 : side * 5 // 8] = ink


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    with threads(1):
        yield


def _plan(kind: Kind = "eye", steps: int = 6, seed: int = 0) -> Plan:
    near = Phase("near", (Recipe("crops", 32, chunk=32, chunks=3),), steps, 16, 4e-3, first=1)
    mixed = Recipe("frames", 64, 2, chunk=16, chunks=1), Recipe("crops", 96, 3, chunk=16, chunks=2)
    wide = Phase("wide", mixed, 3, 8, 1e-3)
    return Plan(kind, seed, (near, wide))


def _train(plan: Plan, folder: Path, lines: list[str] | None = None, save_every: int = 2) -> Network:
    report = (lambda line: None) if lines is None else lines.append
    return train(plan, WORDS, Shapes, folder, workers=0, save_every=save_every, report=report)


def _same(first: Network, second: Network) -> bool:
    pairs = zip(first.state_dict().values(), second.state_dict().values(), strict=True)
    return all(torch.equal(one, other) for one, other in pairs)


@pytest.mark.parametrize("kind", ["eye", "coarse"])
def test_it_learns_to_name_what_it_sees(kind: Kind, tmp_path: Path) -> None:
    phase = Phase("near", (Recipe("crops", 32, chunk=64, chunks=4),), 90, 16, 4e-3, first=4)
    network = _train(Plan(kind, 0, (phase,)), tmp_path, save_every=1000)
    pixels, names, colors = Shapes(12345).crops(100, 32)
    with torch.no_grad():
        logits = (network.local_logits if kind == "eye" else network.whole_logits)(as_tensor(pixels))
    shown = names >= 0
    best = logits.flatten(1).argmax(1).numpy()
    assert (best == names * 2 + colors)[shown].mean() > 0.8


def test_equal_seeds_give_equal_networks_and_others_do_not(tmp_path: Path) -> None:
    first = _train(_plan(), tmp_path / "a")
    assert _same(first, _train(_plan(), tmp_path / "b"))
    assert not _same(first, _train(_plan(seed=1), tmp_path / "c"))
    assert not first.training


@pytest.mark.parametrize("fatal_line", ["eye near 1/", "eye wide 1/"])
def test_an_interrupted_run_continues_to_the_same_network(tmp_path: Path, fatal_line: str) -> None:
    class StoppedError(Exception):
        pass

    def stop(line: str) -> None:
        if line.startswith(fatal_line):
            raise StoppedError

    with pytest.raises(StoppedError):
        train(_plan(), WORDS, Shapes, tmp_path / "a", workers=0, save_every=2, report=stop)
    lines: list[str] = []
    resumed = _train(_plan(), tmp_path / "a", lines)
    assert _same(resumed, _train(_plan(), tmp_path / "b"))
    assert any(line.startswith("eye near") for line in lines) == (fatal_line == "eye near 1/")


def test_a_folder_belongs_to_one_plan(tmp_path: Path) -> None:
    _train(_plan(), tmp_path)
    with pytest.raises(DataError, match="another training plan"):
        _train(_plan(steps=8), tmp_path)


def test_chunks_depend_on_seed_and_index_and_carry_jpeg_artefacts(tmp_path: Path) -> None:
    recipe = Recipe("crops", 32, 2, chunk=8)
    read = {}
    for name, seed, index in (("a", 0, 0), ("b", 0, 0), ("c", 0, 1), ("d", 1, 0)):
        render_chunk(Shapes, recipe, seed, index, tmp_path / name)
        read[name] = read_chunk(tmp_path / name)
    assert read["a"][0].shape == (8, 16, 16, 3)
    assert all(np.array_equal(one, other) for one, other in zip(read["a"], read["b"], strict=True))
    assert not np.array_equal(read["a"][0], read["c"][0])
    assert not np.array_equal(read["a"][0], read["d"][0])
    render_chunk(Shapes, Recipe("crops", 32, 1, chunk=8), 0, 0, tmp_path / "whole")
    whole = read_chunk(tmp_path / "whole")[0]
    blank = read_chunk(tmp_path / "whole")[1] < 0
    assert len(np.unique(whole[~blank])) > 60


def test_a_damaged_chunk_is_named(tmp_path: Path) -> None:
    (tmp_path / "chunk.npz").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(DataError, match=r"chunk.npz is damaged.*Delete it"):
        read_chunk(tmp_path / "chunk.npz")


def test_the_loss_of_one_picture_by_hand() -> None:
    logits = torch.tensor([[[2.0, -1.0], [0.5, -3.0]]])
    right = float(np.log1p(np.exp(-2.0)))
    wrong = [float(np.log1p(np.exp(value))) for value in (-1.0, 0.5, -3.0)]
    loss = pairwise_loss(logits, torch.tensor([0]), torch.tensor([0]))
    assert float(loss) == pytest.approx(right + sum(wrong), rel=1e-5)
    nothing = pairwise_loss(logits, torch.tensor([-1]), torch.tensor([-1]))
    assert float(nothing) == pytest.approx(float(np.log1p(np.exp(2.0))) + sum(wrong), rel=1e-5)


def test_the_schedule_rises_to_its_peak_and_ends_near_nothing() -> None:
    recipe = Recipe("crops", 32, chunks=10)
    phase = Phase("p", (recipe,), 100, 8, 4e-3, first=2)
    rates = [phase.rate(step) for step in range(100)]
    assert max(rates) == rates[30] == pytest.approx(4e-3)
    assert rates[0] < 4e-4
    assert rates[-1] < 1e-5
    assert [phase.ready(recipe, step) for step in (0, 74, 75, 99)] == [2, 9, 10, 10]


def test_the_standard_plan_scales_steps_and_data() -> None:
    full, short = standard_plan("coarse", 0), standard_plan("coarse", 0, 0.25)
    for whole, part in zip(full.phases, short.phases, strict=True):
        assert part.steps == round(whole.steps / 4)
        for many, few in zip(whole.recipes, part.recipes, strict=True):
            assert few.chunks == round(many.chunks / 4)
        assert part.batch == whole.batch


def test_the_recipes_of_a_phase_give_pictures_of_one_size() -> None:
    for kind in ("eye", "coarse"):
        for phase in standard_plan(kind, 0).phases:
            assert len({recipe.size // recipe.shrink for recipe in phase.recipes}) == 1
            assert not any(recipe.size % recipe.shrink for recipe in phase.recipes)


def test_a_held_out_phrase_adds_no_loss_and_gets_no_gradient() -> None:
    logits = torch.randn(3, 2, 2, requires_grad=True)
    truth = torch.tensor([0, 1, -1]), torch.tensor([1, 1, -1])
    loss = pairwise_loss(logits, *truth, held_out=[(1, 0)])
    loss.backward()  # type: ignore[no-untyped-call]
    assert logits.grad is not None
    assert (logits.grad[:, 1, 0] == 0).all()
    assert (logits.grad != 0).sum() == 9
    with torch.no_grad():
        logits[:, 1, 0] = 40.0
        assert float(pairwise_loss(logits, *truth, held_out=[(1, 0)])) == float(loss.detach())


def test_fresh_network_fits_the_vocabulary() -> None:
    assert fresh_network("eye", WORDS, 0).pair_texts().shape[:2] == (2, 2)
