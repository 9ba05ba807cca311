"""Training on the shop's own pictures, from the command down to a checkpoint that loads."""

from __future__ import annotations

import shutil
from pathlib import Path

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
        phase = Phase("near", Recipe("crops", 64, chunk=4, chunks=1), 2, 4, 1e-3)
        train_encoders.train_one(Plan(kind, 0, (phase,)), art, folder / "out", folder, workers=workers)
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
    shown = [
        evaluate_encoders.Shown(pictures.picture(one.id), catalog.cue_of(one.id).phrase) for one in catalog
    ]
    figures = {
        **evaluate_encoders.coarse_figures(encoder, shown, 2, 8),
        **evaluate_encoders.eye_figures(eye, encoder, shown, 2),
    }
    assert all(0 <= value <= 1 for value in figures.values())
    assert figures["coarse recall@10 of 8"] == 1


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
