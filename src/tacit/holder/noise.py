"""The only randomness of a holder, from the system's entropy, without a seed: noise, and relabellings.

Noise is drawn in integers, alone, and added to exact sums as Python integers. opendp samples the discrete
laws exactly; what it would let pass in silence is refused here (a scale of 0 is no noise, a large one
saturates).
"""

from __future__ import annotations

import math
import secrets
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_SCALE = 2.0**56


def laplace(count: int, scale: float) -> list[int]:
    """Discrete Laplace: P(Z = k) proportional to exp(−|k|/scale)."""
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    return _draw(dp.m.make_laplace(*space, _checked(scale)), count)


def gaussian(count: int, scale: float) -> list[int]:
    """Discrete Gaussian: P(Z = k) proportional to exp(−k²/2scale²)."""
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T="f64")
    return _draw(dp.m.make_gaussian(*space, _checked(scale)), count)


def _draw(measurement: Any, count: int) -> list[int]:
    drawn = [int(value) for value in measurement([0] * count)]
    if len(drawn) != count:
        raise RuntimeError("the noise did not come whole")
    return drawn


def _checked(scale: float) -> float:
    if not (isinstance(scale, float) and math.isfinite(scale) and 0 < scale <= MOST_SCALE):
        raise ValueError("the scale of the noise must be a float above 0 and at most 2**56")
    return scale


def _opendp() -> Any:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    return dp


class Relabellings:
    """One key for each release: which rows form a group, and which groups change their label."""

    def __init__(self) -> None:
        self._generator = np.random.Generator(np.random.PCG64DXSM(secrets.randbits(256)))

    def groups(self, rows: int, groups: int, each: int) -> NDArray[np.uint16]:
        """A group for each row, in a uniformly random order of all rows; group ``groups`` is left over."""
        places = np.full(rows, groups, dtype=np.uint16)
        places[: groups * each] = np.repeat(np.arange(groups, dtype=np.uint16), each)
        self._generator.shuffle(places)
        return places

    def labels(self, count: int, x: int, y: int) -> NDArray[np.float64]:
        """1 where a group is labelled x: ``count`` independent uniform choices of x among x + y groups."""
        truth = np.repeat(np.array([1, 0], dtype=np.uint8), [x, y])
        rows = np.broadcast_to(truth, (count, x + y))
        return self._generator.permuted(rows, axis=1).astype(np.float64)

    def signs(self, count: int, groups: int) -> NDArray[np.float64]:
        """Independent fair signs."""
        return self._generator.integers(0, 2, (count, groups)).astype(np.float64) * 2 - 1
