"""Small files of text, read and written so that nothing is lost."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tacit.canonical import MOST_BYTES
from tacit.errors import InputError, TacitError, quote


def read_text(path: str | Path, error: type[TacitError]) -> bytes:
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
        raise error(f"{name} cannot be read ({_reason(failure)}): check the path and its permissions") from None
    if not text.strip():
        raise error(f"{name} is empty: get it again from who made it")
    return text


def write_whole(path: str | Path, text: str) -> None:
    """The file as a whole or not at all, whatever happens on the way."""
    with reserved(path) as write:
        write(text)


@contextmanager
def reserved(
    path: str | Path, inputs: tuple[str | None, ...] = (), keep: bool = False
) -> Iterator[Callable[[str], None]]:
    """Makes sure of a place for a text before anything is spent on it; yields what writes it there, whole.

    ``inputs`` are files that it must not replace; ``keep``: what is there is kept under another name. "-" is
    standard output.
    """
    if str(path) == "-":
        yield print
        return
    place = checked(path, inputs)
    if place.exists() and not place.is_file():  # a pipe or a device is written to, not replaced
        yield lambda text: _written(place.write_text, text, place)
        return
    part = place.with_name(f".tacit-{secrets.token_hex(8)}.part")
    _written(part.write_text, "", place)

    def write(text: str) -> None:
        with part.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        try:
            if keep and place.exists():
                _keep(place)
            os.replace(part, place)
        except OSError as failure:
            kept = place.with_name(part.name.removeprefix("."))
            os.replace(part, kept)
            raise InputError(
                f"{quote(place, 200)} cannot be written ({_reason(failure)}): "
                f"what was made is kept in {quote(kept, 200)}"
            ) from None

    try:
        yield write
    finally:
        part.unlink(missing_ok=True)


def _keep(place: Path) -> None:
    """NAME → NAME.1, or the next number that is free; NAME itself stays until it is replaced."""
    number = 1
    while (kept := place.with_name(f"{place.name}.{number}")).exists():
        number += 1
    shutil.copyfile(place, kept)


def checked(path: str | Path, inputs: tuple[str | None, ...] = ()) -> Path:
    """A path that can be written, or one clear line."""
    place, name = Path(path), quote(path, 200)
    try:
        os.lstat(place)
        there = True
    except FileNotFoundError:
        there = False
    except (OSError, ValueError) as failure:
        raise InputError(f"{name} cannot be written ({_reason(failure)}): choose another name") from None
    if place.is_dir() or not place.parent.is_dir() or not os.access(place.parent, os.W_OK):
        raise InputError(f"{name} cannot be written: choose a file in a folder that exists and may be written to")
    if there and any(given is not None and Path(given).exists() and place.samefile(given) for given in inputs):
        raise InputError(f"{name} is one of the files that are read: choose another name for what is written")
    return place


def _written(write: Callable[..., object], text: str, place: Path) -> None:
    try:
        write(text, encoding="utf-8")
    except OSError as failure:
        raise InputError(f"{quote(place, 200)} cannot be written ({_reason(failure)}): choose another name") from None


def _reason(failure: Exception) -> str:
    return getattr(failure, "strerror", None) or "it is not the name of a file"
