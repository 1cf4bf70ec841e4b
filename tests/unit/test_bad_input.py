"""Arguments and tables that cannot be used: one clear line, exit code 2, nothing spent, nothing written."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacit
from tacit.errors import InputError, NotYet, PlanError, Refused, SchemaError
from tests.unit.failing import SECRET, clear, run


def sample(rows: int = 30, width: int = 2, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, width)) + float(SECRET)


def refused(ledger: tacit.MemoryLedger, x: object, y: object, **how: Any) -> tuple[tacit.TacitError, str]:
    """The error of two_sample_test, with a ledger that must stay empty."""
    with pytest.raises(tacit.TacitError) as caught:
        tacit.two_sample_test(x, y, **{"epsilon": 1.0, "ledger": ledger, "dataset": "study", **how})
    assert ledger.history() == ()
    assert caught.value.exit_code == 2
    return caught.value, clear(caught.value)


@pytest.fixture
def ledger() -> tacit.MemoryLedger:
    kept = tacit.MemoryLedger()
    kept.grant("study", tacit.Budget(100.0))
    return kept


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    for name, seed in (("a", 1), ("b", 2)):
        np.save(tmp_path / f"{name}.npy", sample(seed=seed))
    return str(tmp_path / "a.npy"), str(tmp_path / "b.npy")


# name, value, error, words that the line must hold
NUMBERS = [
    ("epsilon", 0.0, InputError, "epsilon is 0.0"),
    ("epsilon", -1.0, InputError, "epsilon is -1.0"),
    ("epsilon", math.nan, InputError, "epsilon is nan"),
    ("epsilon", math.inf, InputError, "epsilon is inf"),
    ("epsilon", -math.inf, InputError, "epsilon is -inf"),
    ("epsilon", 9e-7, InputError, "1e-06"),
    ("epsilon", 5e-324, InputError, "1e-06"),
    ("epsilon", 1e200, InputError, "epsilon"),
    ("delta", -1e-9, InputError, "delta"),
    ("delta", 1.0, InputError, "delta"),
    ("delta", math.nan, InputError, "delta"),
    ("delta", math.inf, InputError, "delta"),
    ("delta", 1 / 30, InputError, "1/n"),
    ("delta", 0.5, InputError, "1/n"),
    ("bet", 0.0, PlanError, "bet is 0.0"),
    ("bet", -0.5, PlanError, "bet is -0.5"),
    ("bet", 1.0000001, PlanError, "bet is 1.0000001"),
    ("bet", math.nan, PlanError, "bet is nan"),
    ("bet", math.inf, PlanError, "bet is inf"),
    ("alpha", 0.0, PlanError, "alpha is 0.0"),
    ("alpha", 1.0, PlanError, "alpha is 1.0"),
    ("alpha", -0.05, PlanError, "alpha is -0.05"),
    ("alpha", math.nan, PlanError, "alpha is nan"),
    ("alpha", 5.0, PlanError, "alpha is 5.0"),
    ("alpha", 9e-5, PlanError, "0.0001"),
]


@pytest.mark.parametrize(("name", "value", "error", "words"), NUMBERS)
def test_a_number_out_of_range_is_refused(
    name: str, value: float, error: type, words: str, ledger: tacit.MemoryLedger
) -> None:
    caught, line = refused(ledger, sample(), sample(seed=2), **{name: value})
    assert type(caught) is error
    assert words in line and "give" in line


@pytest.mark.parametrize(("name", "value", "error", "words"), NUMBERS)
def test_the_command_line_refuses_it_too(
    name: str, value: float, error: type, words: str, files: tuple[str, str], capsys: Any
) -> None:
    given = {"epsilon": 1.0, name: value}
    options = [part for key, number in given.items() for part in (f"--{key}", repr(number))]
    assert words in run(capsys, "test", *files, *options)
    assert words in run(capsys, "test", *files, *options, "--dry-run")


@pytest.mark.parametrize("name", ["epsilon", "delta", "bet", "alpha"])
@pytest.mark.parametrize("value", ["one", [1.0], object(), 10**5000, 1j], ids=lambda value: type(value).__name__)
def test_what_is_not_a_number_is_refused(name: str, value: object, ledger: tacit.MemoryLedger) -> None:
    _, line = refused(ledger, sample(), sample(seed=2), **{name: value})
    assert name in line


@pytest.mark.parametrize("name", ["groups", "relabellings"])
@pytest.mark.parametrize(
    "value", [0, 1, 2.5, "many", math.nan, 10**9, 10**5000, True, [3]], ids=lambda value: type(value).__name__
)
def test_counts_that_cannot_be_served_are_refused(name: str, value: Any) -> None:
    features = tacit.Spectrum(tacit.Schema.of(sample()))
    with pytest.raises(PlanError) as caught:
        tacit.Plan(features, tacit.Budget(1.0), **{name: value})
    assert name in clear(caught.value)


@pytest.mark.parametrize(
    ("rows", "how", "least"),
    [
        ((2, 2), {"alpha": 0.2}, 2 / 6),
        ((2, 3), {"alpha": 0.05}, 1 / 10),
        ((3, 3), {"alpha": 0.05}, 2 / 20),
        ((4, 4), {"alpha": 0.05, "paired": True}, 2 / 16),
        ((2, 100), {"alpha": 1e-4}, 1 / 5151),
    ],
)
def test_an_alpha_out_of_reach_is_refused_with_the_smallest_that_is_not(
    rows: tuple[int, int], how: Any, least: float, ledger: tacit.MemoryLedger
) -> None:
    x, y = (sample(n) for n in rows)
    caught, line = refused(ledger, x, y, **how)
    named = [float(word) for word in line.replace(";", " ").split() if word.replace(".", "").isdigit() and "." in word]
    reachable = min(value for value in named if value >= least)
    assert type(caught) is PlanError and reachable <= least + 1e-5
    tacit.two_sample_test(x, y, epsilon=1.0, **{**how, "alpha": reachable})  # what the line says works


def test_relabellings_bound_alpha_too(ledger: tacit.MemoryLedger) -> None:
    plan = tacit.Plan(tacit.Spectrum(tacit.Schema.of(sample())), tacit.Budget(1.0), alpha=0.01, relabellings=19)
    with pytest.raises(PlanError) as caught:
        tacit.Curator(ledger, "study").release(plan, sample(), sample(seed=2))
    assert "0.05" in clear(caught.value) and ledger.history() == ()


TABLES: dict[str, tuple[Callable[[], tuple[object, object]], type, str]] = {
    "other width": (lambda: (sample(), sample(width=3)), SchemaError, "3"),
    "no common column": (lambda: (pa.table({"a": [1.0, 2]}), pa.table({"b": [1.0, 2]})), SchemaError, "no column"),
    "column of x only": (lambda: (pa.table({"a": [1, 2], "b": [1, 2]}), pa.table({"a": [1, 2]})), SchemaError, "'b'"),
    "column of y only": (lambda: (pa.table({"a": [1, 2]}), pa.table({"a": [1, 2], "b": [1, 2]})), SchemaError, "'b'"),
    "one unit": (lambda: (sample(1), sample()), InputError, "1 unit"),
    "no units": (lambda: (sample(), sample(0)), InputError, "0 units"),
    "no columns": (lambda: (sample(width=0), sample(width=0)), SchemaError, "no columns"),
    "three dimensions": (lambda: (sample()[None], sample()), InputError, "3 dimensions"),
    "no dimension": (lambda: (np.array(SECRET), sample()), InputError, "0 dimensions"),
    "complex": (lambda: (sample() + 1j, sample()), InputError, "complex"),
    "objects": (lambda: (sample().astype(object), sample()), InputError, "object"),
    "a list": (lambda: ([SECRET] * 3, sample()), InputError, "list"),
    "nothing": (lambda: (None, sample()), InputError, "NoneType"),
    "a column of lists": (lambda: (pa.table({"a": [[SECRET]]}), pa.table({"a": [[1.0]]})), SchemaError, "list"),
    "bytes": (lambda: (pa.table({"a": [b"x"]}), pa.table({"a": [b"x"]})), SchemaError, "binary"),
    "a name twice": (lambda: (pa.table([[1], [2]], names=["a", "a"]), sample()), SchemaError, "two columns"),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_that_do_not_fit_are_refused(name: str, ledger: tacit.MemoryLedger) -> None:
    make, error, words = TABLES[name]
    caught, line = refused(ledger, *make())
    assert type(caught) is error and words in line


def test_paired_samples_of_other_sizes_are_refused(ledger: tacit.MemoryLedger) -> None:
    caught, line = refused(ledger, sample(30), sample(31), paired=True)
    assert type(caught) is InputError and "30" in line and "31" in line


def test_tables_that_do_not_fit_the_plan_are_refused(ledger: tacit.MemoryLedger) -> None:
    plan = tacit.Plan(tacit.Spectrum(tacit.Schema({"a": "number"})), tacit.Budget(1.0))
    for table in (pa.table({"a": ["x", "y"]}), pa.table({"b": [1.0, 2]}), pa.table({"a": [1, 2], "b": [1, 2]})):
        with pytest.raises(SchemaError) as caught:
            tacit.Curator(ledger, "study").release(plan, pa.table({"a": [1.0, 2.0]}), table)
        clear(caught.value)
    assert ledger.history() == ()


LATER: dict[str, dict[str, Any]] = {
    "moments": {"release": "moments"},
    "owners": {"release": "owners"},
    "shared": {"shared": True},
    "unit": {"unit": "id"},
    "where": {"where": True},
    "schema": {"schema": {"a": "number"}},
    "features": {"features": {"map": "MeanEmbedding"}},
    "a callable": {"features": lambda rows: rows},
}


@pytest.mark.parametrize("name", LATER)
def test_what_is_still_to_come_is_refused(name: str, ledger: tacit.MemoryLedger) -> None:
    caught, _ = refused(ledger, sample(), sample(seed=2), **LATER[name])
    assert type(caught) is NotYet


def test_what_a_plan_has_still_to_come_is_refused(ledger: tacit.MemoryLedger) -> None:
    features = tacit.Spectrum(tacit.Schema.of(sample()))
    attempts: list[Callable[[], object]] = [
        lambda: tacit.Plan(features, tacit.Budget(1.0), rounds=2),
        lambda: tacit.Plan(features, tacit.Budget(1.0), share=0.3),
        lambda: tacit.Plan(features, tacit.Budget(1.0), release="tune"),
        lambda: tacit.Plan.from_json(tacit.Plan(features, tacit.Budget(1.0)).to_json(), functions={"f": len}),
        lambda: tacit.Spectrum(frequencies=[1.0]),  # type: ignore[arg-type]
        lambda: tacit.Curator(ledger, "study", engine="dask"),
        lambda: tacit.Schema.of(np.zeros((3, 1), "M8[s]")),
        lambda: tacit.Schema.of(pa.table({"day": pa.array([1, 2], pa.date32())})),
        lambda: tacit.Schema.of(iter([sample()])),
        lambda: tacit.Schema.of(batch for batch in [sample()]),
        lambda: tacit.two_sample_test(sample(), sample(), epsilon=1.0).report("report.html"),
    ]
    for attempt in attempts:
        with pytest.raises(NotYet) as caught:
            attempt()
        clear(caught.value)
        assert caught.value.exit_code == 2
    assert ledger.history() == ()


@pytest.mark.parametrize(
    "option",
    [
        *("--release moments", "--shared", "--unit id", "--where", "--schema F"),
        *("--report r.html", "--rounds 2", "--share .3"),
    ],
)
def test_the_command_line_refuses_what_is_still_to_come(
    option: str, files: tuple[str, str], tmp_path: Path, capsys: Any
) -> None:
    out, options = str(tmp_path / "plan.json"), ["--epsilon", "1", *option.split()]
    if "--report" not in option:
        run(capsys, "plan", *files, *options, "-o", out)
        assert not Path(out).exists()
    if "--rounds" not in option and "--share " not in option:
        run(capsys, "test", *files, *options)


def test_a_recipe_of_another_map_is_refused(files: tuple[str, str], tmp_path: Path, capsys: Any) -> None:
    recipe = tmp_path / "recipe.json"
    recipe.write_text(json.dumps({"map": "MeanEmbedding", "locations": [[0.0]], "bandwidth": 1.0}))
    assert "MeanEmbedding" in run(capsys, "test", *files, "--epsilon", "1", "--features", str(recipe))


def test_a_ledger_refuses_with_its_own_code_and_records_nothing(ledger: tacit.MemoryLedger) -> None:
    x, y = sample(), sample(seed=2)
    tacit.two_sample_test(x, y, epsilon=99.5, ledger=ledger, dataset="study")
    with pytest.raises(Refused) as caught:
        tacit.two_sample_test(x, y, epsilon=1.0, ledger=ledger, dataset="study")
    assert caught.value.exit_code == 3 and "100" in clear(caught.value)
    assert [spend.epsilon for spend in ledger.history()] == [99.5] and ledger.left("study") == (0.5, 0.0)
    tacit.two_sample_test(x, y, epsilon=0.5, ledger=ledger, dataset="study")
    assert ledger.left("study") == (0.0, 0.0)


def test_no_traceback_leaves_a_process(files: tuple[str, str]) -> None:
    source = str(Path(tacit.__file__).parents[1])
    ran = subprocess.run(
        [sys.executable, "-m", "tacit", "test", *files, "--epsilon", "0"],
        env={"PYTHONPATH": source},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == 2 and ran.stdout == "" and ran.stderr.count("\n") == 1
    assert "epsilon is 0.0" in clear(ran.stderr.strip())
