"""L3: a sentence encoder ranks all products by their text for each cue phrase; the target's rank must be
uniform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from recallreach.seeding import stream
from recallreach.storefront.audit.information import BLOCK, ENOUGH, tail_bound

Floats = npt.NDArray[np.float64]
MOMENTS_FROM = 1024
BINS = 20
"""Parts of the ranking whose shares are compared."""


class SentenceEncoder(Protocol):
    """What this level needs of a text encoder."""

    @property
    def name(self) -> str:
        """Name and version."""

    def encode_texts(self, texts: Sequence[str]) -> npt.NDArray[Any]:
        """(n, dimension) from n texts, rows of length 1 (or 0 for an empty text)."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Where the target stood, over all cue phrases.

    Attributes:
        channel: whose text was ranked.
        mean_rank: mean of the target's rank as a share of all, 0.5 under the contract.
        top: share of phrases whose target came first.
        shares: share of phrases by twentieth of the ranking.
        p: permutation p-value that ranks are uniform, for near ranks and for the whole shape together.
    """

    channel: str
    mean_rank: float
    top: float
    shares: tuple[float, ...]
    p: float


def rank_channels(
    encoder: SentenceEncoder,
    documents: Mapping[str, Sequence[str]],
    phrases: Sequence[str],
    threshold: float,
    seed: int,
) -> list[Ranking]:
    """Test each set of documents.

    Args:
        encoder: sentence encoder.
        documents: by channel, one text for each product.
        phrases: the cue phrase of each product.
        threshold: the smallest p-value that matters.
        seed: of permutations and ties.

    Returns:
        One ranking for each channel in which at least two products differ.
    """
    asked = encoder.encode_texts(list(phrases))
    found, seen = [], set()
    for channel, texts in documents.items():
        if len(set(texts)) < 2 or tuple(texts) in seen:
            continue
        seen.add(tuple(texts))
        distinct = {text: at for at, text in enumerate(dict.fromkeys(texts))}
        vectors = encoder.encode_texts(list(distinct))
        likeness = asked @ vectors[[distinct[text] for text in texts]].T
        found.append(_test(channel, _ranks(likeness, seed), threshold, seed))
    return found


def _ranks(likeness: npt.NDArray[Any], seed: int) -> Floats:
    """Rank of every product for each phrase as a share in (0, 1), ties in random order; (phrases,
    products)."""
    noise = stream(seed, "audit", "rank ties").permutation(likeness.shape[1])
    order = np.lexsort((np.broadcast_to(noise, likeness.shape), -np.round(likeness, 6)), axis=1)
    ranks = np.empty(likeness.shape)
    np.put_along_axis(ranks, order, np.broadcast_to(np.arange(likeness.shape[1]), likeness.shape), axis=1)
    return np.asarray((ranks + 0.5) / likeness.shape[1])


def _test(channel: str, ranks: Floats, threshold: float, seed: int) -> Ranking:
    size = len(ranks)
    phrases = np.arange(size)
    true = ranks[phrases, phrases]
    observed = _statistics(true[None])[0]
    most = int(np.ceil(3 / threshold))
    rng = stream(seed, "audit", "rank permutations")
    reached, drawn, kept = np.zeros(2, int), 0, []
    while drawn < most and reached.min() < ENOUGH:
        permuted = rng.permuted(np.tile(phrases, (BLOCK, 1)), axis=1)
        kept.append(_statistics(ranks[phrases, permuted]))
        reached += (kept[-1] >= observed - 1e-12).sum(0)
        drawn += BLOCK
        if drawn == MOMENTS_FROM and not reached.all():
            bounds = [tail_bound(np.concatenate(kept)[:, at], float(observed[at])) for at in (0, 1)]
            if min(bounds) <= threshold / 4:
                return _ranking(channel, true, 2 * min(bounds))
    return _ranking(channel, true, 2 * float(min((reached + 1) / (drawn + 1))))


def _statistics(ranks: Floats) -> Floats:
    """Nearness, and distance from uniform, of rows of ranks: shape (rows, 2)."""
    near = -np.log(ranks).mean(1)
    step = np.arange(1, ranks.shape[1] + 1) / ranks.shape[1]
    shape = np.abs(np.sort(ranks, axis=1) - step + 0.5 / ranks.shape[1]).max(1)
    return np.stack([near, shape], axis=1)


def _ranking(channel: str, true: Floats, p: float) -> Ranking:
    shares = np.histogram(true, BINS, (0, 1))[0] / len(true)
    return Ranking(
        channel,
        float(true.mean()),
        float((true < 1 / len(true)).mean()),
        tuple(map(float, shares)),
        min(1.0, p),
    )
