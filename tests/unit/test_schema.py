"""Kinds follow the types of a source, never its cells."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tacit
from tacit.schema import Column, Schema

OBJECTS = [[None] * 5, [None] * 4 + ["x"], ["a"] * 4 + [3], [1, 2, 3, 4, None], [True, 1.5, "x", None, b"y"]]


@pytest.mark.parametrize("cells", OBJECTS, ids=str)
def test_a_column_of_objects_is_text_whatever_it_holds(cells: list[object]) -> None:
    frame = pd.DataFrame({"c": pd.Series(cells, dtype=object)})
    assert Schema.of(frame) == Schema({"c": "text"})
    assert tacit.moments(tacit.Spectrum(Schema.of(frame)), frame).counts.tolist() == [5]


def test_objects_read_like_a_csv_of_the_same_cells(tmp_path: object) -> None:
    frame = pd.DataFrame({"c": pd.Series(["a", 3, None, "1.5", float("nan")], dtype=object)})
    frame.to_csv(f"{tmp_path}/c.csv", index=False)
    features = tacit.Spectrum(Schema({"c": "text"}))
    assert tacit.moments(features, frame) == tacit.moments(features, f"{tmp_path}/c.csv")


def test_a_frame_is_not_changed_by_reading_it() -> None:
    frame = pd.DataFrame({3: pd.Series(["a", 1], dtype=object), "z": [1, 2]})
    before = frame.copy()
    Schema.of(frame)
    pd.testing.assert_frame_equal(frame, before)


def test_typed_columns_keep_their_kinds() -> None:
    frame = pd.DataFrame(
        {
            "words": pd.array(["a", None], dtype="string"),
            "flags": [True, False],
            "whole": pd.array([1, None], dtype="Int64"),
            "levels": pd.Categorical(["u", "v"], categories=pd.Index(["u", "v"], dtype="str")),
        }
    )
    kinds = {column.name: column.kind for column in Schema.of(frame).columns}
    assert kinds == {"words": "category", "flags": "category", "whole": "number", "levels": "category"}


def test_a_masked_cell_is_a_missing_cell() -> None:
    features = tacit.Spectrum(Schema({"0": "number"}))
    masked = np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False])
    assert tacit.moments(features, masked) == tacit.moments(features, np.array([1.0, np.nan, 3.0]))


def test_where_kinds_differ_the_encoding_covers_both() -> None:
    number, text = Schema({"a": "number", "b": "category"}), Schema({"b": "text", "a": "text"})
    assert (
        number.covering(text)
        == Schema({"a": "text", "b": "text"})
        == Schema((Column("a", "text"), Column("b", "text")))
    )
    assert number.covering(Schema({"b": "category", "a": "number"})) == number


def test_a_column_without_a_type_fits_every_kind() -> None:
    empty = pa.table({"a": pa.nulls(6)})
    for kind in ("number", "category", "text"):
        assert tacit.moments(tacit.Spectrum(Schema({"a": kind})), empty).counts.tolist() == [6]


def test_an_array_and_a_csv_of_it_are_compared_as_text(tmp_path: object) -> None:
    values = np.random.default_rng(5).integers(0, 4, (60, 2)).astype(float)
    values[3, 1] = np.nan
    path = f"{tmp_path}/array.csv"
    pd.DataFrame(values).to_csv(path, index=False)
    both = Schema.of(values).covering(Schema.of(path))
    assert both == Schema({"0": "text", "1": "text"})
    assert tacit.moments(tacit.Spectrum(both), values) == tacit.moments(tacit.Spectrum(both), path)
    for x, y in ((values, path), (path, values)):
        assert tacit.two_sample_test(x, y, epsilon=1.0).n_x == 60


@pytest.mark.parametrize("rows", [np.array([[1.0, 2.5], [3.0, 4.0]]), pa.table({"0": [1.0, 3.0], "1": [2.5, 4.0]})])
def test_a_map_takes_columns_in_the_order_of_its_schema(rows: object) -> None:
    features = tacit.Spectrum(Schema({"1": "number", "0": "number"}))
    first = tacit.moments(features, rows).first[0]
    assert np.array_equal(features(rows).sum(axis=0) * 2**14, first[:, 0] + 1j * first[:, 1])
