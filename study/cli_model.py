"""`recallreach model` and `recallreach compliance`: what stands between a study and its models."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from recallreach.agents.budget import Prices
from recallreach.agents.compliance import compliance as compliance_of
from recallreach.agents.compliance import summarise
from recallreach.agents.forms import count_forms
from recallreach.agents.patches import ESTIMATE, PatchRule, rule_of
from recallreach.agents.preflight import preflight
from recallreach.env.trajectory import TrajectoryStore
from recallreach.errors import ConfigError, DataError
from recallreach.files import dump_json
from recallreach.study.assembly import make_agent
from recallreach.study.cli_prompt import config_at
from recallreach.study.config import StudyConfig
from recallreach.study.estimates import rehearsed_estimate, uncounted
from recallreach.study.folder import RESULTS, TRAJECTORIES
from recallreach.study.reading import StoreReader
from recallreach.study.rehearsal import Stage

model_app = typer.Typer(no_args_is_help=True, help="Try a study's models, or see what they would cost.")

Study = Annotated[Path, typer.Argument(help="A study file, or a run folder.", show_default=False)]


@model_app.command("check")
def check(study: Study) -> None:
    """Ask each model once, with as many pictures as it will get."""
    config, _ = config_at(study)
    agents = [make_agent(config.shopper), make_agent(config.agent)]
    found = preflight(agents, k=config.k)
    for one in found:
        typer.echo(one.line)
    if not found:
        typer.echo(f"{study} calls no models: {config.shopper.name} browses, {config.agent.name} answers.")


@model_app.command("estimate")
def estimate(
    study: Study,
    prices: Annotated[Path | None, typer.Option(help="Price file (TOML); default: the study's own.")] = None,
) -> None:
    """Tell calls, pictures, tokens and money, and ask no model. They are measured on the first chain."""
    config, folder = config_at(study)
    chosen = prices or (Path(config.prices) if config.prices else None)
    model = _model_named(config)
    with Stage(config, folder, shipped=True) as stage:
        for line in rehearsed_estimate(stage, model, Prices.load(chosen) if chosen else None).lines:
            typer.echo(line)
    for line in uncounted(config):
        typer.echo(line)


@dataclass(frozen=True, slots=True)
class _Model:
    """A model by its name alone: its patch rule and its price are known without it."""

    name: str
    patch_rule: PatchRule


def _model_named(config: StudyConfig) -> _Model:
    part = config.agent if config.agent.name == "react" else config.shopper
    if part.name != "react":
        raise ConfigError(
            f"the study calls no models: {config.shopper.name} browses and {config.agent.name} answers"
        )
    options = part.options.get("model_options", {})
    model = str(options.get("model", "")) if isinstance(options, dict) else ""
    return _Model(f"{part.options.get('model', '')}:{model}", rule_of(model) or ESTIMATE)


def compliance(
    folder: Annotated[Path, typer.Argument(help="A run folder.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Tell whether the agent browsed as the protocol asks.

    And what the replies of a run look like.
    """
    recorded = TrajectoryStore(folder / TRAJECTORIES)
    places = recorded.keys()
    found = summarise(compliance_of(recorded.load(*place)) for place in places)
    if found is None:
        raise DataError(f"{folder} holds no recorded session")
    asked = _recall_forms(folder)
    if as_json:
        typer.echo(dump_json({"browsing": found.to_json(), "recall_forms": asked}), nl=False)
        return
    for line in found.lines:
        typer.echo(line)
    if asked:
        typer.echo("Replies to probes: " + ", ".join(f"{form} {count}" for form, count in asked.items()))


def _recall_forms(folder: Path) -> dict[str, int]:
    if not (folder / RESULTS).exists():
        return {}
    with StoreReader(folder / RESULTS) as reader:
        turns = [turn for unit in reader.units() for turn in reader.trace(unit.key)["turns"]]
    counts = count_forms((turn["reply"], turn["message"]) for turn in turns)
    return {str(form): count for form, count in counts.items()}
