"""The problems that power is promised on, at α = .01, with nothing said but x, y and ε.

- GMD: 100 independent normal columns, one mean moved by 1.
- GVD: 50 independent normal columns, one variance 2; also with every column in a unit of its own, 10^u with u
  uniform in ±6, and shifted by ten standard deviations.

Beside each stands the same test without noise on the same rows and relabellings: p = (1 + k)/(B + 1).
A bar of p fails when the count of rejections is below the 1 % binomial quantile at p.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy.stats import binom

from .shortcut import Array, Judge, Shape, in_processes, statistics

ALPHA = 0.01
BETS = (0.5, 1.0)


@dataclass(frozen=True)
class Problem:
    name: str
    n: int
    epsilon: float
    bars: tuple[float, float]  # at a bet of ½ and of 1; 0 where nothing is promised
    own_units: bool = False

    @property
    def columns(self) -> int:
        return 100 if self.name == "GMD" else 50

    def draw(self, rng: Generator) -> tuple[Array, Array]:
        x, y = rng.normal(size=(2, self.n, self.columns))
        if self.name == "GMD":
            y[:, 0] += 1.0
        else:
            y[:, 0] *= np.sqrt(2.0)
        if self.own_units:
            unit = 10.0 ** rng.uniform(-6, 6, self.columns)
            x, y = (x + 10.0) * unit, (y + 10.0) * unit
        return x, y

    def __str__(self) -> str:
        return f"{self.name}, n = {self.n}, ε = {self.epsilon:g}{', own units' if self.own_units else ''}"


PROBLEMS = (
    Problem("GMD", 300, 0.5, (0.95, 0.0)),
    Problem("GVD", 500, 1.0, (0.6, 0.68)),
    Problem("GVD", 500, 1.0, (0.55, 0.0), own_units=True),
    Problem("GVD", 1000, 0.5, (0.97, 0.0)),
    Problem("GVD", 1000, 0.5, (0.97, 0.0), own_units=True),
)


@dataclass(frozen=True)
class Power:
    problem: Problem
    runs: int
    rejections: tuple[int, ...]  # by bet
    without_noise: int


def run_part(job: tuple[Problem, int, int]) -> Power:
    """``runs`` data sets from one seed."""
    problem, runs, seed = job
    rng = np.random.default_rng([problem.n, problem.own_units, seed])
    shape = Shape(problem.n, problem.n, problem.columns)
    judges = [Judge(shape, problem.epsilon, ALPHA, bet) for bet in BETS]
    noise = [judge.noise(runs) for judge in judges]
    counts, without = [0] * len(BETS), 0
    for run in range(runs):
        t = statistics(judges[0], *problem.draw(rng))
        for i, judge in enumerate(judges):
            counts[i] += judge.rejects(judge.exact(t) + noise[i][run])
        without += pvalue_without_noise(t) <= ALPHA
    return Power(problem, runs, tuple(counts), without)


def pvalue_without_noise(t: Array) -> float:
    return (1 + int(np.sum(t[1:] >= t[0]))) / len(t)


def measure(problems: Sequence[Problem], runs: int) -> list[Power]:
    parts = in_processes(run_part, [(problem, runs // 2, seed) for problem in problems for seed in (0, 1)])
    return [_together(first, second) for first, second in zip(parts[::2], parts[1::2], strict=True)]


def _together(first: Power, second: Power) -> Power:
    counts = tuple(a + b for a, b in zip(first.rejections, second.rejections, strict=True))
    runs, without = first.runs + second.runs, first.without_noise + second.without_noise
    return Power(first.problem, runs, counts, without)


def misses(results: Sequence[Power]) -> list[str]:
    found = []
    for result in results:
        for bet, bar, count in zip(BETS, result.problem.bars, result.rejections, strict=True):
            if bar and count < binom.ppf(0.01, result.runs, bar):
                seen = f"{count} of {result.runs} runs reject"
                found.append(f"{result.problem}, bet {bet:g}: {seen}, the bar is {bar}")
    return found


def as_markdown(results: Sequence[Power]) -> str:
    head = ["problem", "bet ½", "bar", "bet 1", "bar", "without noise", "runs"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for result in results:
        row = [str(result.problem)]
        for bar, count in zip(result.problem.bars, result.rejections, strict=True):
            row += [f"{count / result.runs:.3f}", f"{bar:g}" if bar else "–"]
        row += [f"{result.without_noise / result.runs:.3f}", str(result.runs)]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)
