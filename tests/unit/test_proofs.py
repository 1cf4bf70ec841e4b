"""No release without its proof in the theory folder, and no citation of a section that is not there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "src" / "tacit"
THEORY = ROOT / "theory"
RELEASES = sorted(path for path in (ROOT / "holder" / "releases").glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.stem)
def test_every_release_kind_has_its_proof(release: Path) -> None:
    proof = THEORY / f"{release.stem}.md"
    assert proof.exists(), f"{release.stem} has no proof"
    assert f"theory/{proof.name}" in release.read_text(encoding="utf-8"), "the release does not cite its proof"
    text = proof.read_text(encoding="utf-8")
    assert "Privacy" in text and "∎" in text


def test_there_is_a_release() -> None:
    assert RELEASES


@pytest.mark.parametrize("name", ["evidence", "spectrum"])
def test_cited_sections_exist(name: str) -> None:
    text = (THEORY / f"{name}.md").read_text(encoding="utf-8")
    sections = set(re.findall(r"^## (\d+)\.", text, re.M))
    cited = set()
    for path in ROOT.rglob("*.py"):
        code = path.read_text(encoding="utf-8")
        cited |= set(re.findall(rf"theory/{name}\.md, (\d+)", code))
        if name == "evidence":
            cited |= set(re.findall(r"\bE(\d)\b", code))
    assert cited, "nothing cites it"
    assert cited <= sections, f"cited and not there: {cited - sections}"
