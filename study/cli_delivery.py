"""`recallreach decompose`, `ladder`, `tiles` and `delivery`: the stage between retrieval and answer."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer
from rich.console import Console

from recallreach.errors import ConfigError, UnknownNameError
from recallreach.study.config import StudyConfig, put
from recallreach.study.options import with_study_options
from recallreach.study.progress import OnConsole

if TYPE_CHECKING:
    from recallreach.study.decompose.designs import Design
    from recallreach.study.decompose.shown import Shown

USUAL: dict[str, Any] = {"chains": 12, "sessions": 5, "probes": 1, "transport": "in_process"}
"""What these commands take where a key of the study is not given."""

Fresh = Annotated[bool, typer.Option("--fresh", help="Throw earlier results of these run folders away.")]
Agents = Annotated[
    str,
    typer.Option(
        help='Agents that answer, each in a run folder of its own: "matcher, guess".', metavar="LIST"
    ),
]
GoldPlace = Annotated[str, typer.Option(help="Where the gold item stands: kept, first or drawn.")]


@with_study_options
def decompose(
    *,
    overrides: dict[str, Any],
    agents: Agents = "matcher, guess",
    place: GoldPlace = "kept",
    fresh: Fresh = False,
) -> None:
    """Decompose misses into terms of delivery and of retrieval.

    Gold retrieval and pixels are held fixed, then delivery and retrieval vary one at a time.

    The first of `memories` is the retriever (delivermem), each is one retrieval term; the first of
    `deliveries` is the corner's (delivermem), each other is one delivery term (text).
    """
    from recallreach.study.decompose import designs

    def design(config: StudyConfig) -> Design:
        given = {
            "retrievers": config.memories if "memories" in overrides else None,
            "deliveries": config.deliveries if "deliveries" in overrides else None,
        }
        return designs.terms(**{key: parts for key, parts in given.items() if parts}, place=_placed(place))

    _study("decompose", design, agents, overrides, fresh)


@with_study_options
def ladder(
    *, overrides: dict[str, Any], agents: Agents = "matcher", place: GoldPlace = "kept", fresh: Fresh = False
) -> None:
    """Deliver the same gold items under every matched control.

    The controls are of three decisions: modality, identity and time.
    """
    from recallreach.study.decompose import designs

    def design(config: StudyConfig) -> Design:
        retriever = config.memories[0] if "memories" in overrides else designs.RETRIEVER
        delivery = config.deliveries[0].name if "deliveries" in overrides else designs.CORNER.name
        return designs.ladder(retriever, _placed(place), delivery)

    _study("ladder", design, agents, overrides, fresh)


@with_study_options
def tiles(*, overrides: dict[str, Any], agents: Agents = "matcher", fresh: Fresh = False) -> None:
    """Retrieve with 1x1 to 4x4 tiles, with and without captions."""
    from recallreach.study.decompose import designs

    _study("tiles", lambda config: designs.tiles(), agents, overrides, fresh)


def delivery(
    folder: Annotated[Path, typer.Argument(help="A run folder, for instance runs/demo.", show_default=False)],
) -> None:
    """Tell where a run lost its answers, and what delivery cost.

    The cost as sessions go by.
    """
    from recallreach.study.decompose.reading import stages_and_costs

    _show(folder, "delivery", stages_and_costs(folder))


def _study(
    name: str, design_of: Callable[[StudyConfig], Design], agents: str, overrides: dict[str, Any], fresh: bool
) -> None:
    from recallreach.files import write_atomically
    from recallreach.study.decompose.reading import analysed
    from recallreach.study.run import run_study

    console = Console()
    for config in _configs(name, agents, overrides):
        design, agent = design_of(config), config.agent
        console.print(f"{design.title}, agent {agent.title}, in {config.folder}", highlight=False)
        run_study(design.of(config), OnConsole(console), fresh=fresh)
        tables, probes = analysed(config.folder, design, agent.title)
        _show(config.folder, name, tables)
        write_atomically(config.folder / f"{name}-conditions.csv", probes.csv())


def _configs(name: str, agents: str, overrides: dict[str, Any]) -> list[StudyConfig]:
    """One study an agent; several have a folder each."""
    from recallreach.study.assembly import check_names

    values: dict[str, Any] = {"name": name, **USUAL}
    for key, value in overrides.items():
        put(values, key, value)
    answering = [values.pop("agent")] if "agent" in values else _agents(agents)
    configs = [StudyConfig.parse({**values, "agent": named}, "command line") for named in answering]
    for config in configs:
        check_names(config, "command line")
    return configs if len(configs) == 1 else _named_apart(configs)


def _named_apart(configs: Sequence[StudyConfig]) -> list[StudyConfig]:
    """Each in a run folder with its agent's name.

    Raises:
        ConfigError: two agents would share a folder.
    """
    slugs = [_slug(config.agent.title) for config in configs]
    for number, config in enumerate(configs):
        if slugs[number] in slugs[:number]:
            name = config.agent.name
            raise ConfigError(
                f"--agents names {config.agent.title!r} twice; name it once, or give one of them a label: "
                f'--agents \'"{name}", {{ name = "{name}", label = "{name} again" }}\''
            )
    return [
        config.model_copy(update={"name": f"{config.name}-{slug}"})
        for config, slug in zip(configs, slugs, strict=True)
    ]


def _show(folder: Path, name: str, tables: Sequence[Shown]) -> None:
    from recallreach.files import write_atomically

    console = Console()
    for table in tables:
        table.print_to(console)
    for number, table in enumerate(tables, 1):
        write_atomically(folder / f"{name}-{number}.csv", table.csv())
    write_atomically(folder / f"{name}.md", "\n".join(table.markdown() for table in tables))
    console.print(
        f"All columns: {folder / name}.md and {name}-1.csv to {name}-{len(tables)}.csv", highlight=False
    )


def _agents(text: str) -> list[Any]:
    try:
        listed: list[Any] = tomllib.loads(f"value = [{text}]")["value"]
    except tomllib.TOMLDecodeError:
        listed = [name.strip() for name in text.split(",") if name.strip()]
    if not listed:
        raise ConfigError("--agents names no agent; for instance: --agents 'matcher, guess'")
    return listed


def _slug(title: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in title).strip("-")


def _placed(place: str) -> Any:
    from recallreach.study.decompose.gold import Place

    if place not in get_args(Place):
        raise ConfigError(str(UnknownNameError("place of the gold item", place, get_args(Place))))
    return place
