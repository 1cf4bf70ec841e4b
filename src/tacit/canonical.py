"""JSON with one spelling for each value, and a reader that a hostile text cannot crash or exhaust."""

from __future__ import annotations

import json
from typing import Any

from tacit.errors import TacitError

MOST_BYTES = 8 << 20


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
