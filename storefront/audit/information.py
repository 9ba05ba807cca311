"""Mutual information of a channel with the cue, held against permutations of the cues.

Under the contract, which cue a product has is a random draw that knows nothing of the rest. Then every
permutation of the cues over the products is as likely as the true one, and the share of permutations that
give a channel as much information as it has is an exact p-value (Fisher's permutation test; Phipson and
Smyth 2010 for the count of the observed one).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from recallreach.seeding import stream
from recallreach.storefront.audit.features import Codes, Feature

Floats = npt.NDArray[np.float64]

PILOT, BLOCK = 96, 64
"""Permutations that set each feature's scale, and permutations a step of the test."""

ENOUGH = 16
"""Permutations at least as informative as the truth after which a channel counts as clean
(sequential test, Besag and Clifford 1991)."""

MOMENTS_FROM = 256
"""Permutations from which the bound on far tails may end a test."""

FAR = 6.0
"""Standard deviations from chance beyond which a feature may be named as the leak."""


@dataclass(frozen=True, slots=True)
class Information:
    """What one channel tells of one property of the cue.

    Attributes:
        feature: the most telling part of the channel.
        bits: its plug-in mutual information.
        chance: bits that it has on average under permutation.
        p: permutation p-value of the channel, over all its features.
        permutations: how many were drawn.
        bounded: whether p is the bound on far tails rather than a count.
    """

    feature: str
    bits: float
    chance: float
    p: float
    permutations: int
    bounded: bool


class Labels:
    """One property of the cue over all products, its entropy and its seeded permutations.

    Args:
        name: for instance "colour".
        values: the property by product.
        seed: of the permutations.
    """

    def __init__(self, name: str, values: Sequence[str], seed: int) -> None:
        self.name, self._seed = name, seed
        self.levels, codes = np.unique(np.asarray(values), return_inverse=True)
        self.codes: Codes = codes.astype(np.int32)
        self.count = len(self.levels)
        shares = np.bincount(self.codes) / len(self.codes)
        self.entropy = float(-(shares * np.log2(shares)).sum())
        self._blocks: dict[int, Codes] = {}

    def block(self, at: int) -> Codes:
        """Permutation block `at`, shape (BLOCK, n); negative blocks are the pilot's."""
        if at not in self._blocks:
            rng = stream(self._seed, "audit", "permutations", self.name, at)
            kept = rng.permuted(np.tile(self.codes, (BLOCK, 1)), axis=1)
            if at > 8:
                return kept
            self._blocks[at] = kept
        return self._blocks[at]


def entropy_terms(size: int) -> Floats:
    """c log2 c for the counts 0 to `size`."""
    counts = np.arange(size + 1, dtype=np.float64)
    return counts * np.log2(np.maximum(counts, 1))


class Tables:
    """The features of one channel, ready to be crossed with labels."""

    def __init__(self, features: Sequence[Feature]) -> None:
        self.features = list(features)
        self.size = len(features[0].codes)
        levels = [feature.levels for feature in features]
        self._starts = np.concatenate([[0], np.cumsum(levels)])
        self._codes = np.stack([f.codes + start for f, start in zip(features, self._starts, strict=False)])
        self._terms = entropy_terms(self.size)
        self._own = np.array([self._terms[np.bincount(feature.codes)].sum() for feature in features])

    def bits(self, labels: Labels, permuted: Codes) -> Floats:
        """Plug-in mutual information, shape (permutations, features), of permuted labels (permutations,
        n)."""
        found = [self._bits(labels, permuted[start : start + self._step(labels)])
                 for start in range(0, len(permuted), self._step(labels))]  # fmt: skip
        return np.concatenate(found)

    def _step(self, labels: Labels) -> int:
        """Permutations at a time, so that the tables stay within some 32 MiB."""
        cells = int(self._starts[-1]) * labels.count
        return max(1, min(BLOCK, (1 << 22) // max(cells, self._codes.size)))

    def _bits(self, labels: Labels, permuted: Codes) -> Floats:
        rows, total = len(permuted), int(self._starts[-1])
        cells = self._codes.astype(np.int64) * labels.count
        keys = cells[None] + permuted[:, None, :]
        keys += (np.arange(rows) * (total * labels.count))[:, None, None]
        counts = np.bincount(keys.ravel(), minlength=rows * total * labels.count)
        per_level = self._terms[counts].reshape(rows, total, labels.count).sum(2)
        joint = np.add.reduceat(per_level, self._starts[:-1], axis=1)
        label_terms = self._terms[np.bincount(labels.codes, minlength=labels.count)].sum()
        bits = np.log2(self.size) + (joint - self._own - label_terms) / self.size
        return np.asarray(np.maximum(bits, 0.0))


def measure(features: Sequence[Feature], labels: Labels, threshold: float) -> Information | None:
    """Test one channel.

    The statistic is the largest standardised information over all features, so that a channel is one test
    however many features it has. Permutations are drawn until enough of them reach it, or until a p-value
    below `threshold` is sure. Far out (beyond what counting could show) the tail is bounded by Markov's
    inequality on the sixth moment of the permuted statistics, doubled for the error of the moments.

    Args:
        features: of the channel.
        labels: the property of the cue.
        threshold: the smallest p-value that matters, alpha over the number of tests.

    Returns:
        The information, or None where no feature varies under permutation.
    """
    tables = Tables(features) if features else None
    if tables is None:
        return None
    pilot = np.concatenate([tables.bits(labels, labels.block(-1 - at)) for at in range(-(-PILOT // BLOCK))])
    mean, spread = pilot.mean(0), pilot.std(0)
    varying = spread > 1e-9
    if not varying.any():
        return None
    scale = np.where(varying, spread, np.inf)
    observed = tables.bits(labels, labels.codes[None])[0]
    z = (observed - mean) / scale
    p, drawn, bounded = _tail(tables, labels, (mean, scale), float(z.max()), threshold)
    best = _most_telling(z, observed, mean, labels.entropy)
    name = tables.features[best].name
    return Information(name, float(observed[best]), float(mean[best]), p, drawn, bounded)


def _most_telling(z: Floats, bits: Floats, chance: Floats, entropy: float) -> int:
    """The feature that tells the largest share of what chance leaves open, among those far from chance.

    The largest z would name a coarse part of a leak: it has the smaller spread.
    """
    share = (bits - chance) / np.maximum(entropy - chance, 1e-9)
    return int(np.where(z >= min(FAR, float(z.max())), share, -np.inf).argmax())


def _tail(
    tables: Tables, labels: Labels, scaling: tuple[Floats, Floats], observed: float, threshold: float
) -> tuple[float, int, bool]:
    mean, scale = scaling
    most = int(np.ceil(1.5 / threshold))
    reached = drawn = 0
    largest: list[Floats] = []
    while drawn < most:
        largest.append(((tables.bits(labels, labels.block(drawn // BLOCK)) - mean) / scale).max(1))
        reached += int((largest[-1] >= observed - 1e-9).sum())
        drawn += BLOCK
        if reached >= ENOUGH:
            break
        if drawn == MOMENTS_FROM and reached == 0:
            bound = tail_bound(np.concatenate(largest), observed)
            if bound <= threshold / 2:
                return bound, drawn, True
    return (reached + 1) / (drawn + 1), drawn, False


def tail_bound(permuted: Floats, observed: float) -> float:
    """Twice Markov's bound on P(statistic >= observed) from the sixth central moment of the permuted ones."""
    centre = permuted.mean()
    if observed <= centre:
        return 1.0
    return float(min(1.0, 2 * ((permuted - centre) ** 6).mean() / (observed - centre) ** 6))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values (Holm 1979), in the order given."""
    order = np.argsort(p_values)
    adjusted, worst = [0.0] * len(p_values), 0.0
    for rank, at in enumerate(order):
        worst = max(worst, min(1.0, (len(p_values) - rank) * p_values[int(at)]))
        adjusted[int(at)] = worst
    return adjusted
