"""Simulated rankings, for `coverage.py`: intervals of strengths, and how often equal systems are told apart.

`python benchmarks/coverage_rankings.py [--replications 400]` prints the error of strengths by how the comparisons that
may be asked are chosen, and how often the wrong system is called the best where the head of the file is of one topic.
"""

import argparse
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from coverage_common import Array, Decision, Found, scenario

from adjudge.records import Case
from adjudge.runs.tournament import Match, System, order_matches
from adjudge.stats.several.ranking import Ranking, Win, rank_systems

TIE = 0.4
RESAMPLES = 200
Pair = tuple[int, int]


def compare(random: np.random.Generator, difference: float) -> float:
    half = np.exp(difference / 2)
    total = half + 1 / half + TIE
    chance = random.random() * total
    return 1.0 if chance < half else 0.0 if chance < half + 1 / half else 0.5


def wins_of(random: np.random.Generator, effects: Array, asked: Sequence[tuple[int, Pair]]) -> list[Win]:
    """`effects`: the strength of each system in each cluster, one row per cluster."""
    return [
        Win(str(cluster), *pair, compare(random, effects[cluster, pair[0]] - effects[cluster, pair[1]]))
        for cluster, pair in asked
    ]


def add_ranking(systems: int, clusters: int, cases: int, *, sd: float, domain: bool) -> None:
    """Equal systems, each of which is better or worse in whole clusters."""
    pairs = list(combinations(range(systems), 2))
    asked = [(cluster, pair) for cluster in range(clusters) for _ in range(cases) for pair in pairs]

    @scenario(f"ranking, {systems} systems, {clusters} clusters of {cases}", domain=domain)
    def draw(random: np.random.Generator) -> Found:
        effects = random.normal(0.0, sd, (clusters, systems))
        found = rank_systems(wins_of(random, effects, asked), systems, seed=0, resamples=RESAMPLES)
        for each in found.systems:
            yield "strength", each.strength, 0.0
        apart = any(each.ranks != (1, systems) for each in found.systems)
        yield "equal systems told apart", Decision(wrong=apart), 0.05


add_ranking(2, 100, 1, sd=0.5, domain=True)
add_ranking(3, 100, 1, sd=0.5, domain=True)
add_ranking(6, 100, 1, sd=0.5, domain=True)
add_ranking(3, 30, 5, sd=0.5, domain=True)
add_ranking(3, 10, 10, sd=0.5, domain=False)
add_ranking(3, 5, 20, sd=0.5, domain=False)
add_ranking(2, 4, 20, sd=0.5, domain=False)


def add_whole_clusters(clusters: int, cases: int) -> None:
    """Two equal systems; every case of a cluster goes to the same one."""

    @scenario(
        f"ranking, 2 systems, {clusters} clusters of {cases} that go to one of them as a whole", domain=False
    )
    def draw(random: np.random.Generator) -> Found:
        scores = random.integers(0, 2, clusters).astype(float)
        wins = [Win(str(at), 0, 1, float(score)) for at, score in enumerate(scores) for _ in range(cases)]
        found = rank_systems(wins, 2, seed=0, resamples=RESAMPLES)
        for each in found.systems:
            yield "strength", each.strength, 0.0
        apart = any(each.ranks != (1, 2) for each in found.systems)
        yield "equal systems told apart", Decision(wrong=apart), 0.05


for whole in (2, 3, 5, 10):
    add_whole_clusters(whole, 10)


# ---- a limited number of calls ---------------------------------------------------------------------------


def chosen_matches(systems: int, cases: int, most: int, seed: int) -> list[tuple[int, Pair]]:
    """What `adjudge rank --max-calls` asks, as case and pair."""
    named = [System(name=f"s{number}", cases={}, unread=0) for number in range(systems)]
    matches = {
        pair: [
            Match(str(case), *pair, Case(case_id=str(case), columns={}, fields={})) for case in range(cases)
        ]
        for pair in combinations(range(systems), 2)
    }
    ordered = order_matches(matches, named, seed=seed)[:most]
    return [(int(match.case_id), (match.first, match.second)) for match in ordered]


def error_of_strengths(systems: int, cases: int, most: int, replications: int) -> dict[str, float]:
    """The root mean square error at the same number of comparisons."""
    true = np.linspace(0.8, -0.8, systems)
    random = np.random.default_rng(1)
    every = [(case, pair) for case in range(cases) for pair in combinations(range(systems), 2)]
    squares: dict[str, list[float]] = {"rank --max-calls": [], "uniform over all comparisons": []}
    for seed in range(replications):
        effects = true + random.normal(0.0, 0.5, (cases, systems))
        uniform = [every[number] for number in random.choice(len(every), most, replace=False)]
        for name, asked in zip(squares, (chosen_matches(systems, cases, most, seed), uniform), strict=True):
            wins = wins_of(random, effects, asked)
            found = rank_systems(wins, systems, seed=0, resamples=2)
            squares[name] += [(each.strength.value - true[each.system]) ** 2 for each in found.systems]
    return {name: float(np.sqrt(np.mean(found))) for name, found in squares.items()}


def wrong_best(replications: int) -> dict[str, float]:
    """100 cases, of which the first 30 are of a topic in which the first system wins, 30 of them asked."""

    def is_wrong(found: Ranking) -> bool:
        return found.systems[0].system == 0 and found.systems[0].ranks == (1, 1)

    random = np.random.default_rng(1)
    effects = np.where(np.arange(100) < 30, 2.0, -2.0)[:, None] * np.array([1.0, -1.0])
    head = [(case, (0, 1)) for case in range(30)]
    wrong = {"rank --max-calls": 0, "the first rows": 0}
    for seed in range(replications):
        for name, asked in zip(wrong, (chosen_matches(2, 100, 30, seed), head), strict=True):
            ranking = rank_systems(wins_of(random, effects, asked), 2, seed=0, resamples=RESAMPLES)
            wrong[name] += is_wrong(ranking)
    return {name: count / replications for name, count in wrong.items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--replications", type=int, default=400)
    replications = parser.parse_args().replications
    print("| what | how chosen | value |\n|---|---|---|")
    for systems, cases, most in ((3, 100, 75), (6, 100, 200)):
        asked = f"{most} of {cases * systems * (systems - 1) // 2:,} comparisons"
        for name, error in error_of_strengths(systems, cases, most, replications).items():
            print(f"| error of strengths (RMSE), {systems} systems, {asked} | {name} | {error:.3f} |")
    for name, share in wrong_best(replications).items():
        print(f"| the wrong system called best, the head of the file of one topic | {name} | {share:.3f} |")


if __name__ == "__main__":
    main()
