"""Tacit: do two private samples come from the same distribution? It tells that, and nothing else about them.

    Plan ─► features(rows) ─► Moments ─► release ─► message ─► verdict ─► result

``tacit.two_sample_test(x, y, epsilon=1)`` walks the whole arrow in one process. ``Curator.release`` and
``verdict`` are its two halves, with one message between them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "two_sample_test": "tacit.api",
    "Budget": "tacit.budget",
    "Schema": "tacit.schema",
    "Column": "tacit.schema",
    "Spectrum": "tacit.features.spectrum",
    "Plan": "tacit.plan",
    "Curator": "tacit.holder.roles",
    "MemoryLedger": "tacit.holder.ledger",
    "moments": "tacit.holder.moments",
    "Moments": "tacit.holder.moments",
    "load": "tacit.messages",
    "verdict": "tacit.tester.verdict",
    "TestResult": "tacit.tester.verdict",
    "TacitError": "tacit.errors",
}
_MODULES = ("baseline", "theory")

__all__ = [
    "Budget",
    "Column",
    "Curator",
    "MemoryLedger",
    "Moments",
    "Plan",
    "Schema",
    "Spectrum",
    "TacitError",
    "TestResult",
    "__version__",
    "baseline",
    "load",
    "moments",
    "theory",
    "two_sample_test",
    "verdict",
]

if TYPE_CHECKING:
    from tacit import baseline, theory
    from tacit.api import two_sample_test
    from tacit.budget import Budget
    from tacit.errors import TacitError
    from tacit.features.spectrum import Spectrum
    from tacit.holder.ledger import MemoryLedger
    from tacit.holder.moments import Moments, moments
    from tacit.holder.roles import Curator
    from tacit.messages import load
    from tacit.plan import Plan
    from tacit.schema import Column, Schema
    from tacit.tester.verdict import TestResult, verdict


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name in _MODULES:
        value = import_module(f"tacit.{name}")
    else:
        raise AttributeError(f"module 'tacit' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
