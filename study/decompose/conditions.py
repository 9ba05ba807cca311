"""The three conditions under which a decision of delivery can help, probe by probe.

A decision helps only where the information it adds survived up to the agent, where the question needs it, and
where it was not there already (DeliverMem, arXiv 2609.32590).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from recallreach.study.decompose.evidence import Item, cue_phrase, items_of, items_of_product, names_cue
from recallreach.study.store import Unit

Decision = Literal["modality", "identity", "time"]
DECISIONS: tuple[Decision, ...] = ("modality", "identity", "time")

_TIMED = re.compile(
    r"\b(?:most recent(?:ly)?|latest|last time|first time|the first|the last|before|after|ago|when"
    r"|on which day|yesterday|last week|january|february|march|april|june|july|august|september|october"
    r"|november|december|\d{4}[-/]\d\d[-/]\d\d)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Conditions:
    """What one decision could do for one probe.

    Attributes:
        survived: what the decision adds about the target reached the agent: its own picture (modality), a
            name by which it can be opened (identity), its date (time).
        needed: the question cannot be settled without: several products were delivered (modality), several
            items (identity), the question asks for a time (time).
        there: the other arm's delivery held the same already: its picture or a text that names the cue
            (modality), a tag or an address on its line (identity), a date (time).
    """

    survived: bool
    needed: bool
    there: bool

    @property
    def met(self) -> bool:
        """Whether the decision can help this probe."""
        return self.survived and self.needed and not self.there


@dataclass(frozen=True, slots=True)
class Judged:
    """One probe in both arms.

    Attributes:
        probe: its id.
        conditions: what the decision could do for it.
        correct, without: whether it was right with the decision, and without.
    """

    probe: str
    conditions: Conditions
    correct: bool
    without: bool


@dataclass(frozen=True, slots=True)
class Help:
    """Gain of a decision over the probes that meet the three conditions, and over those that do not.

    Attributes:
        decision: which.
        probes, gained, lost: probes that meet them; right only with the decision; right only without.
        other_probes, other_gained, other_lost: the same where a condition fails.
        survived, needed, there: over how many of all probes each condition holds.
    """

    decision: Decision
    probes: int
    gained: int
    lost: int
    other_probes: int
    other_gained: int
    other_lost: int
    survived: int
    needed: int
    there: int


def conditions_of(
    decision: Decision, unit: Unit, trace: Mapping[str, Any], without: Mapping[str, Any]
) -> Conditions:
    """The three conditions for one probe.

    Args:
        decision: the decision that differs between the two arms.
        unit: the probe, in the arm with the decision.
        trace: its trace in that arm.
        without: the trace of the same probe in the arm without.
    """
    items = items_of(trace)
    mine, bare = items_of_product(items, unit.target), items_of_product(items_of(without), unit.target)
    holds = _HOLDS[decision]
    return Conditions(
        survived=any(_ADDS[decision](item) for item in mine),
        needed=_needed(decision, trace, items),
        there=any(holds(item, unit) for item in bare),
    )


def judged(
    decision: Decision,
    pairs: Iterable[tuple[Unit, Unit]],
    trace_of: Callable[[str], Mapping[str, Any]],
) -> list[Judged]:
    """The three conditions of every probe.

    Args:
        decision: which.
        pairs: the same probe with and without the decision, both "ok".
        trace_of: for instance `store.trace`, by unit key.
    """
    return [
        Judged(
            one.probe,
            conditions_of(decision, one, trace_of(one.key), trace_of(two.key)),
            one.correct,
            two.correct,
        )
        for one, two in pairs
    ]


def help_of(decision: Decision, probes: Sequence[Judged]) -> Help:
    """Whether the conditions tell where a decision helps."""
    conditions = [one.conditions for one in probes]
    return Help(
        decision,
        *_flips([one for one in probes if one.conditions.met]),
        *_flips([one for one in probes if not one.conditions.met]),
        survived=sum(one.survived for one in conditions),
        needed=sum(one.needed for one in conditions),
        there=sum(one.there for one in conditions),
    )


def _flips(probes: Sequence[Judged]) -> tuple[int, int, int]:
    gained = sum(one.correct and not one.without for one in probes)
    return len(probes), gained, sum(one.without and not one.correct for one in probes)


def _needed(decision: Decision, trace: Mapping[str, Any], items: Sequence[Item]) -> bool:
    if decision == "time":
        return _TIMED.search(trace["goal"]) is not None
    return len({item.product for item in items} if decision == "modality" else items) > 1


_ADDS: Mapping[Decision, Callable[[Item], bool]] = {
    "modality": lambda item: item.own_picture,
    "identity": lambda item: bool(item.tag),
    "time": lambda item: item.dated,
}
_HOLDS: Mapping[Decision, Callable[[Item, Unit], bool]] = {
    "modality": lambda item, unit: item.own_picture or names_cue(item.line, cue_phrase(unit.phrase)),
    "identity": lambda item, unit: bool(item.tag) or item.url in item.line,
    "time": lambda item, unit: item.dated,
}
