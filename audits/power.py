"""The table of power: ``python audits/power.py [runs a problem]``. Exit code 1 when a bar is missed."""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.machine import machine
from tests.statistical.problems import ALPHA, PROBLEMS, as_markdown, measure, misses


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    begin = time.perf_counter()
    results = measure(PROBLEMS, runs)
    print(f"Power at α = {ALPHA}, nothing said but x, y and ε.")
    print(f"{machine()}; {time.perf_counter() - begin:.0f} s.\n")
    print(as_markdown(results))
    missed = misses(results)
    print("\n".join(["", *missed]))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
