"""Columns and their kinds: by the types of a source, never by its cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from tacit.errors import NotYet, PlanError, SchemaError, quote, sealed
from tacit.sources import Source, check_names, open_source

Kind = Literal["number", "category", "text"]
KINDS: tuple[str, ...] = get_args(Kind)
MOST_COLUMNS = 16_384
_KIND_OF = {"number": "number", "empty": "number", "boolean": "category", "string": "category", "text": "text"}


@dataclass(frozen=True)
class Column:
    """A name and a kind: a number, a category, or text read both ways (a CSV's cells)."""

    name: str
    kind: Kind

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise SchemaError(f"a column's name is a {type(self.name).__name__}: give a text")
        if self.kind not in KINDS:
            raise SchemaError(f"column {quote(self.name)} is of kind {quote(self.kind)}: give {', '.join(KINDS)}")


@dataclass(frozen=True, init=False)
class Schema:
    """The columns of a table, in order. ``Schema({"age": "number", "sex": "category"})``."""

    columns: tuple[Column, ...]

    def __init__(self, columns: Mapping[str, str] | Iterable[Column]) -> None:
        if isinstance(columns, Mapping):
            columns = [Column(name, kind) for name, kind in columns.items()]  # type: ignore[arg-type]
        columns = tuple(columns)
        if not all(isinstance(column, Column) for column in columns):
            raise SchemaError("a schema is made of columns: give {name: kind} or Column(name, kind), …")
        check_names(tuple(column.name for column in columns), "the schema")
        if len(columns) > MOST_COLUMNS:
            raise SchemaError(f"{len(columns)} columns: at most {MOST_COLUMNS} are served; leave some out")
        object.__setattr__(self, "columns", columns)

    @classmethod
    @sealed
    def of(cls, source: object) -> Schema:
        """The schema of an array, a table or a path, by its types alone."""
        opened = open_source(source)
        return cls(
            tuple(
                Column(name, _kind(word, name, opened)) for name, word in zip(opened.names, opened.types, strict=True)
            )
        )

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def covering(self, other: Schema) -> Schema:
        """The encoding that serves both: where the kinds of a column differ, text, which is both."""
        require_columns(self.names, other.names, "one sample", "the other")
        kinds = {column.name: column.kind for column in other.columns}
        return Schema(
            tuple(
                column if column.kind == kinds[column.name] else Column(column.name, "text") for column in self.columns
            )
        )

    def serves(self, source: Source) -> None:
        """Can rows of this source be encoded as this schema says? Columns in any order."""
        require_columns(self.names, source.names, "the plan", source.label)
        words = dict(zip(source.names, source.types, strict=True))
        for column in self.columns:
            kind = _kind(words[column.name], column.name, source)
            if column.kind not in (kind, "text") and words[column.name] != "empty":
                raise SchemaError(
                    f"column {quote(column.name)} is {kind} in {source.label} and {column.kind} in the plan: "
                    "make the plan from both files"
                )

    def to_dict(self) -> dict[str, Any]:
        return {"columns": [{"kind": column.kind, "name": column.name} for column in self.columns]}

    @classmethod
    def from_dict(cls, given: object) -> Schema:
        entries = given.get("columns") if isinstance(given, dict) and set(given) == {"columns"} else None
        if not isinstance(entries, list) or not all(
            isinstance(entry, dict) and set(entry) == {"name", "kind"} for entry in entries
        ):
            raise PlanError('a schema is {"columns": [{"name": …, "kind": …}, …]}: make the plan again')
        return cls(tuple(Column(entry["name"], entry["kind"]) for entry in entries))


def require_columns(ours: tuple[str, ...], theirs: tuple[str, ...], here: str, there: str) -> None:
    """The same columns on both sides, or one line that names what is on one side only."""
    if set(ours) == set(theirs):
        return
    if not set(ours) & set(theirs):
        raise SchemaError(f"{here} and {there} have no column in common: the samples need the same columns")
    numbered = all(name.isdecimal() for name in (*ours, *theirs))
    if numbered and len(ours) != len(theirs):
        raise SchemaError(
            f"{here} has {len(ours)} columns and {there} has {len(theirs)}: arrays match by position; "
            "give the same width"
        )
    lacking = [(name, here, there) for name in ours if name not in set(theirs)]
    lacking += [(name, there, here) for name in theirs if name not in set(ours)]
    name, has, lacks = lacking[0]
    more = f" (and {len(lacking) - 1} more such)" if len(lacking) > 1 else ""
    raise SchemaError(f"column {quote(name)} is in {has} and not in {lacks}{more}: give the samples the same columns")


def _kind(word: str, name: str, source: Source) -> Kind:
    if word in _KIND_OF:
        return _KIND_OF[word]  # type: ignore[return-value]
    if word == "date":
        raise NotYet(
            f"column {quote(name)} of {source.label} holds dates: they come with a later version; "
            "cast it to a number, or leave it out"
        )
    raise SchemaError(
        f"column {quote(name)} of {source.label} is of type {quote(word)}: cast it to numbers, text or booleans"
    )
