"""A recall says whether the target was stored at all."""

from __future__ import annotations

from typing import Any

import pytest

from recallreach.agents.loops import recall
from recallreach.agents.results import RecallResult
from recallreach.agents.types import Turn
from recallreach.memory.delivery import build_delivery


class Silent:
    """Ends at once."""

    name = "silent"

    def begin(self, goal: str, seed: int) -> None:
        """Nothing to prepare."""

    def act(self, observation: object, delivered: object) -> Turn:
        """Done."""
        return Turn("Thought: nothing.\nAction: done")


@pytest.mark.parametrize(("k", "listed", "stored"), [(5, False, True), (0, True, True), (0, False, None)])
def test_stored_is_known_from_the_hits_or_from_the_bank(
    world: Any, gold_memory: Any, k: int, listed: bool, stored: bool | None
) -> None:
    memory = gold_memory(rank=1)
    target = memory.records[7].url.rpartition("/")[2]
    if listed:
        memory.bank = memory.records
    found = recall(world.env, Silent(), world.probe(target), memory, build_delivery("nothing"), k=k, seed=1)
    assert found.stored is stored
    assert RecallResult.from_json(found.to_json()) == found


def test_a_bank_without_the_page_did_not_store_it(world: Any, gold_memory: Any) -> None:
    memory = gold_memory(rank=1)
    target = memory.records[7].url.rpartition("/")[2]
    memory.bank = [record for record in memory.records if not record.url.endswith(target)]
    found = recall(world.env, Silent(), world.probe(target), memory, build_delivery("nothing"), k=0, seed=1)
    assert found.stored is False
