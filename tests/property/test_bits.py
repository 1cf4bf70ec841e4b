"""The same rows give the same bits: whatever the chunks, the order, the threads, the type, the machine."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit
from tacit.features.spectrum import Spectrum
from tacit.holder.moments import Moments, grouped
from tacit.holder.rows import Rows

GOLDEN = Path(__file__).parents[1] / "golden"
ROWS, GROUPS = 5000, 7


def matrix(rows: int = ROWS) -> np.ndarray:
    """Numbers that float32 holds, at many scales, with cells that are missing or infinite."""
    source = np.random.default_rng(5)
    values = source.normal(size=(rows, 3)) * 10.0 ** source.integers(-8, 9, (rows, 3))
    values[source.random((rows, 3)) < 0.03] = np.nan
    values[source.random((rows, 3)) < 0.02] = np.inf
    values[source.random((rows, 3)) < 0.02] = -np.inf
    return values.astype(np.float32).astype(np.float64)


def mixed(rows: int = ROWS) -> pa.Table:
    """A number, a category and a column that is read both ways."""
    source = np.random.default_rng(6)
    letters = [["a", "b", "", None][i] for i in source.integers(0, 4, rows)]
    both = [["1", "2.5", "x", "", None, "inf", "nan"][i] for i in source.integers(0, 7, rows)]
    return pa.table({"n": source.normal(size=rows), "c": letters, "t": both})


MIXED = tacit.Schema({"n": "number", "c": "category", "t": "text"})


def by_group(source: Any, schema: tacit.Schema, groups: np.ndarray, **how: Any) -> Moments:
    return grouped(Spectrum(schema), Rows(source, schema, "the table"), groups, GROUPS, **how)


def group_of_each(rows: int = ROWS) -> np.ndarray:
    return np.random.default_rng(7).integers(0, GROUPS, rows).astype(np.uint16)


CASES: dict[str, Callable[[], tuple[Any, tacit.Schema]]] = {
    "array": lambda: (matrix(), tacit.Schema.of(matrix())),
    "table": lambda: (mixed(), MIXED),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[Any, tacit.Schema]:
    return CASES[request.param]()


@pytest.mark.parametrize("block_rows", [3, 64, 4096, ROWS])
@pytest.mark.parametrize("threads", [1, 2, 7])
def test_chunks_and_threads_do_not_show(case: Any, block_rows: int, threads: int) -> None:
    source, schema = case
    groups = group_of_each()
    assert by_group(source, schema, groups, block_rows=block_rows, threads=threads) == by_group(source, schema, groups)


def test_rows_one_by_one_sum_to_the_same(case: Any) -> None:
    source, schema = case
    few = source[:300]
    groups = group_of_each(300)
    assert by_group(few, schema, groups, block_rows=1, threads=2) == by_group(few, schema, groups)


def test_the_order_of_rows_does_not_show(case: Any) -> None:
    source, schema = case
    groups, order = group_of_each(), np.random.default_rng(8).permutation(ROWS)
    turned = source.take(order) if isinstance(source, pa.Table) else source[order]
    assert by_group(turned, schema, groups[order]) == by_group(source, schema, groups)


def test_chunks_of_an_arrow_table_do_not_show() -> None:
    table = mixed()
    parts = pa.concat_tables([table.slice(0, 1), table.slice(1, 0), table.slice(1, 2998), table.slice(2999)])
    assert parts["n"].num_chunks > 1
    assert tacit.moments(Spectrum(MIXED), parts) == tacit.moments(Spectrum(MIXED), table)


def test_the_order_of_columns_does_not_show() -> None:
    table = mixed()
    assert tacit.moments(Spectrum(MIXED), table.select(["t", "n", "c"])) == tacit.moments(Spectrum(MIXED), table)


@pytest.mark.parametrize("dtype", ["float32", "float64", ">f8", "longdouble"])
def test_the_type_of_a_float_does_not_show(dtype: str) -> None:
    rows = matrix()
    features = Spectrum(tacit.Schema.of(rows))
    assert tacit.moments(features, rows.astype(dtype)) == tacit.moments(features, rows)
    assert tacit.moments(features, np.asfortranarray(rows.astype(dtype))) == tacit.moments(features, rows)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64", "uint64", "float16", "float32"])
def test_whole_numbers_are_the_same_in_every_type(dtype: str) -> None:
    rows = np.random.default_rng(9).integers(0, 128, (999, 3))
    features = Spectrum(tacit.Schema.of(rows))
    assert tacit.moments(features, rows.astype(dtype)) == tacit.moments(features, rows.astype(float))


def test_files_and_tables_of_the_same_numbers_agree(tmp_path: Path) -> None:
    import pandas as pd

    rows = matrix(700)
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    table = pa.table({name: frame[name].to_numpy() for name in frame})
    np.save(tmp_path / "a.npy", rows)
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=100)
    numbers = Spectrum(tacit.Schema.of(table))
    agreed = tacit.moments(Spectrum(tacit.Schema.of(rows)), rows)
    assert tacit.moments(Spectrum(tacit.Schema.of(tmp_path / "a.npy")), tmp_path / "a.npy") == agreed
    for source in (table, frame, tmp_path / "a.parquet", str(tmp_path / "a.parquet")):
        assert tacit.moments(numbers, source) == agreed


def test_a_csv_and_the_same_table_read_as_text_agree(tmp_path: Path) -> None:
    table = mixed(700)
    table.to_pandas().to_csv(tmp_path / "a.csv", index=False)
    pq.write_table(table, tmp_path / "a.parquet")
    text = Spectrum(tacit.Schema(dict.fromkeys("nct", "text")))
    agreed = tacit.moments(text, tmp_path / "a.csv")
    for source in (table, tmp_path / "a.parquet", table.to_pandas()):
        assert tacit.moments(text, source) == agreed


PROGRAM = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
import test_bits, tacit
from tacit.features.spectrum import Spectrum
out = hashlib.sha256()
for source, schema in (case() for case in test_bits.CASES.values()):
    sums = test_bits.by_group(source, schema, test_bits.group_of_each())
    out.update(sums.counts.tobytes() + sums.first.tobytes())
print(out.hexdigest(), test_bits.fixed_plan().digest)
"""


def in_another_process(**environment: str) -> list[str]:
    source = str(Path(tacit.__file__).parents[1])
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM, str(Path(__file__).parent)],
        env={**os.environ, "PYTHONPATH": source, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.split()


def here() -> list[str]:
    out = hashlib.sha256()
    for source, schema in (case() for case in CASES.values()):
        sums = by_group(source, schema, group_of_each())
        out.update(sums.counts.tobytes() + sums.first.tobytes())
    return [out.hexdigest(), fixed_plan().digest]


@pytest.mark.parametrize("seed", ["0", "1"])
def test_the_hash_seed_shows_neither_in_sums_nor_in_the_digest(seed: str) -> None:
    assert in_another_process(PYTHONHASHSEED=seed) == here()


def test_the_features_of_the_processor_do_not_show() -> None:
    from numpy._core import _multiarray_umath as numpy_says  # type: ignore[attr-defined]

    found = [name for name in numpy_says.__cpu_dispatch__ if numpy_says.__cpu_features__.get(name)]
    if not found:
        pytest.skip("NumPy uses nothing beyond its baseline on this machine")
    assert in_another_process(NPY_DISABLE_CPU_FEATURES=" ".join(found)) == here()


def three_parts() -> tuple[Moments, Moments, Moments]:
    rows, schema = CASES["array"]()
    groups = group_of_each()
    cuts = [slice(0, 10), slice(10, 3000), slice(3000, ROWS)]
    one, two, three = (by_group(rows[cut], schema, groups[cut]) for cut in cuts)
    return one, two, three


def test_merging_is_associative_and_commutative_and_has_a_zero() -> None:
    one, two, three = three_parts()
    rows, schema = CASES["array"]()
    whole = by_group(rows, schema, group_of_each())
    assert one + two == two + one
    assert (one + two) + three == one + (two + three) == whole
    assert one + by_group(rows[:0], schema, group_of_each()[:0]) == one
    assert one != two and one != 3


def test_moments_of_other_features_do_not_merge() -> None:
    rows = matrix(9)
    wide, narrow = (tacit.moments(Spectrum(tacit.Schema.of(part)), part) for part in (rows, rows[:, :2]))
    for other in (narrow, 1, None):
        with pytest.raises(TypeError):
            wide + other  # type: ignore[operator]


def exact() -> Moments:
    return tacit.moments(Spectrum(tacit.Schema.of(matrix(50))), matrix(50))


OUTWARD: dict[str, Callable[[Moments], object]] = {
    **{f"pickle {protocol}": partial(pickle.dumps, protocol=protocol) for protocol in range(6)},
    "pickle in a list": lambda m: pickle.dumps([m]),
    "pickle of its method": lambda m: pickle.dumps(m.__add__),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "json": json.dumps,
    "canonical json": lambda m: __import__("tacit.canonical", fromlist=["dumps"]).dumps({"value": m}),
    "a message": lambda m: message().model_copy(update={"value": m}).to_json(),
    "a validated message": lambda m: type(message())(**{**message().model_dump(), "value": m}),
    "a hash": hash,
    "change": lambda m: setattr(m, "counts", None),
}


def message() -> Any:
    rows = matrix(50)
    return tacit.Curator(False).release(tacit.Plan(Spectrum(tacit.Schema.of(rows)), tacit.Budget(1.0)), rows, rows)


@pytest.mark.parametrize("way", OUTWARD)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_moments_do_not_get_out(way: str) -> None:
    with pytest.raises((TypeError, ValueError, AttributeError, pickle.PicklingError)):
        OUTWARD[way](exact())


def test_moments_are_printed_without_a_number() -> None:
    m = exact()
    for text in (repr(m), str(m), f"{m}", f"{m!r:>50}", "%s" % m, repr([m]), repr({"sums": m})):  # noqa: UP031
        assert "Moments" in text
        assert not any(character.isdigit() for character in text)


def fixed_plan() -> tacit.Plan:
    schema = tacit.Schema({"age": "number", "größe": "text", 'a "quoted" name': "category"})
    return tacit.Plan(Spectrum(schema), tacit.Budget(0.3, 1e-6), alpha=0.01, bet=1, paired=True, groups=40)


def test_the_plan_is_pinned_to_the_last_byte() -> None:
    kept = json.loads((GOLDEN / "plan.json").read_text(encoding="utf-8"))
    assert fixed_plan().to_json() == kept["json"]
    assert fixed_plan().digest == kept["digest"] == hashlib.sha256(kept["json"].encode()).hexdigest()
    assert tacit.Plan.from_json(kept["json"]) == fixed_plan()


def test_the_sums_of_fixed_rows_are_pinned() -> None:
    rows = [
        (1.0, "1", True),
        (-2.5, "x", False),
        (None, "", None),
        (float("inf"), "1e3", True),
        (1e300, None, False),
    ]
    n, t, c = zip(*rows, strict=True)
    schema = tacit.Schema({"n": "number", "t": "text", "c": "category"})
    sums = tacit.moments(Spectrum(schema), pa.table({"n": n, "t": t, "c": c}))
    kept = json.loads((GOLDEN / "plan.json").read_text(encoding="utf-8"))
    assert hashlib.sha256(sums.first.astype("<i8").tobytes()).hexdigest() == kept["sums"]


def test_equal_plans_have_one_digest_however_they_were_written() -> None:
    features = Spectrum(tacit.Schema({"a": "number"}))
    plain = tacit.Plan(features, tacit.Budget(1.0, 0.0))
    for other in (
        tacit.Plan(features, tacit.Budget(1)),
        tacit.Plan(features, tacit.Budget(np.float64(1), np.float32(0))),  # type: ignore[arg-type]
        tacit.Plan(Spectrum(tacit.Schema({"a": "number"}), members=np.int64(100_000)), tacit.Budget(1.0)),  # type: ignore[arg-type]
        tacit.Plan(features, tacit.Budget(1.0), rounds=1.0),  # type: ignore[arg-type]
        tacit.Plan.from_json(json.dumps(json.loads(plain.to_json()), indent=4)),
    ):
        assert other.digest == plain.digest
