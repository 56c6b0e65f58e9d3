"""How often nominal 95 % intervals hold the truth: `python benchmarks/coverage.py [--replications 4000] [--only NAME] [--json FILE]`.

Each scenario draws samples from a population whose figures are known and counts the intervals that hold them. Inside
the domain (100 cases or more, 30 clusters or more, rates from 0.1 to 0.9) 93 to 97 % are promised; the others show what
happens outside it. The Monte Carlo error of a share near 0.95 is 0.34 % at 4,000 replications.
"""

import argparse
import json
import sys
import tracemalloc
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from time import perf_counter

import coverage_abstained  # noqa: F401 - a module of scenarios fills SCENARIOS, as those below do
import coverage_cascade  # noqa: F401
import coverage_certify  # noqa: F401
import coverage_certify_clusters  # noqa: F401
import coverage_corrected  # noqa: F401
import coverage_decisions  # noqa: F401
import coverage_differences  # noqa: F401
import coverage_draws  # noqa: F401
import coverage_ends  # noqa: F401
import coverage_juries  # noqa: F401
import coverage_many  # noqa: F401
import coverage_means  # noqa: F401
import coverage_paired  # noqa: F401
import coverage_people  # noqa: F401
import coverage_rankings  # noqa: F401
import numpy as np
from coverage_common import PROMISED, SCENARIOS, WARN_BELOW, Row, measure, table

from adjudge.stats.people import agree, correlate


def speed() -> str:
    """100,000 rows and 2,000 resamples, in one cluster each and in 30,000 clusters: seconds and peak memory."""
    random = np.random.default_rng(1)
    n = 100_000
    people = random.integers(0, 5, n)
    judge = np.where(random.random(n) < 0.7, people, random.integers(0, 5, n))
    score = random.normal(size=n)
    human = score + random.normal(size=n)
    lines = ["| what | clusters | seconds | peak MB |", "|---|---|---|---|"]
    for count in (n, 30_000, 1_000):
        clusters = random.integers(0, count, n).tolist() if count < n else None
        for what, call in (
            ("agree, 5 labels", partial(agree, judge.tolist(), people.tolist(), ordered=True)),
            ("correlate, 5 levels", partial(correlate, judge.tolist(), people.tolist())),
            ("correlate, continuous", partial(correlate, score.tolist(), human.tolist())),
        ):
            start = perf_counter()
            call(clusters=clusters)
            seconds = perf_counter() - start
            tracemalloc.start()  # in a run of its own: tracing costs time
            call(clusters=clusters)
            peak = tracemalloc.get_traced_memory()[1] / 1e6
            tracemalloc.stop()
            lines.append(f"| {what} | {count:,} | {seconds:.2f} | {peak:.0f} |")
    return "\n".join(lines)


def merge(page: str, made: str) -> str:
    """Rows of scenarios that are no more leave the page; those measured now take the place of theirs, or go to the end."""
    head, *old = page.split("\n| scenario |")
    new = [part.strip().splitlines() for part in f"\n{made}".split("\n| scenario |")[1:]]
    tables = []
    for text in old:
        title, line, *kept = text.strip().splitlines()
        fresh = next((lines[2:] for lines in new if lines[0] == title), [])
        by_name: dict[str, list[str]] = {}
        for row in kept:
            if _scenario(row) in SCENARIOS:
                by_name.setdefault(_scenario(row), []).append(row)
        by_name |= {_scenario(row): [] for row in fresh}
        for row in fresh:
            by_name[_scenario(row)].append(row)
        tables.append(
            "\n".join([f"| scenario | {title}", line, *(row for rows in by_name.values() for row in rows)])
        )
    return head + "\n" + "\n\n".join(tables) + "\n"


def _scenario(row: str) -> str:
    return row.removeprefix("| ").partition(" |")[0]


def main() -> int:
    parser = argparse.ArgumentParser(description="Coverage of the intervals, by simulation.")
    parser.add_argument("--replications", type=int, default=4000)
    parser.add_argument("--only", action="append", help="scenarios whose name contains this; may be repeated")
    parser.add_argument("--jobs", type=int, default=1, help="processes; each takes one scenario at a time")
    parser.add_argument("--json", type=Path, help="write the rows there too")
    parser.add_argument("--page", type=Path, help="put these rows into the tables of this Markdown page")
    parser.add_argument("--speed", action="store_true", help="time 100,000 rows with 2,000 resamples instead")
    chosen = parser.parse_args()
    if chosen.speed:
        print(speed())
        return 0
    names = [name for name in SCENARIOS if not chosen.only or any(part in name for part in chosen.only)]
    rows: list[Row] = []
    with ProcessPoolExecutor(chosen.jobs) as pool:
        for name, found in zip(
            names, pool.map(partial(measure, replications=chosen.replications), names), strict=True
        ):
            print(name, file=sys.stderr, flush=True)
            rows += found
            if chosen.json is not None:
                chosen.json.write_text(
                    json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8"
                )
    print(table(rows))
    if chosen.page is not None:
        chosen.page.write_text(merge(chosen.page.read_text(encoding="utf-8"), table(rows)), encoding="utf-8")
    missed = [row for row in rows if row.missed]
    silent = [row for row in rows if row.silent]
    print(f"\n{len(missed)} of {sum(row.domain for row in rows)} figures in the domain miss {PROMISED}")
    for row in silent:
        print(f"covers less than {WARN_BELOW} without a warning: {row.scenario}, {row.figure}")
    return 1 if missed or silent else 0


if __name__ == "__main__":
    raise SystemExit(main())
