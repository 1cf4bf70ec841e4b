"""The spectrum: a large public dictionary of bounded members, by a rule of the schema alone.

Each member ψ_k turns a row into a complex number of modulus at most 1. The gauge is the largest modulus of
a member's difference of means; one replaced row moves it by at most 2/n_min, whatever the number of members
(theory/spectrum.md, 3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import NotYet, PlanError, quote, sealed
from tacit.features import kernel
from tacit.features.cells import Block, columns_of
from tacit.features.phases import (
    CHARACTERS,
    HALF_TURN,
    MINUS_INFINITY,
    MISSING,
    OCTAVES,
    PLUS_INFINITY,
    UNIT,
    category_phases,
    entry,
    number_phases,
)
from tacit.schema import Schema
from tacit.sources import open_source

RULE = 1  # which dictionary: raised whenever the same schema would give other members
MOST_MEMBERS = 10_000_000


@dataclass(frozen=True)
class Spectrum:
    """Single columns on ladders of forty-four octaves, 64 characters a category, one indicator a column."""

    schema: Schema | None = None
    members: int = 100_000
    frequencies: None = None

    def __post_init__(self) -> None:
        if self.frequencies is not None:
            raise NotYet("Spectrum(frequencies=…) comes with a later version: give Spectrum(schema)")
        if not isinstance(self.schema, Schema):
            raise PlanError("Spectrum needs a schema: give Spectrum(Schema.of(table))")
        whole = isinstance(self.members, int | np.integer) and not isinstance(self.members, bool)
        if not whole or not 1 <= self.members <= MOST_MEMBERS:
            raise PlanError(f"members is {quote(self.members)}: give a whole number from 1 to {MOST_MEMBERS}")
        object.__setattr__(self, "members", int(self.members))

    @property
    def columns(self) -> Schema:
        assert self.schema is not None
        return self.schema

    @cached_property
    def _kinds(self) -> tuple[str, ...]:
        return tuple(column.kind for column in self.columns.columns)

    @cached_property
    def numbers(self) -> int:
        return sum(kind != "category" for kind in self._kinds)

    @cached_property
    def categories(self) -> int:
        return sum(kind != "number" for kind in self._kinds)

    @property
    def ladders(self) -> int:
        """L: octaves are cut into L steps as long as single columns stay near 4500 members."""
        return min(4, max(1, 4500 // (OCTAVES * max(1, self.numbers))))

    @property
    def size(self) -> int:
        """K."""
        return self.numbers * self.ladders * OCTAVES + self.categories * CHARACTERS + len(self._kinds)

    centre = 0.0
    diameter = 2  # replacing one of n rows moves T by at most 2/n
    likely_maximum_of = 1000  # the bet's guess: T√n_e is like the maximum of so many Rayleigh variables

    @property
    def radius(self) -> float:
        return math.sqrt(self.size)

    def error(self, n_x: int, n_y: int) -> Fraction:
        """|T̂ − T| in double precision, for every size (theory/spectrum.md, 4)."""
        return Fraction(1, 1 << 48)

    def gauge(self, differences: NDArray[np.float64]) -> NDArray[np.float64]:
        """T̂ = max |Δ̂_k|, for differences of means in steps of 2⁻¹⁴, which are used up: (…, 2, K) → (…)."""
        np.square(differences, out=differences)
        squares = np.add(differences[..., 0, :], differences[..., 1, :], out=differences[..., 0, :])
        largest: NDArray[np.float64] = np.sqrt(squares.max(axis=-1)) * (1 / UNIT)
        return largest

    def tail(self, t: NDArray[np.float64], n_e: float) -> NDArray[np.float64]:
        """P(T ≥ t) ≤ K·e^a/I₀(2a), a = n_e t²/2, under H0 with independent rows (theory/spectrum.md, 5)."""
        from scipy.special import i0e

        a = n_e * t * t / 2
        with np.errstate(under="ignore", divide="ignore", over="ignore"):
            bound = self.size * np.exp(-a) / i0e(2 * a)
        return np.where(t > 2, 0.0, np.where(np.isfinite(bound), bound, 0.0))

    def sums(self, block: Block, groups: NDArray[np.intp], count: int) -> NDArray[np.int64]:
        """Exact sums of all members by group, in steps of 2⁻¹⁴: (count, K, 2)."""
        if np.any(groups[1:] < groups[:-1]):
            order = np.argsort(groups, kind="stable")
            block, groups = block.take(order), groups[order]
        starts, present = kernel.runs(groups)
        sizes = np.zeros(count, dtype=np.int64)
        sizes[present] = np.diff(np.append(starts, len(groups)))
        parts = [self._numbers(block.values, groups, starts, present, count)] if self.numbers else []
        for codes, bases in block.names:
            parts.append(kernel.entry_sums(_entries(bases), codes, groups, count))
        absent = _count(block.missing, starts, present, count)[..., None]
        parts.append((sizes[:, None, None] - absent) * entry(0) + absent * entry(HALF_TURN))
        return np.concatenate(parts, axis=1)

    def _numbers(
        self,
        values: NDArray[np.float64],
        groups: NDArray[np.intp],
        starts: NDArray[np.intp],
        present: NDArray[np.intp],
        count: int,
    ) -> NDArray[np.int64]:
        phases = number_phases(values, self.ladders).reshape(len(values), -1)
        sums = kernel.ladder_sums(phases, groups, count)
        sums = sums.reshape(count, self.numbers, self.ladders * OCTAVES, 2)
        if not np.isfinite(values).all():  # such a cell went in with phase 0; its own is never shifted
            for mask, phase in (
                (np.isnan(values), MISSING),
                (values == np.inf, PLUS_INFINITY),
                (values == -np.inf, MINUS_INFINITY),
            ):
                cells = _count(mask, starts, present, count)
                sums += cells[:, :, None, None] * (entry(phase) - entry(0))
        return sums.reshape(count, -1, 2)

    @sealed
    def __call__(self, rows: object) -> NDArray[np.complex128]:
        """ψ_1 … ψ_K of each row of an array or table in memory."""
        source = open_source(rows)
        self.columns.serves(source)
        if source.format not in ("array", "table"):
            raise PlanError("a map is called on rows in memory: give an array or a table")
        block = Block.of(self.columns, columns_of(source, self.columns.names, 0, source.rows or 0))
        count = len(block)
        sums = np.empty((count, self.size, 2), dtype=np.int64)
        for begin in range(0, count, 1024):
            part = np.arange(begin, min(count, begin + 1024))
            sums[part] = self.sums(block.take(part), np.arange(len(part)), len(part))
        return np.asarray((sums[..., 0] + 1j * sums[..., 1]) / UNIT, dtype=np.complex128)

    def to_dict(self) -> dict[str, Any]:
        return {"map": "Spectrum", "members": self.members, "rule": RULE, "schema": self.columns.to_dict()}

    def to_json(self) -> str:
        from tacit.canonical import dumps

        return dumps(self.to_dict())

    @classmethod
    def from_dict(cls, given: object) -> Spectrum:
        if not isinstance(given, dict) or given.get("map") != "Spectrum":
            word = quote(given.get("map")) if isinstance(given, dict) else "no recipe"
            raise NotYet(f"the features are {word}: this version serves the map Spectrum")
        if set(given) != {"map", "members", "rule", "schema"}:
            raise PlanError("a Spectrum's recipe has map, members, rule and schema: make it again")
        if given["rule"] != RULE or type(given["rule"]) is not int:
            raise PlanError(f"the dictionary is of rule {quote(given['rule'])}, this version's is {RULE}: plan again")
        return cls(Schema.from_dict(given["schema"]), given["members"])


def _entries(bases: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Packed table entries of each category's characters; the last row is that of a missing cell."""
    phases = np.vstack([category_phases(bases), np.full((1, CHARACTERS), MISSING, dtype=np.uint64)])
    return kernel.PACKED[(phases >> np.uint64(52)).astype(np.intp)]


def _count(
    mask: NDArray[np.bool_], starts: NDArray[np.intp], present: NDArray[np.intp], count: int
) -> NDArray[np.int64]:
    """How many cells of each column are marked, by group."""
    out = np.zeros((count, mask.shape[1]), dtype=np.int64)
    if mask.any():
        out[present] = np.add.reduceat(mask, starts, axis=0, dtype=np.int64)
    return out
