"""A message is input from outside: whatever stands in it, a verdict or one clear line, at once."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tacit
from tacit.errors import MessageError
from tacit.messages import EvidenceMessage
from tests.unit.failing import clear, run

ROWS = np.random.default_rng(1).normal(size=(30, 2))
PLAN = tacit.Plan(tacit.Spectrum(tacit.Schema.of(ROWS)), tacit.Budget(1.0))
MESSAGE = tacit.Curator(False).release(PLAN, ROWS, ROWS[::-1])
TEXT = MESSAGE.to_json()
FIELDS: dict[str, Any] = json.loads(TEXT)


def having(**fields: Any) -> str:
    return json.dumps({**FIELDS, **fields})


def spelled(name: str, text: str) -> str:
    """The message with a field's value written as it stands here."""
    return having(**{name: "HERE"}).replace('"HERE"', text)


def without(name: str) -> str:
    return json.dumps({key: value for key, value in FIELDS.items() if key != name})


HOSTILE: dict[str, str | bytes] = {
    "nothing": "",
    "cut short": TEXT[:-1],
    "cut in half": TEXT[: len(TEXT) // 2],
    "not utf-8": b"\xff" + TEXT.encode(),
    "a list": "[]",
    "a number": "7",
    "an empty object": "{}",
    "no version": without("version"),
    "no value": without("value"),
    "no promise": without("promise"),
    "another format": having(format="tacit-plan"),
    "another version": having(version=2),
    "version true": having(version=True),
    "version as text": having(version="1"),
    "version as a float": having(version=1.0),
    "a version of 4000 digits": spelled("version", "9" * 4000),
    "another release": having(release="moments"),
    "another noise": having(noise="none"),
    "another plan": having(plan="0" * 64),
    "a short plan": having(plan=FIELDS["plan"][:-1]),
    "a plan with a line end": having(plan=FIELDS["plan"] + "\n"),
    "n = 0": having(n_x=0),
    "n = 1": having(n_y=1),
    "n negative": having(n_x=-30),
    "n a float": having(n_x=30.0),
    "n true": having(n_x=True),
    "n too large": having(n_x=10**30),
    "value NaN": spelled("value", "NaN"),
    "value infinite": spelled("value", "1e999"),
    "value a float": having(value=1.0),
    "value null": having(value=None),
    "value text": having(value="1"),
    "value too large": having(value=1 << 63),
    "epsilon NaN": spelled("epsilon", "NaN"),
    "epsilon infinite": spelled("epsilon", "-Infinity"),
    "epsilon other": having(epsilon=0.5),
    "epsilon 0": having(epsilon=0.0),
    "delta other": having(delta=1e-9),
    "rho other": having(rho=0.25),
    "grid other": having(grid=FIELDS["grid"] / 2),
    "scale other": having(scale=FIELDS["scale"] * 2),
    "scale tiny": having(scale=5e-324),
    "sensitivity other": having(sensitivity=FIELDS["sensitivity"] + 1),
    "promise other": having(promise="trust me"),
    "promise long": having(promise="x" * 2000),
    "a lone surrogate": spelled("promise", '"\\ud800"'),
    "one key more": having(rows=[[1.0]]),
    "a key twice": TEXT[:-1] + ',"n_x":30}',
    "10^9 entries claimed": having(size=10**9, values=[]),
    "a number of 10^5 digits": spelled("value", "9" * 100_000),
    "a number of 4000 digits": spelled("value", "9" * 4000),
    "10^5 digits behind the point": spelled("epsilon", "1.5" + "0" * 100_000 + "1"),
    "an exponent of 10^5 digits": spelled("epsilon", "1e" + "9" * 100_000),
    "many long numbers": having(value=0)[:-1] + ',"x":[' + ",".join(["9" * 4000] * 1500) + "]}",
    "a long list": having(value=[1] * 1_000_000),
    "a long list of objects": having(value=[{}] * 1_000_000),
    "many keys": having(**{f"k{i}": 1 for i in range(400_000)}),
    "a long key": having(**{"k" * 5_000_000: 1}),
    "many keys deeper": having(value={f"k{i}": 1 for i in range(400_000)}),
    "deep lists": "[" * 5_000_000,
    "deep lists closed": spelled("value", "[" * 50_000 + "]" * 50_000),
    "deep objects": '{"a":' * 1_000_000,
    "deep but parsed": spelled("value", "[" * 800 + "]" * 800),
    "50 MB of spaces": TEXT + " " * 50_000_000,
    "50 MB of digits": spelled("value", "1" * 50_000_000),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_message_is_one_clear_line_within_a_second(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    started = time.process_time()
    with pytest.raises(MessageError) as caught:
        tacit.verdict(PLAN, EvidenceMessage.from_json(HOSTILE[name]))
    assert time.process_time() - started < 1.0
    assert caught.value.exit_code == 2
    clear(str(caught.value))
    plan, path, content = tmp_path / "plan.json", tmp_path / "message.json", HOSTILE[name]
    plan.write_text(PLAN.to_json())
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    run(capsys, "verdict", plan, path)


@pytest.mark.parametrize("given", [None, 7, ["{}"], object()], ids=lambda given: type(given).__name__)
def test_what_is_not_text_is_not_a_message(given: Any) -> None:
    with pytest.raises(MessageError):
        EvidenceMessage.from_json(given)


def test_one_message_is_needed_and_no_more() -> None:
    other = tacit.Curator(False).release(PLAN, ROWS, ROWS)
    while other == MESSAGE:
        other = tacit.Curator(False).release(PLAN, ROWS, ROWS)
    for messages, words in (
        ((), "no message"),
        ((MESSAGE, MESSAGE), "twice"),
        ((MESSAGE, EvidenceMessage.from_json(TEXT)), "twice"),
        ((MESSAGE, other), "2 messages"),
        ((MESSAGE, other, MESSAGE), "twice"),
        ((TEXT,), "load"),
        ((FIELDS,), "load"),
        ((None,), "load"),
    ):
        with pytest.raises(MessageError) as caught:
            tacit.verdict(PLAN, *messages)
        assert words in clear(str(caught.value))


def test_the_command_line_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan, path = tmp_path / "plan.json", tmp_path / "message.json"
    plan.write_text(PLAN.to_json())
    MESSAGE.save(path)
    assert "no message" in run(capsys, "verdict", plan)
    assert "twice" in run(capsys, "verdict", plan, path, path)
    assert "no file" in run(capsys, "verdict", plan, tmp_path / "missing.json")
    assert "this is a plan" in run(capsys, "verdict", plan, plan)
    assert "this is a message" in run(capsys, "verdict", path, path)
    assert "no file" in run(capsys, "inspect", tmp_path / "missing.json")
    (tmp_path / "empty.json").write_text("")
    assert "empty" in run(capsys, "inspect", tmp_path / "empty.json")


def test_a_message_of_another_plan_is_refused() -> None:
    other = tacit.Plan(tacit.Spectrum(tacit.Schema.of(ROWS)), tacit.Budget(1.0), alpha=0.04)
    with pytest.raises(MessageError) as caught:
        tacit.verdict(other, MESSAGE)
    assert "plan" in clear(str(caught.value))


def test_an_error_does_not_repeat_what_was_sent() -> None:
    for text in (having(value="31337 secret"), having(promise="31337 secret"), having(n_x="31337 secret")):
        with pytest.raises(MessageError) as caught:
            tacit.verdict(PLAN, EvidenceMessage.from_json(text))
        assert "31337" not in str(caught.value)


def judged(text: str | bytes) -> None:
    """A verdict with a finite p in (0, 1], or an error of Tacit's, within a second."""
    started = time.process_time()
    try:
        result = tacit.verdict(PLAN, EvidenceMessage.from_json(text))
    except tacit.TacitError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert math.isfinite(result.statistic) and 0 < result.pvalue <= 1
        assert result.evalue is not None and math.isfinite(result.evalue) and result.evalue >= 0
        json.loads(result.to_json())
        assert str(result)
    assert time.process_time() - started < 1.0


numbers = st.one_of(
    st.integers(),
    st.sampled_from([0, 1, 2, 3, 30, 1 << 38, (1 << 38) + 1, -(1 << 62), 1 << 62, 1 << 63, 10**400]),
    st.floats(),
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, st.text(max_size=20)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
quick = settings(max_examples=80, deadline=None, database=None, suppress_health_check=list(HealthCheck))


@quick
@given(st.dictionaries(st.sampled_from(sorted(FIELDS)) | st.text(max_size=9), values, min_size=1, max_size=3))
def test_any_change_of_fields_is_judged_or_refused(changes: dict[str, Any]) -> None:
    judged(having(**changes))


@quick
@given(st.integers(2, 1 << 38), st.integers(2, 1 << 38), st.integers(-(1 << 62), 1 << 62))
def test_any_sizes_with_numbers_that_fit_them_are_judged(n_x: int, n_y: int, value: int) -> None:
    scale = PLAN.scale_for(tacit.theory.relabelling.Sizes(n_x, n_y))
    judged(having(n_x=n_x, n_y=n_y, value=value, grid=scale.grid, scale=scale.noise, sensitivity=2 * scale.steps))


@quick
@given(st.lists(st.tuples(st.integers(0, len(TEXT) - 1), st.binary(max_size=3)), min_size=1, max_size=4))
def test_any_change_of_bytes_is_judged_or_refused(changes: list[tuple[int, bytes]]) -> None:
    content = TEXT.encode()
    for place, put in changes:
        content = content[:place] + put + content[place + 1 :]
    judged(content)


@quick
@given(st.binary(max_size=200) | st.text(max_size=200))
def test_any_bytes_are_refused(content: bytes | str) -> None:
    with pytest.raises(MessageError):
        EvidenceMessage.from_json(content)
