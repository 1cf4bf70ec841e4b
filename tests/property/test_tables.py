"""The bet's tables, the threshold and the far tail are what theory/evidence.md, 3 and 6, says."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from tacit.theory.evidence import Bet, Scale, bet_tables, far_tail
from tacit.theory.relabelling import Sizes
from tests.property.search import (
    NUMBERS,
    Array,
    Integers,
)

BETS = [
    pytest.param(0.05, 0.5, 1.0, Sizes(50, 50), 999, id="default"),
    pytest.param(0.01, 1.0, 1.0, Sizes(300, 300), 999, id="all-on-alpha"),
    pytest.param(0.01, 0.5, 0.1, Sizes(20, 20), 999, id="small-epsilon"),
    pytest.param(0.4, 0.5, 10.0, Sizes(2, 2), 199, id="two-and-two"),
    pytest.param(0.05, 0.3, 2.0, Sizes(2, 100), 999, id="unequal"),
    pytest.param(0.05, 0.5, 3.0, Sizes(30, 30, True), 999, id="pairs"),
    pytest.param(1e-4, 0.5, 1000.0, Sizes(400, 900), 99_999, id="huge-epsilon"),
    pytest.param(0.999, 1.0, 5.0, Sizes(40, 40), 99, id="alpha-near-one"),
]


def tables_of(alpha: float, bet: float, epsilon: float, sizes: Sizes, relabellings: int) -> Bet:
    scale = Scale.of(epsilon, sizes.sensitivity(2), Fraction(1, 1 << 48), sizes.spread)
    return bet_tables(scale, alpha, bet, sizes.spread, relabellings)


def h_at(tables: Bet, d: Integers) -> Array:
    """h, constant from one multiple of w up to the next, and beyond its ends what it is there."""
    return tables.h[np.clip(d // tables.scale.coarse - tables.first, 0, len(tables.h) - 1)]


def h_mean(tables: Bet, j: int) -> float:
    """E h(j + Z), integer by integer."""
    reach = math.ceil(45 * tables.scale.noise)
    z = np.arange(-reach, reach + 1)
    r = math.exp(-1 / tables.scale.noise)
    weights = np.exp(-np.abs(z) / tables.scale.noise) * (-math.expm1(-1 / tables.scale.noise) / (1 + r))
    return float(np.sum(weights * h_at(tables, j + z)))


@pytest.mark.parametrize(("alpha", "bet", "epsilon", "sizes", "relabellings"), BETS)
def test_the_table_is_never_less_than_the_mean_bet_and_hardly_more(
    alpha: float, bet: float, epsilon: float, sizes: Sizes, relabellings: int
) -> None:
    """At every integer tried; at multiples of w no more than what it was rounded up by."""
    tables = tables_of(alpha, bet, epsilon, sizes, relabellings)
    w, last = tables.scale.coarse, tables.first + len(tables.h)
    knots = {-2, -1, 0, 1, 2, *np.linspace(tables.first - 2, last + 2, 25).astype(int).tolist()}
    for j in [k * w + step for k in knots for step in {0, 1, w // 2, w - 1}]:
        entry = int(tables.entries(np.array([j]))[0]) / 2**tables.bits
        mean = h_mean(tables, j)
        assert entry >= mean * (1 - 1e-12)
        if j % w == 0 and tables.first * w <= j < last * w:
            assert entry <= mean * (1 + 3e-9) + 2.0 ** (1 - tables.bits) + 1e-18


@pytest.mark.parametrize(("alpha", "bet", "epsilon", "sizes", "relabellings"), BETS)
def test_the_table_rises_from_at_most_one_and_its_sums_fit_64_bits(
    alpha: float, bet: float, epsilon: float, sizes: Sizes, relabellings: int
) -> None:
    tables = tables_of(alpha, bet, epsilon, sizes, relabellings)
    assert (np.diff(tables.h) >= 0).all() and (np.diff(tables.table) >= 0).all()
    assert 0 <= int(tables.table[0]) <= 1 << tables.bits < int(tables.table[-1])
    assert (relabellings + 1) * int(tables.table.max()) < 1 << 63
    assert tables.h[-tables.first] >= 1 / alpha > tables.h[-tables.first - 1]  # the jump is at 0
    assert tables.pvalue(0) <= alpha < tables.pvalue(-1)


@pytest.mark.parametrize(("alpha", "bet", "epsilon", "sizes", "relabellings"), BETS)
def test_the_threshold_is_the_least_that_lets_the_mean_bet_be_one(
    alpha: float, bet: float, epsilon: float, sizes: Sizes, relabellings: int
) -> None:
    """Against a search through all integers near it and 20 000 over the whole range; it moves with t."""
    tables = tables_of(alpha, bet, epsilon, sizes, relabellings)
    rng = np.random.default_rng(17)
    for count in (1, 2, 7, min(30, relabellings + 1)):
        t = rng.integers(0, max(2, round(2 / tables.scale.grid)), count)
        q, w = tables.threshold(t), tables.scale.coarse
        low = int(t.min()) - (tables.first + len(tables.h) + 2) * w
        high = int(t.max()) - (tables.first - 2) * w
        near, wide = np.arange(q - 60, q + 60), np.arange(low, high + 1, max(1, (high - low) // 20_000))
        for k in (near, wide):
            assert np.array_equal(fits(tables, t, k), k >= q)
        for shift in (-(10**9), -1, 1, 12_345, 10**9):
            assert tables.threshold(t + shift) == q + shift
        assert q >= tables.least_threshold
        assert tables.threshold(t[::-1].copy()) == q


def fits(tables: Bet, t: Integers, k: Integers) -> NDArray[np.bool_]:
    """At each k: is Σ H[t_b − k] ≤ (B + 1)·2^bits?"""
    place = -((k[:, None] - t) // tables.scale.coarse) - tables.first  # a multiple of w, rounded up
    entries = tables.table[np.minimum(np.maximum(place, 0), len(tables.table) - 1)]
    return np.asarray(entries.sum(axis=1) <= len(t) << tables.bits)


def tail_of(sizes: Sizes) -> Callable[[Array], Array]:
    return lambda t: NUMBERS.tail(t, sizes.tail)


def summed_tail(tables: Bet, released: int, sizes: Sizes) -> float:
    """E_Z min(1, tail(g(d − Z + q_lo) − e)) over every integer Z that matters."""
    noise, start = tables.scale.noise, released + tables.least_threshold
    top = max(0, start) + math.ceil(45 * noise)
    bottom = min(0, start - math.ceil(2.5 / tables.scale.grid)) - math.ceil(45 * noise)
    bottom, top = max(bottom, -math.ceil(700 * noise)), min(top, math.ceil(700 * noise))
    total = 0.0
    r = math.exp(-1 / noise)
    for begin in range(bottom, top + 1, 1 << 20):
        z = np.arange(begin, min(begin + (1 << 20), top + 1))
        weights = np.exp(-np.abs(z) / noise) * (-math.expm1(-1 / noise) / (1 + r))
        t = tables.scale.grid * (start - z) - float(NUMBERS.error(2, 2))
        total += float(weights @ np.minimum(1.0, tail_of(sizes)(np.maximum(t, 0.0))))
    return min(1.0, total)


TAILS = [
    (0.1, Sizes(50, 50)),
    (0.1, Sizes(2, 100)),
    (1.0, Sizes(2, 2)),
    (1.0, Sizes(300, 300)),
    (1.0, Sizes(30, 30, True)),
    (10.0, Sizes(20, 20)),
    (10.0, Sizes(1000, 1000)),
    (1000.0, Sizes(100_000, 100_000)),
]


@pytest.mark.parametrize(("epsilon", "sizes"), TAILS)
def test_the_far_tail_is_never_less_than_the_sum_over_every_integer_and_hardly_more(
    epsilon: float, sizes: Sizes
) -> None:
    """It may be too large by what one cell of the noise makes: 6 %, and at ε ≤ 1 a hundredth."""
    tables = tables_of(0.4 if sizes.n_min == 2 else 0.01, 0.5, epsilon, sizes, 999)
    end = math.ceil(2.2 / tables.scale.grid + 20 * tables.scale.noise)
    for released in np.linspace(-end, end, 15).astype(int).tolist():
        found = far_tail(tables, released, tail_of(sizes), float(NUMBERS.error(2, 2)))
        exact = summed_tail(tables, released, sizes)
        assert found >= exact * (1 - 1e-10)
        if found > 1e-250:
            assert found <= exact * (1.01 if epsilon <= 1 else 1.06)


@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 1.0, 30.0, 1e3])
@pytest.mark.parametrize(
    "sizes", [Sizes(2, 2), Sizes(2, 10**9), Sizes(100, 37), Sizes(10**5, 10**5, True), Sizes(10**9, 10**9)]
)
def test_the_far_tail_falls_from_one_and_is_never_zero_at_any_epsilon_and_size(epsilon: float, sizes: Sizes) -> None:
    """For every number that a message may hold; a p-value from it is never 0 or above 1."""
    tables = tables_of(0.4 if sizes.n_min == 2 else 0.01, 0.5, epsilon, sizes, 999)
    noise = tables.scale.noise
    scales = np.linspace(-40, 60, 25) * noise
    inner = np.linspace(-0.5, 2.5, 25) / tables.scale.grid
    wanted = {int(d) for d in (*scales, *inner, *(inner + 10 * noise))} | {-3, -2, -1, 0, 1, 2, 3}
    released = [-(2**62), -(10**12), *sorted(wanted), 10**15, 2**62]
    found = [far_tail(tables, d, tail_of(sizes), float(NUMBERS.error(2, 2))) for d in sorted(released)]
    assert all(0 < p <= 1 for p in found)
    assert found[0] == 1 and found[-1] < 1e-9
    assert all(after <= before * (1 + 1e-8) for before, after in pairwise(found))


@pytest.mark.parametrize(("epsilon", "sizes"), TAILS)
def test_a_far_tail_cut_short_never_changes_the_smaller_p_value(epsilon: float, sizes: Sizes) -> None:
    """With ``enough`` given, what comes back is the whole sum or no less than ``enough``."""
    tables = tables_of(0.4 if sizes.n_min == 2 else 0.01, 0.5, epsilon, sizes, 999)
    error = float(NUMBERS.error(2, 2))
    end = math.ceil(2.2 / tables.scale.grid + 20 * tables.scale.noise)
    for released in np.linspace(-end, end, 15).astype(int).tolist():
        whole = far_tail(tables, released, tail_of(sizes), error)
        for enough in (1e-9, 1e-3, 0.3, 1.0):
            cut = far_tail(tables, released, tail_of(sizes), error, enough)
            assert min(cut, enough) == min(whole, enough)


def test_the_tail_of_one_member_is_never_less_than_chance_where_chance_is_known() -> None:
    """Fair signs, |Δ̂| exact by the binomial law, times the number of members: and it falls with t."""
    for n_x, n_y in ((2, 2), (5, 30), (40, 40)):
        n_e = n_x * n_y / (n_x + n_y)
        t = np.linspace(0, 2, 200)
        tail = np.minimum(1, NUMBERS.tail(t, n_e))
        assert (np.diff(tail) <= 0).all()
        mass_x, mass_y = (np.array([math.comb(n, k) for k in range(n + 1)], dtype=float) / 2.0**n for n in (n_x, n_y))
        mean_x, mean_y = (2 * np.arange(n + 1) / n - 1 for n in (n_x, n_y))
        apart, mass = np.abs(mean_x[:, None] - mean_y), mass_x[:, None] * mass_y
        chance = np.array([float(mass[apart >= at - 1e-12].sum()) for at in t])
        assert (chance * (1 - 1e-12) <= NUMBERS.tail(t, n_e) / NUMBERS.size * (1 + 1e-12)).all()
    assert float(NUMBERS.tail(np.array([2.0000001]), 5.0)[0]) == 0.0
