"""evidence: one number from which an exact e-value and p-value follow (proof in theory/evidence.md)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tacit.features.spectrum import Spectrum
from tacit.holder import door
from tacit.holder.ledger import Account
from tacit.holder.moments import Moments, grouped
from tacit.holder.noise import Relabellings
from tacit.holder.rows import Rows
from tacit.messages import EvidenceMessage
from tacit.plan import Plan
from tacit.progress import progress
from tacit.theory.relabelling import Groups, Sizes

_BLOCK = 2_000_000  # numbers at a time: 16 MB


def release(plan: Plan, x: object, y: object, account: Account) -> EvidenceMessage:
    """Read both samples, relabel, and let one number out."""
    rows_x, rows_y = Rows(x, plan.features.columns, "x"), Rows(y, plan.features.columns, "y")
    sizes = plan.check_sizes(len(rows_x), len(rows_y))
    groups, tables = plan.groups_for(sizes), plan.bet_for(sizes)
    statistics = relabelled(plan.features, rows_x, rows_y, sizes, groups, plan.relabelling_count)
    t = tables.scale.integers(statistics)
    return door.send(plan, sizes, int(t[0]) - tables.threshold(t), tables.scale, account)


def relabelled(features: Spectrum, x: Rows, y: Rows, sizes: Sizes, groups: Groups, count: int) -> NDArray[np.float64]:
    """T̂ under the true labels, then under ``count`` relabellings."""
    key = Relabellings()
    place_x = key.groups(sizes.n_x, groups.x, groups.rows)
    place_y = place_x if groups.paired else key.groups(sizes.n_y, groups.y, groups.rows)
    units = sizes.n_x + sizes.n_y
    with progress(units, features.size, f"reading {units:,} rows, {features.size:,} members") as advance:
        sums_x = grouped(features, x, place_x, groups.x + 1, advance=advance)
        sums_y = grouped(features, y, place_y, groups.y + 1, advance=advance)
    relabel = _by_signs if groups.paired else _by_labels
    return relabel(features, sums_x, sums_y, sizes, groups, key, count)


def _by_labels(
    features: Spectrum, x: Moments, y: Moments, sizes: Sizes, groups: Groups, key: Relabellings, count: int
) -> NDArray[np.float64]:
    """Groups change their label; A, the sums of what is labelled x, is exact in double precision (E4)."""
    first_x, first_y = _planes(x), _planes(y)
    members = np.concatenate([first_x[:-1], first_y[:-1]]).astype(np.float64)
    always = first_x[-1].astype(np.float64)
    total = (first_x.sum(axis=0) + first_y.sum(axis=0)).astype(np.float64)

    def differences(labels: NDArray[np.float64]) -> NDArray[np.float64]:
        a = labels @ members
        a += always
        rest = total - a
        a /= sizes.n_x
        rest /= sizes.n_y
        a -= rest
        return a

    truth = np.repeat([[1.0, 0.0]], [groups.x, groups.y], axis=1)
    return _in_blocks(features, differences, truth, lambda n: key.labels(n, groups.x, groups.y), count)


def _by_signs(
    features: Spectrum, x: Moments, y: Moments, sizes: Sizes, groups: Groups, key: Relabellings, count: int
) -> NDArray[np.float64]:
    """Pairs: a group's differences change their sign together."""
    difference = _planes(x) - _planes(y)
    members, always = difference[:-1].astype(np.float64), difference[-1].astype(np.float64)

    def differences(signs: NDArray[np.float64]) -> NDArray[np.float64]:
        a = signs @ members
        a += always
        a /= sizes.n_x
        return a

    truth = np.ones((1, groups.x))
    return _in_blocks(features, differences, truth, lambda n: key.signs(n, groups.x), count)


def _in_blocks(
    features: Spectrum,
    differences: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    truth: NDArray[np.float64],
    draw: Callable[[int], NDArray[np.float64]],
    count: int,
) -> NDArray[np.float64]:
    out = np.empty(count + 1)
    step = max(1, _BLOCK // (2 * features.size))
    begin, labels = 0, truth
    with progress(count, 16 * features.size, f"relabelling {count:,} times") as advance:
        while begin <= count:
            end = begin + len(labels)
            out[begin:end] = features.gauge(differences(labels).reshape(len(labels), 2, features.size))
            advance(len(labels))
            begin, labels = end, draw(min(step, count + 1 - end))
    return out


def _planes(sums: Moments) -> NDArray[np.int64]:
    """(groups, K, 2) → (groups, 2K): all real parts, then all imaginary ones."""
    return np.ascontiguousarray(sums.first.transpose(0, 2, 1)).reshape(len(sums.first), -1)
