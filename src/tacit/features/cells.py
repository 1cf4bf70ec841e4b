"""Cells of every kind → numbers, categories and missing marks, by the schema alone (theory/spectrum.md, 2).

A number column is its values. A category column is its values' 64-bit names. A text column (a CSV's, or one
whose kind differs between sources) is both: number-or-missing, and a category in which every number is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from tacit.features.phases import category_base
from tacit.schema import Schema
from tacit.sources import Source

NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
NOT_A_NUMBER = r"^[+-]?nan$"
INFINITE = r"^[+-]?inf(inity)?$"

Names = tuple[NDArray[np.intp], NDArray[np.uint64]]  # a code for each row (len(names): missing), and the names


@dataclass(frozen=True, repr=False)
class Block:
    """Some rows of a table as the spectrum sees them."""

    values: NDArray[np.float64]  # rows × (number and text columns)
    names: tuple[Names, ...]  # category and text columns
    missing: npt.NDArray[np.bool_]  # rows × columns

    @classmethod
    def of(cls, schema: Schema, columns: Sequence[Any] | NDArray[Any]) -> Block:
        """``columns``: a matrix, or one NumPy or Arrow array a column, in the schema's order."""
        if isinstance(columns, np.ndarray):
            if columns.dtype.kind in "iuf" and all(column.kind == "number" for column in schema.columns):
                matrix = columns.astype(np.float64, copy=False)
                return cls(matrix, (), np.isnan(matrix))
            columns = list(columns.T)
        values, names, missing = [], [], []
        for column, cells in zip(schema.columns, columns, strict=True):
            read = {"number": _numbers, "category": _categories, "text": _text}[column.kind]
            numbers, named, absent = read(cells)
            missing.append(absent)
            if numbers is not None:
                values.append(numbers)
            if named is not None:
                names.append(named)
        rows = len(missing[0])
        table = np.stack(values, axis=1) if values else np.empty((rows, 0))
        return cls(table, tuple(names), np.stack(missing, axis=1))

    def __len__(self) -> int:
        return len(self.missing)

    def take(self, order: NDArray[np.intp]) -> Block:
        names = tuple((codes[order], bases) for codes, bases in self.names)
        return Block(self.values[order], names, self.missing[order])


def columns_of(source: Source, names: tuple[str, ...], begin: int, end: int) -> Any:
    """Some rows of an array or a table in memory, as Block.of takes them."""
    if source.format != "array":
        part = source.data.slice(begin, end - begin)
        return [_one_chunk(part[name]) for name in names]
    rows = source.data[begin:end]
    matrix = rows if rows.ndim == 2 else rows[:, None]
    if names != source.names:
        places = {name: place for place, name in enumerate(source.names)}
        matrix = matrix[:, [places[name] for name in names]]
    return np.asarray(matrix)


def _one_chunk(column: Any) -> Any:
    import pyarrow as pa

    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


Read = tuple[NDArray[np.float64] | None, Names | None, npt.NDArray[np.bool_]]


def _numbers(cells: Any) -> Read:
    values = _floats(cells)
    return values, None, np.isnan(values)


def _categories(cells: Any) -> Read:
    cells = _words(cells)
    return None, _name(cells), _mask(cells.is_null())


def _text(cells: Any) -> Read:
    """Typed cells join in as a CSV would hold them: a number is a number, an empty text is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    arrow = _decoded(cells)
    if not (_is_words(arrow.type) or pa.types.is_boolean(arrow.type) or pa.types.is_null(arrow.type)):
        values, absent = _floats(arrow), _mask(arrow.is_null())
        return values, (absent.astype(np.intp), np.array([category_base(b"number")], np.uint64)), absent
    words = _words(arrow)
    words = pc.if_else(pc.equal(words, ""), pa.scalar(None, words.type), words)
    stripped = pc.ascii_trim_whitespace(words)
    plain = pc.match_substring_regex(stripped, NUMBER)
    values = _floats(pc.cast(pc.if_else(plain, stripped, pa.scalar(None, words.type)), pa.float64()))
    odd = pc.and_(pc.is_valid(words), pc.invert(plain))
    numeric = plain
    if pc.any(odd).as_py():
        infinite = pc.match_substring_regex(stripped, INFINITE, ignore_case=True)
        negative = _mask(pc.and_(infinite, pc.starts_with(stripped, "-")))
        values = np.where(_mask(infinite), np.where(negative, -np.inf, np.inf), values)
        undefined = pc.match_substring_regex(stripped, NOT_A_NUMBER, ignore_case=True)
        numeric = pc.or_(plain, pc.or_(infinite, undefined))
    named = _name(pc.if_else(numeric, pa.scalar("number", words.type), words))
    return values, named, _mask(words.is_null())


def _floats(cells: Any) -> NDArray[np.float64]:
    if isinstance(cells, np.ndarray):
        return cells.astype(np.float64, copy=False)
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = _decoded(cells)
    if pa.types.is_decimal(cells.type):  # by way of its text, which is rounded once
        cells = pc.cast(cells, pa.string())
    numbers = pc.cast(cells, pa.float64(), safe=False)
    out: NDArray[np.float64] = numbers.to_numpy(zero_copy_only=False)
    return out


def _words(cells: Any) -> Any:
    """An Arrow array of text; a CSV's bytes are text as they stand."""
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = _decoded(cells)
    if pa.types.is_binary(cells.type):
        return cells.view(pa.string())
    if pa.types.is_boolean(cells.type) or pa.types.is_null(cells.type) or pa.types.is_string_view(cells.type):
        return pc.cast(cells, pa.string())
    return cells


def _decoded(cells: Any) -> Any:
    import pyarrow as pa

    arrow = _arrow(cells) if isinstance(cells, np.ndarray) else cells
    if not pa.types.is_dictionary(arrow.type):
        return arrow
    if pa.types.is_string_view(arrow.type.value_type):
        arrow = pa.DictionaryArray.from_arrays(arrow.indices, arrow.dictionary.cast(pa.string()))
    return arrow.dictionary_decode()


def _arrow(cells: NDArray[Any]) -> Any:
    import pyarrow as pa

    try:
        return pa.array(cells, from_pandas=True)  # NaN is the only way in which an array says "missing"
    except UnicodeEncodeError:
        return pa.array([str(cell).encode("utf-8", "backslashreplace") for cell in cells], pa.binary())


def _is_words(kind: Any) -> bool:
    import pyarrow as pa

    known = pa.types
    checks = (known.is_string, known.is_large_string, known.is_string_view, known.is_binary)
    return any(check(kind) for check in checks)


def _mask(booleans: Any) -> npt.NDArray[np.bool_]:
    out: npt.NDArray[np.bool_] = booleans.fill_null(False).to_numpy(zero_copy_only=False)
    return out


def _name(words: Any) -> Names:
    """Each value by its 64-bit name, each cell by the place of its value; missing cells come last."""
    import pyarrow as pa

    coded = words.dictionary_encode()
    binary = pa.large_binary() if pa.types.is_large_string(words.type) else pa.binary()
    distinct = coded.dictionary.view(binary).to_pylist()
    names = np.array([category_base(value) for value in distinct], dtype=np.uint64)
    codes = coded.indices.fill_null(len(distinct)).to_numpy(zero_copy_only=False).astype(np.intp)
    return codes, names
