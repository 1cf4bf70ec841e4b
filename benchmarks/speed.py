"""What Tacit costs, against its bars: ``python benchmarks/speed.py``. Exit code 1 when a bar is missed.

Every figure is taken in a process of its own, so that neither caches nor memory of one show in another. Times
are the least of a few repetitions, what else runs on the machine being no part of them; the default test and
its memory are those of the first call, with everything that it has to import.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.machine import machine

ROWS, COLUMNS = 100_000, 10


@dataclass(frozen=True)
class Figure:
    what: str
    value: float
    unit: str
    bar: float | None = None

    @property
    def missed(self) -> bool:
        return self.bar is not None and not self.value < self.bar

    def row(self) -> str:
        value = f"{self.value:.3g} {self.unit}"
        bar = "–" if self.bar is None else f"{self.bar:g} {self.unit}"
        return f"| {self.what} | {value} | {bar} | {'MISSED' if self.missed else ''} |"


def kernel() -> dict[str, float]:
    """One thread: table look-ups summed into 100 groups, and what prepares them."""
    from tacit import Schema, Spectrum
    from tacit.features.cells import Block
    from tacit.features.kernel import ladder_sums
    from tacit.features.phases import number_phases

    rng = np.random.default_rng(1)
    values = rng.normal(size=(ROWS, COLUMNS))
    features = Spectrum(Schema.of(values))
    members = features.numbers * features.ladders * 44
    phases = number_phases(values, features.ladders).reshape(ROWS, -1)
    groups = rng.integers(0, 100, ROWS).astype(np.intp)
    ordered = np.sort(groups)
    block = Block.of(features.columns, values)
    each = 1e9 / (ROWS * members)
    return {
        "members": members,
        "sums": each * _least(lambda: ladder_sums(phases, ordered, 100)),
        "phases": each * _least(lambda: number_phases(values, features.ladders)),
        "whole": each * _least(lambda: features.sums(block, groups, 100)),
    }


def default_test() -> dict[str, float]:
    """The first call in a process that has loaded the data and imported Tacit."""
    from tacit import two_sample_test

    x, y = (np.load(Path(os.environ["TACIT_BENCH_DATA"]) / name) for name in ("x.npy", "y.npy"))
    before, begin = _peak_megabytes(), time.perf_counter()
    two_sample_test(x, y, epsilon=1.0)
    first, memory = time.perf_counter() - begin, _peak_megabytes() - before
    return {"first": first, "memory": memory, "again": _least(lambda: two_sample_test(x, y, epsilon=1.0), 2)}


def relabelling() -> dict[str, float]:
    """So few rows that reading them is nothing: 999 relabellings of K ≥ 2000 members."""
    from tacit import Schema, Spectrum
    from tacit.holder.releases.evidence import relabelled
    from tacit.holder.rows import Rows
    from tacit.theory.relabelling import Groups, Sizes

    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(50, 12)), rng.normal(size=(350, 12))
    features = Spectrum(Schema.of(x))

    def run(n_y: int) -> float:
        sizes = Sizes(50, n_y)
        rows = Rows(x, features.columns, "x"), Rows(y[:n_y], features.columns, "y")
        return _least(lambda: relabelled(features, *rows, sizes, Groups.of(sizes), 999))

    return {"members": features.size, "usual": run(50), "most": run(350)}


def help_page() -> dict[str, float]:
    command = [sys.executable, "-m", "tacit", "--help"]
    subprocess.run(command, check=True, capture_output=True)
    return {"seconds": _least(lambda: subprocess.run(command, check=True, capture_output=True), 5)}


PARTS = {part.__name__: part for part in (kernel, default_test, relabelling, help_page)}


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        rng = np.random.default_rng(3)
        for name in ("x.npy", "y.npy"):
            np.save(Path(folder) / name, rng.normal(size=(ROWS, COLUMNS)))
        sums, test, relabel, page = (_apart(name, folder) for name in PARTS)
    per = "ns"
    size, k = f"{ROWS} rows, {sums['members']:.0f} members", f"{relabel['members']:.0f}"
    return [
        Figure(f"sums by 100 groups, a member and core ({size})", sums["sums"], per, 2.5),
        Figure("conversion to phases, a member and core", sums["phases"], per),
        Figure("both, with the sorting of rows by group", sums["whole"], per),
        Figure(f"default test, 2 × {ROWS} × {COLUMNS}, first call", test["first"], "s", 4.0),
        Figure("the same again", test["again"], "s"),
        Figure("extra memory of its first call", test["memory"], "MB", 300.0),
        Figure(f"999 relabellings of 50 + 50 groups, K = {k}", relabel["usual"], "s", 1.0),
        Figure(f"999 relabellings of 50 + 350 groups, K = {k}", relabel["most"], "s"),
        Figure("tacit --help", page["seconds"], "s", 0.3),
    ]


def _apart(part: str, folder: str) -> dict[str, float]:
    environment = {**os.environ, "TACIT_BENCH_DATA": folder}
    if part == "kernel":
        environment["OPENBLAS_NUM_THREADS"] = "1"
    done = subprocess.run(
        [sys.executable, __file__, part], check=True, stdout=subprocess.PIPE, text=True, env=environment
    )
    result: dict[str, float] = json.loads(done.stdout)
    return result


def _least(work: Callable[[], object], repetitions: int = 3) -> float:
    times = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def _peak_megabytes() -> float:
    """The most memory that this process has held; what getrusage says includes who started it, on Linux."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def main() -> int:
    if len(sys.argv) > 1:
        print(json.dumps(PARTS[sys.argv[1]]()))
        return 0
    figures = measure()
    print(f"{machine()}\n\n| what | measured | bar | |\n|---|---|---|---|")
    print("\n".join(figure.row() for figure in figures))
    return 1 if any(figure.missed for figure in figures) else 0


if __name__ == "__main__":
    sys.exit(main())
