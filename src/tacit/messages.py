"""The wire: what crosses the wall. Versioned, validated, canonical JSON; input from outside, never trusted."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tacit.budget import promise, pure_rho
from tacit.canonical import document, dumps
from tacit.errors import MessageError, quote
from tacit.files import read_text, write_whole
from tacit.theory.relabelling import MOST_UNITS

VERSION = 1

Size = Annotated[int, Field(ge=2, le=MOST_UNITS)]
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
        given = document(text, "message", VERSION, set(cls.model_fields), MessageError)
        try:
            message = cls.model_validate(given)
        except ValidationError as error:
            raise _first(error) from None
        message.check()
        return message

    def check(self) -> None:
        """What the message says of itself must fit together, plan or no plan."""
        promises = [promise(self.epsilon, paired) for paired in (False, True)]
        exact = self.sensitivity / Fraction(self.epsilon)
        fits = {
            "promise": self.promise in promises,
            "rho": self.rho == pure_rho(self.epsilon),
            "scale": Fraction(self.scale) >= exact > Fraction(math.nextafter(self.scale, 0)),
        }
        for name, right in fits.items():
            if not right:
                raise MessageError(
                    f"the message's {name} is not what its epsilon and sensitivity say: it was changed on the way; "
                    "have it released again"
                )

    def save(self, path: str | Path) -> None:
        write_whole(path, self.to_json() + "\n")


def load(path: str | Path) -> EvidenceMessage:
    """A message from a file."""
    return EvidenceMessage.from_json(read_text(path, MessageError))


def _first(error: ValidationError) -> MessageError:
    """The first thing wrong, without the value that was sent."""
    details: dict[str, Any] = dict(error.errors(include_input=False, include_url=False, include_context=False)[0])
    place = ".".join(str(part) for part in details["loc"]) or "it"
    return MessageError(
        f"the message is not valid at {quote(place)}: {details['msg'][:120].lower()}; have it released again"
    )
