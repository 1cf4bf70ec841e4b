"""Where and when something was measured."""

from __future__ import annotations

import datetime
import os
import platform
from pathlib import Path

import numpy as np


def machine() -> str:
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}"
    return f"{_processor()}, {cores()} cores, {platform.system()}, {versions}, {today}"


def cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
