"""The hot loop: sums of table entries by group, exact in 64-bit integers, in NumPy.

The real and the imaginary part of an entry travel packed in one integer, so at most 131 071 rows may meet
in one partial sum. Four octaves come from one look-up, by the top 15 bits of a phase.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.features.phases import OCTAVES, TABLE

MOST_ROWS = 131_071  # · 2¹⁴ < 2³¹
_QUADS = OCTAVES // 4
_CELLS = 5120  # look-ups at a time: their results stay in the cache


def pack(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """(…, 2) → (…): real part · 2³² + imaginary part."""
    return (pairs[..., 0] << 32) + pairs[..., 1]


def unpack(packed: NDArray[np.int64]) -> NDArray[np.int64]:
    """The inverse of pack, for sums of up to 131 071 packed entries: (…) → (…, 2)."""
    out = np.empty((*packed.shape, 2), dtype=np.int64)
    np.left_shift(packed, 32, out=out[..., 1])
    np.right_shift(out[..., 1], 32, out=out[..., 1])
    np.subtract(packed, out[..., 1], out=out[..., 0])
    np.right_shift(out[..., 0], 32, out=out[..., 0])
    return out


PACKED = pack(TABLE)
_TOP15 = np.arange(1 << 15, dtype=np.int64)
FOUR_OCTAVES = np.ascontiguousarray(
    np.stack([PACKED[((_TOP15 << octave) & 0x7FFF) >> 3] for octave in range(4)], axis=1)
)


def ladder_sums(phases: NDArray[np.uint64], groups: NDArray[np.intp], count: int) -> NDArray[np.int64]:
    """Σ TABLE[(phase << s) >> 52] for s = 0 … 43, by group: (rows, W), sorted groups → (count, W, 44, 2)."""
    rows, width = phases.shape
    _check(rows)
    step = max(16, _CELLS // width)
    totals = np.zeros((_QUADS, count, width * 4), dtype=np.int64)
    shifted = np.empty((step, width), dtype=np.uint64)
    looked = np.empty((step, width, 4), dtype=np.int64)
    for begin in range(0, rows, step):
        chunk = phases[begin : begin + step]
        size = len(chunk)
        starts, present = runs(groups[begin : begin + step])
        index, found = shifted[:size], looked[:size]
        flat = found.reshape(size, width * 4)
        for quad in range(_QUADS):
            np.left_shift(chunk, np.uint64(4 * quad), out=index)
            np.right_shift(index, np.uint64(49), out=index)
            FOUR_OCTAVES.take(index.view(np.int64), axis=0, out=found, mode="clip")
            _add(totals[quad], flat, starts, present)
    by_octave = totals.reshape(_QUADS, count, width, 4).transpose(1, 2, 0, 3)
    return unpack(by_octave.reshape(count, width, OCTAVES))


def entry_sums(
    entries: NDArray[np.int64], index: NDArray[np.intp], groups: NDArray[np.intp], count: int
) -> NDArray[np.int64]:
    """Σ of packed rows entries[index], by group: (values, M) → (count, M, 2)."""
    _check(len(index))
    width = entries.shape[1]
    step = max(16, 4 * _CELLS // width)
    totals = np.zeros((count, width), dtype=np.int64)
    for begin in range(0, len(index), step):
        starts, present = runs(groups[begin : begin + step])
        _add(totals, entries.take(index[begin : begin + step], axis=0), starts, present)
    return unpack(totals)


def runs(groups: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where each group of a sorted stretch starts, and which group it is."""
    starts = np.flatnonzero(np.concatenate(([True], groups[1:] != groups[:-1])))
    return starts, groups[starts]


def _add(
    totals: NDArray[np.int64], rows: NDArray[np.int64], starts: NDArray[np.intp], present: NDArray[np.intp]
) -> None:
    if len(starts) == 1:
        totals[present[0]] += rows.sum(axis=0)
    elif len(starts) == len(rows):
        totals[present] += rows
    else:
        totals[present] += np.add.reduceat(rows, starts, axis=0)


def _check(rows: int) -> None:
    if rows > MOST_ROWS:
        raise AssertionError("more rows than one partial sum holds")
