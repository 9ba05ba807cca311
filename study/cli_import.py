"""`recallreach catalog import` and `repair`: catalogues that are not ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, get_args

import typer
from rich.console import Console
from rich.progress import Progress

from recallreach.errors import ConfigError

import_app = typer.Typer(
    no_args_is_help=True, help="Make a catalogue of the DMV-Bench files, or of a folder."
)

Target = Annotated[Path, typer.Argument(help="New folder of the catalogue.", show_default=False)]


@import_app.command("dmvbench")
def import_released(
    target: Target,
    registry: Annotated[Path, typer.Option(help="cue_registry.json", show_default=False)],
    seed_file: Annotated[Path, typer.Option(help="seed_v2.json", show_default=False)],
    images: Annotated[
        Path, typer.Option(help="Folder with with_cue/ and, if there, base/.", show_default=False)
    ],
    titles: Annotated[
        str, typer.Option(help='"shown" as in the published shop, "hidden" as its agents see it.')
    ] = "shown",
) -> None:
    """The released DMV-Bench catalogue as it is, leaks included. Every use of it says so."""
    from recallreach.storefront.importers.dmvbench import Titles, import_dmvbench

    known: tuple[Titles, ...] = get_args(Titles)
    chosen = next((name for name in known if name == titles), None)
    if chosen is None:
        raise ConfigError(f"--titles is {titles!r}; it can be {' or '.join(known)}")
    with _bar("Pictures") as advance:
        catalog = import_dmvbench(registry, seed_file, images, target, titles=chosen, progress=advance)
    typer.echo(
        f"{target}: {len(catalog)} products in {len(catalog.collections)} collections, titles {titles}"
    )


@import_app.command("folder")
def import_pictures(
    folder: Annotated[Path, typer.Argument(help="Where the pictures lie.", show_default=False)],
    table: Annotated[Path, typer.Argument(help="The table of products, products.csv.", show_default=False)],
    target: Target,
    seed: Annotated[int, typer.Option(help="Seed of cues, places, ids and order.")] = 0,
    cue_fraction: Annotated[float, typer.Option(help="Area of a cue as a share of the picture.")] = 0.017,
    fit: Annotated[str, typer.Option(help='"crop" to a square, or "pad" to keep pictures whole.')] = "crop",
) -> None:
    """Pictures of your own, with a cue planted into each. Writes base, cued picture and exact mask."""
    from recallreach.storefront.importers.folder import import_folder

    if fit not in ("crop", "pad"):
        raise ConfigError(f"--fit is {fit!r}; it can be crop or pad")
    with _bar("Planting cues") as advance:
        made = import_folder(
            folder, table, target, seed=seed, cue_fraction=cue_fraction, crop=fit == "crop", progress=advance
        )
    typer.echo(f"{target}: {len(made.catalog)} products, hash {made.catalog.hash[:12]}")
    if made.faint:
        contrast, where = made.weakest
        typer.echo(
            f"{made.faint} cues stand out little; the least is that of {where} (contrast {contrast:.2f})"
        )
    typer.echo(
        f"Look at it: recallreach serve --catalog {target}\nCheck it:   recallreach audit --catalog {target}"
    )


def repair(
    source: Annotated[Path, typer.Argument(help="An imported catalogue.", show_default=False)],
    target: Target,
    seed: Annotated[int, typer.Option(help="Seed of all draws.")] = 0,
    keep_categories: Annotated[
        bool,
        typer.Option("--keep-categories", help="Keep products in their category; what it tells remains."),
    ] = False,
) -> None:
    """Redraw all that leaks in a catalogue but its pictures.

    Ids, titles, prices, order, texts and collections.
    """
    from recallreach.storefront.catalog import Catalog
    from recallreach.storefront.importers.repair import repair as redraw

    catalog = Catalog.load(source / "catalog.json" if source.is_dir() else source)
    with _bar("Pictures") as advance:
        made = redraw(catalog, target, seed=seed, keep_categories=keep_categories, progress=advance)
    typer.echo(
        f"{target}: {len(made)} products in {len(made.collections)} collections, hash {made.hash[:12]}"
    )
    typer.echo(f"Check it: recallreach audit --catalog {target}")


@contextmanager
def _bar(name: str) -> Iterator[Callable[[int, int], None]]:
    with Progress(transient=True, console=Console(stderr=True)) as bar:
        task = bar.add_task(name, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
