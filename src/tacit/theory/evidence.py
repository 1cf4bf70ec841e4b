"""Exact private evidence from one number (proofs in evidence.md, whose sections are cited as E1 … E7).

    mean over b of H[t_b − q] = 1,   release   D = t_0 − q + Z,   e-value h(D),   p-value 1/h(D)

t_b are the statistics of the true labels (b = 0) and of B relabellings in integer steps of a public grid, Z is
discrete Laplace, h the public bet and H[j] ≥ E h(j + Z) a table of integers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from tacit.errors import PlanError

Array = NDArray[np.float64]

SMALL = 1e-4  # the bet's least guessed tail
SAFETY = 1e-9  # what the tables are rounded up by, against errors of floating point
REACH = 45.0  # scales of the noise that the tables extend beyond the data
GUESS_END = 8.5  # P(the maximum of 1000 Rayleigh variables ≥ 8.5) < 5e-29


def bet_of(u: Array, alpha: float, bet: float) -> Array:
    """h in terms of the guessed null tail u: a share ``bet`` on u ≤ bet·α, the rest log-uniform."""
    rest = (1 - bet) / (1 + math.log(1 / SMALL)) / np.maximum(u, SMALL)
    return np.where(u <= bet * alpha, 1 / alpha, 0.0) + rest


@dataclass(frozen=True)
class Scale:
    """The public numbers of one release: grid, noise and the coarse step of the tables (E3)."""

    grid: float  # g, a power of two
    steps: int  # Δ_g: how far one unit moves any t_b
    noise: float  # scale of Z: the smallest double ≥ 2Δ_g/ε
    coarse: int  # w, a power of two

    @classmethod
    def of(cls, epsilon: float, sensitivity: Fraction, error: Fraction, n_e: float) -> Scale:
        exponent = _floor_log2(sensitivity / 64)
        grid = Fraction(2) ** exponent
        steps = math.ceil((sensitivity + 2 * error) / grid)
        exact = 2 * steps / Fraction(epsilon)
        noise = float(exact)
        if Fraction(noise) < exact:
            noise = math.nextafter(noise, math.inf)
        widest = max(1.0, noise / 256, 1 / (1024 * float(grid) * math.sqrt(n_e)))
        return cls(float(grid), steps, noise, 1 << _floor_log2(Fraction(widest)))

    def integers(self, statistics: Array) -> NDArray[np.int64]:
        """t = ⌊T̂/g⌋; the division by a power of two is exact."""
        return np.floor(statistics / self.grid).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Bet:
    """The tables h and H of one release. Entry i of each stands for the integer (first + i)·w."""

    scale: Scale
    alpha: float
    first: int
    h: Array
    table: NDArray[np.int64]  # H, one entry more than h: beyond its last knot
    bits: int  # H counts in steps of 2^−bits

    def threshold(self, t: NDArray[np.int64]) -> int:
        """q = min{k : Σ_b H[t_b − k] ≤ (B + 1)·2^bits}, by bisection over integers (E2)."""
        w, most = self.scale.coarse, len(t) << self.bits
        low = int(t.min()) - (self.first + len(self.h) + 1) * w  # every entry beyond the last knot
        high = int(t.max()) - (self.first - 1) * w  # every entry below the first
        while high - low > 1:
            middle = (low + high) // 2
            if int(self.entries(t - middle).sum()) <= most:
                high = middle
            else:
                low = middle
        return high

    def entries(self, j: NDArray[np.int64]) -> NDArray[np.int64]:
        """H at each j: the value at the next multiple of w."""
        return self.table[np.clip(-(-j // self.scale.coarse) - self.first, 0, len(self.h))]

    @cached_property
    def least_threshold(self) -> int:
        """q_lo ≤ q on all data, as every t_b ≥ 0."""
        return self.threshold(np.zeros(1, dtype=np.int64))

    def evalue(self, released: int) -> float:
        """h(D), constant between multiples of w with the value at the lower end."""
        return float(self.h[min(max(released // self.scale.coarse - self.first, 0), len(self.h) - 1)])

    def pvalue(self, released: int) -> float:
        """min(1, 1/h(D)); exactly α where h is 1/α."""
        evalue = self.evalue(released)
        if evalue == 1 / self.alpha:
            return self.alpha
        return min(1.0, 1 / evalue) if evalue > 0 else 1.0


@lru_cache(maxsize=64)
def bet_tables(scale: Scale, alpha: float, bet: float, n_e: float, relabellings: int, maximum_of: int = 1000) -> Bet:
    """h and H for the noise and the guess that T√n_e is the maximum of ``maximum_of`` Rayleigh variables (E3)."""
    w, unit = scale.coarse, scale.grid * math.sqrt(n_e)
    ratio, r = math.exp(-w / scale.noise), math.exp(-1 / scale.noise)
    below = math.ceil(REACH * scale.noise / w)
    cells = math.ceil(GUESS_END / unit / w) + 1
    knots = below + cells + below + 1
    guess = np.zeros(knots)  # mass of ⌊M/(g√n_e w)⌋ at knot − below
    survival = _survival(np.arange(cells, dtype=np.float64) * (w * unit), maximum_of)
    guess[below : below + cells] = survival - np.append(survival[1:], 0.0)
    u = _tail_with_noise(guess, ratio, r)
    reached = np.flatnonzero(u <= bet * alpha)
    jump = int(reached[0]) if len(reached) else knots - 1
    h = np.maximum.accumulate(bet_of(u, alpha, bet))
    smooth = np.maximum.accumulate(_smoothed(h, w / scale.noise, r) * (1 + SAFETY))
    most = max(float(smooth[-1]), float(h[-1]) * (1 + SAFETY))
    bits = 62
    while (relabellings + 1) * math.ceil(math.ldexp(most, bits)) >= 1 << 63:
        bits -= 1
    table = np.ceil(np.ldexp(np.append(smooth, most), bits)).astype(np.int64)
    if table[0] > 1 << bits or table[-1] <= 1 << bits:
        raise PlanError(f"alpha {alpha} with bet {bet} leaves nothing to bet on: give a smaller alpha")
    for array in (h, table):
        array.setflags(write=False)
    return Bet(scale, alpha, -jump, h, table, bits)


def _survival(t: Array, maximum_of: int) -> Array:
    """P(M ≥ t) for the maximum M of so many independent Rayleigh variables, P(one ≥ t) = e^(−t²)."""
    with np.errstate(divide="ignore"):
        out: Array = -np.expm1(maximum_of * np.log1p(-np.exp(-t * t)))
    return out


def _tail_with_noise(guess: Array, ratio: float, r: float) -> Array:
    """u at each knot y: Σ_i P(cell i)·P(Z ≥ y − i·w), by two one-pole recursions."""
    ahead = np.flip(_one_pole(np.flip(guess), ratio, 0.0))  # Σ_{i ≥ y} P_i R^(i−y)
    behind = _one_pole(guess, ratio, 0.0) - guess  # Σ_{i < y} P_i R^(y−i)
    certain = np.flip(np.cumsum(np.flip(guess)))
    return np.clip(behind / (1 + r) + certain - ahead * (r / (1 + r)), 0.0, 1.0)


def _smoothed(h: Array, step: float, r: float) -> Array:
    """E h(j + Z) at each knot j, h taken at its knots: cells c ≥ 0 of Z weigh R^c, cells c < 0 r·R^(|c|−1)."""
    ratio, weight = math.exp(-step), -math.expm1(-step)  # R and 1 − R
    up = np.flip(_one_pole(np.flip(h), ratio, float(h[-1]) / weight))
    down = _one_pole(np.concatenate(([0.0], h[:-1])), ratio, float(h[0]) / weight, first_is_state=True)
    return (up + r * down) * (weight / (1 + r))


def _one_pole(values: Array, ratio: float, state: float, first_is_state: bool = False) -> Array:
    """y_i = v_i + R·y_(i−1), from a state before the first, or with the state as the first."""
    out = np.empty(len(values))
    for i, value in enumerate(values.tolist()):
        state = state if first_is_state and i == 0 else value + ratio * state
        out[i] = state
    return out


def far_tail(tables: Bet, released: int, tail: Callable[[Array], Array], error: float, enough: float = 0.0) -> float:
    """P(D ≥ d) ≤ E_Z min(1, tail(g(d − Z + q_lo) − e)), an exact finite-sample p-value (E6).

    ``tail(t)`` bounds P(T ≥ t) and decreases. Where the answer is certain to be ``enough`` or more, some
    such number comes back without the sum.
    """
    scale = tables.scale
    w, reach = scale.coarse, released + tables.least_threshold
    ratio, r = math.exp(-w / scale.noise), math.exp(-1 / scale.noise)
    certain = math.ceil((reach - _where_certain(tail, error) / scale.grid) / w)  # bound 1 from this cell on
    floor = _upper_tail(certain, ratio, r)
    if floor >= enough > 0:
        return min(1.0, floor)
    span = math.ceil((40.0 - math.log(max(floor, 1e-300))) * scale.noise / w) + 1
    impossible = math.floor((reach - (2.0 + error) / scale.grid) / w) - 1  # bound 0 below this cell, as T ≤ 2
    end = min(certain, span)
    begin = min(end, max(impossible, -span))
    cells = np.arange(begin, end + 1)  # below c·w noise is at most c·w − 1: the bound of cell c stands at c + 1
    bounds = np.minimum(1.0, tail(np.maximum(scale.grid * (reach + 1 - cells * float(w)) - error, 0.0)))
    total = float(np.sum(_cell_mass(cells[:-1], ratio, r) * bounds[1:])) + _upper_tail(end, ratio, r)
    total += (1 - _upper_tail(begin, ratio, r)) * float(bounds[0])
    return min(1.0, total * (1 + SAFETY) + 1e-300)


def _where_certain(tail: Callable[[Array], Array], error: float) -> float:
    """A statistic, close from below to the one where the bound falls under 1."""
    low, high = 0.0, 4.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(np.array([middle]))[0] >= 1 else (low, middle)
    return low + error


def _upper_tail(cell: int, ratio: float, r: float) -> float:
    """P(Z ≥ cell·w)."""
    return ratio**cell / (1 + r) if cell > 0 else 1 - r * ratio**-cell / (1 + r)


def _cell_mass(cells: NDArray[np.int64], ratio: float, r: float) -> Array:
    """P(c·w ≤ Z < (c+1)·w)."""
    away = np.where(cells >= 0, cells, -cells - 1).astype(np.float64)
    with np.errstate(under="ignore"):
        power = np.power(ratio, away)
    return np.where(cells >= 0, power, r * power) * ((1 - ratio) / (1 + r))


def _floor_log2(value: Fraction) -> int:
    guess = value.numerator.bit_length() - value.denominator.bit_length()
    return guess if Fraction(2) ** guess <= value else guess - 1
