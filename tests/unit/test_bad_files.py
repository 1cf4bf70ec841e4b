"""Files that are missing, empty, cut short, or not what their names say; through Python and the command line."""

from __future__ import annotations

import io
import os
import random
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit
from tacit.errors import InputError, MessageError, NotYet, PlanError
from tests.unit.failing import clear, run

SECRET = b"31337"


def npy(rows: int = 40) -> bytes:
    out = io.BytesIO()
    np.save(out, np.random.default_rng(1).normal(size=(rows, 2)))
    return out.getvalue()


def parquet() -> bytes:
    out = io.BytesIO()
    values = np.random.default_rng(1).normal(size=400)
    pq.write_table(pa.table({"0": values, "1": [f"{SECRET.decode()} {i}" for i in range(400)]}), out)
    return out.getvalue()


def csv(rows: int = 40) -> bytes:
    return b"0,1\n" + b"".join(b"%d,%s\n" % (i, SECRET) for i in range(rows))


def header(text: bytes) -> bytes:
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


BAD: dict[str, tuple[str, Callable[[], bytes]]] = {
    "empty npy": ("a.npy", lambda: b""),
    "empty csv": ("a.csv", lambda: b""),
    "empty parquet": ("a.parquet", lambda: b""),
    "npy cut in its rows": ("a.npy", lambda: npy()[:-8]),
    "npy cut in its header": ("a.npy", lambda: npy()[:40]),
    "npy cut in its magic": ("a.npy", lambda: npy()[:4]),
    "npy whose header does not end": (
        "a.npy",
        lambda: header(b"{'descr': '<f8', 'fortran_order': False, 'shape': (3,"),
    ),
    "npy whose header is a quote": ("a.npy", lambda: header(b"'''")),
    "npy whose header is brackets": ("a.npy", lambda: header(b"(" * 9000)),
    "npy of 10^12 rows": (
        "a.npy",
        lambda: header(b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 2)}\n"),
    ),
    "npy of objects": (
        "a.npy",
        lambda: header(b"{'descr': '|O', 'fortran_order': False, 'shape': (3, 2)}\n") + b"x" * 99,
    ),
    "npy of records": (
        "a.npy",
        lambda: header(b"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,)}\n") + b"x" * 16,
    ),
    "parquet cut in half": ("a.parquet", lambda: parquet()[: len(parquet()) // 2]),
    "parquet without its end": ("a.parquet", lambda: parquet()[:-4]),
    "parquet of four bytes": ("a.parquet", lambda: b"PAR1"),
    "parquet with damaged pages": ("a.parquet", lambda: parquet()[:8] + b"\xff" * 600 + parquet()[608:]),
    "csv cut in a quoted cell": ("a.csv", lambda: csv() + b'41,"' + SECRET),
    "csv with a short row": ("a.csv", lambda: csv() + SECRET + b"\n"),
    "csv with a long row": ("a.csv", lambda: csv() + b"41,42," + SECRET + b"\n"),
    "csv without a header's end": ("a.csv", lambda: b'"0,1\n1,2\n'),
    "csv of empty lines": ("a.csv", lambda: b"\n\n\n"),
    "csv with a header alone": ("a.csv", lambda: b"0,1\n"),
    "csv with semicolons": ("a.csv", lambda: csv().replace(b",", b";")),
    "csv with a name twice": ("a.csv", lambda: b"0,0\n1,2\n3,4\n"),
    "npy called csv": ("a.csv", npy),
    "parquet called csv": ("a.csv", parquet),
    "gzip called csv": ("a.csv", lambda: b"\x1f\x8b\x08\x00" + b"x" * 99),
    "utf-16 called csv": ("a.csv", lambda: csv().decode().encode("utf-16")),
    "csv called npy": ("a.npy", csv),
    "csv called parquet": ("a.parquet", csv),
    "npy called parquet": ("a.parquet", npy),
    "an ending of no kind": ("a.xlsx", csv),
    "no ending": ("a", csv),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_cannot_be_read_is_refused(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, content = BAD[name]
    path, good, ledger = tmp_path / file, tmp_path / "good.csv", tacit.MemoryLedger()
    path.write_bytes(content())
    good.write_bytes(csv())
    for x, y in ((path, good), (good, path)):
        with pytest.raises(tacit.TacitError) as caught:
            tacit.two_sample_test(x, y, epsilon=1.0, ledger=ledger, dataset="study")
        assert caught.value.exit_code == 2
        assert str(x if x == path else y) in clear(str(caught.value)) or "0 units" in str(caught.value)
    assert ledger.history() == ()
    run(capsys, "test", path, good, "--epsilon", "1")


def test_a_release_of_bad_files_writes_no_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, plan, out = tmp_path / "good.csv", tmp_path / "plan.json", tmp_path / "message.json"
    good.write_bytes(csv())
    plan.write_text(tacit.Plan(tacit.Spectrum(tacit.Schema.of(good)), tacit.Budget(1.0)).to_json())
    for name, (file, content) in BAD.items():
        path = tmp_path / file
        path.write_bytes(content())
        run(capsys, "release", plan, "--x", good, "--y", path, "-o", out)
        assert not out.exists(), name
    run(capsys, "release", plan, "--x", good, "-o", out)
    run(capsys, "release", plan, "--x", good, "--y", good, "-o", tmp_path / "no folder" / "m.json")
    run(capsys, "release", plan, "--x", good, "--y", good, "-o", tmp_path)
    assert not [kept for kept in tmp_path.iterdir() if "message" in kept.name]


@pytest.mark.parametrize("name", ["missing.csv", "no/such/folder.npy", "", "a" * 300 + ".csv", "a\0b.csv"])
def test_a_path_that_leads_nowhere_is_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(tacit.TacitError) as caught:
        tacit.Schema.of(name)
    clear(str(caught.value))
    run(capsys, "schema", name)


def test_folders_and_pipes_are_refused_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    for path, as_data, as_text in ((tmp_path, NotYet, MessageError), (pipe, InputError, MessageError)):
        with pytest.raises(as_data) as data:
            tacit.Schema.of(path)
        with pytest.raises(as_text) as text:
            tacit.load(path)
        clear(str(data.value)), clear(str(text.value))
        run(capsys, "schema", path)
        run(capsys, "inspect", path)
        run(capsys, "verdict", path, path)


def test_no_damage_to_a_file_breaks_more_than_the_file(tmp_path: Path) -> None:
    """Random bytes changed: either sums come out, or one clear line."""
    source, path = random.Random(3), tmp_path / "a"
    for suffix, whole, reach in ((".npy", npy(), 128), (".parquet", parquet(), None), (".csv", csv(), None)):
        for _ in range(120):
            damaged = bytearray(whole)
            for _ in range(source.randint(1, 4)):
                damaged[source.randrange(reach or len(whole))] = source.randrange(256)
            file = path.with_suffix(suffix)
            file.write_bytes(damaged[: source.choice((len(damaged), source.randrange(len(damaged))))])
            try:
                tacit.moments(tacit.Spectrum(tacit.Schema.of(file)), file)
            except tacit.TacitError as error:
                assert "\n" not in str(error)  # noqa: PT017


def the_plan() -> str:
    return tacit.Plan(tacit.Spectrum(tacit.Schema({"0": "number"})), tacit.Budget(1.0)).to_json()


def test_a_plan_cut_short_anywhere_is_refused() -> None:
    text = the_plan()
    for end in range(0, len(text), 7):
        with pytest.raises(PlanError) as caught:
            tacit.Plan.from_json(text[:end])
        clear(str(caught.value))


@pytest.mark.parametrize(
    "text",
    [
        *("", "null", "[]", "7", '"plan"', "{}", "[" * 100_000, '{"format":"tacit-plan"}', "\ufeff"),
        the_plan().replace('"version":1', '"version":2'),
        the_plan().replace('"version":1', '"version":true'),
        the_plan().replace('"version":1', '"version":' + "9" * 4000),
        the_plan().replace('"rule":1', '"rule":2'),
        the_plan().replace('"alpha":0.05', '"alpha":NaN'),
        the_plan().replace('"alpha":0.05', '"alpha":1e999'),
        the_plan().replace('"alpha":0.05', '"alpha":"0.05"'),
        the_plan().replace('"alpha":0.05', '"alpha":0.05,"alpha":0.05'),
        the_plan().replace('"epsilon":1.0', '"epsilon":0'),
        the_plan().replace('"epsilon":1.0', '"epsilon":null'),
        the_plan().replace('"epsilon":1.0', '"epsilon":' + "9" * 100_000),
        the_plan().replace('"kind":"number"', '"kind":"secret"'),
        the_plan().replace('"kind":"number"', '"kind":[]'),
        the_plan().replace('[{"kind":"number","name":"0"}]', "[]"),
        the_plan().replace('[{"kind":"number","name":"0"}]', '{"a":1}'),
        the_plan().replace('"name":"0"', '"name":0'),
        the_plan().replace('"groups":null', '"groups":' + "9" * 4000),
        the_plan().replace('"groups":null', '"groups":{}'),
        the_plan().replace('"members":100000', '"members":1e5'),
        the_plan().replace('"paired":false', '"paired":0'),
        the_plan().replace('"rounds":1', '"rounds":[1]'),
        the_plan().replace('"where":false', '"more":1,"where":false'),
    ],
    ids=lambda text: text[:12],
)
def test_a_plan_that_is_not_one_is_refused(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(tacit.TacitError) as caught:
        tacit.Plan.from_json(text)
    clear(str(caught.value))
    path = tmp_path / "plan.json"
    path.write_text(text, encoding="utf-8")
    run(capsys, "verdict", path, path)
    run(capsys, "release", path, "--x", path, "--y", path, "-o", tmp_path / "m.json")
    assert not (tmp_path / "m.json").exists()


@pytest.mark.parametrize("given", [None, 7, b"\xff\xfe\xfd", ["{}"]], ids=repr)
def test_what_is_not_text_is_not_a_plan(given: object) -> None:
    with pytest.raises(tacit.TacitError):
        tacit.Plan.from_json(given)  # type: ignore[arg-type]
