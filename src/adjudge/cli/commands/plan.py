"""`adjudge plan`: how many cases a comparison needs."""

from adjudge.cli.console import print_document, print_json
from adjudge.cli.options import PlanOptions
from adjudge.cli.stored import find_run, stored
from adjudge.errors import SettingsError


def command(*, options: PlanOptions) -> None:
    from adjudge.analysis.comparison.plan import (
        DifferenceSpread,
        SpreadSource,
        in_clusters,
        plan_comparison,
        spreads_of_rates,
        spreads_of_runs,
    )
    from adjudge.analysis.comparison.plan_document import plan_document

    supposed = None if options.rates is None else _two_rates(options.rates)
    effect, runs, correlation = options.effect, options.runs, options.correlation
    if effect is None:
        if supposed is None or supposed[0] == supposed[1]:
            raise SettingsError(
                "--effect",
                "is not given",
                "say what difference is to be found, such as --effect 0.02, or two --rates that differ",
            )
        effect = abs(supposed[1] - supposed[0])
    if len(runs) > 2:
        raise SettingsError("--run", f"{len(runs)} were given", "give one, or the two that were compared")
    if correlation is not None and len(runs) == 2:
        raise SettingsError(
            "--correlation", "belongs to --rates or to one --run", "leave it out: the spread is known already"
        )
    if runs:
        with stored(options.store) as opened:
            spreads = spreads_of_runs(
                opened, [find_run(opened, name) for name in runs], options.only, correlation
            )
    elif options.sd is not None:
        spreads = [DifferenceSpread(sd=options.sd, source=SpreadSource(kind="sd"))]
    else:
        spreads = spreads_of_rates(supposed, correlation)
    if options.clusters is not None:
        size, alike = _size_and_correlation(options.clusters)
        spreads = [in_clusters(spread, size=size, correlation=alike) for spread in spreads]
    if spreads[0].sd == 0.0:
        raise SettingsError(
            "--rates or --correlation", "leave no room for a difference", "give rates between 0 and 1"
        )
    guessed = not runs and options.sd is None and options.rates is None
    plan = plan_comparison(effect, spreads, power=options.power, guessed=guessed)
    if options.as_json:
        print_json(plan)
    else:
        print_document(plan_document(plan))


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
