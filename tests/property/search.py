"""What the searches share: relabellings that are chosen instead of drawn, and rows that move T far."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tacit.features.spectrum import Spectrum
from tacit.holder.releases import evidence as release
from tacit.holder.rows import Rows
from tacit.schema import Column, Kind, Schema
from tacit.theory.relabelling import Groups, Sizes

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


def columns(**kinds: Kind) -> Spectrum:
    return Spectrum(Schema(tuple(Column(name[1:], kind) for name, kind in kinds.items())))


HALF = 2.0**-20  # at the highest octave, 2¹⁹, half a turn: the value opposite to that of 0
REACHED = 0.95


@dataclass
class Chosen:
    """In the place of the random relabellings: unit i is group i, and the labels are the ones given."""

    given: Array
    used: int = 0

    def groups(self, rows: int, groups: int, each: int) -> NDArray[np.uint16]:
        assert rows == groups and each == 1
        return np.arange(rows, dtype=np.uint16)

    def labels(self, count: int, x: int, y: int) -> Array:
        assert self.given.shape[1] == x + y and (self.given.sum(axis=1) == x).all()
        return self._next(count)

    def signs(self, count: int, groups: int) -> Array:
        assert self.given.shape[1] == groups and (np.abs(self.given) == 1).all()
        return self._next(count)

    def _next(self, count: int) -> Array:
        self.used += count
        return self.given[self.used - count : self.used].copy()


@contextmanager
def relabelled_by(given: Array) -> Iterator[None]:
    with patch.object(release, "Relabellings", lambda: Chosen(given)):
        yield


def statistics(features: Spectrum, x: object, y: object, labels: Array, paired: bool = False) -> Array:
    """T̂ of the true labels and of the given ones, by the path of a release."""
    rows_x, rows_y = Rows(x, features.columns, "x"), Rows(y, features.columns, "y")
    sizes = Sizes(len(rows_x), len(rows_y), paired)
    groups = Groups(1, sizes.n_x, sizes.n_y, paired)
    with relabelled_by(labels):
        return release.relabelled(features, rows_x, rows_y, sizes, groups, len(labels))


def splits(n_x: int, n_y: int, most: int, rng: np.random.Generator, first: int | None = None) -> Array:
    """Distinct choices of n_x of all units, without the true one; unit ``first`` keeps its sample."""
    truth = np.repeat([1.0, 0.0], [n_x, n_y])
    if math.comb(n_x + n_y, n_x) <= 2 * most:
        rows = np.zeros((math.comb(n_x + n_y, n_x), n_x + n_y))
        for row, chosen in zip(rows, combinations(range(n_x + n_y), n_x), strict=True):
            row[list(chosen)] = 1.0
    else:
        rows = np.unique(rng.permuted(np.tile(truth, (2 * most, 1)), axis=1), axis=0)
    if first is not None:
        rows = rows[rows[:, first] == truth[first]]
    rows = rows[(rows != truth).any(axis=1)]
    if n_x == n_y:  # the complement of a split is the same split
        rows = rows[(rows != 1 - truth).any(axis=1)]
    return rng.permutation(rows)[:most]


def signs_of(pairs: int, most: int, rng: np.random.Generator) -> Array:
    return rng.integers(0, 2, (most, pairs)).astype(np.float64) * 2 - 1


Cells = Callable[[np.random.Generator], tuple[Any, ...]]
PLAIN = [0.0, HALF, 1.0, -1.0, 0.3, 1e-9, 1e300]
ODD = [math.nan, math.inf, -math.inf, -0.0, 5e-324, None]
WORDS = ["ab", "b", "", "1", "-inf", "nan", "ä", "w7", None]


def number_cell(rng: np.random.Generator) -> float:
    return float(rng.choice(PLAIN)) if rng.random() < 0.7 else float(rng.normal())


def mixed_row(rng: np.random.Generator) -> tuple[Any, ...]:
    """A number with all that may stand in its place, a category, a boolean, and text read both ways."""
    odd: list[Any] = PLAIN + ODD
    yes: list[Any] = [True, False, None]
    text = [*WORDS, "0", str(HALF), "inf"]
    return tuple(kind[rng.integers(len(kind))] for kind in (odd, WORDS, yes, text))


def mixed_table(rows: Sequence[tuple[Any, ...]]) -> pa.Table:
    types = (pa.float64(), pa.string(), pa.bool_(), pa.string())
    columns = list(zip(*rows, strict=True))
    return pa.table({str(i): pa.array(columns[i], kind) for i, kind in enumerate(types)})


def number_table(rows: Sequence[tuple[Any, ...]]) -> Array:
    return np.array(rows, dtype=np.float64)


NUMBERS = columns(_0="number", _1="number")
MIXED = columns(_0="number", _1="category", _2="category", _3="text")
