"""Opens files and tables: names, types, number of rows. No cell is read here."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import InputError, NotYet, SchemaError, quote

if TYPE_CHECKING:
    import pyarrow as pa

SUFFIXES = (".npy", ".csv", ".parquet")
CSV_BLOCK = 32 << 20
MOST_HEADER = 4 << 20


@dataclass(frozen=True)
class Source:
    """Something tabular that has been opened.

    ``types`` holds one word a column: number, boolean, string, text (a cell of a CSV), empty (a column
    without a type), date, or the name of a type that has no place here.
    """

    label: str
    format: str  # array, table, csv, parquet
    names: tuple[str, ...]
    types: tuple[str, ...]
    rows: int | None  # None: only a pass over the file tells
    data: Any = field(repr=False)
    path: Path | None = None


def open_source(given: object, label: str = "the table") -> Source:
    """A NumPy array, anything with ``__arrow_c_stream__``, or a path to .npy, CSV or Parquet."""
    if isinstance(given, Source):
        return given
    if isinstance(given, str | Path):
        return _open_path(Path(given))
    if isinstance(given, np.ndarray):
        return _open_array(given, label)
    if hasattr(given, "__arrow_c_stream__"):
        return _open_stream(given, label)
    if hasattr(given, "__next__"):
        raise NotYet(
            f"{label} is a {type(given).__name__}: batches come with a later version; give an array, a table or a path"
        )
    raise InputError(
        f"{label} is a {type(given).__name__}: give a NumPy array, a table (pandas, Polars, Arrow, DuckDB) "
        "or a path to .npy, .csv or .parquet"
    )


def _open_path(path: Path) -> Source:
    name = quote(path, 200)
    suffix = path.suffix.lower()
    try:
        if path.is_dir():
            raise NotYet(f"{name} is a folder: folders come with a later version; give one file")
        if not path.exists():
            raise InputError(f"there is no file {name}: check the path")
        if not path.is_file():
            raise InputError(f"{name} is not a regular file: give a .npy, .csv or .parquet file")
        if suffix not in SUFFIXES:
            raise InputError(f"{name} ends in {quote(suffix)}: write it as .npy, .csv (with commas) or .parquet")
        with path.open("rb") as file:
            head = file.read(1 << 16)
    except OSError as error:
        raise InputError(f"{name} cannot be read ({error.strerror}): check its permissions") from None
    if not head:
        raise InputError(f"{name} is empty: give a file with rows")
    opener = {".npy": _open_npy, ".csv": _open_csv, ".parquet": _open_parquet}[suffix]
    return opener(path, name, head)


def _open_npy(path: Path, name: str, head: bytes) -> Source:
    if not head.startswith(b"\x93NUMPY"):
        raise InputError(f"{name} is not a .npy file, whatever its name says: write it with numpy.save")
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception:  # whatever a damaged header makes of NumPy's reader
        raise InputError(
            f"{name} is cut short, or is not an array of numbers: write it again with numpy.save"
        ) from None
    source = _open_array(array, name)
    return replace(source, path=path)


def _open_array(array: np.ndarray[Any, Any], label: str) -> Source:
    kind = array.dtype.kind
    if kind == "M" or kind == "m":
        word = "date"
    elif kind in "iuf":
        word = "number"
    elif kind == "b":
        word = "boolean"
    elif kind == "U":
        word = "string"
    else:
        raise InputError(
            f"{label} is an array of type {array.dtype.name}: give numbers, booleans or strings, "
            "or a table for mixed columns"
        )
    if isinstance(array, np.ma.MaskedArray):
        if word != "number":
            raise InputError(f"{label} is a masked array of type {array.dtype.name}: masks are read on numbers only")
        array = np.ma.filled(array.astype(np.float64), np.nan)
    if array.ndim not in (1, 2):
        raise InputError(f"{label} has {array.ndim} dimensions: give rows times columns")
    width = 1 if array.ndim == 1 else array.shape[1]
    names = tuple(str(i) for i in range(width))
    return Source(label, "array", names, (word,) * width, array.shape[0], array)


def _open_stream(given: Any, label: str) -> Source:
    import pyarrow as pa

    objects: set[str] = set()
    if type(given).__module__.partition(".")[0] == "pandas":
        given, objects = _typed(given, label)
    if isinstance(given, pa.Table):
        table = given
    else:
        try:
            table = pa.RecordBatchReader.from_stream(given).read_all()
        except (pa.ArrowException, TypeError, ValueError):
            raise InputError(
                f"{label} is a {type(given).__name__} that does not hand out an Arrow table: "
                "give one of numbers, text or booleans (a series by to_frame(), a lazy frame by collect())"
            ) from None
    names, types, table = _columns(table.schema, label, table)
    types = tuple("text" if name in objects else word for name, word in zip(names, types, strict=True))
    return Source(label, "table", names, types, table.num_rows, table)


def _typed(given: Any, label: str) -> tuple[Any, set[str]]:
    """A pandas column of objects has no type: its cells are text, read both ways, whatever they hold."""
    given = given.to_frame() if hasattr(given, "to_frame") and given.ndim == 1 else given
    frame = given.set_axis([str(name) for name in given.columns], axis=1)
    check_names(tuple(frame.columns), label)
    objects = {
        name
        for name, kind in zip(frame.columns, frame.dtypes, strict=True)
        if np.dtype(object) in (kind, getattr(getattr(kind, "categories", None), "dtype", None))
    }
    for name in objects:
        frame[name] = frame[name].astype(object).map(_word_of, na_action="ignore").astype("string")
    return frame, objects


def _word_of(cell: object) -> str:
    try:
        return str(cell).encode("utf-8", "backslashreplace").decode()
    except Exception:  # an object of somebody's own, that does not say what it is
        return type(cell).__name__


def _open_parquet(path: Path, name: str, head: bytes) -> Source:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not head.startswith(b"PAR1"):
        raise InputError(f"{name} is not a Parquet file, whatever its name says: write it again as Parquet")
    try:
        with pq.ParquetFile(path, pre_buffer=False) as file:
            schema, rows = file.schema_arrow, file.metadata.num_rows
    except (pa.ArrowException, OSError, ValueError):
        raise InputError(f"{name} is cut short or damaged: write the Parquet file again") from None
    names, types, _ = _columns(schema, name, None)
    return Source(name, "parquet", names, types, rows, path, path)


def _open_csv(path: Path, name: str, head: bytes) -> Source:
    import pyarrow as pa

    header = _header(path)
    if head.startswith((b"PAR1", b"\x93NUMPY", b"PK\x03\x04", b"\x1f\x8b")) or b"\x00" in header:
        raise InputError(f"{name} is not a CSV file, whatever its name says: write comma-separated text in UTF-8")
    try:
        with csv_reader(pa.BufferReader(header), None, 2) as reader:
            names = tuple(reader.schema.names)
    except (pa.ArrowException, OSError, ValueError):
        raise csv_error(name) from None
    if len(names) == 1 and any(mark in names[0] for mark in ";\t|"):
        raise InputError(f"{name} has no comma in its header: write commas between columns, points in decimals")
    if not all(name.strip() for name in names) or (any(map(_is_number, names)) and not _is_counted(names)):
        raise SchemaError(  # which one stays unsaid: without a header it is somebody's cell
            f"the first line of {name} has an empty name or a number where the columns need names: "
            "put names there, and leave row numbers out"
        )
    check_names(names, name)
    return Source(name, "csv", names, ("text",) * len(names), None, path, path)


def _header(path: Path) -> bytes:
    """The first record of a CSV: up to the first end of a line outside quotes."""
    lines, length, quotes = [], 0, 0
    with path.open("rb") as file:
        while line := file.readline(MOST_HEADER):
            lines.append(line)
            length, quotes = length + len(line), quotes + line.count(b'"')
            if (quotes % 2 == 0 and line.strip()) or length >= MOST_HEADER:
                break
    return b"".join(lines).replace(b"\r\n", b"\n").partition(b"\r")[0].rstrip(b"\n") + b"\n"


def csv_reader(path: object, names: list[str] | None, width: int) -> pa.csv.CSVStreamingReader:
    """Every column as bytes, whatever stands in it: kinds follow the schema, never the rows."""
    import pyarrow as pa
    from pyarrow import csv

    return csv.open_csv(
        path,
        read_options=csv.ReadOptions(block_size=CSV_BLOCK, use_threads=True),
        # where a line is one cell, an empty line is an empty cell, and counts
        parse_options=csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=width > 1),
        convert_options=csv.ConvertOptions(
            check_utf8=False,
            column_types=None if names is None else {name: pa.binary() for name in names},
            include_columns=names,
            strings_can_be_null=False,
        ),
    )


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def _is_counted(names: tuple[str, ...]) -> bool:
    """0, 1, 2, …: an array that was written as a CSV."""
    return names == tuple(str(place) for place in range(len(names)))


def csv_error(name: str) -> InputError:
    return InputError(
        f"{name} is cut short or not a table of commas: every row needs as many cells as the header, "
        "and every quote its end"
    )


def _columns(schema: pa.Schema, label: str, table: Any) -> tuple[tuple[str, ...], tuple[str, ...], Any]:
    """Names and types without the row labels that pandas keeps beside the data."""
    index = set()
    try:
        notes = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))
        index = {name for name in notes.get("index_columns", []) if isinstance(name, str)}
    except (ValueError, AttributeError, RecursionError):
        pass
    names = tuple(name for name in schema.names if name not in index)
    check_names(names, label)
    types = tuple(_word(schema.field(name).type) for name in names)
    return names, types, None if table is None else table.select(list(names))


def _word(kind: pa.DataType) -> str:
    import pyarrow as pa

    known = pa.types
    if known.is_dictionary(kind):
        return _word(kind.value_type)
    if known.is_boolean(kind):
        return "boolean"
    if known.is_integer(kind) or known.is_floating(kind) or known.is_decimal(kind):
        return "number"
    if known.is_string(kind) or known.is_large_string(kind) or known.is_string_view(kind):
        return "string"
    if known.is_null(kind):
        return "empty"
    if known.is_temporal(kind):
        return "date"
    return str(kind)


def check_names(names: tuple[str, ...], label: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise SchemaError(f"{label} has two columns named {quote(name)}: name each column once")
        seen.add(name)
    if not names:
        raise SchemaError(f"{label} has no columns: give at least one")
