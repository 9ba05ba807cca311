"""`recallreach play`: a person in the place of the agent."""

from __future__ import annotations

import webbrowser
from typing import Annotated, Any

import typer
from rich.console import Console

from recallreach.errors import INTERRUPTED
from recallreach.study.config import StudyConfig
from recallreach.study.options import with_study_options
from recallreach.study.progress import OnConsole


@with_study_options
def play(
    *,
    overrides: dict[str, Any],
    shop: Annotated[
        bool, typer.Option("--shop", help="Shop the sessions yourself, then answer from your own memory.")
    ] = False,
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1; 0 takes any free one.")] = 8322,
    show: Annotated[bool, typer.Option("--open", help="Open it in this machine's browser.")] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Throw earlier results of this run folder away.")
    ] = False,
) -> None:
    """Take the agent's place in a browser. Your steps are recorded and scored as an agent's are."""
    from recallreach.study import play as room
    from recallreach.study.summary import print_summary

    values = room.settings(overrides, shop=shop)
    console, config = Console(), StudyConfig.parse(values, "command line")

    def opened(address: str) -> None:
        typer.echo(f"Open {address} in a browser (stop with Ctrl-C; what was answered is kept).")
        if show:
            webbrowser.open(address)

    try:
        results = room.play(config, OnConsole(console), port, opened, fresh=fresh)
    except KeyboardInterrupt:
        typer.echo("\nStopped. The same command goes on with the next question.", err=True)
        raise typer.Exit(INTERRUPTED) from None
    print_summary(console, results)
