"""The wire: what crosses the wall. Versioned, validated, canonical JSON; input from outside, never trusted."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tacit.canonical import MOST_BYTES, dumps, loads
from tacit.errors import InputError, MessageError, quote

VERSION = 1

Size = Annotated[int, Field(ge=2, le=1 << 38)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False)]
Released = Annotated[int, Field(ge=-(1 << 62), le=1 << 62)]


class EvidenceMessage(BaseModel):
    """One released integer, and the public numbers that say what it is."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: Literal["tacit-message"] = "tacit-message"
    version: Literal[1] = 1
    release: Literal["evidence"] = "evidence"
    plan: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    n_x: Size
    n_y: Size
    noise: Literal["discrete laplace"] = "discrete laplace"
    epsilon: Positive
    delta: Share
    rho: Positive
    grid: Positive
    sensitivity: Annotated[int, Field(ge=1, le=1 << 20)]
    scale: Positive
    value: Released
    recorded: bool
    promise: Annotated[str, Field(max_length=1000)]

    def to_json(self) -> str:
        return dumps(self.model_dump())

    @classmethod
    def from_json(cls, text: str | bytes) -> EvidenceMessage:
        given = loads(text, "the message", MessageError)
        if not isinstance(given, dict) or given.get("format") != "tacit-message":
            raise MessageError("this is not a message of Tacit's: make one with 'tacit release'")
        if given.get("version") != VERSION or type(given["version"]) is not int:
            raise MessageError(
                f"the message is of version {quote(given.get('version'))}, this Tacit reads {VERSION}: "
                "have it released again"
            )
        if odd := sorted(set(given) ^ set(cls.model_fields))[:1]:
            raise MessageError(f"the message has {quote(odd[0])} too much or lacks it: have it released again")
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            raise _first(error) from None

    def save(self, path: str | Path) -> None:
        write_whole(path, self.to_json() + "\n")


def load(path: str | Path) -> EvidenceMessage:
    """A message from a file."""
    return EvidenceMessage.from_json(read_text(path, MessageError))


def read_text(path: str | Path, error: type[Exception]) -> bytes:
    """A small file of text, never a pipe, a device or something endless."""
    if not isinstance(path, str | Path):
        raise error(f"a path is needed, not a {type(path).__name__}: give the name of a file")
    path = Path(path)
    name = quote(path, 200)
    try:
        if not path.exists():
            raise error(f"there is no file {name}: check the path")
        if not path.is_file():
            raise error(f"{name} is not a regular file: give a file that Tacit wrote")
        with path.open("rb") as file:
            text = file.read(MOST_BYTES + 1)
    except OSError as failure:
        raise error(f"{name} cannot be read ({failure.strerror}): check the path and its permissions") from None
    if not text.strip():
        raise error(f"{name} is empty: get it again from who made it")
    return text


def write_whole(path: str | Path, text: str) -> None:
    """The file as a whole or not at all, whatever happens on the way."""
    path = Path(path)
    try:
        if path.exists() and not path.is_file():  # a pipe or a device is written to, not replaced
            path.write_text(text, encoding="utf-8")
            return
        temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            with temporary.open("x", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as failure:
        raise InputError(f"{quote(path, 200)} cannot be written ({failure.strerror}): choose another path") from None


def _first(error: ValidationError) -> MessageError:
    """The first thing wrong, without the value that was sent."""
    details: dict[str, Any] = dict(error.errors(include_input=False, include_url=False, include_context=False)[0])
    place = ".".join(str(part) for part in details["loc"]) or "it"
    return MessageError(
        f"the message is not valid at {quote(place)}: {details['msg'][:120].lower()}; have it released again"
    )
