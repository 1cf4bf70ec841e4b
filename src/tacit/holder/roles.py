"""Curator: holds both samples, and lets one message out."""

from __future__ import annotations

from typing import Literal

from tacit.errors import InputError, NotYet, sealed
from tacit.holder.ledger import Account, LedgerStore
from tacit.holder.releases import evidence
from tacit.messages import EvidenceMessage
from tacit.plan import Plan
from tacit.sources import open_source


class Curator:
    """``Curator().release(plan, x, y)``: the one trusted with both samples."""

    def __init__(
        self,
        ledger: LedgerStore | Literal[False] | None = None,
        dataset: str | None = None,
        engine: object = None,
    ) -> None:
        if engine is not None:
            raise NotYet("engines come with a later version: leave engine out")
        if dataset is not None and (not isinstance(dataset, str) or not dataset):
            raise InputError("dataset is a name: give a text, such as dataset='intake'")
        if not (ledger is None or ledger is False or hasattr(ledger, "spend")):
            raise InputError("ledger is None, False or a ledger: give MemoryLedger() to record spends")
        self._ledger = None if ledger is None or ledger is False else ledger
        self._dataset = dataset

    @sealed
    def release(self, plan: Plan, x: object, y: object) -> EvidenceMessage:
        if not isinstance(plan, Plan):
            raise InputError("the first argument is a Plan: make one with Plan(features=…, budget=…)")
        opened = open_source(x, "x"), open_source(y, "y")
        names = (self._dataset,) if self._dataset else tuple(str(s.path.resolve()) for s in opened if s.path)
        account = Account(self._ledger, names)
        return evidence.release(plan, *opened, account)
