"""Without a difference: no more rejections than allowed, and e-values of mean at most 1 (see cells.py)."""

from __future__ import annotations

import dataclasses
import itertools
import math
import secrets

import numpy as np
import pytest
from numpy.typing import NDArray

from tacit import Curator, verdict
from tacit.holder import door, noise
from tacit.theory import evidence

from .cells import (
    FALSE_ALARM,
    LAWS,
    LEVELS,
    Cell,
    alarms,
    as_markdown,
    family,
    full_table,
    run_cell,
    run_table,
    sample_of,
    wealth,
)
from .shortcut import Judge, Shape, statistics

TESTS = family(full_table())


def test_every_law_and_every_size_is_in_the_sample() -> None:
    sample = sample_of(full_table())
    assert {cell.law for cell in sample} == set(LAWS)
    assert len({(c.shape.n_x, c.shape.n_y, c.shape.paired) for c in sample}) == 6
    assert {cell.shape.columns for cell in sample} == {1, 2, 3}


def test_a_sample_of_the_table_holds_its_levels() -> None:
    sample = sample_of(full_table())
    assert alarms(run_table(sample, 100), family(sample)) == []


@pytest.mark.slow
def test_the_whole_table_holds_its_levels() -> None:
    outcomes = run_table(full_table(), 2000)
    print(as_markdown(outcomes))
    assert alarms(outcomes, TESTS) == []


@pytest.mark.parametrize("paired", [False, True])
def test_the_shortcut_is_what_release_and_verdict_say(monkeypatch: pytest.MonkeyPatch, paired: bool) -> None:
    """The same relabellings and the same noise give the same value, and the same decision."""
    shape = Shape(60, 60, 2, paired)
    rng = np.random.default_rng(7)
    judges = [Judge(shape, 3.0, alpha, bet) for alpha, bet in LEVELS]
    decisions = set()
    for run in range(14):
        x, y = rng.normal(size=(60, 2)), rng.normal(run / 5, 1, size=(60, 2))
        monkeypatch.setattr(secrets, "randbits", lambda bits, run=run: run)
        for judge in judges:
            (drawn,) = judge.noise(1)
            with monkeypatch.context() as patch:
                patch.setattr(door, "laplace", lambda count, scale, drawn=drawn: [drawn] * count)
                message = Curator().release(judge.plan, x, y)
            exact = judge.exact(statistics(judge, x, y))
            result = verdict(judge.plan, message)
            assert message.value == exact + drawn
            assert result.reject() == judge.rejects(message.value)
            assert judge.evalue(exact) >= 0
            decisions.add(result.reject())
    assert decisions == {False, True}


@pytest.mark.parametrize(("alpha", "bet"), LEVELS)
def test_the_p_value_falls_as_the_released_value_grows(alpha: float, bet: float) -> None:
    """What the shortcut rests on when it asks for the least value that is rejected."""
    for epsilon in (0.3, 3.0):
        judge = Judge(Shape(100, 1000, 1), epsilon, alpha, bet)
        reach = int(12 * judge.scale.noise)
        values = [judge.pvalue(judge.cutoff + step) for step in range(-reach, reach, max(1, reach // 200))]
        assert all(a >= b * (1 - 1e-9) for a, b in itertools.pairwise(values))
        assert judge.pvalue(judge.cutoff) <= alpha < judge.pvalue(judge.cutoff - 1)


# The table can fail: what follows is broken on purpose, and caught at the level of the whole table's tests.


def test_a_threshold_that_forgets_the_noise_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """q solved with the bet h itself, while the noise is added all the same."""
    evidence.bet_tables.cache_clear()
    try:
        with monkeypatch.context() as patch:
            patch.setattr(evidence, "_smoothed", lambda h, step, r: h)
            outcome = run_cell((_normal(200, 0.3), 300))
    finally:
        evidence.bet_tables.cache_clear()
    assert any("runs reject" in alarm for alarm in alarms([outcome], TESTS))


@pytest.mark.parametrize(("order", "alarm"), [("dealt", "reject"), ("dealt", "mean"), ("blocks", "only")])
def test_groups_by_position_are_caught(monkeypatch: pytest.MonkeyPatch, order: str, alarm: str) -> None:
    """Rows dealt out like cards make all groups alike, the truth extreme; blocks hide every difference."""

    def groups(self: object, rows: int, groups: int, each: int) -> NDArray[np.uint16]:
        places = np.full(rows, groups, dtype=np.uint16)
        stretch = np.arange(groups * each)
        places[: groups * each] = stretch % groups if order == "dealt" else stretch // each
        return places

    monkeypatch.setattr(noise.Relabellings, "groups", groups)
    cell = dataclasses.replace(_normal(1000, 3.0), law="sorted rows")
    runs = 60 if order == "dealt" else 300
    assert any(alarm in found for found in alarms([run_cell((cell, runs))], TESTS))


def test_a_test_that_never_rejects_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Judge, "rejects", lambda self, released: False)
    assert any("only 0 of 300" in alarm for alarm in alarms([run_cell((_normal(200, 1.0), 300))], TESTS))


@pytest.mark.parametrize(("mean", "caught"), [(0.5, False), (1.0, False), (1.9, True)])
def test_betting_against_e_values_finds_a_mean_above_one(mean: float, caught: bool) -> None:
    """Even where one in twenty carries the whole mean."""
    drawn = np.random.default_rng(3).random(2000) < 0.05
    assert (wealth(np.where(drawn, 20 * mean, 0.0).tolist()) > math.log(TESTS / FALSE_ALARM)) == caught


def _normal(n: int, epsilon: float) -> Cell:
    return Cell(Shape(n, n, 1), "normal", epsilon, 99)
