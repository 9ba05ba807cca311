"""The pages on memory and plug-ins say what is there, and their code runs."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from recallreach.memory.captioners import captioners
from recallreach.memory.check import check_memory
from recallreach.memory.encoders import encoders, text_encoders
from recallreach.memory.systems import memories

DOCS = Path(__file__).parents[2] / "docs"
MEMORY, PLUGINS = ((DOCS / name).read_text(encoding="utf-8") for name in ("memory.md", "plugins.md"))


def _code(text: str, first: str) -> str:
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    return next(block for block in blocks if first in block)


def test_the_memory_of_the_page_keeps_its_contract() -> None:
    scope: dict[str, Any] = {"__name__": "page"}
    exec(_code(PLUGINS, "class Titles"), scope)
    check_memory(scope["Titles"])
    lines = [line for line in _code(PLUGINS, "class Titles").splitlines() if line.strip()]
    assert len(lines) <= 12


@pytest.mark.parametrize("registry", [memories, encoders, text_encoders, captioners])
def test_every_name_is_told(registry: Any) -> None:
    for name in registry.names():
        assert f"`{name}`" in MEMORY


def test_every_option_of_a_memory_is_told() -> None:
    for name in memories.names():
        for option in list(inspect.signature(memories.factory(name)).parameters)[1:]:
            assert f"`{option}`" in MEMORY, (name, option)


@pytest.mark.parametrize("page", ["memory.md", "plugins.md"])
def test_links_lead_somewhere(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        assert (DOCS / target).exists(), target


def test_every_entry_point_group_is_told() -> None:
    for registry in (memories, encoders, text_encoders, captioners):
        assert f"`{registry.group}`" in PLUGINS
