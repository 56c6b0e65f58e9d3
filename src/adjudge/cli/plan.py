"""`adjudge plan`: how many cases a comparison needs."""

from dataclasses import asdict

import click

from adjudge.cli.config import ANY
from adjudge.cli.console import plain, print_json
from adjudge.cli.options import flag, json_option, store_option
from adjudge.cli.stored import find_run, stored
from adjudge.errors import SettingsError
from adjudge.reports.compare_match import Matching, SideName
from adjudge.reports.compare_plan import (
    CAUTIOUS_RATES,
    FEWEST_UNITS,
    OTHER_CORRELATIONS,
    Need,
    Spread,
    in_clusters,
    plan_comparison,
    spread_of_pairs,
    spread_of_rates,
    spread_of_scores,
)
from adjudge.stats.pairs import possible_correlations

OTHER_POWER = 0.9


@click.command("plan", short_help="Say how many cases a comparison needs.")
@flag(
    "--effect",
    config=ANY,
    type=click.FloatRange(0, min_open=True),
    metavar="D",
    help="The smallest true difference of means, or of pass rates, that is to be found.",
)
@flag(
    "--run",
    "runs",
    config=ANY,
    multiple=True,
    metavar="RUN",
    help="Take the spread from a stored run, or from two.",
)
@flag("--only", config=ANY, metavar="JUDGE", help="Which judge of those runs.")
@flag(
    "--sd",
    config=ANY,
    type=click.FloatRange(0, min_open=True),
    help="The standard deviation of the paired differences, where it is known.",
)
@flag("--rates", config=ANY, metavar="A,B", help="The two pass rates supposed, such as 0.80,0.82.")
@flag(
    "--correlation",
    config=ANY,
    type=click.FloatRange(-1, 1),
    help="With --rates: how far the two runs pass the same cases; 0 is the cautious guess.",
)
@flag(
    "--clusters",
    config=ANY,
    metavar="SIZE[,R]",
    help="Cases that share a cluster, and how far their differences are correlated (1 unless given).",
)
@flag(
    "--power",
    config=ANY,
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.8,
    show_default=True,
    help="How likely a true difference of that size is to be found.",
)
@store_option
@json_option
def command(
    *,
    effect: float | None,
    runs: tuple[str, ...],
    only: str | None,
    sd: float | None,
    rates: str | None,
    correlation: float | None,
    clusters: str | None,
    power: float,
    store: str,
    as_json: bool,
) -> None:
    """Say how many cases `adjudge compare` needs to find a difference.

    Without --run, --sd or --rates the answer is for pass rates and as cautious as can be.
    """
    supposed = None if rates is None else _two_rates(rates)
    if effect is None:
        if supposed is None or supposed[0] == supposed[1]:
            raise SettingsError(
                "--effect",
                "is not given",
                "say what difference is to be found, such as --effect 0.02, or two --rates that differ",
            )
        effect = abs(supposed[1] - supposed[0])
    _check_sources(runs=runs, sd=sd, rates=rates, correlation=correlation)
    correlations = (0.0, *OTHER_CORRELATIONS) if correlation is None else (correlation,)
    if runs:
        spreads = _spreads_of_runs(store, runs, only, correlations)
    elif sd is not None:
        spreads = [Spread(sd=sd, source="the standard deviation given")]
    else:
        rates_supposed = supposed or CAUTIOUS_RATES
        most = possible_correlations(*rates_supposed).most
        spreads = [
            spread_of_rates(*rates_supposed, correlation=r)
            for r in correlations
            if correlation is not None or r <= most
        ]
    if clusters is not None:
        size, alike = _size_and_correlation(clusters)
        spreads = [in_clusters(spread, size=size, correlation=alike) for spread in spreads]
    if spreads[0].sd == 0.0:
        raise SettingsError(
            "--rates or --correlation", "leave no room for a difference", "give rates between 0 and 1"
        )
    need = plan_comparison(effect, spreads[0], power=power)
    others = [plan_comparison(effect, spread, power=power) for spread in spreads[1:]]
    if power < OTHER_POWER:
        others.insert(0, plan_comparison(effect, spreads[0], power=OTHER_POWER))
    if as_json:
        found = {**asdict(need), "others": [asdict(other) for other in others]}
        print_json(found)
    else:
        _print(need, others, guessed=not runs and sd is None and rates is None)


def _check_sources(
    *, runs: tuple[str, ...], sd: float | None, rates: str | None, correlation: float | None
) -> None:
    given = [
        name for name, value in (("--run", runs), ("--sd", sd), ("--rates", rates)) if value not in (None, ())
    ]
    if len(given) > 1:
        raise SettingsError(" and ".join(given), "each say how far scores differ", "give one of them")
    if correlation is not None and (len(runs) > 1 or sd is not None):
        raise SettingsError(
            "--correlation", "belongs to --rates or to one --run", "leave it out: the spread is known already"
        )
    if len(runs) > 2:
        raise SettingsError("--run", f"{len(runs)} were given", "give one, or the two that were compared")


def _two_rates(text: str) -> tuple[float, float]:
    try:
        first, second = (float(part) for part in text.split(","))
    except ValueError:
        raise SettingsError(
            "--rates", f"`{text}` is not of the form A,B", "such as --rates 0.80,0.82"
        ) from None
    if not (0.0 <= first <= 1.0 and 0.0 <= second <= 1.0):
        raise SettingsError("--rates", f"`{text}` are not rates", "give numbers from 0 to 1")
    return first, second


def _size_and_correlation(text: str) -> tuple[float, float]:
    size, _, alike = text.partition(",")
    try:
        found = float(size), float(alike) if alike else 1.0
    except ValueError:
        raise SettingsError(
            "--clusters", f"`{text}` is not of the form SIZE or SIZE,R", "such as --clusters 5,0.3"
        ) from None
    if not (1.0 <= found[0] < 1e9 and 0.0 <= found[1] <= 1.0):
        raise SettingsError(
            "--clusters",
            f"`{text}` is out of range",
            "give a size of 1 or more and a correlation from 0 to 1",
        )
    return found


# ---- from stored runs ----


def _spreads_of_runs(
    where: str, names: tuple[str, ...], only: str | None, correlations: tuple[float, ...]
) -> list[Spread]:
    """One from two runs, whose differences are known; from one run, one for each correlation."""
    matching = Matching()
    judges: dict[str, None] = {}
    with stored(where) as store:
        records = [find_run(store, name) for name in names]
        sides: tuple[SideName, ...] = ("a", "b")
        for side, record in zip(sides, records, strict=False):
            for judgement in store.judgements(record.run_id):
                if only is None or judgement.judge == only:
                    judges[judgement.judge] = None
                    matching.add(side, judgement)
    if len(judges) != 1:
        raise SettingsError(
            "--only",
            f"{len(judges)} judges were found",
            f"name one of {', '.join(judges)}" if judges else "name a judge of the run, or leave it out",
        )
    if len(records) == 1:
        scores = list(matching.scores("a"))
        return [spread_of_scores(scores, correlation=r) for r in correlations]
    return [spread_of_pairs(list(matching.pairs()))]


# ---- in words ----


def _print(need: Need, others: list[Need], *, guessed: bool) -> None:
    spread = need.spread
    click.echo(
        plain(
            f"{_cases(need)}, judged in both runs, show a true difference of {need.effect:g} "
            f"with a chance of {need.power:.0%}."
        )
    )
    click.echo(f"  from: {spread.source}")
    if spread.discordant is None:
        click.echo("  test: sign-flip test of the paired differences")
        click.echo(f"  standard deviation of a case's difference: {spread.sd:.3g}")
    else:
        click.echo("  test: McNemar's score test of the paired passes")
        click.echo(f"  cases that one run alone passes: {spread.discordant:.1%}")
    if spread.clustering is not None:
        click.echo(
            f"  clusters: {spread.clustering}; {spread.design_effect:.3g} times the cases of independent ones"
        )
    if need.at_least:
        click.echo(
            f"  fewer would do, but a sign-flip test of under {FEWEST_UNITS} "
            f"{'cases' if need.clusters is None else 'clusters'} can show nothing"
        )
    for other in others:
        under = f"power {other.power:.0%}" if other.power != need.power else other.spread.source
        click.echo(f"  {_cases(other)}: {under}")
    if guessed:
        click.echo(
            "Nothing is known about your scores, so this is the most it can take for pass rates; ", nl=False
        )
        click.echo("--run RUN takes their spread from a stored run, --run A --run B from two.")


def _cases(need: Need) -> str:
    cases = f"{need.cases:,} cases"
    return cases if need.clusters is None else f"{cases} in {need.clusters:,} clusters"
