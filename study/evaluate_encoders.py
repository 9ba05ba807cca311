"""Measure the embedded encoders on shop pictures: `python -m recallreach.study.evaluate_encoders`.

The pictures are those of synthetic catalogues. Training never saw them: it sees random scenes of the same
furniture, palettes and objects, and never the held-out pairs of object and colour.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import typer
from numpy.typing import NDArray
from rich.progress import track

from recallreach.errors import RecallReachError
from recallreach.files import dump_json
from recallreach.memory.captioners.embedded import EmbeddedCaptioner
from recallreach.memory.encoders.checkpoint import SHIPPED, Checkpoint
from recallreach.memory.encoders.embedded import Eye, RetrievalEncoder
from recallreach.memory.tiles import cut, tile_boxes
from recallreach.memory.types import Vectors
from recallreach.seeding import stream
from recallreach.storefront.catalog import Catalog
from recallreach.storefront.data import COLORS
from recallreach.storefront.pictures import Pictures
from recallreach.storefront.pictures.art import Art

Indices = NDArray[np.int64]
Figures = Mapping[str, float]
BANKS = (60, 600, 1000)
BEST = (1, 5, 10)


@dataclass(frozen=True, slots=True)
class Shown:
    """One picture, the phrase of its cue, and whether training never showed that phrase."""

    picture: bytes
    phrase: str
    held_out: bool = False


def shop_pictures(
    seeds: Sequence[int], per_catalog: int, objects: Sequence[str], held_out: Collection[str] = ()
) -> list[Shown]:
    """Pictures of several catalogues, at most `per_catalog` of each unless there is more furniture than that.

    Args:
        seeds: of the catalogues.
        per_catalog: pictures of each.
        objects: slugs of the cue objects to show: those that the encoders know.
        held_out: phrases that training never showed.
    """
    variants = max(1, min(per_catalog, len(objects) * len(COLORS)) // len(Art().furniture))
    shown: list[Shown] = []
    for seed in seeds:
        catalog = Catalog.synthetic(seed, variants=variants, objects=objects)
        pictures = Pictures(catalog)
        for one in track(catalog, f"pictures of catalogue {seed}", transient=True, total=len(catalog)):
            phrase = catalog.cue_of(one.id).phrase
            shown.append(Shown(pictures.picture(one.id), phrase, phrase in held_out))
    return shown


def held_out_phrases(checkpoint: Checkpoint) -> frozenset[str]:
    """The phrases that the training of a checkpoint never showed."""
    pairs = checkpoint.facts.get("held_out", ())
    return frozenset(checkpoint.vocabulary.phrase(name, color) for name, color in pairs)


def retrieval_figures(
    encoder: RetrievalEncoder,
    shown: Sequence[Shown],
    draws: int,
    *,
    sizes: Sequence[int] = BANKS,
    grids: Sequence[int] = (1, 2),
) -> Figures:
    """Share of phrases whose picture is among the best 1, 5, 10 of a bank of different phrases.

    Args:
        encoder: of whole frames and tiles alike.
        shown: pictures to draw banks from.
        draws: random banks of each size; a bank that takes all there is is drawn once.
        sizes: pictures a bank.
        grids: tiles a side; the best tile of a picture counts (DeliverMem, arXiv 2609.32590).
    """
    wanted = encoder.encode_texts([one.phrase for one in shown])
    unseen = np.array([one.held_out for one in shown])
    figures: dict[str, float] = {}
    for grid in grids:
        scores = wanted @ _tiled(encoder, shown, grid)
        best: Vectors = scores.reshape(len(shown), len(shown), grid**2).max(axis=2)
        for size in sizes:
            banks = _banks(shown, draws, size)
            ranks = np.concatenate([_ranks(best[np.ix_(bank, bank)]) for bank in banks])
            figures |= _recalls(f"{grid}x{grid}", size, ranks, unseen[np.concatenate(banks)])
    return figures


def _tiled(encoder: RetrievalEncoder, shown: Sequence[Shown], grid: int) -> Vectors:
    """(dimension, pictures * tiles)"""
    told, boxes = f"{grid}x{grid} tiles", tile_boxes(grid)
    rows = [
        encoder.encode_images([one.picture] if grid == 1 else cut(one.picture, boxes))
        for one in track(shown, told, transient=True)
    ]
    return np.concatenate(rows).T


def _recalls(name: str, size: int, ranks: Indices, unseen: NDArray[np.bool_]) -> Figures:
    figures = {f"{name} recall@{k} of {size}": float((ranks < k).mean()) for k in BEST}
    if unseen.any():
        figures |= {
            f"{name} recall@{k} of {size}, held-out pairs": float((ranks[unseen] < k).mean()) for k in BEST
        }
    return figures


def eye_figures(eye: Eye, encoder: RetrievalEncoder, shown: Sequence[Shown], banks: int) -> Figures:
    """Choice of the right one of five (random, and as the coarse encoder retrieves them), and naming."""
    tables = np.stack([eye.table(one.picture) for one in track(shown, "eye", transient=True)])
    truth = np.array([eye.vocabulary.find(one.phrase) for one in shown])
    best = np.array([np.unravel_index(table.argmax(), table.shape) for table in tables])
    own = tables[np.arange(len(shown)), truth[:, 0], truth[:, 1]]
    scores = tables[:, truth[:, 0], truth[:, 1]]
    hard = _hardest(encoder, shown, banks)
    named = (best == truth).all(axis=1)
    unseen = np.array([one.held_out for one in shown])
    composed = {"eye names pair, held-out pairs": float(named[unseen].mean())} if unseen.any() else {}
    return {
        "eye right of 5 (random)": _chosen(scores, _random_fives(shown, banks)),
        "eye right of 5 (as retrieved)": _chosen(scores, hard),
        "eye names pair": float(named.mean()),
        **composed,
        "eye names object": float((best[:, 0] == truth[:, 0]).mean()),
        "eye names colour": float((best[:, 1] == truth[:, 1]).mean()),
        "eye log odds above 0 for the right phrase": float((own > 0).mean()),
    }


def caption_figures(captioner: EmbeddedCaptioner, shown: Sequence[Shown]) -> Figures:
    """How often a caption names the right pair, and how often what it names is right."""
    captions = [captioner.caption(one.picture) for one in track(shown, "captions", transient=True)]
    right = np.array([one.phrase in text for one, text in zip(shown, captions, strict=True)])
    guesses = [captioner.guess(one.picture) for one in shown]
    named = np.array([guess[0] in text for guess, text in zip(guesses, captions, strict=True)])
    return {
        "captions that name something": float(named.mean()),
        "captions that name the right pair": float(right.mean()),
        "named pairs that are right": float(right.sum() / max(1, named.sum())),
        "most likely pair is right": float(
            np.mean([guess[0] == one.phrase for guess, one in zip(guesses, shown, strict=True)])
        ),
    }


def main(
    weights: Annotated[
        Path, typer.Option(help="Folder with coarse.safetensors and eye.safetensors.")
    ] = SHIPPED,
    catalogs: Annotated[int, typer.Option(help="Number of catalogues, seeds from 1000.")] = 1,
    per_catalog: Annotated[int, typer.Option(help="Pictures of each.")] = 1000,
    banks: Annotated[int, typer.Option(help="Random banks of each size.")] = 20,
    grids: Annotated[int, typer.Option(help="Finest grid of tiles a side, 1 to 4.")] = 2,
) -> None:
    """Print recall of the coarse encoder, accuracy of the eye and honesty of the captions as JSON."""
    torch.set_num_threads(1)
    try:
        encoder = RetrievalEncoder.load(weights / "coarse.safetensors")
        eye = Eye.load(weights / "eye.safetensors")
        held_out = held_out_phrases(encoder.checkpoint) & held_out_phrases(eye.checkpoint)
        seeds = range(1000, 1000 + catalogs)
        shown = shop_pictures(seeds, per_catalog, encoder.vocabulary.slugs, held_out)
    except RecallReachError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(1) from error
    sizes = [size for size in BANKS if size <= len({one.phrase for one in shown})]
    figures = {
        "pictures": float(len(shown)),
        "pictures of held-out pairs": float(sum(one.held_out for one in shown)),
        **retrieval_figures(encoder, shown, banks, sizes=sizes, grids=range(1, grids + 1)),
        **eye_figures(eye, encoder, shown, banks),
        **caption_figures(EmbeddedCaptioner(encoder), shown),
    }
    typer.echo(dump_json({name: round(value, 4) for name, value in figures.items()}))


def _banks(shown: Sequence[Shown], count: int, size: int) -> list[list[int]]:
    draws = 1 if size == len(shown) else count
    return [_different(shown, stream(0, "bank", bank).permutation(len(shown)), size) for bank in range(draws)]


def _different(shown: Sequence[Shown], order: Indices, size: int) -> list[int]:
    first: dict[str, int] = {}
    for index in order:
        first.setdefault(shown[index].phrase, int(index))
    return list(first.values())[:size]


def _ranks(scores: Vectors) -> Indices:
    ranks: Indices = (scores > np.diag(scores)[:, None]).sum(axis=1)
    return ranks


def _hardest(encoder: RetrievalEncoder, shown: Sequence[Shown], banks: int) -> list[tuple[int, list[int]]]:
    rows = encoder.encode_images([one.picture for one in shown])
    wanted = encoder.encode_texts([one.phrase for one in shown])
    fives = []
    for bank in _banks(shown, banks, 60):
        scores = wanted[bank] @ rows[bank].T
        for target, row in zip(bank, scores, strict=True):
            others = [bank[index] for index in np.argsort(-row) if bank[index] != target]
            fives.append((target, others[:4]))
    return fives


def _random_fives(shown: Sequence[Shown], banks: int) -> list[tuple[int, list[int]]]:
    return [
        (bank[index], [bank[(index + step) % len(bank)] for step in (1, 2, 3, 4)])
        for bank in _banks(shown, banks, 60)
        for index in range(len(bank))
    ]


def _chosen(scores: Vectors, fives: Sequence[tuple[int, list[int]]]) -> float:
    """`scores[i, j]`: picture i for the phrase of picture j."""
    return float(np.mean([scores[target, target] > scores[others, target].max() for target, others in fives]))


if __name__ == "__main__":
    typer.run(main)
