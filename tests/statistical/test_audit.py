"""The audit finds nothing where the noise is right, and finds the leak where it is a fifth too small."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from audits.privacy import lower_bound, neighbours, plan_for, released

from tacit.holder import door, noise

EPSILON = 2.0


def bound(count: int, factor: float) -> float:
    with patch.object(door, "laplace", lambda n, scale: noise.laplace(n, scale * factor)):
        low, high = (released(plan_for(EPSILON), sides, count) for sides in neighbours())
    return lower_bound(low, high)


def test_neighbours_differ_in_one_unit() -> None:
    (low_x, low_y), (high_x, high_y) = neighbours()
    assert (low_x[1:] == high_x[1:]).all()
    assert (low_y == high_y).all()


@pytest.mark.slow
def test_what_leaves_tells_neighbours_apart_no_better_than_promised_and_nearly_so() -> None:
    """False alarm: .001 above ε (by construction of the bound), and far less below .8 ε (it is .9 ε on average)."""
    assert 0.8 * EPSILON <= bound(12_000, 1.0) <= EPSILON


@pytest.mark.slow
def test_the_audit_finds_noise_that_is_a_fifth_too_small() -> None:
    """Misses with a probability below .001: the true ratio is then 1.2 ε, three standard errors over."""
    assert bound(12_000, 0.8) > EPSILON
