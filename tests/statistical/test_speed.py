"""The bars of speed and memory, on whatever machine this is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "speed.py"


@pytest.mark.slow
def test_no_bar_of_the_benchmark_is_missed() -> None:
    done = subprocess.run([sys.executable, str(BENCHMARK)], capture_output=True, text=True, check=False)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
