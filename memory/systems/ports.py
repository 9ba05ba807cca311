"""Other systems as ported in the code of DMV-Bench (arXiv 2606.27499): scores alone, no model that manages.

Where the published rules leave something open, docs/memory.md says what was chosen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from recallreach.memory.fusion import by_largest, weighted
from recallreach.memory.lexical import Bm25, overlap, overlaps, record_text
from recallreach.memory.parts import Parts
from recallreach.memory.retrieval import Scores
from recallreach.memory.systems.base import VERBAL, BankMemory, Ranking, said
from recallreach.memory.tiles import TiledChannel
from recallreach.memory.types import Experience, Query, Record, Vectors

VISUAL, LEXICAL, OVERLAP = "visual", "bm25", "overlap"


class M2ADmv(BankMemory):
    """M2A as ported: token overlap, BM25 and picture, each divided by its largest absolute value.

    score = 0.35 overlap + 0.25 BM25 (k1 1.5, b 0.75) + 0.40 cosine of picture and retrieval text; the text of
    a record is page text and caption.
    """

    name: ClassVar[str] = "m2a-dmv"
    default_delivery: ClassVar[str] = "caption+pixels"

    OVERLAP_WEIGHT, LEXICAL_WEIGHT, VISUAL_WEIGHT = 0.35, 0.25, 0.40

    def __init__(self, parts: Parts, *, one_per_page: bool = False) -> None:
        super().__init__(parts, one_per_page=one_per_page)
        self.visual = TiledChannel(parts.encoder)
        self._lexical = Bm25()

    def _store(self, experience: Experience) -> None:
        assert experience.picture is not None
        caption, text = self._captioned(experience), experience.text
        self.bank.append(experience, self.visual.vectors(experience.picture), text=text, caption=caption)

    def _rank(self, query: Query) -> Ranking:
        asked = query.retrieval_text
        shared = overlaps(asked, [record_text(record) for record in self.bank])
        lexical = self._lexical.scores(self.bank, asked)
        visual, _ = self.visual.score(self.bank, self.parts.encoder.encode_texts([asked])[0])
        fused = weighted(
            [
                (self.OVERLAP_WEIGHT, by_largest(shared)),
                (self.LEXICAL_WEIGHT, by_largest(lexical)),
                (self.VISUAL_WEIGHT, by_largest(visual)),
            ]
        )
        return Ranking(fused, {OVERLAP: shared, LEXICAL: lexical, VISUAL: visual})


class MMADmv(BankMemory):
    """MMA as ported: relevance x (0.4 source + 0.3 recency + 0.3 consensus), with a gate at 0.5.

    Relevance is the cosine of page text and caption with the retrieval text. Every source counts 1; recency
    halves every 5 sessions; consensus is the cosine with the centroid of the other records, mapped to [0, 1].
    Records whose confidence is below the gate are not returned.
    """

    name: ClassVar[str] = "mma-dmv"
    default_delivery: ClassVar[str] = "caption+pixels"

    SOURCE_WEIGHT, RECENCY_WEIGHT, CONSENSUS_WEIGHT = 0.4, 0.3, 0.3
    HALF_LIFE, GATE = 5.0, 0.5

    def _store(self, experience: Experience) -> None:
        caption = self._captioned(experience)
        vectors: dict[str, Vectors | None] = {VERBAL: self._text_vector(said(experience, caption))}
        self.bank.append(experience, vectors, text=experience.text, caption=caption)

    def _rank(self, query: Query) -> Ranking:
        relevance, confidence = self._verbal(query), self._confidence()
        told = {VERBAL: relevance, "confidence": confidence}
        return Ranking(relevance * confidence, told, listed=confidence >= self.GATE)

    def _confidence(self) -> Scores:
        sessions = np.array([record.session for record in self.bank], np.float64)
        recency = 0.5 ** ((sessions.max() - sessions) / self.HALF_LIFE)
        consensus = (1.0 + _centroid_cosines(self.bank.vectors(VERBAL))) / 2.0
        confidence: Scores = self.RECENCY_WEIGHT * recency + self.CONSENSUS_WEIGHT * consensus
        return confidence + self.SOURCE_WEIGHT


class WorldMMDmv(BankMemory):
    """WorldMM as ported: a keyword router to one of three text modules, then at most three rounds; no pixels.

    Each module reads one text of a view: episodic its title and page text, semantic its title, visual its
    caption. A view scores 0.55 overlap of its own text, 0.30 of its session's and 0.15 of the chain's, and
    keeps the best score of the modules read. A further round reads the next module while fewer than `ENOUGH`
    views share a word with the query; views that share none are not returned.
    """

    name: ClassVar[str] = "worldmm-dmv"
    default_delivery: ClassVar[str] = "text"

    VIEW_WEIGHT, SESSION_WEIGHT, CHAIN_WEIGHT = 0.55, 0.30, 0.15
    ROUNDS, ENOUGH = 3, 5

    def _store(self, experience: Experience) -> None:
        self.bank.append(experience, {}, text=experience.text, caption=self._captioned(experience))

    def _rank(self, query: Query) -> Ranking:
        asked = query.retrieval_text
        scores, channels, touched = np.zeros(len(self.bank)), {}, np.zeros(len(self.bank), np.bool_)
        for module in route(query.text)[: self.ROUNDS]:
            own, whole = self._grains(asked, [module_text(module, record) for record in self.bank])
            channels[module], scores = whole, np.maximum(scores, whole)
            touched |= own > 0
            if touched.sum() >= self.ENOUGH:
                break
        return Ranking(scores, channels, listed=touched)

    def _grains(self, asked: str, texts: Sequence[str]) -> tuple[Scores, Scores]:
        """Overlap of each view's own text, and the weighted sum over its three grains."""
        sessions = [record.session for record in self.bank]
        by_session = {
            session: overlap(
                asked, "\n".join(text for text, of in zip(texts, sessions, strict=True) if of == session)
            )
            for session in dict.fromkeys(sessions)
        }
        own = overlaps(asked, texts)
        of_session = np.array([by_session[session] for session in sessions])
        chain = np.full(len(texts), overlap(asked, "\n".join(texts)))
        grains = [(self.VIEW_WEIGHT, own), (self.SESSION_WEIGHT, of_session), (self.CHAIN_WEIGHT, chain)]
        return own, weighted(grains)


EPISODIC, SEMANTIC, LOOKS = "episodic", "semantic", "visual"
_SIGNS = (
    (LOOKS, r"pictures?|photos?|images?|looks?|looked|show(s|n|ed|ing)?|see|seen|colou?rs?|visible"),
    (EPISODIC, r"when|before|after|earlier|later|first|last|sessions?|visit(s|ed)?|yesterday|ago|then"),
)


def route(question: str) -> tuple[str, str, str]:
    """The three modules of WorldMM in the order in which a question's keywords ask for them.

    Words of looking begin with the visual module, words of time with the episodic one, all else with the
    semantic one; what has no sign follows in the order visual, episodic, semantic.
    """
    found = [module for module, signs in _SIGNS if re.search(rf"\b(?:{signs})\b", question.casefold())]
    first = found or [SEMANTIC]
    rest = [module for module in (LOOKS, EPISODIC, SEMANTIC) if module not in first]
    one, two, three = [*first, *rest]
    return one, two, three


def module_text(module: str, record: Record) -> str:
    """What a module reads of a view."""
    return {
        EPISODIC: f"{record.title}\n{record.text}",
        SEMANTIC: record.title,
        LOOKS: record.caption,
    }[module]


def _centroid_cosines(matrix: Vectors) -> Scores:
    """(n,) cosine of each row with the centroid of all others; 0 where there are none."""
    rows = matrix.astype(np.float64)
    others = rows.sum(axis=0) - rows
    lengths = np.linalg.norm(others, axis=1) * np.linalg.norm(rows, axis=1)
    dots = np.einsum("ij,ij->i", rows, others)
    cosines: Scores = np.divide(dots, lengths, out=np.zeros(len(rows)), where=lengths > 1e-12)
    return cosines
