"""What has been spent on a data set, and whether more may be. The durable ledger comes later."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tacit.budget import Budget
from tacit.errors import InputError, Refused, quote


@dataclass(frozen=True)
class Spend:
    """One release on one data set."""

    dataset: str
    plan: str  # digest
    release: str
    epsilon: float
    delta: float


class LedgerStore(Protocol):
    """Spends are written, all or none, before any noise is drawn; beyond a grant they are refused."""

    def grant(self, dataset: str, budget: Budget) -> None: ...

    def spend(self, spends: Sequence[Spend]) -> None: ...

    def history(self, dataset: str | None = None) -> tuple[Spend, ...]: ...

    def left(self, dataset: str) -> tuple[float, float] | None: ...


class MemoryLedger:
    """A ledger that lasts as long as the process."""

    def __init__(self) -> None:
        self._grants: dict[str, Budget] = {}
        self._spends: list[Spend] = []
        self._lock = threading.Lock()

    def grant(self, dataset: str, budget: Budget) -> None:
        """From now on all releases on this data set together may spend so much, and no more."""
        if not isinstance(budget, Budget):
            raise InputError("a grant is a Budget: give Budget(epsilon, delta)")
        with self._lock:
            self._grants[dataset] = budget

    def spend(self, spends: Sequence[Spend]) -> None:
        with self._lock:
            planned = [*self._spends, *spends]
            for dataset in {spend.dataset for spend in spends} & set(self._grants):
                epsilon, delta = _total(planned, dataset)
                grant = self._grants[dataset]
                if epsilon > grant.epsilon or delta > grant.delta:
                    before = _total(self._spends, dataset)[0]
                    raise Refused(
                        f"the ledger grants epsilon {grant.epsilon} on {quote(dataset)} and {before} is spent: "
                        f"this release would bring it to {epsilon}; ask for a larger grant or spend less"
                    )
            self._spends.extend(spends)

    def history(self, dataset: str | None = None) -> tuple[Spend, ...]:
        with self._lock:
            return tuple(spend for spend in self._spends if dataset in (None, spend.dataset))

    def left(self, dataset: str) -> tuple[float, float] | None:
        """ε and δ that may still be spent, or None without a grant."""
        with self._lock:
            grant = self._grants.get(dataset)
            if grant is None:
                return None
            epsilon, delta = _total(self._spends, dataset)
            return max(0.0, grant.epsilon - epsilon), max(0.0, grant.delta - delta)


def _total(spends: Sequence[Spend], dataset: str) -> tuple[float, float]:
    mine = [spend for spend in spends if spend.dataset == dataset]
    return math.fsum(spend.epsilon for spend in mine), math.fsum(spend.delta for spend in mine)


@dataclass(frozen=True)
class Account:
    """Where a release is written down: a ledger, or none, and the names of the data sets it reads."""

    ledger: LedgerStore | None
    datasets: tuple[str, ...]

    def record(self, plan: str, release: str, epsilon: float, delta: float) -> bool:
        """True once the spend is written; False where there is no ledger, or the data have no name."""
        if self.ledger is None or not self.datasets:
            return False
        self.ledger.spend([Spend(name, plan, release, epsilon, delta) for name in self.datasets])
        return True
