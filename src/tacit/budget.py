"""What may be spent, and what it buys: the promise that every message and report states."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tacit.errors import InputError

LEAST_EPSILON, MOST_EPSILON = 1e-6, 1e12


@dataclass(frozen=True)
class Budget:
    """ε and δ of one release. δ = 0 is pure differential privacy."""

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        epsilon, delta = _number(self.epsilon, "epsilon"), _number(self.delta, "delta")
        if not (math.isfinite(epsilon) and epsilon > 0):
            raise InputError(f"epsilon is {epsilon}: give a finite number above 0, such as 1")
        if epsilon < LEAST_EPSILON:
            raise InputError(f"epsilon is {epsilon}: below {LEAST_EPSILON} nothing but noise comes out; give more")
        if epsilon > MOST_EPSILON:
            raise InputError(f"epsilon is {epsilon}: give at most {MOST_EPSILON:g}, and 10 is already much")
        if not 0 <= delta < 1:
            raise InputError(f"delta is {delta}: give a number from 0 up to, not including, 1")
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "delta", delta)

    @property
    def rho(self) -> float:
        return pure_rho(self.epsilon)

    def check_sizes(self, n_min: int) -> None:
        """δ ≥ 1/n allows a release to publish one unit outright."""
        if self.delta * n_min >= 1:
            raise InputError(
                f"delta is {self.delta}, and 1/n is {1 / n_min:.3g} for the smaller sample of {n_min}: "
                "give a delta below a tenth of that"
            )


def pure_rho(epsilon: float) -> float:
    """The zCDP of a pure release: ε-DP is ε²/2-zCDP (Bun and Steinke 2016, prop. 1.4)."""
    return epsilon * epsilon / 2


def _number(value: object, name: str) -> float:
    try:
        if isinstance(value, bool | str | bytes):
            raise TypeError
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} is not a number: give one, such as {name}=1") from None


def promise(epsilon: float, paired: bool) -> str:
    """The guarantee of a pure release in words, the same for holder and tester."""
    if paired:
        unit, swap = (
            "one pair (both records of one unit)",
            "exchanging two units' records between pairs is two replacements and costs twice that",
        )
    else:
        unit, swap = (
            "one unit's record in one of the two samples",
            "swapping two units between the samples is two replacements and costs twice that",
        )
    return (
        f"Replacing {unit} by any other changes the probability of every possible message by a factor "
        f"of at most exp({epsilon!r}). The sizes of the samples are public and not protected. "
        f"Which sample a unit belongs to is not protected as such: {swap}."
    )
