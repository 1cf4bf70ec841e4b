"""Differences are found as often as promised (problems.py says which, and when a bar is missed)."""

from __future__ import annotations

import secrets

import numpy as np
import pytest

from tacit import baseline

from .problems import ALPHA, PROBLEMS, Power, as_markdown, measure, misses, pvalue_without_noise
from .shortcut import Judge, Shape, statistics


def test_a_sample_of_the_problems_is_found_as_often_as_promised() -> None:
    assert misses(measure([PROBLEMS[0], PROBLEMS[-1]], 30)) == []


@pytest.mark.slow
def test_all_problems_are_found_as_often_as_promised() -> None:
    results = measure(PROBLEMS, 200)
    print(as_markdown(results))
    assert misses(results) == []


def test_the_p_value_without_noise_is_that_of_the_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the same rows and relabellings."""
    rng = np.random.default_rng(11)
    monkeypatch.setattr(secrets, "randbits", lambda bits: 1)
    for shift in (0.0, 0.4):
        x, y = rng.normal(size=(80, 2)), rng.normal(shift, 1, size=(80, 2))
        t = statistics(Judge(Shape(80, 80, 2), 1.0, ALPHA, 0.5), x, y)
        assert pvalue_without_noise(t) == baseline.spectrum_test(x, y, alpha=ALPHA).pvalue


def test_a_bar_is_missed_below_the_one_percent_quantile() -> None:
    problem = PROBLEMS[0]  # .95: at 200 runs the quantile is 182
    assert misses([Power(problem, 200, (182, 0), 200)]) == []
    assert len(misses([Power(problem, 200, (181, 0), 200)])) == 1
