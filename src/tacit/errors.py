"""Errors: what was given, what is needed, how to fix it. Never a private value."""

from __future__ import annotations


class TacitError(ValueError):
    """One clear line for whoever called; nothing was spent."""

    exit_code = 2


class InputError(TacitError):
    """An argument, a file or a table that cannot be used as it is."""


class SchemaError(TacitError):
    """Columns that do not fit each other or the plan."""


class PlanError(TacitError):
    """A plan that cannot be read, or that asks for what is impossible."""


class MessageError(TacitError):
    """A message that is not what the plan calls for."""


class NotYet(TacitError):
    """A value of the contract that a later version serves."""


class Refused(TacitError):
    """A ledger said no."""

    exit_code = 3


def quote(text: object, limit: int = 60) -> str:
    """A name as it may stand in one line of an error: escaped, and cut where it is long."""
    try:
        words = str(text)
    except Exception:  # a number of too many digits, an object of somebody's own
        words = type(text).__name__
    return repr(words if len(words) <= limit else words[: limit - 1] + "…")
