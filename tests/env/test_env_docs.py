"""The pages' own Python runs, and what their tables list is what there is."""

import re
import urllib.request
from pathlib import Path

import pytest

from recallreach.env.spaces import observation_space
from recallreach.env.store_env import StoreEnv

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.S | re.M)


def blocks(page: str) -> list[str]:
    return BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))


def lines_of(block: str) -> int:
    return len([line for line in block.splitlines() if line.strip()])


def test_the_environment_in_twelve_lines(capsys: pytest.CaptureFixture[str]) -> None:
    first = blocks("environment.md")[0]
    assert lines_of(first) <= 12
    exec(compile(first, "environment.md", "exec"), {"__name__": "docs"})
    goal, end = capsys.readouterr().out.splitlines()
    assert goal.startswith("On an earlier visit")
    assert re.fullmatch(r"/product/([0-9a-f]{8}) \1 [01]\.0", end)


@pytest.mark.browser
def test_a_shop_of_your_own(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(blocks("environment.md")[1], "environment.md", "exec"), {"__name__": "docs"})
    title, size = capsys.readouterr().out.rsplit(maxsplit=1)
    assert title == "Search – Tarnwell"
    assert int(size) > 1_000


def test_the_shop_of_the_shops_page_is_open_until_enter_is_pressed(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[int] = []

    def enter(prompt: str) -> str:
        (url,) = re.findall(r"http://127.0.0.1:\d+", prompt)
        with urllib.request.urlopen(f"{url}/category/chair", timeout=30) as answer:
            answers.append(answer.status)
        return ""

    (block,) = blocks("shop.md")
    assert "port=8321" in block
    monkeypatch.setattr("builtins.input", enter)
    exec(compile(block.replace("8321", "0"), "shop.md", "exec"), {"__name__": "docs"})
    assert answers == [200]


def test_the_agent_of_the_page_passes_the_check() -> None:
    (agent,) = blocks("writing-an-agent.md")
    exec(compile(agent, "writing-an-agent.md", "exec"), {"__name__": "docs"})


def test_the_tables_name_every_observation_info_and_mode() -> None:
    page = (DOCS / "environment.md").read_text(encoding="utf-8")
    rows = " ".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| "))
    named = set(re.findall(r"`\"?(\w+)\"?`", rows))
    infos = {
        "observation",
        "action",
        "problems",
        "graded",
        "correct",
        "invalid_actions",
        "early_endings",
        "timings",
    }
    assert (
        set(observation_space(pixels=True).spaces) | infos | set(StoreEnv.metadata["render_modes"]) <= named
    )
