"""Progress on stderr, for long work on a terminal; never anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_LONG = 1_000_000_000  # table look-ups: about a second


@contextmanager
def progress(rows: int, members: int, what: str) -> Iterator[Callable[[int], None]]:
    """Yields ``advance(rows)``."""
    if rows * members < _LONG or sys.stderr is None or not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"{what} {rows:,} rows × {members:,} members", total=rows)
        yield lambda done: bar.advance(task, done)
