"""`recallreach audit`: is the cue in the pixels and nowhere else?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import Progress, TaskID

from recallreach.errors import ConfigError
from recallreach.study.cli_catalog import Seed, Source, shop_of

if TYPE_CHECKING:
    from recallreach.storefront.audit.report import AuditReport
    from recallreach.study.audit.run import Stage

LEAK = 1
"""Exit status where something leaks."""

MOST_SHOWN = 20


def audit(
    source: Source = "synthetic",
    seed: Seed = 0,
    url: Annotated[
        str, typer.Option(help="A running shop of this catalogue; without it the shop is opened here.")
    ] = "",
    browser: Annotated[bool, typer.Option("--browser", help="Read pages with Chromium, too.")] = False,
    browser_pages: Annotated[int, typer.Option(help="Product pages that Chromium reads; 0 reads all.")] = 60,
    encoder: Annotated[
        str, typer.Option(help='Sentence encoder of level L3 (`recallreach list encoders`), or "none".')
    ] = "hashed",
    encoder_model: Annotated[str, typer.Option(help="Model of that encoder, where it takes one.")] = "",
    agents: Annotated[
        bool, typer.Option("--agents/--no-agents", help="Level L4: agents without eyes.")
    ] = True,
    alpha: Annotated[float, typer.Option(help="Probability of any false alarm.")] = 0.01,
    declare: Annotated[
        list[str] | None,
        typer.Option(help="A phrase the shop may say although it holds a cue word; repeat it."),
    ] = None,
    audit_seed: Annotated[int, typer.Option(help="Seed of permutations, halves and agents.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder of audit.html and audit.json.")] = Path("runs/audit"),
) -> None:
    """Look for the cues in all that a shop serves but its pixels.

    On four levels; exit status 1 on a leak.
    """
    from recallreach.storefront.audit.page import write_audit
    from recallreach.study.audit.run import Options, run_audit

    if out.exists() and not out.is_dir():
        raise ConfigError(f"{out} is no folder: name one with --out")
    catalog, _ = shop_of(source, seed)
    options = Options(
        url=url,
        browser=browser,
        browsed=browser_pages,
        encoder=encoder,
        encoder_model=encoder_model,
        behaviour=agents and not url,
        alpha=alpha,
        declared=tuple(declare or ()),
        seed=audit_seed,
    )
    with _stages() as stage:
        report = run_audit(catalog, options, stage)
    page, data = write_audit(report, out)
    _print(report)
    typer.echo(f"Report: {page} and {data.name}")
    if not report.clean:
        raise typer.Exit(LEAK)


@contextmanager
def _stages() -> Iterator[Stage]:
    with Progress(transient=True, console=Console(stderr=True)) as bar:
        tasks: dict[str, TaskID] = {}

        def stage(name: str, done: int, total: int) -> None:
            if name not in tasks:
                tasks[name] = bar.add_task(name, total=total)
            bar.update(tasks[name], completed=done)

        yield stage


def _print(report: AuditReport) -> None:
    facts = report.catalog
    typer.echo(
        f"Leak audit of {facts['products']:,} products read {report.source}: "
        f"{sum(report.answers.values()):,} answers, {len(report.channels)} channels"
    )
    for level in report.levels:
        found = report.of(level)
        typer.echo(f"  {level}  {'clean' if not found else f'{len(found)} found'}")
        for finding in found[:MOST_SHOWN]:
            typer.echo(
                f"      {finding.channel}: {finding.what}{f' [{finding.place}]' if finding.place else ''}"
            )
        if len(found) > MOST_SHOWN:
            typer.echo(f"      and {len(found) - MOST_SHOWN} more in the report")
    for target, share in report.power.share.items():
        bits = report.power.bits[target]
        typer.echo(
            f"  A channel that gives the {target} of {share:.1%} of the products away ({bits:.2f} bits) "
            "would have been found."
        )
    for note in report.notes:
        typer.echo(f"  Note: {note}")
    typer.echo("Clean: the cue is in the pixels and nowhere else." if report.clean else
               f"{len(report.findings)} leaks: text gives cues away.")  # fmt: skip
