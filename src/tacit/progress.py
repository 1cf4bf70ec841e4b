"""Progress on stderr, for long work on a terminal; never anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_LONG = 2_000_000_000  # about two seconds


@contextmanager
def progress(total: int, each: int, what: str) -> Iterator[Callable[[int], None]]:
    """Yields ``advance(done)``; ``each`` is the work of one in steps of about a nanosecond."""
    if total * each < _LONG or sys.stderr is None or not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.advance(task, done)
