"""tacit demo: two cases on real people's answers to a public survey, two verdicts and a picture."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.api import spectrum_for
from tacit.budget import Budget
from tacit.errors import InputError, quote
from tacit.holder.roles import Curator
from tacit.plan import Plan
from tacit.tester.verdict import TestResult, pvalue_of, verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EPSILON = 1.0
BLUE, ORANGE, GREY = "#2b6cb0", "#dd6b20", "#718096"


@dataclass(frozen=True)
class Case:
    title: str
    first: str
    second: str
    names: tuple[str, str]


CASES = (
    Case("Two sites with no reason to differ", "site_a", "site_b", ("site A", "site B")),
    Case(
        "College degree against high school or less",
        "college_degree",
        "high_school_or_less",
        ("college degree", "high school or less"),
    ),
)


def run(picture: str) -> None:
    """Print both verdicts and draw them."""
    print("Answers of adults to the US health survey NHANES 2017-2018: age, sleep, food, cholesterol, walking.")
    print(f"Each comparison is one release at epsilon = {EPSILON:g}. The average bedtimes are minutes apart.\n")
    shown = []
    for case in CASES:
        with as_file(files("tacit") / "data") as folder:
            paths = [folder / f"{name}.csv" for name in (case.first, case.second)]
            plan = Plan(spectrum_for(*paths), Budget(EPSILON))
            result = verdict(plan, Curator().release(plan, *paths))
            bedtimes = [_bedtimes(path) for path in paths]
        print(f"== {case.title} ==\n{result}\n")
        shown.append((case, plan, result, bedtimes))
    _draw(shown, picture)
    print(f"The picture is in {picture}. Run it again: the noise is new each time, and so is the number.")


def _bedtimes(path: Path) -> list[float]:
    with path.open(newline="", encoding="utf-8") as file:
        return [float(row["bedtime_hour"]) for row in csv.DictReader(file) if row["bedtime_hour"]]


def _draw(shown: list[tuple[Case, Plan, TestResult, list[list[float]]]], picture: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(shown), 2, figsize=(10, 6.4), layout="constrained")
    for (case, plan, result, bedtimes), (left, right) in zip(shown, axes, strict=True):
        _rows(left, case, bedtimes)
        _released(right, plan, result)
    axes[0][0].set_title("What the holder has (public here)", loc="left", fontsize=11, color=GREY)
    axes[0][1].set_title("All that leaves: one number", loc="left", fontsize=11, color=GREY)
    try:
        figure.savefig(picture, dpi=130, metadata={"Software": None})
    except (OSError, ValueError):
        raise InputError(f"{quote(picture)} cannot be written: give a file that ends in .png") from None
    finally:
        plt.close(figure)


def _rows(axes: Axes, case: Case, bedtimes: list[list[float]]) -> None:
    bins = list(range(18, 31))
    for hours, name, colour in zip(bedtimes, case.names, (BLUE, ORANGE), strict=True):
        mean = sum(hours) / len(hours)
        label = f"{name} (mean {_clock(mean)})"
        weights = [1 / len(hours)] * len(hours)
        axes.hist(hours, bins, weights=weights, histtype="step", lw=1.8, color=colour, label=label)
    axes.set_xticks([18, 21, 24, 27, 30], [_clock(hour) for hour in (18, 21, 24, 27, 30)])
    axes.set(xlabel="bedtime, one of eight columns", ylabel="share", ylim=(0, 0.62))
    axes.legend(title=case.title, title_fontproperties={"weight": "bold"}, frameon=False, loc="upper right")
    _plain(axes)


def _released(axes: Axes, plan: Plan, result: TestResult) -> None:
    sizes = plan.check_sizes(result.n_x, result.n_y)
    grid = plan.scale_for(sizes).grid
    span = max(0.08, 1.3 * abs(result.statistic))
    places = [round((-0.6 + 1.6 * i / 400) * span / grid) for i in range(401)]
    axes.plot([place * grid for place in places], [pvalue_of(plan, sizes, place) for place in places], color=GREY)
    axes.axhline(plan.alpha, color=GREY, lw=0.8, ls="--")
    axes.text(-0.6 * span, plan.alpha * 0.9, f"α = {plan.alpha:g}", va="top", color=GREY)
    differ = result.reject()
    axes.plot(result.statistic, result.pvalue, "o", ms=11, color=ORANGE if differ else BLUE, zorder=3, clip_on=False)
    words = "The samples differ" if differ else "No difference was found"
    note = f"{words}\np = {result.pvalue:.2g},  ε = {result.epsilon:g}"
    axes.text(0.97, 0.92, note, transform=axes.transAxes, ha="right", va="top", fontsize=12, weight="bold")
    axes.set(xlabel="released statistic", ylabel="p-value", yscale="log", ylim=(8e-4, 1.6))
    _plain(axes)


def _clock(hour: float) -> str:
    whole = math.floor(hour * 60 + 0.5)
    return f"{whole // 60 % 24}:{whole % 60:02d}"


def _plain(axes: Any) -> None:
    axes.spines[["top", "right"]].set_visible(False)
