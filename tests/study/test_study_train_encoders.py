"""Training on the shop's own pictures, from the command down to a checkpoint that loads."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from recallreach.memory.encoders.embedded import Eye, RetrievalEncoder
from recallreach.memory.encoders.samples import Recipe
from recallreach.memory.encoders.training import Phase, Plan
from recallreach.storefront.catalog import Catalog
from recallreach.storefront.pictures import Pictures
from recallreach.storefront.pictures.art import Art
from recallreach.study import evaluate_encoders, train_encoders


@pytest.fixture(scope="module")
def art(tmp_path_factory: pytest.TempPathFactory) -> Art:
    """A small part of the art, in a folder of its own."""
    folder, whole = tmp_path_factory.mktemp("art"), Art()
    shutil.copy(whole.folder / "cue_names.json", folder)
    pieces = ["-".join(piece) for piece in whole.furniture[:2]]
    for kind, names in (("cues", whole.cues[:4]), ("furniture", pieces)):
        (folder / kind).mkdir()
        for name in names:
            for file in (whole.folder / kind).glob(f"{name}[._]*"):
                shutil.copy(file, folder / kind)
    return Art(folder)


@pytest.fixture(scope="module")
def weights(art: Art, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two checkpoints after two steps; one was rendered by a worker process."""
    folder = tmp_path_factory.mktemp("encoders")
    for kind, workers in (("eye", 1), ("coarse", 0)):
        phase = Phase("near", (Recipe("crops", 64, chunk=4, chunks=1),), 2, 4, 1e-3)
        plan = Plan(kind, 0, (phase,), ((1, 2),))
        train_encoders.train_one(plan, art, folder / "out", folder, workers=workers)
    return folder / "out"


def test_the_checkpoint_knows_the_art_and_its_training(art: Art, weights: Path) -> None:
    assert len(art.cues) == 4
    checkpoint = Eye.load(weights / "eye.safetensors").checkpoint
    assert checkpoint.vocabulary.slugs == tuple(art.cues)
    assert checkpoint.vocabulary.objects == tuple(art.cue_names[slug] for slug in art.cues)
    assert checkpoint.facts["art"] == train_encoders.art_hash(art)
    assert (checkpoint.facts["steps"], checkpoint.facts["seed"]) == (2, 0)


def test_the_vocabulary_finds_every_phrase_that_the_shop_asks_for() -> None:
    vocabulary = train_encoders.shop_vocabulary(Art())
    for name in range(len(vocabulary.objects)):
        for color in range(len(vocabulary.colors)):
            assert vocabulary.find(f"Find the one with {vocabulary.phrase(name, color)}.") == (name, color)


def test_figures_are_shares(art: Art, weights: Path) -> None:
    encoder, eye = (
        RetrievalEncoder.load(weights / "coarse.safetensors"),
        Eye.load(weights / "eye.safetensors"),
    )
    catalog = Catalog.synthetic(0, variants=8, art=art)
    pictures = Pictures(catalog)
    held_out = evaluate_encoders.held_out_phrases(eye.checkpoint)
    phrases = {one.id: catalog.cue_of(one.id).phrase for one in catalog}
    shown = [
        evaluate_encoders.Shown(pictures.picture(one.id), phrases[one.id], phrases[one.id] in held_out)
        for one in catalog
    ]
    figures = {
        **evaluate_encoders.retrieval_figures(encoder, shown, 2, sizes=(8,)),
        **evaluate_encoders.eye_figures(eye, encoder, shown, 2),
    }
    assert all(0 <= value <= 1 for value in figures.values())
    assert figures["1x1 recall@10 of 8"] == figures["2x2 recall@10 of 8"] == 1


def test_recall_counts_the_ranks_of_the_right_pictures() -> None:
    """On a perfect diagonal everything is found; one row whose own score comes third is not first."""
    scores = np.eye(12, dtype=np.float32)
    scores[3, 4:6] = 2.0
    ranks = evaluate_encoders._ranks(scores)
    assert list(ranks) == [0, 0, 0, 2, *[0] * 8]
    unseen = np.arange(12) == 3
    figures = evaluate_encoders._recalls("1x1", 12, ranks, unseen)
    assert figures["1x1 recall@1 of 12"] == pytest.approx(11 / 12)
    assert figures["1x1 recall@5 of 12"] == 1
    assert figures["1x1 recall@1 of 12, held-out pairs"] == 0


def test_held_out_pairs_are_named_in_the_checkpoint_and_never_shown(art: Art, weights: Path) -> None:
    checkpoint = Eye.load(weights / "eye.safetensors").checkpoint
    (phrase,) = evaluate_encoders.held_out_phrases(checkpoint)
    assert phrase == checkpoint.vocabulary.phrase(1, 2)
    source = train_encoders.make_source(art.folder, ((1, 2), (0, 0)), 5)
    _, names, colors = source.crops(400, 16)
    seen = set(zip(names.tolist(), colors.tolist(), strict=True))
    assert not seen & {(1, 2), (0, 0)}
    assert {(1, 3), (0, 1)} <= seen


def test_the_pairs_to_hold_out_depend_on_the_seed_and_have_different_objects() -> None:
    vocabulary = train_encoders.shop_vocabulary(Art())
    pairs = train_encoders.held_out_pairs(vocabulary, 0)
    assert (
        pairs == train_encoders.held_out_pairs(vocabulary, 0) != train_encoders.held_out_pairs(vocabulary, 1)
    )
    assert len({name for name, _ in pairs}) == len(pairs) == train_encoders.HELD_OUT


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [(["--which", "ear"], "coarse, eye"), (["--steps", "0"], "counts optimiser steps")],
)
def test_bad_options_get_a_sentence(arguments: list[str], complaint: str, tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(train_encoders.main)
    result = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path), "--folder", str(tmp_path)])
    assert result.exit_code == 1
    assert complaint in result.output
    assert not list(tmp_path.iterdir())
