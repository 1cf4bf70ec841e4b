"""Writes docs/measured.md from the commands that measure: make tables."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "measured.md"
PARTS = (
    ("Power", "audits/power.py"),
    ("Validity", "audits/validity.py"),
    ("Privacy, audited", "audits/privacy.py"),
    ("Speed", "benchmarks/speed.py"),
)


def main() -> None:
    lines = ["# Measured", "", "Every figure here was printed by the command above it; `make tables` writes this page."]
    for title, script in PARTS:
        print(f"{script} …", file=sys.stderr, flush=True)
        done = subprocess.run([sys.executable, script], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
        lines += ["", f"## {title}", "", "```sh", f".venv/bin/python {script}", "```", "", done.stdout.strip()]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
