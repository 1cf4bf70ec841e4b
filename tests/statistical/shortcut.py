"""Many verdicts from one relabelling: what release and verdict do, without the message in between.

``relabelled`` costs milliseconds and depends on the plan only by its features, sizes and relabellings, so one
draw of data and relabellings serves several plans (levels and bets), each with noise of its own. Decisions
come from ``verdict`` itself: p falls as the released value grows, so it is asked once for the least value that
it rejects. ``test_the_shortcut_is_what_release_and_verdict_say`` compares both on released messages.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit import Budget, Curator, Plan, Schema, Spectrum, verdict
from tacit.holder.noise import laplace
from tacit.holder.releases import evidence
from tacit.holder.rows import Rows
from tacit.messages import EvidenceMessage
from tacit.theory.evidence import Bet, Scale
from tacit.theory.relabelling import Sizes

Array = NDArray[np.float64]
Job = TypeVar("Job")
Result = TypeVar("Result")

FAR = 1 << 40  # beyond every value that decides anything


@dataclass(frozen=True)
class Shape:
    """What is public about the two tables of one test."""

    n_x: int
    n_y: int
    columns: int
    paired: bool = False

    @cached_property
    def features(self) -> Spectrum:
        return Spectrum(Schema.of(np.zeros((2, self.columns))))

    def plan(self, epsilon: float, alpha: float, bet: float) -> Plan:
        return Plan(self.features, Budget(epsilon), alpha=alpha, bet=bet, paired=self.paired)


class Judge:
    """One plan at one shape: from the relabelled statistics to a decision."""

    def __init__(self, shape: Shape, epsilon: float, alpha: float, bet: float) -> None:
        self.plan = shape.plan(epsilon, alpha, bet)
        self.sizes: Sizes = self.plan.check_sizes(shape.n_x, shape.n_y)
        self.scale: Scale = self.plan.scale_for(self.sizes)
        self.tables: Bet = self.plan.bet_for(self.sizes)
        blank = np.zeros((shape.n_x, shape.columns)), np.zeros((shape.n_y, shape.columns))
        self._message: EvidenceMessage = Curator().release(self.plan, *blank)
        self.cutoff = self._least_rejected()

    def pvalue(self, released: int) -> float:
        """What verdict says of a message with this value."""
        return verdict(self.plan, self._message.model_copy(update={"value": released})).pvalue

    def exact(self, statistics: Array) -> int:
        """t₀ − q, what is released when the noise is 0."""
        t = self.scale.integers(statistics)
        return int(t[0]) - self.tables.threshold(t)

    def evalue(self, exact: int) -> float:
        """The e-value's mean over the noise, H[t₀ − q]."""
        return float(self.tables.entries(np.array([exact]))[0]) / 2.0**self.tables.bits

    def noise(self, runs: int) -> list[int]:
        return laplace(runs, self.scale.noise)

    def rejects(self, released: int) -> bool:
        return released >= self.cutoff

    def _least_rejected(self) -> int:
        low, high = -FAR, FAR
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.pvalue(middle) <= self.plan.alpha else (middle, high)
        return high


def statistics(judge: Judge, x: Array, y: Array) -> Array:
    """T̂ of the true labels, then of the relabellings, as a release computes them."""
    plan, columns = judge.plan, judge.plan.features.columns
    groups = plan.groups_for(judge.sizes)
    rows = Rows(x, columns, "x"), Rows(y, columns, "y")
    return evidence.relabelled(plan.features, *rows, judge.sizes, groups, plan.relabelling_count)


def in_processes(work: Callable[[Job], Result], jobs: Iterable[Job], processes: int = 2) -> list[Result]:
    """The results in order. Each process keeps to one thread of linear algebra."""
    before = os.environ.get("OPENBLAS_NUM_THREADS")
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    try:
        with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
            return list(pool.map(work, jobs))
    finally:
        if before is None:
            del os.environ["OPENBLAS_NUM_THREADS"]
        else:
            os.environ["OPENBLAS_NUM_THREADS"] = before
