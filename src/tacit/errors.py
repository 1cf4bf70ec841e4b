"""Errors: what was given, what is needed, how to fix it. Never a private value."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


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


class Broken(TacitError):
    """A mistake of Tacit's own."""

    @classmethod
    def of(cls, error: BaseException) -> Broken:
        """Its type and its place; its text may hold a private value."""
        trace, place = error.__traceback__, ""
        while trace:
            place = f" at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
            trace = trace.tb_next
        return cls(f"an error of Tacit's own, {type(error).__name__}{place}: please report it")


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


def sealed(function: Callable[P, R]) -> Callable[P, R]:
    """Whatever goes wrong beside the data reaches the caller as one clean error.

    Libraries put cells into the text of their errors, and an error keeps what it arose from, with its frames. So
    the one that leaves is a new one, raised outside: nothing hangs on it.
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        clean: TacitError
        try:
            return function(*args, **kwargs)
        except TacitError as error:
            clean = type(error)(*error.args)
        except Exception as error:
            clean = Broken.of(error)
        raise clean

    return call
