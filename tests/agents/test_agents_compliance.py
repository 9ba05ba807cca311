from __future__ import annotations

from typing import Any

from recallreach.agents.compliance import compliance, summarise
from recallreach.agents.loops import browse
from recallreach.agents.models.scripted import ScriptedModel
from recallreach.agents.react import ReActAgent


def test_the_scripted_shopper_complies(world: Any) -> None:
    sessions = [compliance(world.session(seed)) for seed in range(3)]
    assert all(session.complies for session in sessions)
    assert all(session.collections >= 3 and session.products >= 10 for session in sessions)
    assert {session.finished for session in sessions} == {"add_to_wishlist"}
    assert {form for session in sessions for form in session.forms} == {"clean"}
    summary = summarise(sessions)
    assert summary is not None
    assert (summary.sessions, summary.complying, summary.early_endings) == (3, 1.0, 0)
    assert summary.steps == sum(session.steps for session in sessions) / 3
    assert "100% of 3 sessions" in summary.lines[0]


def test_an_agent_that_ends_early_is_brought_back_and_counted(world: Any, blobs: Any) -> None:
    """It wants to stop at once, says something unusable, follows a dead link, and sees one collection."""
    replies = ["Action: done", "Action: add_to_wishlist", "well", "Action: navigate(/product/00000000)"]
    replies += ["Action: navigate(/collection/chair-modern)"] * 18
    model = ScriptedModel([*replies, "Action: done"])
    walked = browse(world.env, ReActAgent(model), world.plan(0, budget=24), seed=0, pictures=blobs)
    found = compliance(walked)
    assert (found.early_endings, found.invalid, found.refused) == (2, 1, 1)
    assert (found.collections, found.products, found.complies) == (1, 0, False)
    assert (found.steps, found.budget, found.finished) == (23, 24, "done")
    assert found.forms["no action"] == 1
    summary = summarise([found])
    assert summary is not None
    assert "Brought back from ending early: 2; refused: 1; without a usable action: 1" in summary.lines
    assert summary.to_json()["finished"] == {"done": 1}


def test_a_budget_that_runs_out_is_told(world: Any, blobs: Any) -> None:
    model = ScriptedModel(lambda messages: "Action: back")
    walked = browse(world.env, ReActAgent(model), world.plan(0, budget=5), seed=0, pictures=blobs)
    assert compliance(walked).finished == "budget"
    assert summarise([]) is None
