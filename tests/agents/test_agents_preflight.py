"""One request before a run, and what the run would take."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flask import Response

from recallreach.agents.budget import BudgetSpentError, Limits, Price, Prices
from recallreach.agents.calls import ModelCalls
from recallreach.agents.errors import ModelError
from recallreach.agents.matcher import Matcher
from recallreach.agents.models import build_model
from recallreach.agents.models.scripted import ScriptedModel
from recallreach.agents.preflight import PreflightError, Workload, check_model, estimate, preflight
from recallreach.agents.react import ReActAgent
from recallreach.errors import UnknownNameError
from recallreach.memory.types import ImagePart


def pictures(messages: Any) -> list[ImagePart]:
    return [part for message in messages for part in message.parts if isinstance(part, ImagePart)]


def test_each_model_is_asked_once_with_the_most_pictures_it_will_get() -> None:
    one, other = ScriptedModel(["There are 7."]), ScriptedModel(["7"])
    other.name = "other"
    agents = [ReActAgent(one), ReActAgent(one, page_pictures=2), ReActAgent(other), Matcher()]
    checks = preflight(agents, k=5)
    assert [(check.model, check.images, check.counted) for check in checks] == [
        ("scripted", 7, True),
        ("other", 6, False),
    ]
    assert len(one.calls) == 1
    assert len({part.data for part in pictures(one.calls[0])}) == 7
    assert "answers with 7 pictures" in checks[0].line
    assert "it said '7'" in checks[1].line


def test_screenshots_count() -> None:
    model = ScriptedModel(["8"])
    (check,) = preflight([ReActAgent(model)], k=6, screenshots=True)
    assert check.images == 8


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            ModelError("request", "At most 1 image(s) may be provided in one request."),
            r"vLLM with --limit-mm-p.*6}",
        ),
        (ModelError("request", "You set image=2 in `--limit-mm-per-prompt`"), "fewer items with k"),
        (ModelError("server", "image input is not supported - hint: mmproj"), "--mmproj"),
        (ModelError("too-long", "This model's maximum context length is 4096"), "--max-model-len"),
        (ModelError("request", "tiny is not a multimodal model"), "reads pictures"),
        (ModelError("authentication", "no"), "api_key_env"),
        (ModelError("connection", "no"), "base_url"),
        (ModelError("timeout", "no"), "loading the model"),
    ],
)
def test_what_to_change_is_named(error: ModelError, told: str) -> None:
    with pytest.raises(PreflightError, match=f"with 6 pictures, so nothing was run.*{told}"):
        check_model(ScriptedModel([error]), 6)


def test_a_real_server_that_takes_one_picture(chat_server: Any) -> None:
    reason = {"error": {"message": "At most 1 image(s) may be provided in one prompt."}}
    chat_server.reply = lambda: Response(json.dumps(reason), 400, mimetype="application/json")
    model = build_model("openai", model="tiny", base_url=chat_server.url)
    with pytest.raises(PreflightError, match="limit-mm-per-prompt"):
        preflight([ReActAgent(model)], k=5)
    assert len(chat_server.requests) == 1


def test_it_is_entered_in_the_books_and_asks_anew(tmp_path: Path, chat_server: Any) -> None:
    files = tmp_path / "calls.sqlite", tmp_path / "replies.sqlite"
    with ModelCalls(*files, limits=Limits(max_calls=2)) as calls:
        agent = calls.govern(ReActAgent(build_model("openai", model="tiny", base_url=chat_server.url)))
        for _ in range(2):
            preflight([agent], k=1)
        assert (calls.totals().requests, len(calls.replies)) == (2, 0)
        with pytest.raises(BudgetSpentError):
            preflight([agent], k=1)
    assert len(chat_server.requests) == 2


def test_an_estimate_by_hand() -> None:
    """Two sessions of two steps and three probes of one step (at most two), by the 28-pixel rule."""
    work = Workload(2, 3, session_steps=2, budget=2, probe_steps=1, k=5, picture=(280, 280), page_tokens=100)
    model = ScriptedModel([])
    prices = Prices({"scripted": Price(input=1.0, output=2.0)})
    found = estimate(work, model, prices)
    likely = found.likely
    assert (likely.calls, likely.images) == (2 * 2 + 3, 2 * 2 + 3 * 6)
    assert likely.visual_tokens == 22 * 100
    # A session: pages 1 + 2, one earlier reply, twice the task, two replies.
    session = 3 * 100 + 60 + 2 * 450 + 2 * 60
    probe = 100 + 450 + 5 * 80 + 60
    assert likely.text_tokens == 2 * session + 3 * probe
    assert likely.reply_tokens == 7 * 60
    read = likely.visual_tokens + likely.text_tokens - 420
    assert found.cost == pytest.approx((read + 2 * 420) / 1e6)
    assert found.most.calls == 2 * 2 + 3 * 2
    assert found.most_cost is not None
    assert found.most_cost > (found.cost or 0)
    assert "7 model calls (at most 10)" in found.lines[0]
    assert "USD" in found.lines[1]
    assert len(estimate(work, model).lines) == 1
    with pytest.raises(UnknownNameError):
        estimate(work, model, Prices({}))
