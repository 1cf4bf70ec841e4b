"""Exact integer sums of features, by relabelling group: a commutative monoid, the same bits everywhere.

They are private values: they refuse pickle, have no form for the wire, and show no number when printed.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NoReturn, final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import sealed
from tacit.features.cells import Block
from tacit.features.spectrum import Spectrum
from tacit.holder.rows import Rows

_BLOCK_ROWS = 65_536
_BLOCK_PHASES = 2_600_000


@final
class Moments:
    """``counts[G]`` rows and ``first[G, K, 2]`` sums, in steps of the map's grid."""

    __slots__ = ("counts", "first")

    counts: NDArray[np.int64]
    first: NDArray[np.int64]

    def __init__(self, counts: NDArray[np.int64], first: NDArray[np.int64]) -> None:
        for array in (counts, first):
            array.setflags(write=False)
        object.__setattr__(self, "counts", counts)
        object.__setattr__(self, "first", first)

    def __add__(self, other: Moments) -> Moments:
        if not isinstance(other, Moments) or self.first.shape != other.first.shape:
            raise TypeError("moments add to moments of the same features and groups")
        return Moments(self.counts + other.counts, self.first + other.first)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Moments):
            return NotImplemented
        same = np.array_equal(self.counts, other.counts) and np.array_equal(self.first, other.first)
        return bool(same)

    __hash__ = None  # type: ignore[assignment]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("moments are not changed")

    def __repr__(self) -> str:
        return "<Moments: private, not shown>"

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("moments are private values: they are not pickled or copied out")

    def __getstate__(self) -> NoReturn:
        raise TypeError("moments are private values: they have no state to hand out")


@sealed
def moments(features: Spectrum, rows: object) -> Moments:
    """The exact sums of a map's features over all rows of an array, a table or a file."""
    return grouped(features, Rows(rows, features.columns, "the table"), None, 1)


def grouped(
    features: Spectrum,
    rows: Rows,
    groups: NDArray[Any] | None,
    count: int,
    *,
    block_rows: int | None = None,
    threads: int | None = None,
    advance: Callable[[int], None] = lambda rows: None,
) -> Moments:
    """Sums by group, ``groups[i]`` that of row i (None: all in one). Neither blocks nor threads show in a bit."""
    most = block_rows or min(_BLOCK_ROWS, max(256, _BLOCK_PHASES // max(1, features.numbers * features.ladders)))
    first = np.zeros((count, features.size, 2), dtype=np.int64)
    counts = np.zeros(count, dtype=np.int64)

    def one(begin: int, encode: Callable[[], Block]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        with np.errstate(all="ignore"):  # a warning would tell of the data
            block = encode()
            end = begin + len(block)
            part = np.zeros(len(block), np.intp) if groups is None else groups[begin:end].astype(np.intp)
            return np.bincount(part, minlength=count), features.sums(block, part, count)

    def settle(future: Future[tuple[NDArray[np.intp], NDArray[np.int64]]]) -> None:
        sizes, sums = future.result()
        np.add(counts, sizes, out=counts)
        np.add(first, sums, out=first)
        advance(int(sizes.sum()))

    workers = threads or os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        pending: deque[Future[tuple[NDArray[np.intp], NDArray[np.int64]]]] = deque()
        for begin, encode in rows.passes(most):
            pending.append(pool.submit(one, begin, encode))
            if len(pending) > workers:
                settle(pending.popleft())
        while pending:
            settle(pending.popleft())
    return Moments(counts, first)
