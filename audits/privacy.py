"""An audit of the release: how well do two neighbouring data sets tell themselves apart by what leaves?

``python audits/privacy.py [releases a side]`` releases many times on a pair of neighbours that moves the exact
value by nearly all that the proof allows (theory/evidence.md, 2), and gives a lower confidence bound for ε at level
.001. It must not exceed the ε that was promised (exit code 1), and should come near it: then the noise is neither too
small nor much too large.
"""

from __future__ import annotations

import math
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.machine import machine

from tacit import Budget, Curator, Plan, Schema, Spectrum

UNITS = 5  # in each sample
LEVEL = 0.001
Rows = NDArray[np.float64]


def neighbours() -> tuple[tuple[Rows, Rows], tuple[Rows, Rows]]:
    """Cells 0 or 2⁻²⁰, opposite at the highest octave; a column for each balanced split, in which its sides differ.

    The first unit's record has, on one side, the wrong cell in the true split's column and the right ones
    elsewhere; on the other the right cell there and the wrong ones elsewhere. So t_0 rises as all others fall.
    """
    everyone = range(2 * UNITS)
    splits = [frozenset((0, *rest)) for rest in combinations(everyone[1:], UNITS - 1)]
    right = np.array([[0.0 if unit in split else 2.0**-20 for split in splits] for unit in everyone])
    true = np.array([split == frozenset(range(UNITS)) for split in splits])
    low, high = right.copy(), right.copy()
    low[0, true] = 2.0**-20
    high[0, ~true] = 2.0**-20
    return (low[:UNITS], low[UNITS:]), (high[:UNITS], high[UNITS:])


def released(plan: Plan, sides: tuple[Rows, Rows], count: int) -> NDArray[np.int64]:
    curator = Curator(ledger=False)
    return np.array([curator.release(plan, *sides).value for _ in range(count)])


def lower_bound(low: NDArray[np.int64], high: NDArray[np.int64]) -> float:
    """ε ≥ log P(high ≥ d)/P(low ≥ d) at level LEVEL; d is chosen on the first third of the releases."""
    third = len(low) // 3
    candidates = np.quantile(np.concatenate([low[:third], high[:third]]), np.linspace(0.02, 0.98, 97))

    def bound(d: float, a: NDArray[np.int64], b: NDArray[np.int64]) -> float:
        likely = clopper_pearson(int(np.sum(b >= d)), len(b), LEVEL / 2)[0]
        rare = clopper_pearson(int(np.sum(a >= d)), len(a), LEVEL / 2)[1]
        return math.log(likely / rare) if likely > 0 else -math.inf

    best = max(candidates, key=lambda d: bound(d, low[:third], high[:third]))
    return bound(best, low[third:], high[third:])


def clopper_pearson(hits: int, runs: int, level: float) -> tuple[float, float]:
    from scipy.special import betaincinv

    below = 0.0 if hits == 0 else float(betaincinv(hits, runs - hits + 1, level))
    above = 1.0 if hits == runs else float(betaincinv(hits + 1, runs - hits, 1 - level))
    return below, above


def plan_for(epsilon: float) -> Plan:
    features = Spectrum(Schema.of(neighbours()[0][0]))
    return Plan(features, Budget(epsilon), alpha=0.2, relabellings=39)


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 12_000
    print(f"Lower bounds for ε at level {LEVEL}, from {count} releases on each of two neighbours. {machine()}\n")
    print("| promised ε | lower bound | |\n|---|---|---|")
    broken = 0
    for epsilon in (1.0, 2.0):
        plan = plan_for(epsilon)
        low, high = (released(plan, sides, count) for sides in neighbours())
        bound = lower_bound(low, high)
        broken += bound > epsilon
        print(f"| {epsilon} | {bound:.3f} | {'BROKEN' if bound > epsilon else ''} |", flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
