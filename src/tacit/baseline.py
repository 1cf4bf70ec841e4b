"""The same tests without privacy, for comparison. Their results say so."""

from __future__ import annotations

import numpy as np

from tacit.api import spectrum_for
from tacit.budget import Budget
from tacit.errors import sealed
from tacit.features.spectrum import Spectrum
from tacit.holder.releases.evidence import relabelled
from tacit.holder.rows import Rows
from tacit.plan import Plan
from tacit.sources import open_source
from tacit.tester.verdict import TestResult

NOT_PRIVATE = (
    "NOT PRIVATE: computed from the rows without noise. The statistic and the p-value can give away "
    "a single unit; they are for public data and for comparison."
)


@sealed
def spectrum_test(
    x: object,
    y: object,
    *,
    alpha: float = 0.05,
    paired: bool = False,
    features: Spectrum | None = None,
    relabellings: int | None = None,
) -> TestResult:
    """The spectrum's T and relabellings as they are: p = (1 + k)/(B + 1), k the relabellings with T_b ≥ T_0."""
    source_x, source_y = open_source(x, "x"), open_source(y, "y")
    features = features or spectrum_for(source_x, source_y)
    plan = Plan(features, Budget(1.0), alpha=alpha, paired=paired, relabellings=relabellings)
    rows_x, rows_y = Rows(source_x, features.columns, "x"), Rows(source_y, features.columns, "y")
    sizes = plan.check_sizes(len(rows_x), len(rows_y))
    groups = plan.groups_for(sizes)
    statistics = relabelled(features, rows_x, rows_y, sizes, groups, plan.relabelling_count)
    return TestResult(
        statistic=float(statistics[0]),
        pvalue=(1 + int(np.sum(statistics[1:] >= statistics[0]))) / len(statistics),
        evalue=None,
        alpha=plan.alpha,
        epsilon=None,
        delta=None,
        n_x=sizes.n_x,
        n_y=sizes.n_y,
        release="baseline (not private)",
        where=None,
        recorded=False,
        promise=NOT_PRIVATE,
    )
