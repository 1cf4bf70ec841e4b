"""A result and a message in words."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from tacit.messages import EvidenceMessage

if TYPE_CHECKING:
    from tacit.plan import Plan
    from tacit.tester.verdict import TestResult

WIDTH = 88
MUCH = 20


def text(result: TestResult) -> str:
    """The readable block."""
    head = "The samples differ" if result.reject() else "No difference was found"
    sign = "≤" if result.reject() else ">"
    lines = [f"{head}  (p = {number(result.pvalue)} {sign} α = {result.alpha:g})", ""]
    if result.evalue is not None:
        far = result.pvalue * result.evalue < 0.999
        smaller = "  (p is smaller than 1/e: it also has a bound of its own)" if far else ""
        lines.append(f"  e-value    {number(result.evalue)}{smaller}")
    lines.append(f"  statistic  {number(result.statistic)}")
    lines.append(f"  units      {result.n_x:,} and {result.n_y:,}")
    if result.private:
        much = ": so much promises next to nothing" if result.epsilon and result.epsilon > MUCH else ""
        lines.append(f"  privacy    epsilon = {result.epsilon!r}, delta = {result.delta:g} ({result.release}){much}")
        said = "yes" if result.recorded else "no: nothing was written to a ledger; keep count yourself"
        lines.append(f"  recorded   {said}")
    lines += ["", *textwrap.wrap(result.promise, WIDTH, initial_indent="  ", subsequent_indent="  ")]
    if not result.reject():
        note = "That no difference was found does not say that there is none."
        lines += textwrap.wrap(note, WIDTH, initial_indent="  ", subsequent_indent="  ")
    return "\n".join(lines)


def describe(message: EvidenceMessage) -> str:
    """A message before it is sent: all that leaves, in words."""
    lines = [
        "This message lets out one number about the data, and their sizes:",
        "",
        f"  value      {message.value} in steps of {message.grid:g}",
        f"  units      {message.n_x:,} and {message.n_y:,}",
        f"  noise      {message.noise} of scale {number(message.scale)}; one unit moves the exact value by at "
        f"most {message.sensitivity}",
        f"  privacy    epsilon = {message.epsilon!r}, delta = {message.delta:g}, rho = {number(message.rho)}",
        f"  plan       {message.plan}",
        f"  recorded   {'yes' if message.recorded else 'no'}",
        "",
        *textwrap.wrap(message.promise, WIDTH, initial_indent="  ", subsequent_indent="  "),
    ]
    return "\n".join(lines)


def number(value: float) -> str:
    """Three digits that matter."""
    return f"{value:.3g}" if value else "0"


def cost(plan: Plan, rows_x: int | None, rows_y: int | None) -> str:
    """What a release on this plan would read and spend, from the schema alone."""
    sizes = [f"{rows:,}" if rows is not None else "as yet uncounted" for rows in (rows_x, rows_y)]
    lines = [
        "Nothing but the schema was read, and nothing was spent. This release would",
        "",
        f"  cost       epsilon = {plan.budget.epsilon!r}, delta = 0 ({plan.release})",
        f"  read       {sizes[0]} and {sizes[1]} rows",
        f"  look at    {plan.features.size:,} members over {len(plan.features.columns.columns)} columns",
        f"  relabel    {plan.relabelling_count:,} times",
        "",
        *(f"  {column.kind:<9}  {column.name!r}" for column in plan.features.columns.columns),
    ]
    return "\n".join(lines)
