"""A plan: everything both sides agree on before a row is read. Public values only, nothing fitted in secret."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from tacit.budget import Budget
from tacit.canonical import document, dumps
from tacit.errors import InputError, NotYet, PlanError, quote
from tacit.features.spectrum import Spectrum
from tacit.theory import evidence, relabelling

FORMAT, VERSION = "tacit-plan", 1

_FLAGS = ("paired", "shared", "where")


@dataclass(frozen=True)
class Plan:
    """``Plan(features=Spectrum(schema), budget=Budget(1.0))``; ``.digest`` names it on every machine."""

    features: Spectrum
    budget: Budget
    release: str = "evidence"
    alpha: float = 0.05
    bet: float = 0.5
    rounds: int = 1
    share: float | None = None
    paired: bool = False
    shared: bool = False
    unit: str | None = None
    schema: object = None
    where: bool = False
    groups: int | None = None
    relabellings: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.budget, Budget):
            raise PlanError("a plan needs a budget: give budget=Budget(epsilon)")
        _whole(self, "rounds", 1, 2)
        _refuse_what_is_to_come(self)
        for name in _FLAGS:
            if not isinstance(getattr(self, name), bool):
                raise PlanError(f"{name} is {quote(getattr(self, name))}: give True or False")
        for name, low, high in (("alpha", 0.0, 1.0), ("bet", 0.0, math.nextafter(1, 2))):
            value = _real(getattr(self, name), name)
            if not low < value < high:
                end = "up to, not including, 1" if name == "alpha" else "up to 1"
                raise PlanError(f"{name} is {value}: give a number above 0 and {end}")
            object.__setattr__(self, name, value)
        _whole(self, "groups", 2, 200)
        _whole(self, "relabellings", 19, relabelling.MOST_RELABELLINGS)
        if self.alpha < relabelling.LEAST_ALPHA:
            raise PlanError(
                f"alpha is {self.alpha}: the smallest that relabellings can reach is {relabelling.LEAST_ALPHA}; "
                "give that or more"
            )

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    def to_json(self) -> str:
        return dumps(
            {
                "format": FORMAT,
                "version": VERSION,
                "features": self.features.to_dict(),
                "budget": {"epsilon": self.budget.epsilon, "delta": self.budget.delta},
                "release": self.release,
                "alpha": self.alpha,
                "bet": self.bet,
                "rounds": self.rounds,
                "share": self.share,
                "paired": self.paired,
                "shared": self.shared,
                "unit": self.unit,
                "schema": self.schema,
                "where": self.where,
                "groups": self.groups,
                "relabellings": self.relabellings,
            }
        )

    @classmethod
    def from_json(cls, text: str | bytes, functions: object = None) -> Plan:
        if functions:
            raise NotYet("functions come with a later version: leave them out")
        names = {field.name for field in fields(cls)}
        given = document(text, "plan", VERSION, names, PlanError)
        budget = given["budget"]
        if not isinstance(budget, dict) or set(budget) != {"epsilon", "delta"}:
            raise PlanError("the plan's budget is not an epsilon and a delta: make the plan again")
        rest = {key: given[key] for key in names - {"features", "budget"}}
        features = Spectrum.from_dict(given["features"])
        return cls(features, Budget(**budget), **rest)

    # What the plan and the sizes say together: the same for holder and tester.

    @property
    def relabelling_count(self) -> int:
        return self.relabellings or relabelling.relabellings_for(self.alpha)

    def check_sizes(self, n_x: int, n_y: int) -> relabelling.Sizes:
        """The sizes, if this plan can be released and judged at them."""
        for name, count in (("x", n_x), ("y", n_y)):
            if count < 2:
                raise InputError(f"sample {name} has {units(count)}: a test needs at least 2 in each, give more rows")
            if count > relabelling.MOST_UNITS:
                raise InputError(f"sample {name} has {count} units: at most {relabelling.MOST_UNITS} are served")
        if self.paired and n_x != n_y:
            raise InputError(f"the samples have {n_x} and {n_y} units: paired data needs equally many, in one order")
        sizes = relabelling.Sizes(n_x, n_y, self.paired)
        self.budget.check_sizes(sizes.n_min)
        relabelling.check_alpha(self.alpha, self.groups_for(sizes), self.relabelling_count)
        return sizes

    def groups_for(self, sizes: relabelling.Sizes) -> relabelling.Groups:
        return relabelling.Groups.of(sizes, self.groups or relabelling.Groups.EACH)

    def scale_for(self, sizes: relabelling.Sizes) -> evidence.Scale:
        return evidence.Scale.of(
            self.budget.epsilon,
            sizes.sensitivity(self.features.diameter),
            self.features.error(sizes.n_x, sizes.n_y),
            sizes.spread,
        )

    def bet_for(self, sizes: relabelling.Sizes) -> evidence.Bet:
        return evidence.bet_tables(
            self.scale_for(sizes),
            self.alpha,
            self.bet,
            sizes.spread,
            self.relabelling_count,
            self.features.likely_maximum_of,
        )


def _refuse_what_is_to_come(plan: Plan) -> None:
    later = "comes with a later version"
    features: object = plan.features
    if isinstance(features, str) and features == "auto":
        raise PlanError("features='auto' needs a schema: give features=Spectrum(Schema.of(table))")
    if isinstance(features, str):
        raise InputError(f"features is {quote(features)}: give 'auto' or Spectrum(schema)")
    if not isinstance(features, Spectrum):
        raise NotYet(f"features of type {type(features).__name__}: this version serves Spectrum(schema)")
    if not isinstance(plan.release, str) or plan.release != "evidence":
        raise NotYet(f"release {quote(plan.release)}: this version serves 'evidence'")
    if plan.rounds != 1:
        raise NotYet(f"rounds={quote(plan.rounds)}: this version serves 1")
    if plan.share is not None:
        raise NotYet(f"share {later}, with rounds=2: leave it out")
    if plan.shared is not False:
        raise NotYet(f"shared=True {later}: this version takes units that are in one sample only")
    if plan.unit is not None:
        raise NotYet(f"unit {later}: this version takes one row for each unit")
    if plan.schema is not None:
        raise NotYet(f"a declared schema {later}: give features=Spectrum(Schema.of(table))")
    if plan.where is not False:
        raise NotYet(f"where=True {later}: leave it out")


def units(count: int) -> str:
    return f"{count} unit" if count == 1 else f"{count} units"


def _real(value: Any, name: str) -> float:
    if isinstance(value, bool | str | bytes) or value is None:
        raise PlanError(f"{name} is {quote(value)}: give a number")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise PlanError(f"{name} is not a number: give one") from None


def _whole(plan: Plan, name: str, low: int, high: int) -> None:
    value = getattr(plan, name)
    if value is None:
        return
    try:
        whole = int(value)
        fits = whole == value and not isinstance(value, bool) and low <= whole <= high
    except (TypeError, ValueError, OverflowError):
        fits = False
    if not fits:
        raise PlanError(f"{name} is {quote(value)}: give a whole number from {low} to {high}, or leave it out")
    object.__setattr__(plan, name, whole)
