"""DualMem: a visual and a verbal vector a record, fused per query (DMV-Bench, arXiv 2606.27499)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from recallreach.errors import ConfigError
from recallreach.memory.fusion import min_max, reciprocal_rank, weighted
from recallreach.memory.parts import Parts
from recallreach.memory.retrieval import Scores, cosine
from recallreach.memory.systems.base import BankMemory
from recallreach.memory.tiles import TiledChannel
from recallreach.memory.types import Experience, Query, Retrieved

Fusion = Literal["minmax", "rrf"]
VISUAL, VERBAL = "visual", "verbal"


class DualMem(BankMemory):
    """Picture vector and caption vector, fused as alpha * visual + (1 - alpha) * verbal.

    The caption speaks for the picture in text; the page text is not stored.

    Args:
        parts: encoder (visual), text encoder (verbal) and captioner.
        alpha: weight of the visual channel, 0 to 1; the published headline is 0.75. At 0 and 1 the other
            channel changes nothing.
        fusion: "minmax" stretches each channel over the bank; "rrf" takes 1 / (rrf_k + rank) instead, rank 1
            for the best, with the same weights.
        rrf_k: constant of the rank fusion; the published ablation has 1.
        tiles: tiles a side of the visual channel, 1 to 4; 1 embeds the whole frame.
    """

    name: ClassVar[str] = "dualmem"
    default_delivery: ClassVar[str] = "caption+pixels"

    def __init__(
        self,
        parts: Parts,
        alpha: float = 0.75,
        fusion: Fusion = "minmax",
        rrf_k: float = 1.0,
        tiles: int = 1,
    ) -> None:
        super().__init__(parts)
        if not 0.0 <= alpha <= 1.0:
            raise ConfigError(f"alpha weighs the visual channel and lies in 0 to 1, got {alpha}")
        if fusion not in get_args(Fusion):
            raise ConfigError(f"fusion is {' or '.join(get_args(Fusion))}, got {fusion!r}")
        self.alpha, self.fusion, self.rrf_k = alpha, fusion, rrf_k
        self.visual = TiledChannel(parts.encoder, tiles, VISUAL)

    def retrieve(self, query: Query, k: int) -> list[Retrieved]:
        """As every system; with tiles, each hit says which part of its picture matched best."""
        hits = super().retrieve(query, k)
        if self.visual.grid == 1 or not hits:
            return hits
        _, winners = self._look(query)
        return [replace(hit, tile=self.visual.box(int(winners[hit.record.id]))) for hit in hits]

    def _store(self, experience: Experience) -> None:
        assert experience.picture is not None
        caption = self.parts.captioner.caption(experience.picture)
        vectors = self.visual.vectors(experience.picture)
        vectors[VERBAL] = self.parts.text_encoder.encode_texts([caption])[0]
        self.bank.append(experience, vectors, caption=caption)

    def _rank(self, query: Query) -> tuple[Scores, Mapping[str, Scores]]:
        visual, _ = self._look(query)
        wanted = self.parts.text_encoder.encode_texts([query.retrieval_text])[0]
        verbal = cosine(self.bank.vectors(VERBAL), wanted)
        fused = weighted(
            [
                (self.alpha, self._scaled(visual, self.visual.present(self.bank))),
                (1.0 - self.alpha, self._scaled(verbal, self.bank.present(VERBAL))),
            ]
        )
        return fused, {VISUAL: visual, VERBAL: verbal}

    def _look(self, query: Query) -> tuple[Scores, NDArray[np.intp]]:
        return self.visual.score(self.bank, self.parts.encoder.encode_texts([query.retrieval_text])[0])

    def _scaled(self, scores: Scores, present: NDArray[np.bool_]) -> Scores:
        if self.fusion == "rrf":
            return reciprocal_rank(scores, present, self.rrf_k)
        return min_max(scores, present)
