"""What real tables hold is ordinary: a finite statistic, a p-value, and no rejection because of it.

A test at α = .05 rejects a true null in at most one run of twenty. Over 20 releases 6 or more rejections have a
probability below .0004 (binomial), and below .007 over all the cases here; up to 5 are let pass.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit
from tacit.cli import main
from tacit.errors import SchemaError

SOURCE = np.random.default_rng(11)
NORMAL = SOURCE.normal(size=(40, 2))


def beside(column: Any) -> tuple[np.ndarray, np.ndarray]:
    """Samples of one distribution, with the same column beside it in both."""
    return np.column_stack([SOURCE.normal(size=40), column]), np.column_stack([SOURCE.normal(size=40), column])


def table(**columns: Any) -> tuple[pa.Table, pa.Table]:
    return pa.table(columns), pa.table(columns)


holes = np.where(np.arange(40) % 5 == 0, np.nan, 1.0)
ends = np.where(np.arange(40) % 3 == 0, np.inf, -np.inf)

CASES: dict[str, tuple[Any, Any]] = {
    "two identical samples": (NORMAL, NORMAL),
    "a constant column": beside(np.full(40, 7.0)),
    "an all-missing column": beside(np.full(40, np.nan)),
    "cells of NaN": beside(holes),
    "cells of infinity": beside(ends),
    "huge cells": beside(np.full(40, 1e308)),
    "tiny cells": beside(np.full(40, 5e-324)),
    "all rows equal": (np.ones((40, 3)), np.ones((40, 3))),
    "nothing but NaN": (np.full((40, 2), np.nan), np.full((40, 2), np.nan)),
    "nothing but infinities": (np.full((40, 2), np.inf), np.full((40, 2), np.inf)),
    "two units against a hundred": (SOURCE.normal(size=(2, 2)), SOURCE.normal(size=(100, 2))),
    "two equal units against a hundred": (np.zeros((2, 1)), np.zeros((100, 1))),
    "a single column": (SOURCE.normal(size=40), SOURCE.normal(size=40)),
    "a column of one dimension against one of two": (NORMAL[:, 0], NORMAL[:, :1]),
    "booleans": (np.arange(40) % 2 == 0, np.arange(40) % 2 == 1),
    "constant booleans": (np.ones((40, 2), bool), np.ones((40, 2), bool)),
    "strings": (np.array(["a", "b"] * 20), np.array(["b", "a"] * 20)),
    "a category of one value": table(c=["only"] * 40),
    "a category of nulls": table(c=pa.nulls(40, pa.string())),
    "a column without a type": table(c=pa.nulls(40), n=NORMAL[:, 0]),
    "a category for each row": table(c=[f"name {i}" for i in range(40)]),
    "empty strings": table(c=[""] * 40),
}


def released(x: Any, y: Any, paired: bool = False) -> list[tacit.TestResult]:
    """The verdicts of twenty releases at α = .05."""
    schema = tacit.Schema.of(x).covering(tacit.Schema.of(y))
    plan = tacit.Plan(tacit.Spectrum(schema), tacit.Budget(5.0), paired=paired, relabellings=199)
    return [tacit.verdict(plan, tacit.Curator(False).release(plan, x, y)) for _ in range(20)]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("error")
def test_ordinary_data_never_reject_because_they_are_ordinary(name: str) -> None:
    results = released(*CASES[name])
    for result in results:
        assert math.isfinite(result.statistic)
        assert 0 < result.pvalue <= 1
        assert result.evalue is not None and 0 < result.evalue < math.inf
    assert sum(result.reject() for result in results) <= 5


@pytest.mark.parametrize("name", ["two identical samples", "all rows equal", "nothing but NaN", "cells of infinity"])
def test_pairs_are_ordinary_too(name: str) -> None:
    results = released(*CASES[name], paired=True)
    assert all(math.isfinite(result.statistic) and 0 < result.pvalue <= 1 for result in results)
    assert sum(result.reject() for result in results) <= 5


@pytest.mark.parametrize("name", CASES)
def test_without_noise_they_are_ordinary_as_well(name: str) -> None:
    result = tacit.baseline.spectrum_test(*CASES[name], relabellings=99)
    assert math.isfinite(result.statistic) and 0 <= result.statistic <= 2 and 0 < result.pvalue <= 1
    assert result.epsilon is None and "NOT PRIVATE" in result.promise
    if name in ("two identical samples", "all rows equal", "nothing but NaN", "a category of one value"):
        assert (result.statistic, result.pvalue) == (0.0, 1.0)


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 100.0, 1e6])
def test_every_epsilon_that_is_served_gives_a_finite_answer(epsilon: float) -> None:
    result = tacit.two_sample_test(NORMAL, NORMAL, epsilon=epsilon)
    assert math.isfinite(result.statistic) and 0 < result.pvalue <= 1


def test_a_difference_that_is_there_is_found() -> None:
    """So that the tests above say something: the same path does reject."""
    x, y = np.zeros((400, 1)), np.ones((400, 1)) * math.pi
    assert all(tacit.two_sample_test(x, y, epsilon=5.0).reject() for _ in range(5))
    missing = np.where(np.arange(400)[:, None] % 2 == 0, np.nan, 0.0)
    assert all(tacit.two_sample_test(x, missing, epsilon=5.0).reject() for _ in range(5))


def test_columns_are_matched_by_name_in_any_order() -> None:
    x = pa.table({"a": NORMAL[:, 0], "b": ["u", "v"] * 20})
    y = x.select(["b", "a"])
    features = tacit.Spectrum(tacit.Schema.of(x))
    assert tacit.moments(features, y) == tacit.moments(features, x)
    assert tacit.Schema.of(x).covering(tacit.Schema.of(y)) == tacit.Schema.of(x)
    assert tacit.baseline.spectrum_test(x, y).statistic == 0.0


def test_a_column_in_one_sample_only_is_an_error() -> None:
    x = pa.table({"a": [1.0, 2.0], "extra": [1.0, 2.0]})
    for pair in ((x, x.select(["a"])), (x.select(["a"]), x)):
        with pytest.raises(SchemaError, match="'extra'"):
            tacit.two_sample_test(*pair, epsilon=1.0)


def test_the_row_labels_of_pandas_are_not_a_column(tmp_path: Path) -> None:
    plain = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
    named = plain.set_axis([7, 8, 9]).rename_axis("id")
    features = tacit.Spectrum(tacit.Schema.of(plain))
    for frame in (named, plain.set_axis(list("xyz")), plain.iloc[::-1].iloc[::-1], plain.set_axis([1, 1, 1])):
        assert tacit.Schema.of(frame).names == ("a",)
        assert tacit.moments(features, frame) == tacit.moments(features, plain)
        frame.to_parquet(tmp_path / "a.parquet")
        assert tacit.Schema.of(tmp_path / "a.parquet").names == ("a",)
        assert tacit.moments(features, tmp_path / "a.parquet") == tacit.moments(features, plain)


def test_a_result_unpacks_and_survives_json() -> None:
    result = tacit.two_sample_test(NORMAL, NORMAL, epsilon=1.0)
    statistic, pvalue = result
    assert (statistic, pvalue) == (result.statistic, result.pvalue)
    read = json.loads(result.to_json())
    for name in ("statistic", "pvalue", "evalue", "alpha", "epsilon", "delta", "n_x", "n_y", "release", "recorded"):
        assert read[name] == getattr(result, name)
    assert read["reject"] == result.reject()
    assert tacit.TestResult(**{name: read[name] for name in tacit.TestResult.__dataclass_fields__}) == result


def test_a_verdict_costs_nothing_and_is_the_same_each_time() -> None:
    plan = tacit.Plan(tacit.Spectrum(tacit.Schema.of(NORMAL)), tacit.Budget(1.0))
    message = tacit.Curator(False).release(plan, NORMAL, NORMAL)
    assert tacit.verdict(plan, message) == tacit.verdict(tacit.Plan.from_json(plan.to_json()), message)


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """What a command prints that ends well."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as stopped:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    assert stopped.value.code == 0, err
    return out


def as_npy(folder: Path) -> tuple[Path, Path]:
    for name in "ab":
        np.save(folder / f"{name}.npy", NORMAL)
    return folder / "a.npy", folder / "b.npy"


def as_csv(folder: Path) -> tuple[Path, Path]:
    for name in "ab":
        pd.DataFrame({"n": NORMAL[:, 0], "c": ["u", None] * 20}).to_csv(folder / f"{name}.csv", index=False)
    return folder / "a.csv", folder / "b.csv"


def as_both(folder: Path) -> tuple[Path, Path]:
    a, _ = as_csv(folder)
    pq.write_table(pa.table({"n": NORMAL[:, 0], "c": ["u", None] * 20}), folder / "b.parquet")
    return a, folder / "b.parquet"


@pytest.mark.parametrize("files", [as_npy, as_csv, as_both])
def test_the_commands_lead_from_two_files_to_a_verdict(
    files: Callable[[Path], tuple[Path, Path]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b = files(tmp_path)
    plan, message = tmp_path / "plan.json", tmp_path / "message.json"
    assert len(run(capsys, "schema", a).splitlines()) == 2
    run(capsys, "plan", a, b, "--epsilon", "2", "--alpha", ".1", "-o", plan)
    read = tacit.Plan.from_json(plan.read_text())
    assert (read.budget.epsilon, read.alpha) == (2.0, 0.1)
    run(capsys, "release", plan, "--x", a, "--y", b, "-o", message)
    loaded = tacit.load(message)
    assert (loaded.plan, loaded.n_x, loaded.n_y) == (read.digest, 40, 40)
    assert str(loaded.value) in run(capsys, "inspect", message)
    shown = json.loads(run(capsys, "verdict", plan, message, "--json"))
    result = tacit.verdict(read, loaded)
    assert shown == json.loads(result.to_json())
    assert run(capsys, "verdict", plan, message).strip() == str(result).strip()
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".json") == ["message.json", "plan.json"]


def test_the_command_test_goes_all_the_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = as_csv(tmp_path)
    shown = json.loads(run(capsys, "test", a, b, "--epsilon", "1", "--no-ledger", "--json"))
    assert 0 < shown["pvalue"] <= 1 and shown["recorded"] is False and (shown["n_x"], shown["n_y"]) == (40, 40)
    text = run(capsys, "test", a, b, "--epsilon", "1", "--paired", "--alpha", ".01", "--bet", "1")
    assert "p = " in text and "epsilon = 1.0" in text


def test_a_dry_run_reads_the_schema_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = as_csv(tmp_path)
    with b.open("a") as file:
        file.write('"a cell that never ends')  # a run would refuse it
    text = run(capsys, "test", a, b, "--epsilon", "1", "--dry-run")
    assert "'n'" in text and "'c'" in text and "epsilon = 1.0" in text and "p = " not in text
    assert {path.name for path in tmp_path.iterdir()} == {"a.csv", "b.csv"}
