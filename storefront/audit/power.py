"""Which leak would have been found: simulated leaks of known strength, against the same test."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from recallreach.seeding import stream
from recallreach.storefront.audit.features import Feature
from recallreach.storefront.audit.information import BLOCK, Labels, Tables
from recallreach.storefront.audit.report import Power

SHARES = (0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0)
TRIALS, WANTED = 40, 0.9
TAIL = 0.05
"""Part of the permuted values that the tail is extrapolated from."""


def detectable(targets: Sequence[Labels], threshold: float, seed: int) -> Power:
    """The smallest simulated leak that is found in nine of ten audits.

    A leaking channel gives the property of a share of the products, drawn at random, and says something
    random of the others. The critical value at `threshold` is extrapolated from permutations by an
    exponential tail.
    """
    share: dict[str, float] = {}
    bits: dict[str, float] = {}
    for labels in targets:
        if labels.count < 2:
            continue
        found = next((part for part in SHARES if _found(labels, part, threshold, seed) >= WANTED), 1.0)
        share[labels.name], bits[labels.name] = found, leaked_bits(found, labels.count)
    return Power(share, bits)


def leaked_bits(share: float, count: int) -> float:
    """Mutual information, in bits, of a channel that gives `share` of the products' property away, one of
    `count` equally frequent ones, and else says a random one."""
    right = share + (1 - share) / count
    wrong = (1 - share) / count
    entropy = -right * np.log2(right) - ((count - 1) * wrong * np.log2(wrong) if wrong > 0 else 0)
    return float(np.log2(count) - entropy)


def _found(labels: Labels, share: float, threshold: float, seed: int) -> float:
    rng = stream(seed, "audit", "power", labels.name, round(share * 1000))
    critical = _critical(labels, _leak(labels, share, rng), threshold)
    trials = [_leak(labels, share, rng) for _ in range(TRIALS)]
    observed = Tables([Feature("leak", codes) for codes in trials]).bits(labels, labels.codes[None])[0]
    return float((observed >= critical).mean())


def _leak(labels: Labels, share: float, rng: np.random.Generator) -> npt.NDArray[np.int32]:
    told = rng.random(len(labels.codes)) < share
    return np.where(told, labels.codes, rng.integers(labels.count, size=len(labels.codes))).astype(np.int32)


def _critical(labels: Labels, codes: npt.NDArray[np.int32], threshold: float) -> float:
    """The value that permutations pass with probability `threshold`."""
    tables = Tables([Feature("leak", codes)])
    drawn = np.concatenate([tables.bits(labels, labels.block(at))[:, 0] for at in range(1024 // BLOCK)])
    start = float(np.quantile(drawn, 1 - TAIL))
    excess = float((drawn[drawn > start] - start).mean()) if (drawn > start).any() else 0.0
    return start + excess * float(np.log(TAIL / threshold))
