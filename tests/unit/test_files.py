"""What is written is written whole, replaces nothing that is needed, and is made sure of before the spend."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import pytest

from tacit import cli
from tacit.errors import InputError
from tacit.files import reserved


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, origin in (("a.csv", "site_a.csv"), ("b.csv", "site_b.csv")):
        shutil.copy(str(files("tacit") / "data" / origin), tmp_path / name)
    monkeypatch.chdir(tmp_path)
    run("plan", "a.csv", "--epsilon", "1", "-o", "plan.json")
    return tmp_path


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stopped:
        cli.main(list(arguments))
    return int(stopped.value.code or 0)


def listing(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


RELEASE = ("release", "plan.json", "--x", "a.csv", "--y", "b.csv", "-o")


@pytest.mark.parametrize(
    "command",
    [
        ("plan", "a.csv", "--epsilon", "1", "-o", "a.csv"),
        ("plan", "a.csv", "b.csv", "--epsilon", "1", "-o", "./b.csv"),
        (*RELEASE, "a.csv"),
        (*RELEASE, "plan.json"),
        (*RELEASE, "no/such/folder.json"),
        (*RELEASE, "."),
        (*RELEASE, "n" * 300),
        (*RELEASE, "nul\0"),
    ],
)
def test_a_bad_output_is_refused_and_nothing_changes(command: tuple[str, ...], folder: Path) -> None:
    before = listing(folder)
    assert run(*command) == 2
    assert listing(folder) == before


def test_a_message_that_was_paid_for_is_kept(folder: Path) -> None:
    messages = []
    for _ in range(3):
        assert run(*RELEASE, "message.json") == 0
        messages.append((folder / "message.json").read_text())
    kept = [(folder / name).read_text() for name in ("message.json.1", "message.json.2", "message.json")]
    assert kept == messages


def test_a_dash_is_standard_output(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(*RELEASE, "-") == 0
    assert capsys.readouterr().out.startswith('{"delta":0.0')
    assert not (folder / "-").exists()


def test_a_file_that_cannot_take_its_name_is_kept_under_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = os.replace, []

    def failing(old: Path, new: Path) -> None:
        calls.append(new)
        if len(calls) == 1:
            raise OSError(errno.EROFS, "Read-only file system")
        real(old, new)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(InputError, match="is kept in"), reserved(tmp_path / "m.json") as write:
        write("paid for")
    (kept,) = tmp_path.iterdir()
    assert kept.read_text() == "paid for"


def test_nothing_remains_when_nothing_was_written(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), reserved(tmp_path / "m.json"):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_a_killed_release_leaves_a_whole_message_or_none(folder: Path) -> None:
    command = [sys.executable, "-m", "tacit", *RELEASE, "message.json"]
    for wait in (0.05, 0.2, 0.35, 0.5, 0.7):
        process = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.wait()
        message = folder / "message.json"
        if message.exists():
            assert run("verdict", "plan.json", "message.json") == 0
            message.unlink()
    assert run(*RELEASE, "message.json") == 0
    private = (folder / "a.csv").read_bytes().splitlines()[1]
    assert not any(private in data for name, data in listing(folder).items() if name not in ("a.csv", "b.csv"))
