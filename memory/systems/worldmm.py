"""WorldMM: episodic, semantic and visual memory, read in rounds (arXiv 2512.02425)."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from recallreach.memory.bank import Bank
from recallreach.memory.fusion import fuse_lists
from recallreach.memory.parts import Parts
from recallreach.memory.retrieval import Scores
from recallreach.memory.systems.base import VERBAL, BankMemory, Ranking, said
from recallreach.memory.systems.m2a_search import best
from recallreach.memory.systems.ports import EPISODIC, LOOKS, SEMANTIC
from recallreach.memory.systems.worldmm_facts import Facts
from recallreach.memory.systems.worldmm_writer import Round, mind_of
from recallreach.memory.tiles import TiledChannel
from recallreach.memory.types import Experience, Query, Record

SESSION, CHAIN = "session", "chain"


class WorldMM(BankMemory):
    """Three memories of the same views; a reader asks one of them a round and stops when it has enough.

    - Episodic: texts of three scales, the view itself, a summary of its session and one of the chain. A view
      scores the mean of the three cosines with what is asked.
    - Semantic: triples (`worldmm_facts.Facts`); a view scores the sum over the best 20 that it states.
    - Visual: cosine of its picture.

    A round gives the best 10 views of a module; views are ranked by reciprocal rank (k = 60) over the rounds,
    at most 5. Views of a session that is not over have no summary and no triples yet.

    Args:
        parts: encoders, captioner, and the model that summarises, extracts and reads; without one,
            `worldmm_writer.RuleMind` does.
        one_per_page: as in `BankMemory`.

    Attributes:
        bank: views.
        episodes: summaries; their title is the scale, their sources are ids of views.
        facts: triples.
    """

    name: ClassVar[str] = "worldmm"
    default_delivery: ClassVar[str] = "caption+pixels"

    ROUNDS, A_ROUND, RRF_K = 5, 10, 60.0

    def __init__(self, parts: Parts, *, one_per_page: bool = False) -> None:
        super().__init__(parts, one_per_page=one_per_page)
        self.visual = TiledChannel(parts.encoder)
        self.episodes, self.facts = Bank(), Facts(parts)
        self._mind = mind_of(parts.model)
        self._condensed = 0

    def end_session(self) -> None:
        """Summarise the session and the chain, and learn what its views state; all or nothing.

        Raises:
            ReplyError: the model's replies cannot be used.
            RecallReachError: the model gave none.
        """
        new = [self.bank[position] for position in range(self._condensed, len(self.bank))]
        if not new:
            return
        episodes, facts = self.episodes.fork(), self.facts.fork()
        self._summarise(episodes, new)
        facts.learn([(view, triple) for view in new for triple in self._mind.triples(view)], self._mind.same)
        self.episodes, self.facts, self._condensed = episodes, facts, len(self.bank)

    def fork(self) -> Self:
        """An independent continuation in O(1)."""
        twin = super().fork()
        twin.episodes, twin.facts = self.episodes.fork(), self.facts.fork()
        return twin

    def _store(self, experience: Experience) -> None:
        assert experience.picture is not None
        caption = self._captioned(experience)
        vectors = self.visual.vectors(experience.picture)
        vectors[VERBAL] = self._text_vector(said(experience, caption))
        self.bank.append(experience, vectors, text=experience.text, caption=caption)

    def _summarise(self, episodes: Bank, new: list[Record]) -> None:
        told = [f"{view.title}: {view.caption}" for view in new]
        self._add_episode(episodes, SESSION, self._mind.summary(told), new)
        sessions = [episode.text for episode in episodes if episode.title == SESSION]
        episodes.delete([episode.id for episode in episodes if episode.title == CHAIN])
        self._add_episode(episodes, CHAIN, self._mind.summary(sessions), list(self.bank))

    def _add_episode(self, episodes: Bank, scale: str, text: str, views: list[Record]) -> None:
        last = views[-1]
        place = Experience("", scale, "", None, last.session, last.step, last.seen_at)
        sources = tuple(view.id for view in views)
        episodes.append(place, {VERBAL: self._text_vector(text)}, text=text, sources=sources)

    def _rank(self, query: Query) -> Ranking:
        past: list[Round] = []
        rounds: list[list[int]] = []
        channels: dict[str, Scores] = {}
        while len(past) < self.ROUNDS:
            found = [[self.bank[place] for place in places] for places in rounds]
            asked = self._mind.next_round(query.text, past, found)
            if asked is None:
                break
            scores = self._module(*asked)
            channels[asked[0]] = scores
            rounds.append(best(scores, self.A_ROUND, scores > 0))
            past.append(asked)
        fused = fuse_lists(rounds, len(self.bank), self.RRF_K)
        return Ranking(fused, channels, listed=fused > 0)

    def _module(self, module: str, asked: str) -> Scores:
        if module == SEMANTIC:
            return self.facts.view_scores(asked, self.bank)
        if module == LOOKS:
            return self.visual.score(self.bank, self.parts.encoder.encode_texts([asked])[0])[0]
        assert module == EPISODIC
        return self._episodic(asked)

    def _episodic(self, asked: str) -> Scores:
        wanted = self._text_vector(asked)
        total = self.bank.cosine(VERBAL, wanted).copy()
        cosines = self.episodes.cosine(VERBAL, wanted)
        for episode, cosine in zip(self.episodes, cosines, strict=True):
            total[np.array([self.bank.position(number) for number in episode.sources], np.intp)] += cosine
        return total / 3.0
