"""DualMem: a visual and a verbal vector a record, fused per query (DMV-Bench, arXiv 2606.27499)."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from recallreach.errors import ConfigError
from recallreach.memory.fusion import min_max, reciprocal_rank, weighted
from recallreach.memory.parts import Parts
from recallreach.memory.retrieval import Scores
from recallreach.memory.systems.base import VERBAL, BankMemory, Ranking, checked_number
from recallreach.memory.tiles import TiledChannel
from recallreach.memory.types import Experience, Query, Retrieved

Fusion = Literal["minmax", "rrf"]
VISUAL = "visual"


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
        tiles: tiles a side of the visual channel, 1 to 4; 1 embeds the whole frame. Each hit then says which
            part of its picture matched best.
        one_per_page: as in `BankMemory`.
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
        *,
        one_per_page: bool = False,
    ) -> None:
        super().__init__(parts, one_per_page=one_per_page)
        if fusion not in get_args(Fusion):
            raise ConfigError(f"fusion is {' or '.join(get_args(Fusion))}, got {fusion!r}")
        self.alpha, self.fusion = checked_number("alpha", alpha, 0.0, 1.0), fusion
        self.rrf_k = checked_number("rrf_k", rrf_k, 0.0, 1e6)
        self.visual = TiledChannel(parts.encoder, tiles, VISUAL)

    def _store(self, experience: Experience) -> None:
        assert experience.picture is not None
        caption = self._captioned(experience)
        vectors = self.visual.vectors(experience.picture)
        vectors[VERBAL] = self._text_vector(caption)
        self.bank.append(experience, vectors, caption=caption)

    def _rank(self, query: Query) -> Ranking:
        wanted = self.parts.encoder.encode_texts([query.retrieval_text])[0]
        visual, tiles = self.visual.score(self.bank, wanted)
        verbal = self._verbal(query)
        fused = weighted(
            [
                (self.alpha, self._scaled(visual, self.visual.present(self.bank))),
                (1.0 - self.alpha, self._scaled(verbal, self.bank.present(VERBAL))),
            ]
        )
        return Ranking(fused, {VISUAL: visual, VERBAL: verbal}, tiles=tiles)

    def _hit(self, position: int, ranking: Ranking) -> Retrieved:
        hit = super()._hit(position, ranking)
        if self.visual.grid == 1 or ranking.tiles is None:
            return hit
        return replace(hit, tile=self.visual.box(int(ranking.tiles[position])))

    def _scaled(self, scores: Scores, present: NDArray[np.bool_]) -> Scores:
        if self.fusion == "rrf":
            return reciprocal_rank(scores, present, self.rrf_k)
        return min_max(scores, present)
