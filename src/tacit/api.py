"""Holder and tester in one process: the same path, plan → message → verdict."""

from __future__ import annotations

from typing import Literal

from tacit.budget import Budget
from tacit.errors import sealed
from tacit.features.spectrum import Spectrum
from tacit.holder.ledger import LedgerStore
from tacit.holder.roles import Curator
from tacit.plan import Plan
from tacit.schema import Schema
from tacit.sources import open_source
from tacit.tester.verdict import TestResult, verdict


@sealed
def two_sample_test(
    x: object,
    y: object,
    *,
    epsilon: float,
    delta: float | None = None,
    release: str = "evidence",
    features: object = "auto",
    alpha: float = 0.05,
    bet: float = 0.5,
    paired: bool = False,
    shared: bool = False,
    unit: str | None = None,
    schema: object = None,
    where: bool = False,
    dataset: str | None = None,
    ledger: LedgerStore | Literal[False] | None = None,
) -> TestResult:
    """Do two samples come from the same distribution? Under ε-differential privacy, and nothing else comes out.

    ``x`` and ``y``: NumPy arrays, tables (pandas, Polars, Arrow, DuckDB) or paths to .npy, CSV or Parquet; one
    row is one unit. The p-value is exact at every sample size; ``result.reject()`` decides at ``alpha``.
    """
    curator = Curator(ledger, dataset)
    budget = Budget(epsilon, 0.0 if delta is None else delta)
    source_x, source_y = open_source(x, "x"), open_source(y, "y")
    if isinstance(features, str) and features == "auto":
        features = spectrum_for(source_x, source_y)
    plan = Plan(
        features=features,  # type: ignore[arg-type]
        budget=budget,
        release=release,
        alpha=alpha,
        bet=bet,
        paired=paired,
        shared=shared,
        unit=unit,
        schema=schema,
        where=where,
    )
    return verdict(plan, curator.release(plan, source_x, source_y))


def spectrum_for(x: object, y: object | None = None) -> Spectrum:
    """The default dictionary, from the schemas of one source or two."""
    schema = Schema.of(x)
    return Spectrum(schema if y is None else schema.covering(Schema.of(y)))
