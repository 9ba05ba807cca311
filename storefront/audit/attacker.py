"""A text-only attacker: learns from half of the products what the shop says of a cue, and is asked the other
half.

It sees every feature of every channel at once, so it finds what no channel tells by itself. Held to the
binomial
bound of chance: asked for one of n products, a guess is right once in n.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.feature_selection import chi2
from sklearn.linear_model import LogisticRegression

from recallreach.seeding import stream
from recallreach.storefront.audit.features import Feature
from recallreach.storefront.types import Cue

Floats = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float32]

MOST_LEVELS = 128
"""Features with more classes are left to the permutation tests: there is too little to learn from each
class."""

CHOSEN = 256
"""Feature classes kept for learning, the most telling ones of the training half."""

REGULARIZATION = 5.0
ITERATIONS = 60


@dataclass(frozen=True, slots=True)
class Attack:
    """How well the attacker named one thing.

    Attributes:
        target: "product", "colour" or "object".
        asked: questions.
        right: right answers.
        chance: expected share of right answers without any leak.
        bound: right answers that chance passes with probability alpha at most.
        p: probability of at least as many right answers by chance.
    """

    target: str
    asked: int
    right: int
    chance: float
    bound: int
    p: float

    @property
    def leaks(self) -> bool:
        """Whether it was right more often than chance allows."""
        return self.right > self.bound


def attack(features: Sequence[Feature], cues: Sequence[Cue], alpha: float, seed: int) -> list[Attack]:
    """Train on each half of the products, ask about the other.

    Args:
        features: of all channels.
        cues: the ground truth by product.
        alpha: probability of a false alarm over the three results together.
        seed: of the halves and of ties.

    Returns:
        One result each for product, colour and object; none for fewer than eight products or without
        features.
    """
    usable = [feature for feature in features if feature.levels <= MOST_LEVELS]
    if not usable or len(cues) < 8:
        return []
    matrix = _one_hot(usable)
    halves = np.array_split(stream(seed, "audit", "halves").permutation(len(cues)), 2)
    colors, objects = (_numbered([getattr(cue, kind) for cue in cues]) for kind in ("color", "object"))
    named: dict[str, list[tuple[bool, float]]] = {"product": [], "colour": [], "object": []}
    for turn, (learn, ask) in enumerate((halves, halves[::-1])):
        scores = [_scores(matrix, labels, learn, ask) for labels in (colors, objects)]
        named["product"] += _products(
            scores, (colors[ask], objects[ask]), stream(seed, "audit", "ties", turn)
        )
        for kind, score, labels in zip(("colour", "object"), scores, (colors, objects), strict=True):
            named[kind] += _labels(score, labels[ask], int(labels.max()) + 1)
    return [_result(kind, rows, alpha / len(named)) for kind, rows in named.items()]


def _one_hot(features: Sequence[Feature]) -> Matrix:
    """Every class of every feature as a column, equal columns once: copies would crowd the choice."""
    columns = [feature.codes[:, None] == np.arange(feature.levels) for feature in features]
    whole = np.concatenate(columns, axis=1)
    distinct = {column.tobytes(): at for at, column in enumerate(np.packbits(whole.T, axis=1))}
    return whole[:, sorted(distinct.values())].astype(np.float32)


def _numbered(values: Sequence[str]) -> npt.NDArray[np.intp]:
    return np.unique(np.asarray(values), return_inverse=True)[1]


def _scores(
    matrix: Matrix, labels: npt.NDArray[np.intp], learn: npt.NDArray[np.intp], ask: npt.NDArray[np.intp]
) -> Floats:
    """Log probability of every label for each asked product, shape (asked, labels)."""
    known = np.unique(labels[learn])
    scores = np.full((len(ask), int(labels.max()) + 1), math.log(1e-6))
    if len(known) < 2:
        return scores
    telling = np.nan_to_num(chi2(matrix[learn], labels[learn])[0])
    chosen = np.argsort(-telling, kind="stable")[:CHOSEN]
    model = LogisticRegression(C=REGULARIZATION, max_iter=ITERATIONS, tol=1e-2)
    model.fit(matrix[learn][:, chosen], labels[learn])
    scores[:, known] = model.predict_log_proba(matrix[ask][:, chosen])
    return scores


def _products(
    scores: Sequence[Floats], asked: tuple[npt.NDArray[np.intp], ...], rng: np.random.Generator
) -> list[tuple[bool, float]]:
    """For each product's cue phrase: is it the one that fits best among those asked about?"""
    fit = sum((score[:, labels] for score, labels in zip(scores, asked, strict=True)), np.zeros(1))
    fit = fit + rng.random(fit.shape) * 1e-9
    count = len(fit)
    return [(bool(right), 1 / count) for right in fit.argmax(0) == np.arange(count)]


def _labels(score: Floats, truth: npt.NDArray[np.intp], count: int) -> list[tuple[bool, float]]:
    """For each product: is the likeliest label right, and how often that label is right by chance."""
    shares = np.bincount(truth, minlength=count) / len(truth)
    guesses = score.argmax(1)
    return [(bool(guess == true), float(shares[guess])) for guess, true in zip(guesses, truth, strict=True)]


def _result(target: str, rows: Sequence[tuple[bool, float]], alpha: float) -> Attack:
    asked, right = len(rows), sum(hit for hit, _ in rows)
    chance = sum(share for _, share in rows) / asked
    bound = next(count for count in range(asked + 1) if binomial_tail(count + 1, asked, chance) <= alpha)
    return Attack(target, asked, right, chance, bound, binomial_tail(right, asked, chance))


def binomial_tail(least: int, trials: int, chance: float) -> float:
    """Probability of at least `least` successes in independent trials."""
    if least <= 0 or chance >= 1:
        return 1.0
    if least > trials or chance <= 0:
        return 0.0
    terms = (
        math.exp(
            math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1)
            + k * math.log(chance) + (trials - k) * math.log1p(-chance)
        )
        for k in range(least, trials + 1)
    )  # fmt: skip
    return min(1.0, math.fsum(terms))
