"""The `recallreach` command."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console

from recallreach import __version__
from recallreach.errors import INTERRUPTED, RecallReachError
from recallreach.study.cli_audit import audit
from recallreach.study.cli_catalog import Seed, Source, catalog_app, shop_of
from recallreach.study.cli_check import check
from recallreach.study.cli_delivery import decompose, delivery, ladder, tiles
from recallreach.study.cli_help import make_readable
from recallreach.study.cli_import import import_app, repair
from recallreach.study.cli_model import compliance, model_app
from recallreach.study.cli_play import play
from recallreach.study.cli_prompt import prompt_app
from recallreach.study.cli_runs import export, merge, plan
from recallreach.study.cli_view import view
from recallreach.study.config import StudyConfig, put
from recallreach.study.options import with_study_options
from recallreach.study.progress import OnConsole

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Measure what a multimodal agent still remembers, by eye, after its context has been wiped.",
)

DEMO: dict[str, Any] = {
    "name": "demo",
    "chains": 6,
    "sessions": 5,
    "memories": ["no-memory", "text-only", "caption", {"name": "dualmem", "alpha": 0.75, "label": "dualmem"}],
    "probes": 1,
}

Fresh = Annotated[bool, typer.Option("--fresh", help="Throw earlier results of this run folder away.")]
Folder = Annotated[Path, typer.Argument(help="A run folder, for instance runs/demo.", show_default=False)]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"recallreach {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    debug: Annotated[
        bool, typer.Option("--debug", help="Show a traceback when something goes wrong.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


@with_study_options
def demo(*, overrides: dict[str, Any], fresh: Fresh = False) -> None:
    """The main job on a small scale, in about three minutes.

    Real pages in Chromium, four memories, a retention curve.
    """
    values = dict(DEMO)
    for key, value in overrides.items():
        put(values, key, value)
    config = StudyConfig.parse(values, "command line")
    if config.transport == "chromium":
        _ensure_browser()
    _run(config, fresh=fresh)


@with_study_options
def run(
    study: Annotated[Path, typer.Argument(help="A study file (TOML).", show_default=False)],
    *,
    overrides: dict[str, Any],
    fresh: Fresh = False,
) -> None:
    """Run a study file, or go on with it; options win over the file."""
    from recallreach.study.assembly import check_names

    config = StudyConfig.load(study, overrides)
    check_names(config, str(study))
    _run(config, fresh=fresh)


@with_study_options
def resume(folder: Folder, *, overrides: dict[str, Any]) -> None:
    """Finish a run that was stopped. Answered probes are kept, those with technical errors run again.

    Options that change no result (workers, limits, ...) may have other values than before.
    """
    from recallreach.study.run import config_of

    _run(config_of(folder, overrides), fresh=False)


def report(folder: Folder) -> None:
    """Score a run again and write its report, chart and tables."""
    from recallreach.study.report import write_report
    from recallreach.study.summary import print_summary

    print_summary(Console(), write_report(folder))


def list_parts(
    kind: Annotated[
        str, typer.Argument(help="memories, deliveries, agents, models, encoders, ...", metavar="KIND")
    ],
) -> None:
    """List the parts of one kind by name."""
    from recallreach.study.listing import entries

    listed = entries(kind)
    width = max((len(name) for name, _ in listed), default=0)
    for name, summary in listed:
        typer.echo(f"{name:<{width}}  {summary}")


def serve(
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1; 0 takes any free one.")] = 8321,
    source: Source = "synthetic",
    seed: Seed = 0,
) -> None:
    """Open the shop for a person, on this machine only."""
    from recallreach.storefront.app import create_app
    from recallreach.storefront.server import ShopServer

    catalog, pictures = shop_of(source, seed)
    with ShopServer(create_app(catalog, pictures), port) as server:
        typer.echo(f"The shop with {len(catalog)} products is open at {server.url} (stop with Ctrl-C).")
        threading.Event().wait()


def browser(
    install: Annotated[
        bool, typer.Option("--install", help="Install a Chromium where there is none.")
    ] = False,
) -> None:
    """Say which Chromium is used."""
    from recallreach.env.browser import find_browser

    if install:
        _ensure_browser()
    typer.echo(find_browser().label)


def _ensure_browser() -> None:
    from recallreach.env.browser import NoBrowserError, find_browser, install_browser

    try:
        find_browser()
    except NoBrowserError as error:
        typer.echo(f"{error}\nTrying to install one ...")
        install_browser(lambda line: typer.echo(f"  {line}"))


def _run(config: StudyConfig, *, fresh: bool) -> None:
    console = Console()
    console.print(f"recallreach {__version__}: study {config.name!r} in {config.folder}", highlight=False)
    from recallreach.study.run import run_study
    from recallreach.study.summary import print_summary

    try:
        results = run_study(config, OnConsole(console), fresh=fresh)
    except KeyboardInterrupt:
        typer.echo(
            f"\nStopped. Nothing answered is lost; go on with: recallreach resume {config.folder}", err=True
        )
        raise typer.Exit(INTERRUPTED) from None
    print_summary(console, results)


for _command in (demo, run, plan, resume, report, view, play):  # What a newcomer meets first.
    app.command()(_command)
for _command in (merge, export, delivery, decompose, ladder, tiles, check, compliance, audit, serve, browser):
    app.command()(_command)
app.command("list")(list_parts)
for _name, _group in (("catalog", catalog_app), ("model", model_app), ("prompt", prompt_app)):
    app.add_typer(_group, name=_name)
catalog_app.add_typer(import_app, name="import")
catalog_app.command()(repair)
make_readable(app)


def main() -> NoReturn:
    """Entry point: one sentence on standard error for what a user can mend, exit status 2."""
    debug = "--debug" in sys.argv
    sys.path.append(str(Path.cwd()))
    try:
        app()
    except RecallReachError as error:
        if debug:
            raise
        typer.echo(f"recallreach: {error}", err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    sys.exit(0)
