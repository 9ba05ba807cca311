"""What the pages of the viewer show of one probe and of one session; all text is raw, templates escape it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from recallreach.agents.results import HitTrace, RecallResult
from recallreach.env.actions import parse_reply, product_id_of
from recallreach.env.types import Trajectory
from recallreach.study import events
from recallreach.study.decompose.attribution import Failure, failure_of
from recallreach.study.store import Unit
from recallreach.study.viewer.run import Run


@dataclass(frozen=True, slots=True)
class Hit:
    """One retrieved record.

    Attributes:
        rank: from 1.
        trace: record, page, place and scores.
        picture: SHA-256 of the picture that was open at that step, or "".
        title: title of the page at that step, or "".
        wanted: whether it is of the product that was asked for.
        delivered: whether an item of the delivery came from it.
    """

    rank: int
    trace: HitTrace
    picture: str
    title: str
    wanted: bool
    delivered: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of the agent, or one step of a browsing session.

    Attributes:
        number: from 1; in a session 0 is the opening page.
        url, title, picture: the page; title and picture "" where they are not known.
        text: text of the page, "" for turns of a recall, which do not keep it.
        thought, reply: what the agent wrote: its thought as parsed, and the raw text.
        asked, action: the action as written and as carried out.
        problems: what the parser found odd.
        message: the environment's word on it.
        after: page open afterwards.
        moment: simulated time.
    """

    number: int
    url: str
    title: str = ""
    picture: str = ""
    text: str = ""
    thought: str = ""
    reply: str = ""
    asked: str = ""
    action: str = ""
    problems: tuple[str, ...] = ()
    message: str = ""
    after: str = ""
    moment: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """One probe.

    Attributes:
        unit: its row.
        goal: the question.
        hits: what memory returned.
        result: what was delivered, answered and spent.
        steps: the agent's turns.
        wanted, chosen: SHA-256 of the picture of the right and of the chosen product, or "".
        failure: why the answer is wrong, or None.
    """

    unit: Unit
    goal: str
    hits: tuple[Hit, ...]
    result: RecallResult
    steps: tuple[Step, ...]
    wanted: str
    chosen: str
    failure: Failure | None


def shown(run: Run, unit: Unit) -> Shown:
    """Everything the viewer shows of one probe.

    Raises:
        DataError: its trace is damaged.
    """
    trace = events.Trace.of(run.reader.events(unit.key))
    seen = run.product_pictures(unit.chain)
    return Shown(
        unit=unit,
        goal=trace.goal,
        hits=tuple(_hits(run, unit, trace.result)),
        result=trace.result,
        steps=tuple(_turns(run, trace, seen)),
        wanted=trace.pictures.get(unit.target, seen.get(unit.target, "")),
        chosen=trace.pictures.get(unit.answer or "", ""),
        failure=failure_of(unit, trace.to_json()),
    )


def session_steps(trajectory: Trajectory) -> Iterator[Step]:
    """The steps of a recorded session, the opening page first."""
    for number, step in enumerate(trajectory.steps):
        yield Step(
            number=number,
            url=step.url,
            title=step.title,
            picture=step.picture or "",
            text=step.text,
            thought=parse_reply(step.reply).thought if step.reply else "",
            reply=step.reply,
            asked=step.action,
            action=step.action,
            message=step.message,
            after=step.url,
            moment=step.seen_at,
        )


def _hits(run: Run, unit: Unit, result: RecallResult) -> Iterator[Hit]:
    delivered = {item.record for item in result.items}
    for rank, hit in enumerate(result.retrieved, start=1):
        picture, title = _seen_at(run, unit.chain, hit)
        wanted = product_id_of(hit.url) == unit.target
        yield Hit(rank, hit, picture, title, wanted, hit.record in delivered)


def _seen_at(run: Run, chain: int, hit: HitTrace) -> tuple[str, str]:
    """Picture and title of the page that a record was made of."""
    trajectory = run.trajectory(chain, hit.session)
    if trajectory is None or not 0 <= hit.step < len(trajectory.steps):
        return "", ""
    step = trajectory.steps[hit.step]
    return (step.picture or "", step.title) if step.url == hit.url else ("", "")


def _turns(run: Run, trace: events.Trace, seen: Mapping[str, str]) -> Iterator[Step]:
    pictures = {**seen, **trace.pictures}
    for number, turn in enumerate(trace.result.turns, start=1):
        product = product_id_of(turn.url) or ""
        yield Step(
            number=number,
            url=turn.url,
            title=run.titles.get(product, ""),
            picture=pictures.get(product, ""),
            thought=parse_reply(turn.reply).thought,
            reply=turn.reply,
            asked=turn.asked,
            action=turn.action,
            problems=turn.problems,
            message=turn.message,
            after=turn.after,
        )


def channels(hits: tuple[Hit, ...]) -> list[str]:
    """Names of the channels that any hit has a score of."""
    names: dict[str, Any] = {}
    for hit in hits:
        names.update(dict.fromkeys(hit.trace.channels))
    return list(names)
