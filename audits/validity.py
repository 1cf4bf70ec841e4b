"""The table of null runs: ``python audits/validity.py [runs a cell]``. Exit code 1 on an alarm."""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.machine import machine
from tests.statistical.cells import alarms, as_markdown, family, full_table, run_table


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    cells = full_table()
    begin = time.perf_counter()
    outcomes = run_table(cells, runs)
    print(f"Rejection rates and mean e-values under the null hypothesis, {runs} runs a cell.")
    print(f"{machine()}; {time.perf_counter() - begin:.0f} s.\n")
    print(as_markdown(outcomes))
    found = alarms(outcomes, family(cells))
    print(f"\n{family(cells)} tests, one false alarm in a hundred tables: {len(found)} alarms")
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
