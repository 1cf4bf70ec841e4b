"""What a refusal looks like: one clear line, code 2, and none of the cells that the tests put everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.cli import main

SECRET = "31337"  # stands in every sample, and in no error


def clear(error: Exception | str) -> str:
    """What is wrong, a colon, how to put it right; on one line; without a cell."""
    text = str(error)
    assert "\n" not in text and ": " in text and 20 < len(text) < 500, text[:2000]
    assert SECRET not in text and "Traceback" not in text, text
    return text


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """The one line on stderr of a command that fails with code 2 and prints nothing else."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as stopped:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    assert stopped.value.code == 2 and out == "" and err.endswith("\n") and err.count("\n") == 1, (out, err)
    assert err.startswith("tacit: ") and "Tacit's own" not in err, err
    return clear(err.strip())
