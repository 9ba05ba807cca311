"""M2A: an append-only raw log, and a semantic store that a manager keeps (arXiv 2602.07624)."""

from __future__ import annotations

from typing import ClassVar, Self

from recallreach.memory.bank import Bank
from recallreach.memory.parts import Parts
from recallreach.memory.systems.base import BankMemory, Ranking
from recallreach.memory.systems.m2a_manager import Manager, ModelManager, PageManager, Workbench
from recallreach.memory.systems.m2a_search import SemanticSearch
from recallreach.memory.types import Experience, Query


class M2A(BankMemory):
    """Views go into a raw log; when a session ends, the manager turns them into entries of a semantic store.

    An entry has text, caption, picture and the ids of its raw rows (`Record.sources`). Retrieval searches the
    store (`SemanticSearch`) and gives at most 8 entries; `len()` counts entries.

    Args:
        parts: encoders, captioner, and the model that manages; without one, `PageManager` does.
        one_per_page: as in `BankMemory`.

    Attributes:
        bank: the semantic store.
        log: the raw log.
    """

    name: ClassVar[str] = "m2a"
    default_delivery: ClassVar[str] = "caption+pixels"

    def __init__(self, parts: Parts, *, one_per_page: bool = False) -> None:
        super().__init__(parts, one_per_page=one_per_page)
        self.log = Bank()
        self._managed = 0
        self._search = SemanticSearch(parts)
        self._manager: Manager = PageManager() if parts.model is None else ModelManager(parts.model)

    def end_session(self) -> None:
        """Let the manager work through what is new; the store changes only when it is done.

        Raises:
            ReplyError: the model's replies cannot be used.
            RecallReachError: the model gave none.
        """
        new = [self.log[position] for position in range(self._managed, len(self.log))]
        if not new:
            return
        draft = self.bank.fork()
        self._manager.manage(Workbench(draft, self.log, self.parts, self._search), new)
        self.bank, self._managed = draft, len(self.log)

    def fork(self) -> Self:
        """An independent continuation in O(1)."""
        twin = super().fork()
        twin.log = self.log.fork()
        return twin

    def _store(self, experience: Experience) -> None:
        self.log.append(experience, {}, text=experience.text, caption=self._captioned(experience))

    def _rank(self, query: Query) -> Ranking:
        return self._search.rank(self.bank, query.retrieval_text)
