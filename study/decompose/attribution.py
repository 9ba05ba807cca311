"""Why a wrong answer is wrong: the first stage between seeing and answering at which it was lost.

Stages follow "Retrieved but Not Delivered" (arXiv 2609.32590): written, retrieved, delivered, read, opened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from recallreach.env.actions import parse_reply, product_id_of
from recallreach.study.decompose.evidence import (
    Item,
    Named,
    Naming,
    cue_phrase,
    items_of,
    items_of_product,
    named_in,
    names_cue,
)
from recallreach.study.units import Unit

FailureKind = Literal[
    "error",
    "never seen",
    "not written",
    "not retrieved",
    "not delivered",
    "misread",
    "opened wrong",
    "navigation failed",
]

FAILURES: Mapping[str, str] = {
    "error": "a technical failure; no miss",
    "never seen": "the product was not open in any session before the question",
    "not written": "seen, but no stored record is of its page",
    "not retrieved": "stored, but not among the records retrieved",
    "not delivered": "retrieved, but nothing that shows or names the cue reached the agent",
    "misread": "delivered, but the agent settled on another item, or on none",
    "opened wrong": "the agent named the right item and opened another",
    "navigation failed": "the agent went for the right item, or for none, and ended on no product page of it",
}
"""What each kind means, in the order of the stages."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why one probe is not right.

    Attributes:
        kind: the first stage that failed; its meaning is `FAILURES[kind]`.
        reason: one sentence about this probe, plain text.
        by: how the agent named the right item, for "opened wrong" and "navigation failed"; else "".
    """

    kind: FailureKind
    reason: str
    by: Naming | Literal[""] = ""


def failure_of(unit: Unit, trace: Mapping[str, Any]) -> Failure | None:
    """Attribute one probe.

    Args:
        unit: its row in the result store.
        trace: `ResultStore.trace(unit.key)`.

    Returns:
        None where the answer is right; otherwise the first stage that failed. A stage counts as passed where
        the trace does not tell (a memory that cannot list its records counts as having written).
    """
    if unit.correct:
        return None
    if not 0 <= unit.first_seen <= unit.last_seen <= unit.session:
        return Failure("never seen", f"It was not seen up to session {unit.session + 1}.")
    if not unit.ok:
        return Failure("error", unit.reason or unit.kind)
    if unit.rank is None:
        return _not_retrieved(unit, trace)
    items = items_of(trace)
    mine = items_of_product(items, unit.target)
    lost = _not_delivered(unit, mine)
    return lost or _misused(unit, trace, items, mine)


def failures_of(units: Iterable[Unit], trace_of: Callable[[str], Mapping[str, Any]]) -> dict[str, Failure]:
    """Every probe that is not right, by unit key.

    Args:
        units: rows of a result store.
        trace_of: for instance `store.trace`; only asked for probes that are not right.
    """
    wrong = (unit for unit in units if not unit.correct)
    found = {unit.key: failure_of(unit, trace_of(unit.key)) for unit in wrong}
    return {key: failure for key, failure in found.items() if failure is not None}


def count_failures(failures: Iterable[Failure]) -> dict[FailureKind, int]:
    """How often each kind occurs, in the order of the stages, zeros included."""
    counts = Counter(failure.kind for failure in failures)
    return {kind: counts[kind] for kind in get_args(FailureKind)}


def _not_retrieved(unit: Unit, trace: Mapping[str, Any]) -> Failure:
    if trace.get("stored") is False or unit.bank == 0:
        return Failure("not written", f"None of the {unit.bank} stored records is of its page.")
    hits = len(trace["retrieved"])
    return Failure("not retrieved", f"Its page is not among the {hits} of {unit.bank} records retrieved.")


def _not_delivered(unit: Unit, mine: Sequence[Item]) -> Failure | None:
    if not mine:
        return Failure("not delivered", f"Retrieved at rank {unit.rank}, and none of it was delivered.")
    cue = cue_phrase(unit.phrase)
    if any(item.own_picture or names_cue(item.line, cue) for item in mine):
        return None
    name = mine[0].tag or f"item {mine[0].place + 1}"
    return Failure(
        "not delivered", f"{name} came without its own picture, and its text does not name the cue."
    )


@dataclass(frozen=True, slots=True)
class _Course:
    """What the agent made of its delivery: the item it named last, and how far it came towards the target."""

    named: Named | None
    asked: bool
    reached: bool


def _misused(unit: Unit, trace: Mapping[str, Any], items: Sequence[Item], mine: Sequence[Item]) -> Failure:
    course = _course(unit, trace, items)
    by = course.named.by if course.named and course.named.item in (None, *mine) else ""
    if course.reached:
        return Failure("misread", "The right page was open, and the agent answered with another.")
    neighbour = next((item for item in items if item.product == unit.answer), None)
    if by and neighbour is not None:
        opened = neighbour.tag or f"item {neighbour.place + 1}"
        return Failure("opened wrong", f"The thought names it by its {by}, and {opened} was opened.", by)
    if by or course.asked or unit.answer is None:
        where = "on no product page" if unit.answer is None else "on a page that was not delivered"
        tried = "It was named or asked for" if by or course.asked else "It was never named"
        return Failure("navigation failed", f"{tried}, and the answer was given {where}.", by)
    return Failure("misread", "It was delivered, and the agent settled on another.")


def _course(unit: Unit, trace: Mapping[str, Any], items: Sequence[Item]) -> _Course:
    """An item named by tag, place or address counts over the cue alone; the cue counts only before a product
    page is open, because afterwards the thought may speak of that page."""
    cue = cue_phrase(unit.phrase)
    explicit: Named | None = None
    seen: Named | None = None
    for turn in trace["turns"]:
        named = named_in(parse_reply(turn["reply"]).thought, items, cue)
        if named is not None and named.item is not None:
            explicit = named
        elif named is not None and product_id_of(turn["url"]) is None:
            seen = named
    asked = any(f"/product/{unit.target}" in turn["action"] for turn in trace["turns"])
    reached = any(product_id_of(turn["after"]) == unit.target for turn in trace["turns"])
    return _Course(explicit or seen, asked, reached)
