from __future__ import annotations

from typing import Any

import pytest

from recallreach.agents.costs import image_part
from recallreach.agents.errors import ModelError
from recallreach.agents.loops import browse, recall
from recallreach.agents.models import build_model
from recallreach.agents.models.scripted import ScriptedModel
from recallreach.agents.prompting import load_prompts
from recallreach.agents.react import FORGOTTEN, ReActAgent
from recallreach.agents.types import Message
from recallreach.env.types import Link, Observation
from recallreach.errors import ConfigError, UnknownNameError
from recallreach.memory.delivery import build_delivery
from recallreach.memory.errors import PictureError
from recallreach.memory.types import Delivered, ImagePart, TextPart

LINKS = (Link(0, "Home", "/", "home"), Link(1, "Chairs", "/category/chair", "category"))


def page(world: Any, number: int = 0, **changes: Any) -> Observation:
    product = list(world.catalog)[number]
    facts = {"text": "A $5 chair with ${braces}.", "links": LINKS, "budget": 9, "step": number}
    picture = world.pictures.picture(product.id)
    return Observation(f"/product/{product.id}", product.title, picture=picture, **(facts | changes))


def text(message: Message) -> str:
    return "\n".join(part.text for part in message.parts if isinstance(part, TextPart))


def images(message: Message) -> list[ImagePart]:
    return [part for part in message.parts if isinstance(part, ImagePart)]


def test_the_page_is_shown_as_it_is(world: Any) -> None:
    agent = ReActAgent(ScriptedModel(["Action: done"]))
    agent.begin("Buy a chair.", 0)
    observation = page(world, message="There is no link 99.")
    system, user = agent.messages(observation, None)
    assert system.role == "system"
    assert "open(M1)" not in text(system)
    for shown in (
        "Buy a chair.",
        "A $5 chair with ${braces}.",
        "[1] Chairs (/category/chair)",
        "There is no link 99.",
    ):
        assert shown in text(user)
    (image,) = images(user)
    assert (image.data, image.width, image.height) == (observation.picture, 56, 84)


def test_memory_is_interleaved_and_shown_once(world: Any, gold_memory: Any) -> None:
    memory = gold_memory(0)
    model = ScriptedModel(["Thought: M2\nAction: open(M2)", "Thought: yes\nAction: add_to_wishlist"])
    product = memory.records[0].url.rpartition("/")[2]
    delivery = build_delivery("caption+pixels")
    result = recall(world.env, ReActAgent(model), world.probe(product), memory, delivery, seed=0)
    assert result.status == "ok"
    first, second = model.calls
    assert "open(M1)" in text(first[0])
    parts = first[1].parts
    places = [i for i, part in enumerate(parts) if isinstance(part, ImagePart)]
    assert len(places) == 5
    lines = [parts[i - 1].text for i in places]
    assert [line.split()[0] for line in lines] == ["M1", "M2", "M3", "M4", "M5"]
    assert second[1] == first[1]
    assert [message.role for message in second] == ["system", "user", "assistant", "user"]
    assert len(images(second[3])) == 1
    assert result.usage.images == 5 + 6
    assert result.usage.calls == 2


def test_an_empty_memory_is_said(world: Any) -> None:
    agent = ReActAgent(ScriptedModel([]))
    agent.begin("Find it.", 0)
    system, user = agent.messages(page(world), Delivered())
    assert "nothing was found" in text(user)
    assert "open(M1)" not in text(system)


@pytest.mark.parametrize(("kept", "counts"), [(1, [0, 0, 1]), (2, [0, 1, 1]), (9, [1, 1, 1]), (0, [0, 0, 0])])
def test_old_page_pictures_leave_the_prompt(world: Any, kept: int, counts: list[int]) -> None:
    model = ScriptedModel(lambda messages: "Thought: on\nAction: back")
    agent = ReActAgent(model, page_pictures=kept)
    agent.begin("Buy a chair.", 0)
    for number in range(3):
        agent.act(page(world, number))
    users = [message for message in model.calls[-1] if message.role == "user"]
    assert [len(images(user)) for user in users] == counts
    assert [text(user).count(FORGOTTEN) for user in users] == [1 - count for count in counts]
    assert len(model.calls[-1]) == 6


def test_begin_wipes_the_context(world: Any) -> None:
    model = ScriptedModel(lambda messages: "Action: back")
    agent = ReActAgent(model)
    for goal in ("First errand.", "Second errand."):
        agent.begin(goal, 0)
        agent.act(page(world))
    assert len(model.calls[-1]) == 2
    assert "First errand." not in text(model.calls[-1][1])


def test_screenshots_are_optional(world: Any) -> None:
    shot = world.pictures.picture("00000001")
    for wanted, count in ((True, 2), (False, 1)):
        agent = ReActAgent(ScriptedModel([]), screenshots=wanted)
        agent.begin("Buy.", 0)
        assert len(images(agent.messages(page(world, screenshot=shot), None)[1])) == count


def test_a_model_error_is_an_error_of_the_probe(world: Any, list_memory: Any) -> None:
    agent = ReActAgent(
        ScriptedModel(["Thought: a\nAction: back", ModelError("refusal", "I cannot help with that")])
    )
    product = next(iter(world.catalog)).id
    result = recall(world.env, agent, world.probe(product), list_memory(), build_delivery("nothing"), seed=0)
    assert (result.status, result.kind, len(result.turns)) == ("error", "refusal", 1)


def test_a_script_that_ends_says_so() -> None:
    model = build_model("scripted", replies=["one"])
    assert model.complete([]).text == "one"
    with pytest.raises(ModelError, match="1 replies") as caught:
        model.complete([])
    assert caught.value.kind == "exhausted"


def test_a_whole_session_can_be_browsed(world: Any, blobs: Any) -> None:
    replies = ["Thought: go\nAction: navigate(/category/chair)", "Thought: ok\nAction: back", "I am confused"]
    model = ScriptedModel([*replies, "Thought: enough\nAction: done"])
    trajectory = browse(world.env, ReActAgent(model), world.plan(0, budget=4), seed=0, pictures=blobs)
    assert [step.url for step in trajectory.steps] == ["/", "/category/chair", "/", "/", "/"]
    assert trajectory.steps[3].message in text(model.calls[3][-1])


def test_prompts_are_versioned_by_content() -> None:
    prompts = load_prompts()
    name, _, digest = prompts.version.rpartition("-")
    assert name == prompts.name == "react-1"
    assert len(digest) == 8
    with pytest.raises(UnknownNameError, match="react-1"):
        load_prompts("react-7")


def test_unusable_options_and_pictures_are_named() -> None:
    with pytest.raises(ConfigError, match="page_pictures"):
        ReActAgent(ScriptedModel([]), page_pictures=-1)
    with pytest.raises(PictureError, match="9 bytes"):
        image_part(b"no image!")
