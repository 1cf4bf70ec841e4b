"""Every Python block and every command of the README and the docs runs, in order, in an empty folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
COPIES = {"january.csv": "site_a.csv", "february.csv": "site_b.csv"}  # the names that the docs use


def blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_runs(page: Path, tmp_path: Path) -> None:
    for name, origin in COPIES.items():
        shutil.copy(str(files("tacit") / "data" / origin), tmp_path / name)
    for language, text in blocks(page):
        assert language in ("python", "sh", "text"), f"{page.name}: a block of {language} is run by nobody"
        if language == "python":
            run([sys.executable, "-c", text], tmp_path)
        elif language == "sh":
            run(["bash", "-euo", "pipefail", "-c", without_make(text)], tmp_path)


def without_make(text: str) -> str:
    """make's own targets are run by CI; here it is enough that they exist."""
    kept = []
    for line in text.splitlines():
        if line.startswith("make "):
            target = line.split()[1]
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.M), f"there is no make {target}"
        elif line.startswith((".venv/bin/python ", "git ")):
            script = line.split()[1]
            assert line.startswith("git ") or (ROOT / script).exists(), f"there is no {script}"
        else:
            kept.append(line)
    return "\n".join(kept)


def run(command: list[str], folder: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(command, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True)
    assert done.returncode == 0, f"{command[-1]}\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} points to {target}"
    for target in re.findall(r"`((?:src|tests|audits|benchmarks|tools)/[\w./-]+)`", page.read_text(encoding="utf-8")):
        assert (ROOT / target).exists(), f"{page.name} names {target}"
