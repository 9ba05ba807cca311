"""No key, header or account name stands in anything that a run writes or says, also after a failed login."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, Response, request
from werkzeug.serving import make_server

from recallreach.agents.redaction import redacted
from recallreach.errors import RecallReachError
from recallreach.study.config import StudyConfig
from recallreach.study.run import run_study

KEY = "sk-proj-AbCdEf0123456789SeCrEt"
SECRETS = (KEY, "AbCdEf0123456789", "org-Acme12345", "acme-tenant-7", "ada@acme.example", "Bearer")
SAID = (
    f"Incorrect API key provided: {KEY}. Header Authorization: Bearer {KEY} of organization org-Acme12345, "
    "project acme-tenant-7, account ada@acme.example. https://ada:hunter2hunter2@host/v1?key=AbCdEf0123456789"
)


class Server:
    """Echoes the caller's headers in every refusal; answers when `open` is set."""

    def __init__(self) -> None:
        self.open, self.status = False, 401
        app = Flask("echo")
        app.add_url_rule("/v1/chat/completions", "chat", self._chat, methods=["POST"])
        self.http = make_server("127.0.0.1", 0, app, threaded=True)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"

    def _chat(self) -> Any:
        if self.open:
            message = {"role": "assistant", "content": "Thought: on\nAction: done"}
            return {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
        told = {"error": {"message": f"{SAID} {dict(request.headers)}"}}
        return Response(
            json.dumps(told), self.status, {"x-org": "org-Acme12345"}, mimetype="application/json"
        )


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("SECRET_KEY_OF_THE_TEST", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-Acme12345")
    running = Server()
    thread = threading.Thread(target=running.http.serve_forever, daemon=True)
    thread.start()
    yield running
    running.http.shutdown()
    thread.join()
    running.http.server_close()


def study(server: Server, out: Path) -> StudyConfig:
    model = {"model": "tiny", "base_url": server.url, "api_key_env": "SECRET_KEY_OF_THE_TEST", "retries": 0}
    agent = {"name": "react", "model": "openai", "model_options": model}
    values = {
        "name": "secrets",
        "chains": 1,
        "sessions": 1,
        "probes": 1,
        "transport": "in_process",
        "memories": ["no-memory"],
        "agent": agent,
        "out": str(out),
        "catalog": {"categories": 1, "styles": 3, "variants": 4},
    }
    return StudyConfig.parse(values)


def written(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def assert_clean(content: bytes, where: object) -> None:
    for secret in SECRETS:
        assert secret.encode() not in content, f"{secret} stands in {where}"


def test_a_run_writes_and_says_no_secret(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """First the login fails, then the run begins and the server fails in its middle, then it ends well."""
    caplog.set_level(logging.INFO)
    config = study(server, tmp_path)
    with pytest.raises(RecallReachError, match="api_key_env") as caught:
        run_study(config)
    assert_clean(str(caught.value).encode(), "the error")
    server.open = True
    run_study(config)
    files = written(tmp_path)
    assert any(path.name == "results.sqlite" for path in files)
    assert any(path.name == "report.html" for path in files)
    for path, content in files.items():
        assert_clean(content, path)
    assert_clean(caplog.text.encode(), "the log")
    assert_clean("".join(capfd.readouterr()).encode(), "the output")


def test_an_error_probe_tells_no_secret(server: Server, tmp_path: Path) -> None:
    """The server answers the preflight and fails from then on, so that every probe is an error."""
    config = study(server, tmp_path)
    left = iter([True])
    shut = server._chat

    def chat() -> Any:
        server.open = next(left, False)
        return shut()

    server.http.app.view_functions["chat"] = chat  # type: ignore[attr-defined]
    server.status = 403
    try:
        run_study(config)
    except RecallReachError as error:
        assert_clean(str(error).encode(), "the error")
    files = written(tmp_path)
    assert any(b"Incorrect API key provided" in content for content in files.values())
    for path, content in files.items():
        assert_clean(content, path)


def test_what_looks_private_is_taken_out() -> None:
    told = redacted(SAID, [KEY])
    for secret in (*SECRETS[:-1], "hunter2hunter2"):
        assert secret not in told
    assert "Incorrect API key provided: <key>" in told
    assert redacted("At most 1 image(s)\nmay be provided in one prompt") == (
        "At most 1 image(s) may be provided in one prompt"
    )
    assert redacted("quota of project 12345678 is spent") == "quota of project <account> is spent"
    assert len(redacted("x" * 5000)) == 300
