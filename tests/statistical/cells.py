"""The table of null runs: both samples from one distribution, a cell for each size and distribution.

One false alarm in a hundred over the whole table: every test of a table has level .01/(number of tests), so
by the union bound a sound implementation fails at most one table in a hundred, however the tests depend on
each other (the levels and bets of a cell share their data). The tests are exact at every number of runs:

- a rate too high: the count of rejections above the binomial quantile at α;
- a rate too low (bet 1, n ≥ 200, α = .05): the count below the binomial quantile at .8 α;
- a mean e-value above 1 (the noise averaged out): e-values are heavy-tailed, and a standard error from the
  same runs is too small just when the tail has not shown. So we bet against them: if the mean is at most 1,
  the product of 1 + λ(E_i − 1) has mean at most 1 for each λ in [0, 1), and so has the average over fixed λ;
  it reaches (number of tests)/.01 with probability at most .01/(number of tests), by Markov.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from scipy.stats import binom

from .shortcut import Array, Judge, Shape, in_processes, statistics

FALSE_ALARM = 0.01
LEVELS = ((0.01, 0.5), (0.05, 0.5), (0.2, 0.5), (0.05, 1.0))  # α and the bet
SIZES = ((20, 20), (50, 50), (200, 200), (1000, 1000), (100, 1000))
LAWS = ("normal", "t_2", "Bernoulli(.02)", "Poisson", "constant and rare", "sorted rows")
EPSILONS = (1.0, 0.3, 3.0)
STAKES = 2.0 ** -np.arange(1, 13)  # λ


@dataclass(frozen=True)
class Cell:
    shape: Shape
    law: str
    epsilon: float
    seed: int

    def draw(self, rng: Generator) -> tuple[Array, Array]:
        """Two samples without a difference; pairs share about half of their cells, the same way round."""
        n_x, n_y, columns = self.shape.n_x, self.shape.n_y, self.shape.columns
        x, y = _draw(rng, self.law, n_x, columns), _draw(rng, self.law, n_y, columns)
        if self.shape.paired:
            common = rng.random(x.shape) < 0.5
            y = np.where(common, x, y)
        if self.law == "sorted rows":
            order = np.argsort(x[:, 0], kind="stable")
            x = x[order]
            y = y[order if self.shape.paired else np.argsort(y[:, 0], kind="stable")]
        return x, y

    @property
    def must_reject(self) -> bool:
        """With a bet of 1 nearly as often as it may."""
        return min(self.shape.n_x, self.shape.n_y) >= 200


def _draw(rng: Generator, law: str, rows: int, columns: int) -> Array:
    size = rows, columns
    match law:
        case "normal":
            return rng.normal(size=size)
        case "sorted rows":  # many equal values: there groups by position would show most
            return np.column_stack([rng.poisson(3.0, size=rows), rng.normal(size=(rows, columns - 1))])
        case "t_2":
            return rng.standard_t(2, size=size)
        case "Bernoulli(.02)":
            return (rng.random(size) < 0.02).astype(float)
        case "Poisson":
            return rng.poisson(3.0, size=size).astype(float)
        case "constant and rare":
            return np.where(rng.random(size) < 0.01, 1e6, 7.0)
        case _:
            raise ValueError(law)


def full_table() -> list[Cell]:
    """Sizes × laws and pairs × laws; one to three columns and ε = .3, 1, 3 vary over the cells."""
    cells: list[Cell] = []
    for i, (n_x, n_y, paired) in enumerate([*((a, b, False) for a, b in SIZES), (200, 200, True)]):
        for j, law in enumerate(LAWS):
            shape = Shape(n_x, n_y, 1 + (i + j + 1) % 3, paired)
            cells.append(Cell(shape, law, EPSILONS[(i + 2 * j) % 3], len(cells)))
    return cells


def sample_of(cells: Sequence[Cell]) -> list[Cell]:
    """Two sizes of each law, and each size (or pairs) with two laws."""
    wanted = {(j + shift) % 6 * 6 + j for j in range(6) for shift in (0, 2)}
    return [cell for i, cell in enumerate(cells) if i in wanted]


@dataclass
class Outcome:
    """What the null runs of one cell gave, for each level and bet."""

    cell: Cell
    runs: int
    rejections: list[int] = field(default_factory=lambda: [0] * len(LEVELS))
    evalues: list[list[float]] = field(default_factory=lambda: [[] for _ in LEVELS])


def run_cell(job: tuple[Cell, int]) -> Outcome:
    cell, runs = job
    rng = np.random.default_rng([cell.seed, runs])
    judges = [Judge(cell.shape, cell.epsilon, alpha, bet) for alpha, bet in LEVELS]
    noise = [judge.noise(runs) for judge in judges]
    outcome = Outcome(cell, runs)
    for run in range(runs):
        relabelled = statistics(judges[0], *cell.draw(rng))
        for i, judge in enumerate(judges):
            exact = judge.exact(relabelled)
            outcome.rejections[i] += judge.rejects(exact + noise[i][run])
            outcome.evalues[i].append(judge.evalue(exact))
    return outcome


def run_table(cells: Sequence[Cell], runs: int) -> list[Outcome]:
    return in_processes(run_cell, [(cell, runs) for cell in cells])


def wealth(evalues: Sequence[float]) -> float:
    """log of the average over λ of Π (1 + λ(E_i − 1)): large when the mean is above 1."""
    gains = np.log1p(np.outer(STAKES, np.asarray(evalues) - 1)).sum(axis=1)
    return float(np.logaddexp.reduce(gains) - math.log(len(STAKES)))


def family(cells: Sequence[Cell]) -> int:
    """How many tests the table makes."""
    return sum(2 * len(LEVELS) + cell.must_reject for cell in cells)


def alarms(outcomes: Sequence[Outcome], tests: int) -> list[str]:
    """What a sound implementation shows at most once in a hundred tables of so many tests."""
    level = FALSE_ALARM / tests
    found = []
    for outcome in outcomes:
        for (alpha, bet), count, evalues in zip(LEVELS, outcome.rejections, outcome.evalues, strict=True):
            where = f"{name(outcome.cell)}, α = {alpha}, bet {bet}"
            if count > binom.ppf(1 - level, outcome.runs, alpha):
                found.append(f"{where}: {count} of {outcome.runs} runs reject")
            if wealth(evalues) > -math.log(level):
                found.append(f"{where}: the mean e-value is {np.mean(evalues):.3f}")
            if bet == 1 and outcome.cell.must_reject and count < binom.ppf(level, outcome.runs, 0.8 * alpha):
                found.append(f"{where}: only {count} of {outcome.runs} runs reject")
    return found


def name(cell: Cell) -> str:
    shape = cell.shape
    sizes = f"{shape.n_x}" if shape.n_x == shape.n_y else f"{shape.n_x} : {shape.n_y}"
    return f"{cell.law}, n = {sizes}{' pairs' if shape.paired else ''}"


def as_markdown(outcomes: Sequence[Outcome]) -> str:
    head = ["null distribution and n", "columns", "ε"]
    head += [f"rate at {alpha}, bet {bet:g}" for alpha, bet in LEVELS]
    head += [f"mean e-value at {alpha}, bet {bet:g}" for alpha, bet in LEVELS]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for outcome in outcomes:
        row = [name(outcome.cell), str(outcome.cell.shape.columns), f"{outcome.cell.epsilon:g}"]
        row += [f"{count / outcome.runs:.4f}" for count in outcome.rejections]
        row += [f"{np.mean(e):.3f} ± {np.std(e) / math.sqrt(len(e)):.3f}" for e in outcome.evalues]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)
