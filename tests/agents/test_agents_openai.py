"""The OpenAI-compatible back-end over real HTTP, where its client is installed: a small faulty server."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask, Response, redirect, request
from werkzeug.serving import make_server

from recallreach.agents.costs import image_part
from recallreach.agents.errors import MissingExtraError, ModelError
from recallreach.agents.models import build_model
from recallreach.agents.models.openai_compatible import content_of
from recallreach.agents.types import Message
from recallreach.errors import ConfigError
from recallreach.memory.types import TextPart

KEY = "sk-a-secret-of-the-test"
JSON = "application/json"


def completion(content: str | None = "Thought: yes\nAction: done", **message: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": content, **message}
    choice = {"index": 0, "finish_reason": "stop", "message": said}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "tiny", "choices": [choice]}


def refused(status: int, reason: str) -> Response:
    return Response(json.dumps({"error": {"message": reason}}), status, mimetype=JSON)


FAULTS: dict[str, tuple[Any, str, str, int]] = {
    "429": (lambda: Response("{}", 429, {"Retry-After": "0.01"}), "rate-limit", "429", 2),
    "500": (lambda: Response("boom", 500), "server", "500", 2),
    "half": (lambda: Response('{"id":"1","choi', 200, mimetype=JSON), "server", "not JSON", 1),
    "html": (lambda: Response("<html>hello</html>", 200), "server", "<html>", 1),
    "no choices": (lambda: completion() | {"choices": []}, "empty", "without choices", 1),
    "nothing": (lambda: completion(" "), "empty", "nothing", 1),
    "refusal": (lambda: completion(None, refusal="I would rather not."), "refusal", "rather not", 1),
    "images": (
        lambda: refused(400, "At most 1 image"),
        "request",
        "1 image",
        1,
    ),
    "key": (lambda: refused(401, f"bad {KEY}"), "authentication", "<key>", 1),
    "redirect": (lambda: redirect("/v1/chat/completions"), "request", "405", 1),
}


class Server:
    """Answers with what `reply` makes; keeps the requests."""

    def __init__(self) -> None:
        self.requests: list[Any] = []
        self.reply: Any = completion
        app = Flask("faulty")
        app.add_url_rule("/v1/chat/completions", "chat", self._chat, methods=["POST"])
        self._http = make_server("127.0.0.1", 0, app, threaded=True)
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)

    def _chat(self) -> Any:
        self.requests.append(request.get_json())
        return self.reply()

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Server() as running:
        yield running


def test_pictures_stay_in_their_place(server: Server, world: Any) -> None:
    picture = image_part(world.pictures.picture("00000001"))
    user = Message("user", (TextPart("before"), picture, TextPart("after")))
    model = build_model("openai", model="tiny", base_url=server.url)
    answer = model.complete([Message("system", (TextPart("rules"),)), user])
    assert answer.text == "Thought: yes\nAction: done"
    assert (answer.usage.calls, answer.usage.images, answer.usage.visual_tokens) == (1, 1, 6)
    system, sent = server.requests[0]["messages"]
    assert system == {"role": "system", "content": "rules"}
    assert [part["type"] for part in sent["content"]] == ["text", "image_url", "text"]
    assert sent["content"][1]["image_url"]["url"].startswith("data:image/png;base64,")


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_errors_by_kind(server: Server, fault: str) -> None:
    server.reply, kind, words, tries = FAULTS[fault]
    model = build_model("openai", model="tiny", base_url=server.url, retries=1)
    with pytest.raises(ModelError) as caught:
        model.complete([Message("user", (TextPart("hello"),))])
    assert caught.value.kind == kind
    assert words in str(caught.value)
    assert KEY not in str(caught.value)
    assert len(server.requests) == tries


def test_a_busy_server_is_asked_again(server: Server) -> None:
    answers = iter([Response("{}", 429, {"Retry-After": "0.01"}), completion()])
    server.reply = lambda: next(answers)
    model = build_model("openai", model="tiny", base_url=server.url)
    assert model.complete([Message("user", (TextPart("hello"),))]).text
    assert len(server.requests) == 2


def test_a_server_that_is_not_there(server: Server) -> None:
    model = build_model("openai", model="tiny", base_url="http://127.0.0.1:9/v1", retries=0)
    with pytest.raises(ModelError) as caught:
        model.complete([Message("user", (TextPart("hello"),))])
    assert caught.value.kind == "connection"


def test_a_key_or_a_server_is_needed(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        build_model("openai", model="tiny")
    assert build_model("openai", model="tiny", base_url=server.url).complete([]).text


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'recallreach\[openai\]'"):
        build_model("openai", model="tiny")


def test_what_the_assistant_said_is_plain_text() -> None:
    assert _content(Message("assistant", (TextPart("a"), TextPart("b")))) == "a\nb"


def test_a_filtered_answer_is_a_refusal() -> None:
    message = SimpleNamespace(content="half an ans", refusal=None)
    choice = SimpleNamespace(message=message, finish_reason="content_filter")
    with pytest.raises(ModelError) as caught:
        _text(SimpleNamespace(choices=[choice]))
    assert caught.value.kind == "refusal"
