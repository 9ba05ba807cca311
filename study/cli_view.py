"""`recallreach view`: a run as pages, read only."""

from __future__ import annotations

import threading
import webbrowser
from pathlib import Path
from typing import Annotated

import typer


def view(
    folder: Annotated[Path, typer.Argument(help="A run folder, for instance runs/demo.", show_default=False)],
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1; 0 takes any free one.")] = 8323,
    show: Annotated[bool, typer.Option("--open", help="Open it in this machine's browser.")] = False,
) -> None:
    """Look into a run in a browser. Reads only.

    Sessions, banks, what was retrieved and delivered, what the agent did.
    """
    from recallreach.storefront.server import ShopServer
    from recallreach.study.viewer import create_viewer

    with ShopServer(create_viewer(folder), port) as server:
        typer.echo(f"{folder} is open at {server.url} (reads only; stop with Ctrl-C).")
        if show:
            webbrowser.open(server.url)
        rest()


def rest() -> None:
    """Wait for Ctrl-C."""
    threading.Event().wait()
