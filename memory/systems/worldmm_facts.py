"""The semantic memory of WorldMM: triples, merged where they say the same, ranked by PageRank.

Source: arXiv 2512.02425.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import networkx
import numpy as np

from recallreach.memory.bank import Bank
from recallreach.memory.parts import Parts
from recallreach.memory.retrieval import Scores, top_k
from recallreach.memory.systems.base import VERBAL
from recallreach.memory.types import Experience, Record, Vectors

MERGE, DAMPING, TOP = 0.6, 0.85, 20
_SEPARATOR = " | "


class Triple(NamedTuple):
    """Subject, relation, object."""

    subject: str
    relation: str
    object: str

    @property
    def sentence(self) -> str:
        """The triple as its text is embedded."""
        return " ".join(self)

    @classmethod
    def of(cls, fact: Record) -> Triple:
        """The triple that a record of the fact bank holds."""
        subject, relation, thing = fact.text.split(_SEPARATOR)
        return cls(subject, relation, thing)

    @classmethod
    def clean(cls, *fields: str) -> Triple:
        """A triple of trimmed one-line fields.

        Raises:
            ValueError: a field is empty.
        """
        subject, relation, thing = (" ".join(field.replace("|", "/").split()) for field in fields)
        if not (subject and relation and thing):
            raise ValueError("a fact needs a subject, a relation and an object")
        return cls(subject, relation, thing)


Same = Callable[[Triple, Triple], bool]
"""Whether a new triple says the same as one that is known."""


class Facts:
    """Triples with the ids of the views that state them, and the phrases they connect.

    Args:
        parts: the text encoder.

    Attributes:
        bank: one record a triple; `sources` are ids of views.
        phrases: one record a distinct subject or object.
    """

    def __init__(self, parts: Parts) -> None:
        self._encode = parts.text_encoder.encode_texts
        self.bank, self.phrases = Bank(), Bank()
        self._state: object = None
        self._graph: Any = None

    def fork(self) -> Facts:
        """An independent continuation in O(1)."""
        twin = object.__new__(Facts)
        twin.__dict__.update(self.__dict__)
        twin.bank, twin.phrases = self.bank.fork(), self.phrases.fork()
        return twin

    def learn(self, stated: Sequence[tuple[Record, Triple]], same: Same) -> None:
        """Add what views state.

        A triple whose text has a cosine of at least 0.6 with known ones is shown to `same` beside each of
        them, nearest first; where it says the same, the known one gains the view as a source, else it is new.
        """
        grown: dict[int, list[int]] = {}
        phrases = {record.text for record in self.phrases}
        for view, triple in stated:
            row: Vectors = self._encode([triple.sentence])[0]
            known = self._match(triple, row, same)
            if known is None:
                self._add(triple, row, view.id, phrases)
            else:
                grown.setdefault(known, []).append(view.id)
        self._rewrite(grown)

    def rank(self, query: str) -> list[tuple[Record, float]]:
        """The best 20 triples: PageRank of subject + of object, restarted at phrases near the query."""
        if not len(self.bank):
            return []
        ranks = self._page_rank(query)
        triples = [Triple.of(fact) for fact in self.bank]
        scores = np.array([ranks[_key(one.subject)] + ranks[_key(one.object)] for one in triples])
        return [(self.bank[int(place)], float(scores[place])) for place in top_k(scores, TOP)]

    def view_scores(self, query: str, views: Bank) -> Scores:
        """(len(views),): the sum of the scores of the best triples that a view states."""
        scores = np.zeros(len(views))
        for fact, score in self.rank(query):
            for number in fact.sources:
                scores[views.position(number)] += score
        return scores

    def _match(self, triple: Triple, row: Vectors, same: Same) -> int | None:
        cosines = self.bank.cosine(VERBAL, row)
        near = np.flatnonzero(cosines >= MERGE)
        for place in near[np.argsort(-cosines[near], kind="stable")]:
            fact = self.bank[int(place)]
            if same(triple, Triple.of(fact)):
                return fact.id
        return None

    def _add(self, triple: Triple, row: Vectors, view: int, phrases: set[str]) -> None:
        self.bank.append(_NOWHERE, {VERBAL: row}, text=_SEPARATOR.join(triple), sources=(view,))
        for phrase in (_key(triple.subject), _key(triple.object)):
            if phrase not in phrases:
                self.phrases.append(_NOWHERE, {VERBAL: self._encode([phrase])[0]}, text=phrase)
                phrases.add(phrase)

    def _rewrite(self, grown: dict[int, list[int]]) -> None:
        """Replace facts by themselves with more sources, all at once: each deletion copies the bank."""
        old = [self.bank[self.bank.position(number)] for number in grown]
        rows = [self.bank.vectors(VERBAL)[self.bank.position(fact.id)].copy() for fact in old]
        self.bank.delete([fact.id for fact in old])
        for fact, row in zip(old, rows, strict=True):
            sources = tuple(dict.fromkeys([*fact.sources, *grown[fact.id]]))
            self.bank.append(_NOWHERE, {VERBAL: row}, text=fact.text, sources=sources)

    def _page_rank(self, query: str) -> dict[str, float]:
        if self.bank.state != self._state:
            self._state, self._graph = self.bank.state, self._connected()
        near = np.maximum(self.phrases.cosine(VERBAL, self._encode([query])[0]), 0.0)
        start = {record.text: float(value) for record, value in zip(self.phrases, near, strict=True)}
        personal = start if near.any() else None
        ranks: dict[str, float] = networkx.pagerank(self._graph, alpha=DAMPING, personalization=personal)
        return ranks

    def _connected(self) -> Any:
        graph = networkx.Graph()
        graph.add_nodes_from(record.text for record in self.phrases)
        for fact in self.bank:
            triple = Triple.of(fact)
            graph.add_edge(_key(triple.subject), _key(triple.object))
        return graph


_NOWHERE = Experience("", "", "", None, 0, 0)


def _key(phrase: str) -> str:
    return phrase.casefold()
