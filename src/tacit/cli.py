"""The command line: arguments only. Every command is one call of Python's side of the contract."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NoReturn

import click

from tacit.errors import Broken, InputError, NotYet, PlanError, TacitError

Command = Callable[..., None]


def main(arguments: list[str] | None = None) -> NoReturn:
    """Results on stdout; one clear line on stderr and exit code 2 (3: refused) for what is wrong."""
    try:
        code = commands.main(args=arguments, prog_name="tacit", standalone_mode=False)
        sys.stdout.flush()
    except TacitError as error:
        _fail(str(error), error.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        _fail(error.format_message(), 2, prefix="")
    except click.ClickException as error:
        where = getattr(error, "ctx", None)
        path = where.command_path if where else "tacit"
        _fail(f"{error.format_message()} ('{path} --help' shows what there is)", 2)
    except (click.Abort, KeyboardInterrupt):
        _fail("stopped", 130)
    except BrokenPipeError:
        sys.stdout = None
        sys.exit(0)
    except Exception as error:
        _fail(str(Broken.of(error)), 2)
    sys.exit(code if isinstance(code, int) else 0)


def _fail(line: str, code: int, prefix: str = "tacit: ") -> NoReturn:
    text = line if not prefix else prefix + " ".join(line.split())
    print(text, file=sys.stderr)
    sys.exit(code)


def _options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


_TEST = _options(
    click.option("--epsilon", type=float, required=True, help="What one unit may be worth: ε of the release."),
    click.option("--delta", type=float, help="δ of the budget; an evidence release spends none."),
    click.option("--release", "kind", default="evidence", show_default=True, help="The kind of release."),
    click.option("--features", metavar="FILE", help="A recipe's JSON; the default looks at every column."),
    click.option("--alpha", type=float, default=0.05, show_default=True, help="The level to decide at."),
    click.option("--bet", type=float, default=0.5, show_default=True, help="The share staked on that level."),
    click.option("--paired", is_flag=True, help="Row i of A and row i of B are the same unit."),
    click.option("--shared", is_flag=True, help="A unit may be in both samples (later version)."),
    click.option("--unit", metavar="COLUMN", help="The column that names a unit with several rows (later version)."),
    click.option("--schema", metavar="FILE", help="A declared schema (later version)."),
    click.option("--where", is_flag=True, help="Also say where the samples differ (later version)."),
)


def _recipe(features: str | None, schema: str | None) -> Any:
    """The features that the options name: "auto", or a map from its file."""
    from tacit.canonical import loads
    from tacit.features.spectrum import Spectrum
    from tacit.files import read_text

    if schema is not None:
        raise NotYet("a declared schema comes with a later version: leave --schema out")
    if features is None:
        return "auto"
    return Spectrum.from_dict(loads(read_text(features, PlanError), "the recipe", PlanError))


def _plan(a: object, b: object, *, epsilon: float, delta: float | None, kind: str, **rest: Any) -> Any:
    from tacit.api import spectrum_for
    from tacit.budget import Budget
    from tacit.plan import Plan

    budget = Budget(epsilon, 0.0 if delta is None else delta)
    recipe = _recipe(rest.pop("features"), rest.pop("schema"))
    return Plan(features=spectrum_for(a, b) if recipe == "auto" else recipe, budget=budget, release=kind, **rest)


def _read_plan(path: str) -> Any:
    from tacit.files import read_text
    from tacit.plan import Plan

    return Plan.from_json(read_text(path, PlanError))


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tacit", message="%(prog)s %(version)s")
def commands() -> None:
    """Do two private samples come from the same distribution? Tacit tells that, and nothing else about them."""


@commands.command()
@click.argument("a")
def schema(a: str) -> None:
    """The columns of A and their kinds, by types alone."""
    from tacit.schema import Schema

    for column in Schema.of(a).columns:
        click.echo(f"{column.kind:<9} {column.name!r}")


@commands.command()
@click.argument("a")
@click.argument("b", required=False)
@_TEST
@click.option("--rounds", type=int, default=1, show_default=True, help="Rounds of release (later version).")
@click.option("--share", type=float, help="The first round's share of the budget (later version).")
@click.option("--groups", type=int, help="Relabelling groups of the smaller sample (default 50).")
@click.option("--relabellings", type=int, help="How many relabellings (default 999, more for a small α).")
@click.option("-o", "output", metavar="FILE", required=True, help="Where the plan goes; - is standard output.")
def plan(a: str, b: str | None, output: str, **given: Any) -> None:
    """Write a plan for tables like A (and B): public values only, no cell is read."""
    from tacit.files import reserved

    with reserved(output, (a, b)) as write:
        made = _plan(a, b, **given)
        write(made.to_json() + "\n")
    names = ", ".join(repr(name) for name in made.features.columns.names[:8])
    more = len(made.features.columns.names) - 8
    click.echo(f"plan {made.digest}", err=True)
    click.echo(f"It names the columns {names}{f' and {more} more' if more > 0 else ''}, and is public.", err=True)


@commands.command()
@click.argument("plan")
@click.option("--x", metavar="A", help="The first sample.")
@click.option("--y", metavar="B", help="The second sample.")
@click.option("--dataset", metavar="NAME", help="The name under which a ledger counts (later version).")
@click.option("--no-ledger", is_flag=True, help="Record nothing.")
@click.option("-o", "output", metavar="FILE", required=True, help="Where the message goes; - is standard output.")
def release(plan: str, x: str | None, y: str | None, dataset: str | None, no_ledger: bool, output: str) -> None:
    """Release one message about A and B, as PLAN says."""
    from tacit.files import reserved
    from tacit.holder.roles import Curator

    if x is None or y is None:
        raise InputError("an evidence release needs both samples: give --x A and --y B")
    agreed = _read_plan(plan)
    with reserved(output, (plan, x, y), keep=True) as write:
        message = Curator(False if no_ledger else None, dataset).release(agreed, x, y)
        write(message.to_json() + "\n")
    click.echo("one message released; 'tacit inspect' shows it, 'tacit verdict' judges it", err=True)


@commands.command()
@click.argument("file")
def inspect(file: str) -> None:
    """A message in words, before it is sent."""
    from tacit.messages import load
    from tacit.tester.report import describe

    click.echo(describe(load(file)))


@commands.command()
@click.argument("plan")
@click.argument("files", nargs=-1, metavar="FILE…")
@click.option("--json", "as_json", is_flag=True, help="For machines.")
def verdict(plan: str, files: tuple[str, ...], as_json: bool) -> None:
    """What the messages say, judged as PLAN says."""
    from tacit.messages import load
    from tacit.tester.verdict import verdict as judge

    result = judge(_read_plan(plan), *(load(file) for file in files))
    click.echo(result.to_json() if as_json else str(result))


@commands.command()
@click.argument("a")
@click.argument("b")
@_TEST
@click.option("--dataset", metavar="NAME", help="The name under which a ledger counts (later version).")
@click.option("--no-ledger", is_flag=True, help="Record nothing.")
@click.option("--report", metavar="FILE", help="Also write a report (later version).")
@click.option("--json", "as_json", is_flag=True, help="For machines.")
@click.option("--dry-run", is_flag=True, help="Show the columns and the cost; read and release nothing.")
def test(
    a: str,
    b: str,
    dataset: str | None,
    no_ledger: bool,
    report: str | None,
    as_json: bool,
    dry_run: bool,
    **given: Any,
) -> None:
    """Do A and B come from the same distribution? Plan, release and verdict in one go."""
    if report is not None:
        raise NotYet("reports come with a later version: leave --report out")
    if dry_run:
        click.echo(_cost(a, b, **given))
        return
    from tacit.api import two_sample_test

    recipe, kind = _recipe(given.pop("features"), given.pop("schema")), given.pop("kind")
    ledger: Any = False if no_ledger else None
    result = two_sample_test(a, b, features=recipe, release=kind, dataset=dataset, ledger=ledger, **given)
    click.echo(result.to_json() if as_json else str(result))


def _cost(a: str, b: str, **given: Any) -> str:
    from tacit.sources import open_source
    from tacit.tester.report import cost

    first, second = open_source(a), open_source(b)
    agreed = _plan(first, second, **given)
    for source in (first, second):
        agreed.features.columns.serves(source)
    if first.rows is not None and second.rows is not None:
        agreed.check_sizes(first.rows, second.rows)
    return cost(agreed, first.rows, second.rows)


@commands.command()
@click.option("-o", "output", metavar="FILE", default="tacit-demo.png", show_default=True, help="The picture.")
def demo(output: str) -> None:
    """Two cases on real people's answers to a survey, and a picture."""
    from tacit.demo import run
    from tacit.files import checked

    checked(output)
    run(output)
