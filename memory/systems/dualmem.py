"""DualMem: a visual and a verbal vector a record, fused per query (DMV-Bench, arXiv 2606.27499)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, get_args

from recallreach.errors import ConfigError
from recallreach.memory.fusion import min_max, reciprocal_rank, weighted
from recallreach.memory.parts import Parts
from recallreach.memory.retrieval import Scores, cosine
from recallreach.memory.systems.base import BankMemory
from recallreach.memory.types import Experience, Query

Fusion = Literal["minmax", "rrf"]
VISUAL, VERBAL = "visual", "verbal"


class DualMem(BankMemory):
    """Picture vector and caption vector, fused as alpha * visual + (1 - alpha) * verbal.

    The caption speaks for the picture in text; the page text is not stored.

    Args:
        parts: encoder (visual), text encoder (verbal) and captioner.
        alpha: weight of the visual channel, 0 to 1; the published headline is 0.75. At 0 and 1 the other
            channel changes nothing.
        fusion: "minmax" stretches each channel over the bank; "rrf" takes 1 / (rrf_k + rank) instead.
        rrf_k: constant of the rank fusion; the published ablation has 1.
    """

    name: ClassVar[str] = "dualmem"
    default_delivery: ClassVar[str] = "caption+pixels"

    def __init__(
        self, parts: Parts, alpha: float = 0.75, fusion: Fusion = "minmax", rrf_k: float = 1.0
    ) -> None:
        super().__init__(parts)
        if not 0.0 <= alpha <= 1.0:
            raise ConfigError(f"alpha weighs the visual channel and lies in 0 to 1, got {alpha}")
        if fusion not in get_args(Fusion):
            raise ConfigError(f"fusion is {' or '.join(get_args(Fusion))}, got {fusion!r}")
        self.alpha, self.fusion, self.rrf_k = alpha, fusion, rrf_k

    def _store(self, experience: Experience) -> None:
        assert experience.picture is not None
        caption = self.parts.captioner.caption(experience.picture)
        vectors = {
            VISUAL: self.parts.encoder.encode_images([experience.picture])[0],
            VERBAL: self.parts.text_encoder.encode_texts([caption])[0],
        }
        self.bank.append(experience, vectors, caption=caption)

    def _rank(self, query: Query) -> tuple[Scores, Mapping[str, Scores]]:
        wanted = [query.retrieval_text]
        raw = {
            VISUAL: cosine(self.bank.vectors(VISUAL), self.parts.encoder.encode_texts(wanted)[0]),
            VERBAL: cosine(self.bank.vectors(VERBAL), self.parts.text_encoder.encode_texts(wanted)[0]),
        }
        weights = {VISUAL: self.alpha, VERBAL: 1.0 - self.alpha}
        return weighted([(weights[name], self._scaled(name, scores)) for name, scores in raw.items()]), raw

    def _scaled(self, channel: str, scores: Scores) -> Scores:
        present = self.bank.present(channel)
        if self.fusion == "rrf":
            return reciprocal_rank(scores, present, self.rrf_k)
        return min_max(scores, present)
