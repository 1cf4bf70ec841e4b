"""Column → 64-bit phases, and the one table that turns a phase into a number (theory/spectrum.md, 1 and 2).

One turn is 2⁶⁴, so that overflow is arithmetic modulo a turn. Everything here depends on one cell alone
and gives the same bits on every machine.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

OCTAVES = 44  # exponents −24 … 19
CHARACTERS = 64
UNIT = 1 << 14  # the table's grid is 2⁻¹⁴

MISSING = (1 << 64) // 3
PLUS_INFINITY = 2 * (1 << 64) // 3
MINUS_INFINITY = 1 << 63
HALF_TURN = 1 << 63

# 2^(j/L), the nearest doubles, for L ladders: written out, since 2 ** (2 / 3) is one ulp off.
FACTORS: dict[int, tuple[float, ...]] = {
    1: (1.0,),
    2: (1.0, 1.4142135623730951),
    3: (1.0, 1.2599210498948732, 1.5874010519681996),
    4: (1.0, 1.189207115002721, 1.4142135623730951, 1.681792830507429),
}

_ANGLES = (np.arange(4096) + 0.5) * (2 * np.pi / 4096)
TABLE: NDArray[np.int64] = np.trunc(UNIT * np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)).astype(np.int64)
TABLE.setflags(write=False)

_EASY = 2.0**23  # below it x·2⁴⁰ fits a signed 64-bit integer
_LIFT = 2.0**40


def entry(phase: int) -> NDArray[np.int64]:
    """TABLE at a phase that is never shifted."""
    found: NDArray[np.int64] = TABLE[phase >> 52]
    return found


def number_phases(values: NDArray[np.float64], ladders: int) -> NDArray[np.uint64]:
    """⌊frac(x·f·2⁻²⁴)·2⁶⁴⌋ for each cell and ladder factor f: (rows, columns) → (rows, columns, ladders).

    Shifted left by s ≤ 43 it keeps the exact top 12 bits at octave s − 24. Cells that are not finite, and
    products that overflow, have phase 0.
    """
    finite = np.isfinite(values)
    if not finite.all():
        values = np.where(finite, values, 0.0)
    phases = np.empty((*values.shape, ladders), dtype=np.uint64)
    work = np.empty(values.shape)
    with np.errstate(over="ignore", under="ignore"):
        for j, factor in enumerate(FACTORS[ladders]):
            scaled = values if factor == 1.0 else np.multiply(values, factor, out=work)
            phases[:, :, j] = _base(scaled)
    return phases


def _base(scaled: NDArray[np.float64]) -> NDArray[np.uint64]:
    """⌊x·2⁴⁰⌋ modulo 2⁶⁴, exactly, for every double; an infinite one gives 0."""
    large = ~(np.abs(scaled) < _EASY)
    if not large.any():
        return np.floor(scaled * _LIFT).astype(np.int64).view(np.uint64)
    phases = np.floor(np.where(large, 0.0, scaled) * _LIFT).astype(np.int64).view(np.uint64)
    beyond = scaled[large]
    mantissa, exponent = np.frexp(np.where(np.isfinite(beyond), beyond, 0.0))
    shift = np.clip(exponent.astype(np.int64) - 13, 0, 64).astype(np.uint64)  # x·2⁴⁰ = (m·2⁵³)·2^(e − 13)
    whole = (mantissa * 2.0**53).astype(np.int64).view(np.uint64)
    phases[large] = np.where(shift < 64, whole << np.minimum(shift, np.uint64(63)), np.uint64(0))
    return phases


def category_base(value: bytes) -> int:
    """The 64-bit name of a category: BLAKE2b of its UTF-8, read little-endian."""
    return int.from_bytes(hashlib.blake2b(value, digest_size=8).digest(), "little")


def category_phases(bases: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The 64 random characters of each category: splitmix64's finaliser at base + k·golden."""
    steps = np.arange(CHARACTERS, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = bases[:, None] + steps[None, :]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    out: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return out
