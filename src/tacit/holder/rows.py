"""Anything tabular → blocks of rows, in the plan's columns. What is read here stays with the holder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tacit.errors import InputError
from tacit.features.cells import Block, columns_of
from tacit.schema import Schema
from tacit.sources import Source, csv_error, csv_reader, open_source

_CHUNK = 16 << 20


class Rows:
    """One sample: how many rows it has, and a pass over them, as often as needed."""

    def __init__(self, given: object, schema: Schema, label: str) -> None:
        self.source: Source = open_source(given, label)
        schema.serves(self.source)
        self.schema = schema
        self._count = self.source.rows

    def __len__(self) -> int:
        if self._count is None:
            self._count = _count_csv(self.source)
        return self._count

    def passes(self, most: int) -> Iterator[tuple[int, Callable[[], Block]]]:
        """(first row, how to encode the block), at most ``most`` rows at a time; encoding may run in a thread."""
        begin = 0
        for columns, size in _READERS[self.source.format](self.source, self.schema.names, most):
            yield begin, _encoder(self.schema, columns, self.source.label)
            begin += size
        if begin != len(self):
            raise InputError(
                f"{self.source.label} changed while it was read, or is cut short: leave the file alone and try again"
            )


def _encoder(schema: Schema, columns: Any, label: str) -> Callable[[], Block]:
    def encode() -> Block:
        try:
            return Block.of(schema, columns)
        except Exception:  # whatever Arrow says shows cells
            raise InputError(f"{label} has cells that cannot be read as what their column's type says") from None

    return encode


def _memory(source: Source, names: tuple[str, ...], most: int) -> Iterator[tuple[Any, int]]:
    count = source.rows or 0
    for begin in range(0, count, most):
        end = min(count, begin + most)
        yield columns_of(source, names, begin, end), end - begin


def _parquet(source: Source, names: tuple[str, ...], most: int) -> Iterator[tuple[Any, int]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(source.path, pre_buffer=False) as file:
            for batch in file.iter_batches(batch_size=most, columns=list(names)):
                yield [batch.column(name) for name in names], batch.num_rows
    except (pa.ArrowException, OSError):
        raise InputError(f"{source.label} is damaged: write the Parquet file again") from None


def _csv(source: Source, names: tuple[str, ...], most: int) -> Iterator[tuple[Any, int]]:
    import pyarrow as pa

    try:
        with csv_reader(source.path, list(names), len(source.names)) as reader:
            for batch in reader:
                for begin in range(0, batch.num_rows, most):
                    part = batch.slice(begin, most)
                    yield [part.column(name) for name in names], part.num_rows
    except (pa.ArrowException, OSError):
        raise csv_error(source.label) from None


_READERS = {"array": _memory, "table": _memory, "parquet": _parquet, "csv": _csv}


def _count_csv(source: Source) -> int:
    """A first pass: how many rows there are has to be known before the first one is put into a group."""
    assert source.path is not None
    quotes = 0
    with source.path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            quotes += chunk.count(b'"')
    if quotes % 2:
        raise csv_error(source.label)
    return sum(size for _, size in _csv(source, source.names[:1], 1 << 30))
