"""Did the browsing agent do what the protocol asks? Measured on its recorded sessions, for any agent.

The published protocol (DMV-Bench, arXiv 2606.27499) asks a session for at least three collections and about
twelve distinct products within 22 to 28 steps; an agent that wants to end early is told to go on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import Any

from recallreach.agents.forms import Form, count_forms
from recallreach.agents.shopper import FEWEST_COLLECTIONS
from recallreach.env.actions import product_id_of
from recallreach.env.types import Trajectory, TrajectoryStep

USUAL_PRODUCTS = 12
"""Distinct products that the protocol aims at in a session."""

_EARLY = "too early to finish"
_FINAL = ("add_to_wishlist", "done")


@dataclass(frozen=True, slots=True)
class Compliance:
    """One session.

    Attributes:
        chain, session: which.
        collections: distinct collection pages that were open.
        products: distinct products whose page was open with its picture.
        steps, budget: taken and allowed.
        early_endings: times it wanted to end too early and was brought back.
        refused: other actions that could not be carried out.
        invalid: replies without a usable action.
        finished: how it ended: "add_to_wishlist" (on a product), "done", or "budget".
        forms: how many replies took which form.
    """

    chain: int
    session: int
    collections: int
    products: int
    steps: int
    budget: int
    early_endings: int
    refused: int
    invalid: int
    finished: str
    forms: dict[Form, int] = field(default_factory=dict)

    @property
    def complies(self) -> bool:
        """Whether it looked through as many collections as the protocol asks for."""
        return self.collections >= FEWEST_COLLECTIONS


def compliance(trajectory: Trajectory) -> Compliance:
    """What one recorded session did of what the protocol asks."""
    plan, steps = trajectory.plan, trajectory.steps[1:]
    early = [step for step in steps if _EARLY in step.message]
    refused = [step for step in steps if step.message and step not in early and step.action != "invalid"]
    return Compliance(
        chain=plan.chain,
        session=plan.index,
        collections=len(_collections(trajectory.steps)),
        products=len(trajectory.products),
        steps=len(steps),
        budget=plan.budget,
        early_endings=len(early),
        refused=len(refused),
        invalid=sum(step.action == "invalid" for step in steps),
        finished=_finished(steps),
        forms=count_forms((step.reply, step.message) for step in steps),
    )


def _collections(steps: Sequence[TrajectoryStep]) -> set[str]:
    paths = (step.url.partition("?")[0].rstrip("/") for step in steps)
    return {path for path in paths if path.startswith("/collection/")}


def _finished(steps: Sequence[TrajectoryStep]) -> str:
    if not steps or steps[-1].action not in _FINAL or _EARLY in steps[-1].message:
        return "budget"
    on_product = product_id_of(steps[-1].url) is not None or product_id_of(steps[-2].url if steps[1:] else "")
    if steps[-1].action == "add_to_wishlist" and not on_product:
        return "done"
    return steps[-1].action


@dataclass(frozen=True, slots=True)
class ComplianceSummary:
    """All sessions of a run.

    Attributes:
        sessions: how many.
        complying: share with at least three collections.
        collections, products, steps: means.
        early_endings, refused, invalid: totals.
        finished: sessions by how they ended.
        forms: replies by form.
    """

    sessions: int
    complying: float
    collections: float
    products: float
    steps: float
    early_endings: int
    refused: int
    invalid: int
    finished: dict[str, int]
    forms: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)

    @property
    def lines(self) -> list[str]:
        """Sentences for a report."""
        forms = ", ".join(f"{form} {count}" for form, count in self.forms.items())
        ended = ", ".join(f"{how} {count}" for how, count in sorted(self.finished.items()))
        return [
            f"{self.complying:.0%} of {self.sessions} sessions open at least {FEWEST_COLLECTIONS} "
            "collections",
            f"A session opens {self.collections:.1f} collections and {self.products:.1f} products "
            f"(the protocol aims at {USUAL_PRODUCTS}) in {self.steps:.1f} steps",
            f"Brought back from ending early: {self.early_endings}; refused: {self.refused}; "
            f"without a usable action: {self.invalid}",
            f"Ended by: {ended}",
            f"Replies: {forms}",
        ]


def summarise(sessions: Iterable[Compliance]) -> ComplianceSummary | None:
    """The summary of a run's sessions, or None without any."""
    found = list(sessions)
    if not found:
        return None
    forms: dict[str, int] = {}
    ended: dict[str, int] = {}
    for session in found:
        ended[session.finished] = ended.get(session.finished, 0) + 1
        for form, count in session.forms.items():
            forms[form] = forms.get(form, 0) + count
    return ComplianceSummary(
        sessions=len(found),
        complying=fmean(session.complies for session in found),
        collections=fmean(session.collections for session in found),
        products=fmean(session.products for session in found),
        steps=fmean(session.steps for session in found),
        early_endings=sum(session.early_endings for session in found),
        refused=sum(session.refused for session in found),
        invalid=sum(session.invalid for session in found),
        finished=ended,
        forms=dict(sorted(forms.items(), key=lambda pair: -pair[1])),
    )
