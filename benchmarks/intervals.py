"""How often the report's intervals hold the truth, and how often its tests see what is not there.

Made-up studies whose true figures are known: chains of 20 to 40 probes with an intraclass correlation of
0.1 for the intervals; for the tests four systems that are equal on the whole, of which each does better on
some chains of 30 probes and worse on others.

    python benchmarks/intervals.py --studies 2000
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

import numpy as np

from recallreach.study.decompose.paired import holm, mcnemar, sign_test
from recallreach.study.stats import Tally, chain_interval

CHAINS = (2, 3, 4, 6, 12, 25, 50)
RATES = (0.5, 0.9)
RESAMPLES = 1000
SCATTER = 0.15
"""Standard deviation of a system's rate on one chain around the chain's own."""


def main() -> None:
    """Simulate, print, and write JSON where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--studies", type=int, default=2000, help="studies made up for each figure")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    print("chains   interval holds the rate   one of 6 pairs called different though equal (5 % level)")
    print("          50 %      90 %           sign    sign, Holm    McNemar    McNemar, Holm")
    found = {}
    for chains in CHAINS:
        held = [coverage(chains, rate, arguments.studies) for rate in RATES]
        false = false_alarms(chains, arguments.studies)
        print(f"{chains:>6}   {_row(held)}       {_row(false.values())}")
        found[chains] = {"coverage": dict(zip(RATES, held, strict=True)), "false alarms": false}
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1))


def coverage(chains: int, rate: float, studies: int) -> float:
    """Share of studies whose 95 % interval holds the true rate."""
    random, held = np.random.default_rng(chains), 0
    for study in range(studies):
        counts = random.integers(20, 41, size=chains)
        right = random.binomial(counts, random.beta(9 * rate, 9 * (1 - rate), size=chains))
        tallies = {n: Tally(float(right[n]), int(counts[n])) for n in range(chains)}
        interval = chain_interval(tallies, study, resamples=RESAMPLES)
        held += interval is not None and interval.low <= rate <= interval.high
    return held / studies


def false_alarms(chains: int, studies: int) -> dict[str, float]:
    """Share of studies in which the least p of six comparisons of equal systems is below 5 %."""
    random = np.random.default_rng(chains)
    alarms = dict.fromkeys(("sign", "sign, Holm", "McNemar", "McNemar, Holm"), 0)
    for _ in range(studies):
        rates = np.clip(random.beta(3, 3, size=chains) + random.normal(0, SCATTER, size=(4, chains)), 0, 1)
        right = random.random((4, chains, 30)) < rates[:, :, None]
        pairs = [(right[one], right[two]) for one, two in combinations(range(4), 2)]
        signs = [sign_test(one.mean(axis=1) - two.mean(axis=1)).p for one, two in pairs]
        flips = [mcnemar(int((one & ~two).sum()), int((two & ~one).sum())) for one, two in pairs]
        for name, values in zip(alarms, (signs, holm(signs), flips, holm(flips)), strict=True):
            alarms[name] += min(values) < 0.05
    return {name: count / studies for name, count in alarms.items()}


def _row(shares: Iterable[float]) -> str:
    return "".join(f"{100 * share:>7.1f} %  " for share in shares)


if __name__ == "__main__":
    main()
