"""message → TestResult. Everything here is post-processing of what was released: it costs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from tacit.budget import promise
from tacit.canonical import dumps
from tacit.errors import InputError, MessageError, NotYet, quote
from tacit.messages import EvidenceMessage
from tacit.plan import Plan
from tacit.theory.evidence import far_tail
from tacit.theory.relabelling import Sizes


@dataclass(frozen=True)
class TestResult:
    """Do the samples come from one distribution? Unpacks as ``statistic, pvalue``."""

    __test__ = False

    statistic: float
    pvalue: float
    evalue: float | None
    alpha: float
    epsilon: float | None
    delta: float | None
    n_x: int
    n_y: int
    release: str
    where: str | None
    recorded: bool
    promise: str

    def __iter__(self) -> Iterator[float]:
        return iter((self.statistic, self.pvalue))

    def reject(self, alpha: float | None = None) -> bool:
        """Is p ≤ α (the plan's α, or another)?"""
        level = self.alpha if alpha is None else alpha
        if not isinstance(level, int | float) or not 0 < level < 1:
            raise InputError(f"alpha is {quote(level)}: give a number between 0 and 1")
        return self.pvalue <= level

    @property
    def private(self) -> bool:
        return self.epsilon is not None

    def to_json(self) -> str:
        return dumps({**asdict(self), "private": self.private, "reject": self.reject()})

    def report(self, path: object) -> None:
        raise NotYet("reports come with a later version: print the result, or take .to_json()")

    def __str__(self) -> str:
        from tacit.tester.report import text

        return text(self)


def verdict(plan: Plan, *messages: EvidenceMessage) -> TestResult:
    """What the message says, if it is one that this plan calls for."""
    if not isinstance(plan, Plan):
        raise InputError("the first argument is a Plan: read it with Plan.from_json(text)")
    message = _only(messages)
    if message.plan != plan.digest:
        raise MessageError(
            f"the message is of plan {message.plan[:12]}…, this plan is {plan.digest[:12]}…: "
            "give the plan that it was released on"
        )
    sizes = plan.check_sizes(message.n_x, message.n_y)
    _require_public_numbers(plan, sizes, message)
    tables = plan.bet_for(sizes)
    return TestResult(
        statistic=message.value * tables.scale.grid,
        pvalue=pvalue_of(plan, sizes, message.value),
        evalue=tables.evalue(message.value),
        alpha=plan.alpha,
        epsilon=message.epsilon,
        delta=message.delta,
        n_x=sizes.n_x,
        n_y=sizes.n_y,
        release=plan.release,
        where=None,
        recorded=message.recorded,
        promise=message.promise,
    )


def pvalue_of(plan: Plan, sizes: Sizes, released: int) -> float:
    """The smaller of two bounds on P(D ≥ d); both decrease in the one number D, so the smaller is valid too."""
    tables = plan.bet_for(sizes)
    bet = tables.pvalue(released)
    error = float(plan.features.error(sizes.n_x, sizes.n_y))
    return min(bet, far_tail(tables, released, lambda t: plan.features.tail(t, sizes.tail), error, bet))


def _only(messages: tuple[object, ...]) -> EvidenceMessage:
    given: list[EvidenceMessage] = []
    for message in messages:
        if not isinstance(message, EvidenceMessage):
            raise MessageError("what follows the plan is a message: read it with load(path)")
        given.append(message)
    if not given:
        raise MessageError("no message was given: an evidence plan needs exactly one")
    if len(given) > 1:
        same = len({message.to_json() for message in given}) < len(given)
        what = "the same message was given twice" if same else f"{len(given)} messages were given"
        raise MessageError(f"{what}: an evidence plan needs exactly one")
    return given[0]


def _require_public_numbers(plan: Plan, sizes: Sizes, message: EvidenceMessage) -> None:
    """What plan and sizes determine must stand in the message as they determine it."""
    scale = plan.scale_for(sizes)
    epsilon = plan.budget.epsilon
    expected = {
        "epsilon": epsilon,
        "delta": 0.0,
        "rho": plan.budget.rho,
        "grid": scale.grid,
        "sensitivity": 2 * scale.steps,
        "scale": scale.noise,
        "promise": promise(epsilon, plan.paired),
    }
    for name, value in expected.items():
        if getattr(message, name) != value:
            raise MessageError(
                f"the message's {name} is not what its plan and sizes say: it was changed on the way; "
                "have it released again"
            )
