"""`recallreach prompt`: the exact messages that a model is sent."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from recallreach.agents.patches import ESTIMATE
from recallreach.agents.types import Message
from recallreach.env.types import Probe
from recallreach.errors import ConfigError, UnknownNameError
from recallreach.files import sha256, write_atomically
from recallreach.memory.types import ImagePart, Part
from recallreach.study.config import StudyConfig
from recallreach.study.manifest import FILE
from recallreach.study.rehearsal import Stage, chosen, place_of

prompt_app = typer.Typer(no_args_is_help=True, help="See what a model is sent.")


@prompt_app.callback()
def _group() -> None:
    pass


@prompt_app.command("show")
def show(
    study: Annotated[Path, typer.Argument(help="A study file, or a run folder.", show_default=False)],
    session: Annotated[str, typer.Option(help="CHAIN.SESSION, both from 0.")] = "0.0",
    probe: Annotated[
        str | None,
        typer.Option(help='A question asked after that session: its id, or "first"; else its browsing.'),
    ] = None,
    system: Annotated[str | None, typer.Option(help="Memory of the question; default: the last.")] = None,
    step: Annotated[int, typer.Option(help="Step of the episode, from 1.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="As the body of an OpenAI request.")] = False,
    pictures: Annotated[Path | None, typer.Option(help="Folder to write the pictures to.")] = None,
) -> None:
    """Print the exact messages of one call. No model is asked: what a run folder holds is said again, and
    elsewhere the scripted shopper and the matcher speak in the model's place."""
    config, folder = config_at(study)
    # What is browsed does not depend on memories; what is delivered does, so then the study's own are made.
    with Stage(config, folder, shipped=probe is None) as stage:
        messages = _messages(stage, session, probe, system, step)
    if pictures is not None:
        _write(messages, pictures)
    typer.echo(_as_json(messages) if as_json else "\n".join(_lines(messages)))


def config_at(path: Path) -> tuple[StudyConfig, Path | None]:
    """The study of a file, or of a run folder with the folder.

    Raises:
        ConfigError, DataError: neither, or damaged.
    """
    if not path.is_dir():
        return StudyConfig.load(path), None
    from recallreach.study.run import config_of

    if not (path / FILE).exists():
        raise ConfigError(f"{path} is a folder without {FILE}: name a study file or a run folder.")
    return config_of(path), path


def _messages(stage: Stage, session: str, probe: str | None, system: str | None, step: int) -> list[Message]:
    place = place_of(session)
    if probe is None:
        return chosen(stage.session(place)[1].requests, step)
    asked = _probe(stage.probes(place), probe, session)
    return chosen(stage.question(asked, place, stage.system(system)).requests, step)


def _probe(probes: Sequence[Probe], wanted: str, session: str) -> Probe:
    known = {probe.id: probe for probe in probes}
    if not known:
        raise ConfigError(f"nothing can be asked after session {session}: no product was seen")
    if wanted == "first":
        return probes[0]
    if wanted not in known:
        raise UnknownNameError("probe", wanted, known)
    return known[wanted]


def _lines(messages: Sequence[Message]) -> list[str]:
    lines: list[str] = []
    for message in messages:
        lines.append(f"=== {message.role} " + "=" * max(3, 70 - len(message.role)))
        lines += [_told(part) for part in message.parts]
    return lines


def _told(part: Part) -> str:
    if not isinstance(part, ImagePart):
        return part.text
    size = f"{part.width} x {part.height}, {len(part.data):,} bytes, {part.media_type}"
    return (
        f"[picture {sha256(part.data)[:12]}: {size}, {ESTIMATE(part.width, part.height)} tokens of 28 x 28]"
    )


def _as_json(messages: Sequence[Message]) -> str:
    from recallreach.agents.models.openai_compatible import content_of

    body: list[dict[str, Any]] = [{"role": one.role, "content": content_of(one)} for one in messages]
    return json.dumps({"messages": body}, ensure_ascii=False, indent=1)


def _write(messages: Sequence[Message], folder: Path) -> None:
    for message in messages:
        for part in message.parts:
            if isinstance(part, ImagePart):
                ending = part.media_type.rpartition("/")[2].replace("jpeg", "jpg")
                write_atomically(folder / f"{sha256(part.data)[:12]}.{ending}", part.data)
