"""Imports go down only, and the two sides of the wall never meet."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "src" / "tacit"

# Each room and the rooms it may import from, besides itself.
BELOW: dict[str, set[str]] = {}
LAYERS: list[set[str]] = [
    {"errors"},
    {"canonical", "progress"},
    {"files"},
    {"sources", "theory"},
    {"schema"},
    {"budget", "features"},
    {"plan"},
    {"messages"},
    {"holder", "tester"},
    {"api"},
    {"baseline", "demo"},
    {"cli"},
    {"__main__"},
]
_seen: set[str] = set()
for layer in LAYERS:
    for room in layer:
        BELOW[room] = set(_seen)
    _seen |= layer

LAZY = {"matplotlib", "rich", "pyarrow", "opendp", "scipy"}  # never at the top of a file
ONLY_IN = {"matplotlib": {"demo"}, "click": {"cli"}, "opendp": {"holder"}}


def files() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports(path: Path) -> list[tuple[str, bool]]:
    """(module, at the top of the file and at run time) of every import."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    guarded = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    top = {id(node) for node in tree.body}
    found = []
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the layer"
            whole = [f"tacit.{alias.name}" for alias in node.names]
            names = whole if node.module == "tacit" else [str(node.module)]
        found += [(name, id(node) in top and id(node) not in guarded) for name in names]
    return found


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_down_only(path: Path) -> None:
    room = room_of(path)
    assert room in BELOW, f"{room} has no layer yet"
    for name, _ in imports(path):
        parts = name.split(".")
        if parts[0] == "tacit" and len(parts) > 1:
            assert parts[1] == room or parts[1] in BELOW[room], f"{room} imports {name}"


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_heavy_libraries_are_loaded_where_they_are_used(path: Path) -> None:
    for name, at_top in imports(path):
        head = name.split(".")[0]
        assert not (at_top and head in LAZY), f"{path.name} imports {head} when it is loaded"
        assert room_of(path) in ONLY_IN.get(head, {room_of(path)}), f"{room_of(path)} imports {head}"


def test_a_holder_has_one_source_of_randomness_and_one_door() -> None:
    for path in (ROOT / "holder").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.name != "noise.py":
            assert "np.random" not in text and "numpy.random" not in text and "import random" not in text, path
            assert "secrets" not in text and "urandom" not in text, path
        if path.name != "door.py":
            assert "import laplace" not in text and "noise.laplace" not in text, path
            assert "EvidenceMessage(" not in text, path


def test_releases_do_not_call_each_other() -> None:
    for path in (ROOT / "holder" / "releases").glob("*.py"):
        for name, _ in imports(path):
            assert not name.startswith("tacit.holder.releases"), path


def test_files_stay_small() -> None:
    root = ROOT.parents[1]
    for folder in ("src", "tests", "audits", "benchmarks", "tools", "experiments"):
        for path in (root / folder).rglob("*.py"):
            assert len(path.read_text(encoding="utf-8").splitlines()) <= 300, f"{path} is over 300 lines"


def test_help_loads_nothing_heavy() -> None:
    heavy = "{'numpy', 'scipy', 'pyarrow', 'opendp', 'rich', 'pydantic'}"
    script = f"import sys, tacit.cli; print(sorted(set(sys.modules) & {heavy}))"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_every_public_name_is_there() -> None:
    import tacit

    assert set(tacit.__all__) == {"__version__", *tacit._HOMES, *tacit._MODULES}
    for name in tacit.__all__:
        assert getattr(tacit, name) is not None
    assert set(tacit.__all__) <= set(dir(tacit))
