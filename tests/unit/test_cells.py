"""Cells of every source → members, against a second implementation in plain Python."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit
from tacit.features.cells import Block
from tacit.features.phases import FACTORS, TABLE

THIRD = 2**64 // 3
CELLS = (
    *("1", "1.0", " 1 ", "+1.", ".5e3", "1e400", "-1E+400", "1e-400", "-0", "007", "9007199254740993", "\t2\r"),
    *("nan", "NaN", "-nan", "-inf", "inf", "+Infinity", "INFINITY", " -Inf ", "", " ", "  ", "abc", "1_000", "0x10"),
    *("NUMBER", "number", "1,5", "1 2", "--1", ".", "+", "e5", "1e", "1e+", ".e1", "1f", "infinit", "inff", "nana"),
    *("１", "1\u00a0", "größe", "a\nb", 'say "so"', "null", "NA", "None", "true", "1e5.5", "0" * 400 + "1", "1" * 400),
    *("1\n", "\x0b1", "\x7f"),
)

Cell = tuple[float, bytes | None, bool]  # number (NaN: missing), category (None: missing), the indicator


def as_text(cell: bytes) -> Cell:
    """A CSV's cell by the rule: number-or-missing, category, and missing only where the cell is empty."""
    if not cell:
        return math.nan, None, True
    stripped = cell.strip(b" \t\n\r\x0b\x0c")
    if re.fullmatch(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", stripped):
        return float(stripped), b"number", False
    if re.fullmatch(rb"[+-]?nan|[+-]?inf(inity)?", stripped.lower()):
        return float(stripped), b"number", False
    return math.nan, cell, False


def number_members(value: float) -> list[tuple[int, int]]:
    """Four ladders of forty-four octaves."""
    if not math.isfinite(value):
        fixed = THIRD if math.isnan(value) else 2 * 2**64 // 3 if value > 0 else 2**63
        return [tuple(TABLE[fixed >> 52].tolist())] * 176
    scaled = [value * factor for factor in FACTORS[4]]
    places = [
        math.floor(Fraction(y) * Fraction(2) ** (exponent + 12)) % 4096 if math.isfinite(y) else 0
        for y in scaled
        for exponent in range(-24, 20)
    ]
    return [tuple(TABLE[place].tolist()) for place in places]


def category_members(value: bytes | None) -> list[tuple[int, int]]:
    """Sixty-four characters."""
    if value is None:
        return [tuple(TABLE[THIRD >> 52].tolist())] * 64
    z0 = int.from_bytes(hashlib.blake2b(value, digest_size=8).digest(), "little")
    out = []
    for k in range(64):
        z = (z0 + k * 0x9E3779B97F4A7C15) % 2**64
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % 2**64
        out.append(tuple(TABLE[(z ^ (z >> 31)) >> 52].tolist()))
    return out


def expected(kind: str, cells: Sequence[Cell]) -> np.ndarray:
    """The exact sums of a single column's members."""
    rows = []
    for number, category, missing in cells:
        members = number_members(number) if kind != "category" else []
        members += category_members(category) if kind != "number" else []
        rows.append([*members, tuple(TABLE[2048 if missing else 0].tolist())])
    return np.asarray(np.array(rows, dtype=np.int64).sum(axis=0))


def sums(source: object, kind: str | None = None) -> np.ndarray:
    """A single column's sums, by its own schema or as another kind."""
    schema = tacit.Schema.of(source)
    if kind is not None:
        schema = tacit.Schema(dict.fromkeys(schema.names, kind))
    return np.asarray(tacit.moments(tacit.Spectrum(schema), source).first[0])


def csv_of(path: Path, cells: Sequence[bytes], name: bytes = b"c") -> Path:
    quoted = [b'"' + cell.replace(b'"', b'""') + b'"' for cell in cells]
    path.write_bytes(b"\n".join([name, *quoted]) + b"\n")
    return path


def numbers(*values: float | None) -> list[Cell]:
    cells = [math.nan if value is None else float(value) for value in values]
    return [(value, b"number", math.isnan(value)) for value in cells]


def words(*values: str | None) -> list[Cell]:
    return [(math.nan, None if value is None else value.encode(), value is None) for value in values]


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: repr(cell)[:20])
def test_a_csv_cell_is_a_number_and_a_category_as_the_rule_says(cell: str, tmp_path: Path) -> None:
    path = csv_of(tmp_path / "a.csv", [cell.encode()])
    assert tacit.Schema.of(path).columns[0].kind == "text"
    assert np.array_equal(sums(path), expected("text", [as_text(cell.encode())]))


def test_all_csv_cells_together_sum_to_their_sum(tmp_path: Path) -> None:
    cells = [cell.encode() for cell in CELLS]
    path = csv_of(tmp_path / "a.csv", cells)
    assert np.array_equal(sums(path), expected("text", [as_text(cell) for cell in cells]))


@pytest.mark.parametrize(("one", "other"), [("1", "1.0"), ("1", " +1e0 "), ("0.5", ".5"), ("1e400", "inf")])
def test_spellings_of_one_number_are_one_value(one: str, other: str, tmp_path: Path) -> None:
    both = [sums(csv_of(tmp_path / f"{i}.csv", [cell.encode()])) for i, cell in enumerate((one, other))]
    assert np.array_equal(both[0], both[1])


def test_text_that_is_not_utf8_is_a_category_and_not_an_error(tmp_path: Path) -> None:
    cells = [b"\xff\xfe", b" 1 ", b"\xff1", b"caf\xe9", b"", b"\xed\xa0\x80", b"nan"]
    path = csv_of(tmp_path / "a.csv", cells)
    assert np.array_equal(sums(path), expected("text", [as_text(cell) for cell in cells]))


def test_quoted_lines_commas_and_quotes_stay_inside_their_cell(tmp_path: Path) -> None:
    cells = [b"two\nlines", b"two\r\nlines", b"a,b", b'a "quoted" word', b"\n1\n", b"x"]
    path = csv_of(tmp_path / "a.csv", cells)
    assert np.array_equal(sums(path), expected("text", [as_text(cell) for cell in cells]))


def test_an_unquoted_empty_cell_and_a_quoted_one_are_missing_alike(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('a,b\n,1\n"",1\n')
    (tmp_path / "b.csv").write_text('a,b\n"",1\n"",1\n')
    assert np.array_equal(sums(tmp_path / "a.csv"), sums(tmp_path / "b.csv"))


def test_an_empty_line_of_a_single_column_is_a_row_with_a_missing_cell(tmp_path: Path) -> None:
    """Sizes are public: they must not follow what stands in the cells."""
    (tmp_path / "a.csv").write_text("c\n1\n\n2\n")
    assert np.array_equal(sums(tmp_path / "a.csv"), expected("text", [as_text(c) for c in (b"1", b"", b"2")]))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_a_byte_order_mark_change_nothing(end: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(("\ufeff" + end.join(["c", "1", "x"])).encode())
    assert tacit.Schema.of(tmp_path / "a.csv").names == ("c",)
    assert np.array_equal(sums(tmp_path / "a.csv"), expected("text", [as_text(b"1"), as_text(b"x")]))


def test_a_string_of_ten_megabytes_is_a_category_like_any_other(tmp_path: Path) -> None:
    long = b"z" * 10_000_000
    path = csv_of(tmp_path / "a.csv", [b"1", long])
    assert np.array_equal(sums(path), expected("text", [as_text(b"1"), (math.nan, long, False)]))


NUMBER_COLUMNS: dict[str, tuple[Any, Any]] = {
    "int8": (pa.array([1, None, -128], pa.int8()), [1, None, -128]),
    "int64": (pa.array([2**53 + 1, -(2**63), None]), [2**53 + 1, -(2**63), None]),
    "uint64": (pa.array([2**64 - 1, 2**63 + 1025, 2**53 + 1], pa.uint64()), [2**64 - 1, 2**63 + 1025, 2**53 + 1]),
    "float16": (pa.array(np.array([1.5, np.inf, 6e-8], np.float16)), np.array([1.5, np.inf, 6e-8], np.float16)),
    "float32": (pa.array([0.1, None], pa.float32()), [float(np.float32(0.1)), None]),
    "double": (pa.array([0.1, math.nan, None, -math.inf, -0.0]), [0.1, None, None, -math.inf, -0.0]),
    "decimal128": (pa.array([Decimal("0.3"), None, Decimal("76.9")]), [0.3, None, 76.9]),
    "decimal256": (pa.array([Decimal("31.97")], pa.decimal256(50, 2)), [31.97]),
    "all null": (pa.nulls(3), [None, None, None]),
    "dictionary of int": (pa.array([3, 3, None]).dictionary_encode(), [3, 3, None]),
}


@pytest.mark.parametrize("name", NUMBER_COLUMNS)
@pytest.mark.parametrize("source", ["table", "parquet"])
def test_a_column_of_numbers_is_their_doubles(name: str, source: str, tmp_path: Path) -> None:
    column, values = NUMBER_COLUMNS[name]
    given = stored(pa.table({"c": column}), source, tmp_path)
    assert tacit.Schema.of(given).columns[0].kind == "number"
    assert np.array_equal(sums(given), expected("number", numbers(*values)))


def test_a_decimal_is_the_double_nearest_to_it_as_its_text_would_be() -> None:
    for text in ("0.3", "1.005", "31.97", "76.91532", "1972.8081", "255.4321", "83498820.3", "0.000001", "-0.7"):
        for kind in ("number", "text"):
            block = Block.of(tacit.Schema({"c": kind}), [pa.array([Decimal(text)])])
            assert block.values[0, 0] == float(text), (text, kind)


WORD_COLUMNS: dict[str, tuple[Any, Any]] = {
    "string": (pa.array(["a", "", None, "1"]), ["a", "", None, "1"]),
    "large_string": (pa.array(["a", None], pa.large_string()), ["a", None]),
    "string_view": (pa.array(["a", None, "longer than twelve"], pa.string_view()), ["a", None, "longer than twelve"]),
    "bool": (pa.array([True, None, False]), ["true", None, "false"]),
    "dictionary": (pa.array(["a", "a", None]).dictionary_encode(), ["a", "a", None]),
    "dictionary of large_string": (pa.array(["a", None], pa.large_string()).dictionary_encode(), ["a", None]),
    "dictionary with a null value": (pa.DictionaryArray.from_arrays([0, 1], pa.array(["a", None])), ["a", None]),
    "dictionary of string_view": (
        pa.DictionaryArray.from_arrays([0, 1, 0], pa.array(["a", "b"], pa.string_view())),
        ["a", "b", "a"],
    ),
}


@pytest.mark.parametrize("name", WORD_COLUMNS)
@pytest.mark.parametrize("source", ["table", "parquet"])
def test_a_column_of_words_is_their_categories(name: str, source: str, tmp_path: Path) -> None:
    column, values = WORD_COLUMNS[name]
    given = stored(pa.table({"c": column}), source, tmp_path)
    assert tacit.Schema.of(given).columns[0].kind == "category"
    assert np.array_equal(sums(given), expected("category", words(*values)))


def stored(table: pa.Table, source: str, folder: Path) -> object:
    if source == "table":
        return table
    if any("string_view" in str(field.type) for field in table.schema):
        pytest.skip("Parquet has no such type")
    if any(pa.types.is_dictionary(column.type) and column.chunk(0).dictionary.null_count for column in table.columns):
        pytest.skip("Parquet has no such dictionary")
    pq.write_table(table, folder / "a.parquet")
    return folder / "a.parquet"


COVERED = {
    "ints": (pa.array([1, 2, None]), [b"1", b"2", b""]),
    "floats": (pa.array([1.5, None, math.inf, 0.1]), [b"1.5", b"", b"inf", b"0.1"]),
    "decimals": (pa.array([Decimal("1.50"), Decimal("76.90"), Decimal("0.30")]), [b"1.50", b"76.90", b"0.30"]),
    "float16": (pa.array(np.array([1.5], np.float16)), [b"1.5"]),
    "strings": (
        pa.array(["x", None, "", "7", " 8 ", "nan", "1e400"]),
        [b"x", b"", b"", b"7", b" 8 ", b"nan", b"1e400"],
    ),
    "large_string": (pa.array(["x", "7", None], pa.large_string()), [b"x", b"7", b""]),
    "string_view": (pa.array(["x", "7", None], pa.string_view()), [b"x", b"7", b""]),
    "bools": (pa.array([True, None, False]), [b"true", b"", b"false"]),
    "dictionary": (pa.array(["x", "7", None, "x"]).dictionary_encode(), [b"x", b"7", b"", b"x"]),
    "dictionary of int": (pa.array([7, None]).dictionary_encode(), [b"7", b""]),
    "all null": (pa.nulls(2), [b"", b""]),
    "uint64": (pa.array([2**64 - 1], pa.uint64()), [b"18446744073709551615"]),
}


@pytest.mark.parametrize("name", COVERED)
def test_the_covering_encoding_of_a_typed_column_is_that_of_the_same_csv(name: str, tmp_path: Path) -> None:
    column, cells = COVERED[name]
    table, path = pa.table({"c": column}), csv_of(tmp_path / "a.csv", cells)
    for covering in (
        tacit.Schema.of(table).covering(tacit.Schema.of(path)),
        tacit.Schema.of(path).covering(tacit.Schema.of(table)),
    ):
        assert covering.columns[0].kind == "text"
    assert np.array_equal(sums(table, "text"), sums(path))
    assert np.array_equal(sums(path), expected("text", [as_text(cell) for cell in cells]))


def test_numbers_against_words_are_covered_by_text() -> None:
    one, other = pa.table({"c": [1, 2]}), pa.table({"c": ["1", "x"]})
    covering = tacit.Schema.of(one).covering(tacit.Schema.of(other))
    assert [column.kind for column in covering.columns] == ["text"]
    cells = [as_text(cell) for cell in (b"1", b"x")]
    assert np.array_equal(sums(other, "text"), expected("text", cells))


def test_cells_decide_nothing_about_kinds(tmp_path: Path) -> None:
    for i, cells in enumerate(([b"1", b"2"], [b"x", b"y"], [b"", b""], [])):
        path = csv_of(tmp_path / f"{i}.csv", cells)
        assert [column.kind for column in tacit.Schema.of(path).columns] == ["text"]
    assert tacit.Schema.of(pa.table({"c": ["1", "2"]})).columns[0].kind == "category"
