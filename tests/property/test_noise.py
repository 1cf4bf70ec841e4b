"""The noise follows the discrete Laplace and the discrete Gaussian law, and no law with a scale 3 % off."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from tacit.holder import noise

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Law = Callable[[float], tuple[Integers, Array]]

DRAWS = 200_000
FALSE_ALARM = 1e-7  # of one check; the file makes eight that must pass, together less than 1e-6
BINS = 16
OFF = (0.97, 1 / 0.97)


def laplace_law(scale: float) -> tuple[Integers, Array]:
    """The integers that matter and their probabilities, proportional to exp(−|k|/scale)."""
    reach = math.ceil(60 * scale)
    support = np.arange(-reach, reach + 1)
    weights = np.exp(-np.abs(support) / scale)
    return support, weights / weights.sum()


def gaussian_law(scale: float) -> tuple[Integers, Array]:
    """The same, proportional to exp(−k²/2scale²)."""
    reach = math.ceil(12 * scale)
    support = np.arange(-reach, reach + 1)
    weights = np.exp(-(support**2) / (2 * scale**2))
    return support, weights / weights.sum()


def accept(drawn: Integers, law: Law, scale: float, order: int) -> None:
    """Pearson's test over at most 16 bins, and the mean of |Z|^order against its exact value and error.

    Two checks, each with false-alarm rate 1e-7 / 2. The mean of |Z| (Laplace) or Z² (Gaussian) is what tells
    the scale: 3 % off move it by 13 or 18 of its standard errors, and 5.4 are allowed.
    """
    support, mass = law(scale)
    edges = np.unique(np.searchsorted(np.cumsum(mass), np.arange(1, BINS) / BINS))
    bins = len(edges) + 1
    expected = len(drawn) * np.bincount(np.searchsorted(edges, np.arange(len(mass)), side="right"), mass)
    place = np.clip(drawn - support[0], 0, len(support) - 1)
    seen = np.bincount(np.searchsorted(edges, place, side="right"), minlength=bins)
    assert float(expected.min()) > 100
    distance = float(np.sum((seen - expected) ** 2 / expected))
    assert distance <= stats.chi2.isf(FALSE_ALARM / 2, bins - 1)

    size = np.abs(support).astype(float) ** order
    mean = float(mass @ size)
    error = math.sqrt((float(mass @ size**2) - mean**2) / len(drawn))
    z = (float(np.mean(np.abs(drawn).astype(float) ** order)) - mean) / error
    assert abs(z) <= stats.norm.isf(FALSE_ALARM / 4)


LAWS = [
    pytest.param(noise.laplace, laplace_law, 1, 0.7, id="laplace-fine"),
    pytest.param(noise.laplace, laplace_law, 1, 258.25, id="laplace-coarse"),
    pytest.param(noise.gaussian, gaussian_law, 2, 0.7, id="gaussian-fine"),
    pytest.param(noise.gaussian, gaussian_law, 2, 258.25, id="gaussian-coarse"),
]


@pytest.mark.parametrize(("draw", "law", "order", "scale"), LAWS)
def test_the_noise_follows_its_law_and_no_law_three_percent_off(
    draw: Callable[[int, float], list[int]], law: Law, order: int, scale: float
) -> None:
    """Accepts the law with false-alarm rate 1e-7.

    Rejects the scale times .97 and times 1/.97, and with it any constant that is off by as much: the right
    law would have to stray by more than 7 standard errors for that to fail (less than 1e-11 each).
    """
    drawn = np.array(draw(DRAWS, scale), dtype=np.int64)
    accept(drawn, law, scale, order)
    for factor in OFF:
        with pytest.raises(AssertionError):
            accept(drawn, law, scale * factor, order)


def test_draws_of_one_vector_are_independent_and_their_signs_fair() -> None:
    """Correlation of neighbours, of their sizes, and the sum of signs: three z tests at 1e-7 each.

    Every draw given twice, or one sign for all, gives z of 100 or more.
    """
    count = 40_000
    drawn = np.array(noise.laplace(count, 258.25), dtype=np.float64)
    limit = stats.norm.isf(FALSE_ALARM / 2)
    for values in (drawn, np.abs(drawn)):
        centred = values - values.mean()
        z = float(centred[1:] @ centred[:-1]) / (float(centred @ centred) / math.sqrt(count))
        assert abs(z) <= limit
    signs = np.sign(drawn[drawn != 0])
    assert abs(float(signs.sum())) / math.sqrt(len(signs)) <= limit


def test_single_draws_follow_the_same_law_as_a_vector() -> None:
    """A release draws one integer: 4000 such draws against the law, false-alarm rate 1e-7.

    A draw that is not fresh (a seed, a cache) fails: its mean |Z| is one value, not the law's.
    """
    drawn = np.array([noise.laplace(1, 258.25)[0] for _ in range(4000)], dtype=np.int64)
    accept(drawn, laplace_law, 258.25, 1)
    for factor in (0.8, 1 / 0.8):
        with pytest.raises(AssertionError):
            accept(drawn, laplace_law, 258.25 * factor, 1)


BAD: list[object] = [0.0, -0.0, -1.0, math.nan, math.inf, -math.inf, 1e300, 0, 1, -1, True, None, "1.0"]
BAD.append(math.nextafter(2.0**56, math.inf))


@pytest.mark.parametrize("draw", [noise.laplace, noise.gaussian])
@pytest.mark.parametrize("scale", BAD, ids=repr)
def test_noise_refuses_a_scale_that_would_be_none_or_too_much(
    draw: Callable[[int, object], list[int]], scale: object
) -> None:
    with pytest.raises(ValueError, match="scale of the noise"):
        draw(1, scale)


@pytest.mark.parametrize("draw", [noise.laplace, noise.gaussian])
def test_noise_of_the_largest_scale_is_not_saturated(draw: Callable[[int, float], list[int]]) -> None:
    """1000 draws at 2⁵⁶ keep within 120 scales and differ: false alarms less than 1e-12."""
    drawn = draw(1000, 2.0**56)
    assert len(set(drawn)) > 990
    assert max(map(abs, drawn)) < 120 * 2**56
    assert all(type(value) is int for value in drawn)
    assert len({value & 0xFF for value in drawn}) > 128  # the low bits are as random as the high ones
