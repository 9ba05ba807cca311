"""Models in this process: two families go through a whole chain on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from recallreach.agents.check import check_agent
from recallreach.agents.costs import image_part
from recallreach.agents.errors import ModelError
from recallreach.agents.loops import browse, recall, remember
from recallreach.agents.models import build_model
from recallreach.agents.models.local import load_processor
from recallreach.agents.patches import qwen_tokens
from recallreach.agents.preflight import preflight
from recallreach.agents.react import ReActAgent
from recallreach.agents.registry import build_agent
from recallreach.agents.types import Message
from recallreach.env.actions import parse_reply
from recallreach.env.types import Invalid
from recallreach.errors import ConfigError
from recallreach.memory.delivery import build_delivery
from recallreach.memory.types import ImagePart, TextPart

TOKENS = {"Qwen2.5-VL-tiny": 2 * 3, "SmolVLM-tiny": 4}
"""Of a picture of 56 x 84 pixels."""


@pytest.fixture(params=TOKENS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def options(folder: Path, **changes: Any) -> dict[str, Any]:
    return {"model": str(folder), "max_tokens": 1, "temperature": 1.0, "device": "cpu", **changes}


def hello(*parts: Any) -> list[Message]:
    return [Message("system", (TextPart("you"),)), Message("user", (*parts, TextPart("Step a")))]


def test_a_whole_chain(
    name: str, tiny_model: Callable[[str], Path], world: Any, blobs: Any, list_memory: Any
) -> None:
    """It browses a session, a script the next one, both are remembered, and it answers a probe."""
    agent = build_agent("react", model="transformers", model_options=options(tiny_model(name)))
    (check,) = preflight([agent], k=2)
    assert check.images == 3
    plan = world.plan(0, budget=4)
    walked = browse(world.env, agent, plan, seed=0, pictures=blobs)
    assert len(walked.steps) == 5
    assert not any(isinstance(parse_reply(step.reply).action, Invalid) for step in walked.steps[1:])
    memory = list_memory()
    remember(memory, walked, blobs)
    remember(memory, replace(world.session(1, blobs), plan=replace(plan, index=1)), blobs)
    product = memory.records[-1].url.rpartition("/")[2]
    probe = world.probe(product, session=1, first_seen=1, last_seen=1, budget=3)
    result = recall(world.env, agent, probe, memory, build_delivery("delivermem"), k=2, seed=0)
    assert (result.status, len(result.turns)) == ("ok", 3)
    assert result.usage.calls == 3
    pages = result.usage.images - 3 * 2
    assert 0 <= pages <= 3
    assert result.usage.visual_tokens == TOKENS[name] * result.usage.images
    assert result.usage.reply_tokens == 3


def test_tokens_are_counted_by_the_models_own_processor(
    name: str, tiny_model: Callable[[str], Path], world: Any
) -> None:
    model = build_model("transformers", **options(tiny_model(name)))
    picture = image_part(world.pictures.picture("00000001"))
    usage = model.complete(hello(picture, TextPart("M1"), picture)).usage
    assert (usage.images, usage.visual_tokens) == (2, 2 * TOKENS[name])
    assert model.patch_rule(picture.width, picture.height) == TOKENS[name]
    more = model.complete(hello(picture, TextPart("M1 a the"), picture)).usage
    assert more.text_tokens == usage.text_tokens + 2


def test_the_rule_of_the_family_is_the_processors(tiny_model: Callable[[str], Path]) -> None:
    model = build_model("transformers", **options(tiny_model("Qwen2.5-VL-tiny")))
    limits = {"fewest": 56 * 56, "most": 28 * 28 * 1280}
    for size in ((56, 84), (512, 512), (300, 500), (28, 28), (1300, 1200)):
        assert model.patch_rule(*size) == qwen_tokens(*size, **limits)


def test_the_same_request_gives_the_same_reply(tiny_model: Callable[[str], Path]) -> None:
    """Sampled or not; the seed and the request decide, and the draws of others are left alone."""
    folder = tiny_model("SmolVLM-tiny")
    one, other = (build_model("transformers", **options(folder, seed=seed)) for seed in (0, 1))
    requests = [hello(TextPart(f"M1 {'a ' * number}")) for number in range(6)]
    state = torch.random.get_rng_state()
    texts = [one.complete(request).text for request in requests]
    assert torch.equal(state, torch.random.get_rng_state())
    assert texts == [one.complete(request).text for request in reversed(requests)][::-1]
    assert texts != [other.complete(request).text for request in requests]
    assert one.identity() != other.identity()
    greedy = build_model("transformers", **options(folder, temperature=0.0))
    assert greedy.complete(requests[0]) == greedy.complete(requests[0])


def test_it_keeps_the_contract_of_agents(tiny_model: Callable[[str], Path]) -> None:
    model = build_model("transformers", **options(tiny_model("SmolVLM-tiny")))
    check_agent(lambda: ReActAgent(model))


def test_a_request_that_is_too_long_is_told(tiny_model: Callable[[str], Path]) -> None:
    model = build_model("transformers", **options(tiny_model("SmolVLM-tiny")))
    with pytest.raises(ModelError, match=r"context of 8192; lower k") as caught:
        model.complete(hello(TextPart("a " * 9000)))
    assert caught.value.kind == "too-long"


def test_memory_that_runs_out_is_an_error_of_the_call(
    tiny_model: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    model: Any = build_model("transformers", **options(tiny_model("SmolVLM-tiny")))

    def full(**_: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")

    monkeypatch.setattr(model._network, "generate", full)
    with pytest.raises(ModelError, match="out of memory") as caught:
        model.complete(hello())
    assert caught.value.kind == "memory"


def test_weights_that_change_are_another_model(tiny_model: Callable[[str], Path], tmp_path: Path) -> None:
    first = build_model("transformers", **options(tiny_model("SmolVLM-tiny"))).identity()
    folder = tiny_model("SmolVLM-tiny")
    copy = tmp_path / folder.name
    copy.mkdir()
    for file in folder.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    assert build_model("transformers", **options(copy)).identity()["weights"] != first["weights"]


def test_what_cannot_be_loaded_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    for changes in ({"model": str(tmp_path)}, {"temperature": -1.0}, {"max_tokens": 0}):
        with pytest.raises(ConfigError):
            build_model("transformers", **{**options(tmp_path), **changes})
    with pytest.raises(ConfigError, match="no image token"):
        load_processor(str(tmp_path))


def test_a_processor_counts_for_a_server(
    tiny_model: Callable[[str], Path], chat_server: Any, world: Any
) -> None:
    folder = tiny_model("SmolVLM-tiny")
    model = build_model("openai", model="unknown", base_url=chat_server.url, processor=str(folder))
    picture = image_part(world.pictures.picture("00000001"))
    assert isinstance(picture, ImagePart)
    assert model.complete(hello(picture)).usage.visual_tokens == TOKENS["SmolVLM-tiny"]
