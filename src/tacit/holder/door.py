"""The only way out. All input has been read when it opens; then the spend, then the noise, then the message.

The spend is written before noise is drawn: a crash in between counts too much, never too little. Nothing
that depends on the data may raise, warn or be logged from here on.
"""

from __future__ import annotations

from tacit.budget import promise
from tacit.holder.ledger import Account
from tacit.holder.noise import laplace
from tacit.messages import EvidenceMessage
from tacit.plan import Plan
from tacit.theory.evidence import Scale
from tacit.theory.relabelling import Sizes


def send(plan: Plan, sizes: Sizes, exact: int, scale: Scale, account: Account) -> EvidenceMessage:
    """One integer, the exact one plus discrete Laplace noise, in the message that states the promise."""
    epsilon = plan.budget.epsilon
    recorded = account.record(plan.digest, plan.release, epsilon, 0.0)
    (noise,) = laplace(1, scale.noise)
    return EvidenceMessage(
        plan=plan.digest,
        n_x=sizes.n_x,
        n_y=sizes.n_y,
        epsilon=epsilon,
        delta=0.0,
        rho=plan.budget.rho,
        grid=scale.grid,
        sensitivity=2 * scale.steps,
        scale=scale.noise,
        value=exact + noise,
        recorded=recorded,
        promise=promise(epsilon, plan.paired),
    )
