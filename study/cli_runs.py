"""`recallreach plan`, `merge` and `export`: before a run, and after several."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from recallreach.files import dump_json
from recallreach.study.config import StudyConfig
from recallreach.study.options import with_study_options

Study = Annotated[Path, typer.Argument(help="A study file (TOML).", show_default=False)]
Run = Annotated[Path, typer.Argument(help="A run folder, for instance runs/demo.", show_default=False)]


@with_study_options
def plan(
    study: Study,
    *,
    overrides: dict[str, Any],
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Say what a study would do and take, without running it.

    Sessions, probes, calls, pictures, tokens and money.
    """
    from recallreach.study.planning import plan_study

    config = StudyConfig.load(study, overrides)
    found = plan_study(config)
    if as_json:
        typer.echo(dump_json(found.to_json()), nl=False)
        return
    typer.echo(f"Study {config.name!r} in {config.folder}")
    for line in found.lines():
        typer.echo(line)


def merge(
    target: Annotated[Path, typer.Argument(help="A new run folder.", show_default=False)],
    runs: Annotated[list[Path], typer.Argument(help="Two or more run folders.", show_default=False)],
) -> None:
    """Make one run of several that are parts of one study. Writes its report, too."""
    from recallreach.study.merging import merge_runs
    from recallreach.study.summary import print_summary

    print_summary(Console(), merge_runs(runs, target))


def export(
    folder: Run,
    form: Annotated[str, typer.Option("--format", help="jsonl or parquet.")] = "jsonl",
    to: Annotated[Path | None, typer.Option(help="Folder; default: export/ in the run folder.")] = None,
) -> None:
    """Write all answers and traces as JSON lines or Parquet."""
    from recallreach.study.exporting import export_run

    for path in export_run(folder, form, to or folder / "export"):
        typer.echo(path)
