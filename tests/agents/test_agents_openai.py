"""The OpenAI-compatible back-end over real HTTP against a small faulty server."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Response, redirect

from recallreach.agents.costs import image_part
from recallreach.agents.errors import ModelError
from recallreach.agents.models import build_model
from recallreach.agents.models.answers import reply_of
from recallreach.agents.models.openai_compatible import content_of
from recallreach.agents.retrying import Gate, Retry
from recallreach.agents.types import Message
from recallreach.env.actions import parse_reply
from recallreach.env.types import Click
from recallreach.errors import ConfigError, MissingExtraError, UnknownNameError
from recallreach.memory.types import TextPart

KEY = "sk-a-secret-of-the-test"
JSON = "application/json"
HELLO = [Message("user", (TextPart("hello"),))]


def refused(status: int, reason: str, **headers: str) -> Response:
    return Response(json.dumps({"error": {"message": reason}}), status, headers, mimetype=JSON)


def cut() -> Response:
    """A body that ends before its announced length: the connection is dropped half-way."""

    def half() -> Iterator[bytes]:
        yield b'{"id":"1","choi'
        raise ConnectionResetError

    return Response(half(), 200, {"Content-Length": "4000"}, mimetype=JSON)


def whole(**body: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": "Thought: yes\nAction: done"}
    return {"choices": [{"index": 0, "finish_reason": "stop", "message": message}], **body}


def said(**message: Any) -> dict[str, Any]:
    base = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": None, **message}}
    return {"choices": [base]}


FAULTS: dict[str, tuple[Any, str, str, int]] = {
    "429": (lambda: Response("{}", 429, {"Retry-After": "0.01"}), "rate-limit", "429", 2),
    "500": (lambda: Response("boom", 500), "server", "500", 2),
    "503": (lambda: refused(503, "overloaded"), "server", "overloaded", 2),
    "409": (lambda: refused(409, "conflict"), "server", "conflict", 2),
    "half a body": (cut, "connection", "Connection error", 2),
    "half a JSON": (lambda: Response('{"id":"1","choi', 200, mimetype=JSON), "server", "not JSON", 2),
    "HTML": (lambda: Response("<html>hello</html>", 200), "server", "<html>", 2),
    "no choices": (lambda: whole(choices=[]), "empty", "without choices", 2),
    "nothing": (lambda: said(content=" "), "empty", "nothing", 2),
    "reasoning alone": (lambda: said(reasoning_content="Hm."), "empty", "raise max_tokens", 2),
    "refusal": (lambda: said(refusal="I would rather not."), "refusal", "rather not", 1),
    "images": (lambda: refused(400, "At most 1 image(s) may be provided"), "request", "1 image", 1),
    "too long": (lambda: refused(400, "maximum context length is 4096 tokens"), "too-long", "4096", 1),
    "key": (lambda: refused(401, f"bad {KEY}"), "authentication", "bad <key>", 1),
    "forbidden": (lambda: refused(403, "no access"), "authentication", "no access", 1),
    "not found": (lambda: refused(404, "no model 'tiny'"), "request", "no model", 1),
    "redirect": (lambda: redirect("http://elsewhere.test/v1?key=1", 307), "request", "elsewhere.test/v1;", 1),
}


@pytest.fixture
def server(chat_server: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    return chat_server


def build(server: Any, **options: Any) -> Any:
    """A model that does not wait between its tries."""
    model = build_model("openai", model="tiny", base_url=server.url, **options)
    model.retry = Retry(tries=model.retry.tries, first=0.0)
    return model


def test_pictures_stay_in_their_place(server: Any, world: Any) -> None:
    picture = image_part(world.pictures.picture("00000001"))
    user = Message("user", (TextPart("before"), picture, TextPart("after")))
    answer = build(server).complete([Message("system", (TextPart("rules"),)), user])
    assert answer.text == "Thought: yes\nAction: done"
    assert (answer.usage.calls, answer.usage.images, answer.usage.visual_tokens) == (1, 1, 6)
    system, sent = server.requests[0]["messages"]
    assert system == {"role": "system", "content": "rules"}
    assert [part["type"] for part in sent["content"]] == ["text", "image_url", "text"]
    assert sent["content"][1]["image_url"]["url"].startswith("data:image/png;base64,")
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_errors_by_kind(server: Any, fault: str) -> None:
    server.reply, kind, words, tries = FAULTS[fault]
    with pytest.raises(ModelError) as caught:
        build(server, retries=1).complete(HELLO)
    assert caught.value.kind == kind
    assert words in str(caught.value)
    assert KEY not in str(caught.value)
    assert len(server.requests) == tries
    assert caught.value.__cause__ is None or KEY not in repr(caught.value.__cause__)


def test_a_silent_server_is_not_waited_for_forever(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the connection and says nothing."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        model = build_model("openai", model="tiny", base_url=url, timeout=0.2, retries=0)
        with pytest.raises(ModelError) as caught:
            model.complete(HELLO)
    assert caught.value.kind == "timeout"


@pytest.mark.parametrize(
    ("response", "seconds"),
    [
        (lambda: refused(429, "slow down", **{"Retry-After": "7"}), 7.0),
        (lambda: refused(429, "slow down", **{"retry-after-ms": "1500", "Retry-After": "9"}), 1.5),
        (lambda: refused(429, "slow down", **{"Retry-After": "Wed, 01 Jan 2020 00:00:00 GMT"}), 0.0),
        (lambda: refused(503, "slow down", **{"Retry-After": "2"}), 2.0),
        (lambda: refused(429, 'quota: {"retryDelay": "34s"}'), 34.0),
        (lambda: refused(429, "Please retry in 3.5s."), 3.5),
        (lambda: refused(429, "slow down", **{"Retry-After": "soon"}), None),
    ],
)
def test_what_the_server_asks_to_wait_is_read(server: Any, response: Any, seconds: float | None) -> None:
    server.reply = response
    with pytest.raises(ModelError) as caught:
        build(server).request(HELLO)
    assert caught.value.retry_after == seconds


def test_a_busy_server_is_asked_again_when_it_says(server: Any) -> None:
    answers = iter([refused(429, "busy", **{"Retry-After": "7"}), Response("boom", 502), server.completion()])
    server.reply = lambda: next(answers)
    slept: list[float] = []
    model = build(server)
    model.gate = Gate(8, clock=lambda: sum(slept), sleep=slept.append)
    answer = model.complete(HELLO)
    assert (len(server.requests), answer.usage.tries) == (3, 3)
    assert slept[0] == 7.0
    assert model.gate.allowed == 2


def test_requests_run_at_once(server: Any) -> None:
    """Four callers meet in the server, which answers none before all are there."""
    together = threading.Barrier(4)

    def reply() -> Any:
        together.wait(30)
        return server.completion()

    server.reply = reply
    model = build(server, concurrency=4)
    texts: list[str] = []
    threads = [threading.Thread(target=lambda: texts.append(model.complete(HELLO).text)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(texts) == 4


def test_a_server_that_is_not_there(server: Any) -> None:
    model = build_model("openai", model="tiny", base_url="http://127.0.0.1:9/v1", retries=0)
    with pytest.raises(ModelError) as caught:
        model.complete(HELLO)
    assert caught.value.kind == "connection"


def test_tokens_are_those_the_server_counts(server: Any, world: Any) -> None:
    counted = {"prompt_tokens": 500, "completion_tokens": 20, "total_tokens": 520}
    server.reply = lambda: whole(usage=counted)
    picture = image_part(world.pictures.picture("00000001"))
    usage = build(server).complete([Message("user", (picture, TextPart("x")))]).usage
    assert (usage.visual_tokens, usage.text_tokens, usage.reply_tokens) == (6, 514, 20)
    counted["prompt_tokens"] = 3
    usage = build(server).complete([Message("user", (picture, TextPart("x")))]).usage
    assert (usage.visual_tokens, usage.text_tokens) == (6, 21)


def test_settings_are_sent_and_decide_the_identity(server: Any) -> None:
    options = {"omit": ["temperature"], "max_tokens": 7, "seed": 3, "extra": {"reasoning_effort": "none"}}
    model = build(server, **options)
    model.complete(HELLO)
    body = {key: value for key, value in server.requests[0].items() if key != "messages"}
    assert body == {"model": "tiny", "max_tokens": 7, "seed": 3, "reasoning_effort": "none"}
    assert model.identity() != build(server).identity()
    assert build(server).identity() == build(server, timeout=1.0, retries=0, concurrency=1).identity()
    assert build(server, revision="awq").identity() != build(server).identity()
    assert server.url not in json.dumps(model.identity())
    with pytest.raises(UnknownNameError, match="temprature"):
        build(server, omit=["temprature"])


def test_the_address_may_come_from_the_environment(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        build_model("openai", model="tiny")
    monkeypatch.setenv("MY_SERVER", server.url)
    assert build_model("openai", model="tiny", base_url_env="MY_SERVER").complete(HELLO).text


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://me:hunter2@host/v1", "a user, a password"),
        ("https://host/v1?key=hunter2", "a query"),
        ("ftp://host", "an address such as"),
        ("localhost:8000", "an address such as"),
    ],
)
def test_addresses_with_secrets_or_without_sense_are_refused(server: Any, url: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told) as caught:
        build_model("openai", model="tiny", base_url=url)
    assert "hunter2" not in str(caught.value)


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'recallreach\[openai\]'"):
        build_model("openai", model="tiny")


def test_what_the_assistant_said_is_plain_text() -> None:
    assert content_of(Message("assistant", (TextPart("a"), TextPart("b")))) == "a\nb"


def answered(finish_reason: str = "stop", **message: Any) -> Any:
    said = SimpleNamespace(**({"content": None, "refusal": None} | message))
    return SimpleNamespace(choices=[SimpleNamespace(message=said, finish_reason=finish_reason)])


def test_a_filtered_answer_is_a_refusal() -> None:
    with pytest.raises(ModelError) as caught:
        reply_of(answered("content_filter", content="half an ans"))
    assert caught.value.kind == "refusal"


def test_tool_calls_and_parts_are_read_as_text() -> None:
    called = SimpleNamespace(function=SimpleNamespace(name="click_index", arguments='{"index": 3}'))
    assert parse_reply(reply_of(answered(tool_calls=[called]))).action == Click(3)
    parts = [{"type": "text", "text": "Thought: on"}, {"type": "text", "text": "Action: click_index(3)"}]
    assert parse_reply(reply_of(answered(content=parts))).action == Click(3)
