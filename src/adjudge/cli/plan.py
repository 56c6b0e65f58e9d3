"""`adjudge plan`: how many cases a comparison needs."""

import click

from adjudge.cli.config import ANY
from adjudge.cli.console import print_document, print_json
from adjudge.cli.options import flag, json_option, store_option
from adjudge.cli.stored import find_run, stored
from adjudge.errors import SettingsError


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
    from adjudge.analysis.comparison.plan import (
        DifferenceSpread,
        SpreadSource,
        in_clusters,
        plan_comparison,
        spreads_of_rates,
        spreads_of_runs,
    )
    from adjudge.analysis.comparison.plan_document import plan_document

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
    if runs:
        with stored(store) as opened:
            spreads = spreads_of_runs(opened, [find_run(opened, name) for name in runs], only, correlation)
    elif sd is not None:
        spreads = [DifferenceSpread(sd=sd, source=SpreadSource(kind="sd"))]
    else:
        spreads = spreads_of_rates(supposed, correlation)
    if clusters is not None:
        size, alike = _size_and_correlation(clusters)
        spreads = [in_clusters(spread, size=size, correlation=alike) for spread in spreads]
    if spreads[0].sd == 0.0:
        raise SettingsError(
            "--rates or --correlation", "leave no room for a difference", "give rates between 0 and 1"
        )
    guessed = not runs and sd is None and rates is None
    plan = plan_comparison(effect, spreads, power=power, guessed=guessed)
    if as_json:
        print_json(plan)
    else:
        print_document(plan_document(plan))


def _check_sources(
    *, runs: tuple[str, ...], sd: float | None, rates: str | None, correlation: float | None
) -> None:
    sources = {"--run": runs or None, "--sd": sd, "--rates": rates}
    used = [flag for flag, value in sources.items() if value is not None]
    if len(used) > 1:
        raise SettingsError(" and ".join(used), "each say how far scores differ", "give one of them")
    if correlation is not None and (len(runs) > 1 or sd is not None):
        raise SettingsError(
            "--correlation", "belongs to --rates or to one --run", "leave it out: the spread is known already"
        )
    if len(runs) > 2:
        raise SettingsError("--run", f"{len(runs)} were given", "give one, or the two that were compared")


def _two_rates(text: str) -> tuple[float, float]:
    first, second = _numbers("--rates", text, "A,B", "such as --rates 0.80,0.82")
    if not (0.0 <= first <= 1.0 and 0.0 <= second <= 1.0):
        raise SettingsError("--rates", f"`{text}` are not rates", "give numbers from 0 to 1")
    return first, second


def _size_and_correlation(text: str) -> tuple[float, float]:
    both = text if "," in text else f"{text},1"
    size, correlation = _numbers("--clusters", both, "SIZE or SIZE,R", "such as --clusters 5,0.3")
    if not (1.0 <= size < 1e9 and 0.0 <= correlation <= 1.0):
        hint = "give a size of 1 or more and a correlation from 0 to 1"
        raise SettingsError("--clusters", f"`{text}` is out of range", hint)
    return size, correlation


def _numbers(option: str, text: str, form: str, hint: str) -> tuple[float, float]:
    try:
        first, second = (float(part) for part in text.split(","))
    except ValueError:
        raise SettingsError(option, f"`{text}` is not of the form {form}", hint) from None
    return first, second
