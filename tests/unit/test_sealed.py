"""No cell leaves by an error: not in its words, nor in what hangs on it."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tacit
from tacit.errors import Broken, TacitError, sealed
from tacit.features.cells import Block
from tacit.schema import Schema
from tacit.sources import open_source

SECRET = "SECRET-4711"
PLAN = tacit.Plan(tacit.Spectrum(Schema({"a": "text"})), tacit.Budget(1.0))


class Talkative:
    def __str__(self) -> str:
        raise ValueError(SECRET)


def bad_index() -> pa.Table:
    codes = pa.Array.from_buffers(pa.int32(), 3, [None, pa.py_buffer(np.array([0, 1, 9], np.int32))])
    return pa.table({"a": pa.DictionaryArray.from_arrays(codes, pa.array([SECRET, "b"]), safe=False)})


def ragged(folder: Path) -> str:
    (folder / "ragged.csv").write_text(f"a,b\n1,2\n{SECRET}\n")
    return str(folder / "ragged.csv")


def everything_of(error: BaseException | None) -> str:
    """All that a person or a tool can find on an error: words, arguments, causes, contexts, locals of its frames."""
    if error is None:
        return ""
    words = [repr(error), str(error), repr(error.args), *traceback.format_exception(error)]
    trace = error.__traceback__
    while trace:
        if "src/tacit" in trace.tb_frame.f_code.co_filename:
            words += [repr(value) for name, value in trace.tb_frame.f_locals.items() if name not in ("args", "kwargs")]
        trace = trace.tb_next
    return "".join(words) + everything_of(error.__cause__) + everything_of(error.__context__)


SOURCES: dict[str, Callable[[Path], object]] = {
    "ragged CSV": ragged,
    "dictionary with a wrong index": lambda folder: bad_index(),
    "object that cannot be read": lambda folder: pd.DataFrame({"a": pd.Series([Talkative(), SECRET], dtype=object)}),
    "lone surrogate in an object": lambda folder: pd.DataFrame({"a": pd.Series([SECRET + "\ud800"], dtype=object)}),
    "lone surrogate in an array": lambda folder: np.array([SECRET + "\ud800", "b", "c"]),
}
CALLS: dict[str, Callable[[object], object]] = {
    "schema": Schema.of,
    "test": lambda source: tacit.two_sample_test(source, source, epsilon=1),
    "release": lambda source: tacit.Curator().release(PLAN, source, source),
    "moments": lambda source: tacit.moments(PLAN.features, source),
    "baseline": lambda source: tacit.baseline.spectrum_test(source, source),
    "map": lambda source: PLAN.features(source),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("source", SOURCES)
def test_an_error_carries_no_cell(call: str, source: str, tmp_path: Path) -> None:
    given = SOURCES[source](tmp_path)
    error = error_of(CALLS[call], given)
    if error is not None:
        assert SECRET not in everything_of(error)
        assert error.__cause__ is None
        assert error.__context__ is None


def error_of(call: Callable[[object], object], given: object) -> TacitError | None:
    try:
        call(given)
    except TacitError as error:
        return error
    return None


def test_a_mistake_of_our_own_says_its_kind_and_place_alone() -> None:
    @sealed
    def wrong() -> None:
        raise KeyError(SECRET)

    with pytest.raises(Broken, match=r"KeyError at test_sealed\.py:\d+: please report it") as caught:
        wrong()
    assert SECRET not in everything_of(caught.value)


def test_an_interruption_is_let_through() -> None:
    @sealed
    def stopped() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()


def test_blocks_and_sources_show_no_cell() -> None:
    table = pa.table({"a": [SECRET, "b"], "n": [4711.5, 1.0]})
    block = Block.of(Schema.of(table), [column.chunk(0) for column in table.columns])
    assert "4711" not in repr(block) + repr(open_source(table)) + repr(
        tacit.moments(PLAN.features, table.select(["a"]))
    )


@pytest.mark.parametrize(
    "first", [f"{SECRET},1948,HIV+", ",a,b", "1.5,2.5,x", f" ,{SECRET},y", "2019,2020,2021", "nan,a,b"]
)
def test_a_csv_without_names_is_refused_without_saying_what_stands_there(first: str, tmp_path: Path) -> None:
    path = tmp_path / "plain.csv"
    path.write_text(f"{first}\n1,2,3\n")
    with pytest.raises(TacitError, match="need names") as caught:
        Schema.of(path)
    assert SECRET not in everything_of(caught.value)


def test_a_csv_of_an_array_has_its_places_for_names(tmp_path: Path) -> None:
    pd.DataFrame(np.ones((3, 2))).to_csv(tmp_path / "array.csv", index=False)
    assert Schema.of(tmp_path / "array.csv").names == ("0", "1")


def test_a_header_with_a_quote_that_never_ends_is_refused_soon(tmp_path: Path) -> None:
    path = tmp_path / "quote.csv"
    path.write_bytes(b'"a,b\n' + b"1,2\n" * 3_000_000)
    with pytest.raises(TacitError):
        Schema.of(path)
