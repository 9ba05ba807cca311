"""`recallreach catalog`: make a catalogue, list it, look at its pictures."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import Progress

from recallreach.errors import DataError
from recallreach.study.config import CatalogChoice, StudyConfig

if TYPE_CHECKING:
    from recallreach.storefront.catalog import Catalog
    from recallreach.storefront.pictures import Pictures
    from recallreach.storefront.types import Product

catalog_app = typer.Typer(no_args_is_help=True, help="Make a catalogue or look at one.")

Source = Annotated[str, typer.Option("--catalog", help='"synthetic", or a saved catalogue.')]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the synthetic catalogue.")]


@catalog_app.command("build")
def build(
    target: Annotated[
        Path, typer.Argument(help="File to write, for instance shop.json.", show_default=False)
    ],
    seed: Seed = 0,
    variants: Annotated[int | None, typer.Option("--variants", help="Products per collection.")] = None,
    pictures: Annotated[
        bool, typer.Option("--pictures", help="Draw all pictures now, into the cache.")
    ] = False,
) -> None:
    """Draw a synthetic catalogue and save it. The file holds the ground truth: keep it from agents."""
    from recallreach.storefront.pictures.building import build_all

    _refuse_other_files(target)
    catalog, source = _built(_choice(seed=seed, variants=variants))
    catalog.save(target)
    counts = f"{len(catalog)} products in {len(catalog.collections)} collections"
    typer.echo(f"{target}: {counts}, hash {catalog.hash[:12]}")
    if pictures:
        with Progress(transient=True) as bar:
            task = bar.add_task("Pictures", total=len(catalog))
            drawn = build_all(source, lambda done, total: bar.update(task, completed=done))
        typer.echo(f"{source.folder}: {drawn} products drawn, {len(catalog) - drawn} were there")


def _refuse_other_files(target: Path) -> None:
    from recallreach.storefront.catalog import Catalog

    if target.exists():
        try:
            Catalog.load(target)
        except DataError as error:
            raise DataError(f"{target} is there and is no catalogue; name another file ({error})") from error


@catalog_app.command("show")
def show(
    product_id: Annotated[
        str | None, typer.Argument(help="Draw this product; without one, list all.", show_default=False)
    ] = None,
    source: Source = "synthetic",
    seed: Seed = 0,
    folder: Annotated[Path, typer.Option("--folder", help="Where the three pictures go.")] = Path("."),
) -> None:
    """List the products with their cues, or draw one of them.

    Without its cue, with it, and the mask.
    """
    from recallreach.storefront.pictures.building import show as draw

    catalog, pictures = shop_of(source, seed)
    chosen = catalog if product_id is None else [catalog.by_id(product_id)]
    _list_products(catalog, chosen)
    if product_id is not None:
        for path in draw(pictures, product_id, folder):
            typer.echo(str(path))


def _list_products(catalog: Catalog, chosen: Iterable[Product]) -> None:
    for product in chosen:
        price = f"${product.price_cents / 100:,.2f}"
        typer.echo(f"{product.id}  {product.title:<30} {price:>10}  {catalog.cue_of(product.id).phrase}")


@catalog_app.command("sheet")
def sheet(
    folder: Annotated[Path, typer.Argument(help="Folder for the sheets.", show_default=False)],
    source: Source = "synthetic",
    seed: Seed = 0,
    products: Annotated[int, typer.Option("--products", help="How many products to show.")] = 60,
) -> None:
    """Draw sheets of all cues, all furniture, and some products."""
    from recallreach.storefront.pictures.sheets import write_sheets

    _, pictures = shop_of(source, seed)
    for path in write_sheets(pictures, folder, products=products):
        typer.echo(str(path))


def shop_of(source: str, seed: int) -> tuple[Catalog, Pictures]:
    """A catalogue with its pictures, as the options of a command name it."""
    return _built(_choice(source=source, seed=seed))


def _choice(**values: object) -> CatalogChoice:
    return StudyConfig.parse({"catalog": values}, "command line").catalog


def _built(choice: CatalogChoice) -> tuple[Catalog, Pictures]:
    from recallreach.storefront.pictures import Pictures
    from recallreach.study.assembly import build_catalog

    catalog = build_catalog(choice)
    return catalog, Pictures.of(catalog)
