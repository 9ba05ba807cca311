"""The OpenAI-compatible back-end against `transformers serve` with a tiny random SmolVLM (Idefics3)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recallreach.agents.calls import ModelCalls
from recallreach.agents.costs import image_part
from recallreach.agents.errors import ModelError
from recallreach.agents.loops import browse, recall
from recallreach.agents.models import build_model
from recallreach.agents.preflight import preflight
from recallreach.agents.react import ReActAgent
from recallreach.agents.types import Message
from recallreach.memory.delivery import build_delivery
from recallreach.memory.types import TextPart

pytestmark = pytest.mark.timeout(900)  # the server is a process of its own that imports everything anew

SERVE = """
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name.startswith("torchvision") else find(name, *rest)
from transformers.cli.transformers import main
main()
"""
"""Without torchvision the server reads pictures through Pillow, whichever builds of torch are installed."""


@pytest.fixture(scope="module")
def folder(tiny_model: Callable[[str], Path]) -> Path:
    return tiny_model("SmolVLM-tiny")


@pytest.fixture(scope="module")
def served(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the running server; it tells it in its log once it takes requests."""
    log = tmp_path_factory.mktemp("serve") / "log"
    command = [sys.executable, "-c", SERVE, "serve", str(folder)]
    where = ["--host", "127.0.0.1", "--port", "0", "--device", "cpu"]
    offline = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    with (
        log.open("w") as sink,
        subprocess.Popen(
            [*command, *where], stdout=sink, stderr=subprocess.PIPE, text=True, env=offline
        ) as process,
    ):
        assert process.stderr is not None
        told = []
        try:
            for line in process.stderr:
                told.append(line)
                found = re.search(r"running on (http://127\.0\.0\.1:\d+)", line)
                if found:
                    break
            else:
                pytest.fail("the server did not start:\n" + "".join(told[-20:]))
            # The log goes on; a full pipe would stop the server.
            sink_thread = _drain(process.stderr)
            yield f"{found.group(1)}/v1"
        finally:
            process.terminate()
            process.wait(60)
        sink_thread.join(60)


def _drain(stream: Any) -> threading.Thread:
    thread = threading.Thread(target=stream.read, daemon=True)
    thread.start()
    return thread


@pytest.fixture
def model(served: str, folder: Path) -> Any:
    options = {"model": str(folder), "processor": str(folder), "base_url": served}
    return build_model("openai", **options, max_tokens=1, retries=0)


def test_the_served_model_says_what_it_says_in_process(model: Any, folder: Path) -> None:
    """The same weights, the same request, the most probable token: the same reply."""
    local = build_model("transformers", model=str(folder), max_tokens=1, device="cpu")
    for words in ("M1 a the", "M2 of you and", "Title: Text: Links:"):
        request = [Message("system", (TextPart("you"),)), Message("user", (TextPart(words),))]
        assert model.complete(request) == local.complete(request)


def test_pictures_arrive_and_are_counted(model: Any, folder: Path, world: Any) -> None:
    """The server counts what the model's own processor counts in this process."""
    picture = image_part(world.pictures.picture("00000001"))
    local = build_model("transformers", model=str(folder), max_tokens=1, device="cpu")
    request = [Message("user", (TextPart("M1"), picture, TextPart("Step"), picture))]
    usage = model.complete(request).usage
    assert usage == local.complete(request).usage
    assert (usage.images, usage.visual_tokens, usage.reply_tokens) == (2, 2 * 4, 1)


def test_a_chain_over_http_is_kept_and_replayed(
    model: Any, world: Any, blobs: Any, gold_memory: Any, tmp_path: Path
) -> None:
    memory = gold_memory(0)
    probe = world.probe(memory.records[0].url.rpartition("/")[2], budget=3)
    files = tmp_path / "calls.sqlite", tmp_path / "replies.sqlite"

    def chain(replay: bool) -> tuple[Any, Any, Any]:
        with ModelCalls(*files, replay=replay) as calls:
            agent = calls.govern(ReActAgent(model))
            walked = browse(world.env, agent, world.plan(0, budget=3), seed=0, pictures=blobs)
            delivery = build_delivery("delivermem")
            return walked, recall(world.env, agent, probe, memory, delivery, k=5, seed=0), calls.totals()

    walked, result, totals = chain(replay=False)
    assert (result.status, result.usage.tries, totals.requests) == ("ok", 3, 6)
    assert result.usage.images >= 3 * 5
    again = chain(replay=True)
    assert again[:2] == (walked, result)
    assert (again[2].requests, again[2].cached) == (6, 6)
    assert again[1].usage.cached == 3


def test_the_preflight_sends_several_pictures(model: Any) -> None:
    (check,) = preflight([ReActAgent(model)], k=5)
    assert check.images == 6
    assert check.usage.visual_tokens == 6 * 4


def test_a_model_it_does_not_serve_is_an_error_of_the_request(served: str) -> None:
    model = build_model("openai", model="another", base_url=served, retries=0)
    with pytest.raises(ModelError, match="pinned") as caught:
        model.complete([Message("user", (TextPart("hello"),))])
    assert caught.value.kind == "request"
