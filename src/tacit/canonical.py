"""JSON with one spelling for each value, and a reader that a hostile text cannot crash or exhaust."""

from __future__ import annotations

import json
from typing import Any

from tacit.errors import TacitError, quote

MOST_BYTES = 8 << 20
MAKERS = {"plan": "plan", "message": "release"}


def dumps(value: Any) -> str:
    """Sorted keys, no spaces, shortest floats: the same text on every machine and Python version."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def loads(text: str | bytes, what: str, error: type[TacitError]) -> Any:
    """The value of a JSON text; NaN, infinities and keys that come twice are refused."""
    if not isinstance(text, str | bytes):
        raise error(f"{what} is a {type(text).__name__}: give its JSON, as text")
    if len(text) > MOST_BYTES:
        raise error(f"{what} is larger than {MOST_BYTES >> 20} MB: it is not one of Tacit's")
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise error(f"{what} is cut short or not JSON: give what Tacit wrote, whole") from None


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ValueError("a key comes twice")
    return out


def document(text: str | bytes, kind: str, version: int, names: set[str], error: type[TacitError]) -> dict[str, Any]:
    """The fields of a plan or a message, all of them and no others, of the version that is read here."""
    what, other = f"the {kind}", {"plan": "message", "message": "plan"}[kind]
    given = loads(text, what, error)
    said = given.get("format") if isinstance(given, dict) else None
    if said == f"tacit-{other}":
        raise error(f"this is a {other}, and a {kind} is needed: the plan comes first, then its messages")
    if said != f"tacit-{kind}":
        raise error(f"this is not a {kind} of Tacit's: make one with 'tacit {MAKERS[kind]}'")
    if given.get("version") != version or type(given["version"]) is not int:
        raise error(f"{what} is of version {quote(given.get('version'))}, this Tacit reads {version}: make it again")
    if odd := sorted(set(given) ^ (names | {"format", "version"})):
        raise error(f"{what} has {quote(odd[0])} too much or lacks it: make it again")
    return dict(given)
