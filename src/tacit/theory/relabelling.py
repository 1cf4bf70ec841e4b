"""Sizes, groups of units and how often they are relabelled (proofs in evidence.md, 5 to 7)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from tacit.errors import PlanError

LEAST_ALPHA = 1e-4
MOST_RELABELLINGS = 99_999
MOST_UNITS = 1 << 38  # sums of table entries stay exact in double precision (E4)


@dataclass(frozen=True)
class Sizes:
    """n_x, n_y and whether unit i of one sample is unit i of the other."""

    n_x: int
    n_y: int
    paired: bool = False

    @property
    def n_min(self) -> int:
        return min(self.n_x, self.n_y)

    @property
    def spread(self) -> float:
        """n_e of the bet's guess: T is of order 1/√n_e under H0."""
        return self.n_x / 2 if self.paired else self.n_x * self.n_y / (self.n_x + self.n_y)

    @property
    def tail(self) -> float:
        """n_e of the far tail; a difference within a pair has modulus up to 2 (E6)."""
        return self.n_x / 4 if self.paired else self.spread

    def sensitivity(self, diameter: int | Fraction) -> Fraction:
        """Δ: how far one replaced unit moves T, whatever the labels."""
        return Fraction(diameter) * (2 if self.paired else 1) / self.n_min


@dataclass(frozen=True)
class Groups:
    """Relabelling permutes whole groups of ``rows`` rows; rows left over keep their label (E5)."""

    rows: int
    x: int
    y: int
    paired: bool

    MOST = 400
    EACH = 50

    @classmethod
    def of(cls, sizes: Sizes, each: int = EACH) -> Groups:
        rows = max(1, sizes.n_min // each)
        x, y = sizes.n_x // rows, sizes.n_y // rows
        if not sizes.paired:
            x, y = min(x, max(y, cls.MOST - y)), min(y, max(x, cls.MOST - x))
        return cls(rows, x, y, sizes.paired)

    @property
    def tied_share(self) -> Fraction:
        """The share of relabellings that the statistic cannot tell from the truth."""
        if self.paired:
            return Fraction(2, 1 << self.x)
        return Fraction(2 if self.x == self.y else 1, math.comb(self.x + self.y, self.x))


def relabellings_for(alpha: float) -> int:
    """B of a plan that says nothing of it."""
    return min(MOST_RELABELLINGS, max(999, math.ceil(10 / Fraction(alpha)) - 1))


def check_alpha(alpha: float, groups: Groups, relabellings: int) -> None:
    """An α that no data could reach is refused, with the smallest that some could."""
    least = max(Fraction(LEAST_ALPHA), groups.tied_share, Fraction(1, relabellings + 1))
    if Fraction(alpha) < least:
        shown = math.ceil(least * 10**6) / 10**6
        raise PlanError(
            f"alpha is {alpha}: with samples of these sizes, {groups.x} + {groups.y} groups and "
            f"{relabellings} relabellings the smallest that can be reached is {shown:g}; "
            "give that or more, or more rows"
        )
