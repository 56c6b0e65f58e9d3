"""Gates: when a run's figures end it with another exit code than 0."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import click

from adjudge.cli.config import ANY
from adjudge.cli.main import EXIT_GATE_FAILED, EXIT_NOT_MEASURED
from adjudge.cli.options import flag, together
from adjudge.errors import SettingsError
from adjudge.records import Judge
from adjudge.reports.summary import Summary
from adjudge.stats.intervals import Estimate

_ONE_LOOK = (
    "note: these intervals hold for one look: adding cases until the gate passes makes it pass too easily; the gate passes "
    "only if every figure holds, so it needs no adjustment for how many there are"
)
ERROR_RATE_WITH_A_GATE = 0.05
"""A mean over what happened to be judged says little when more than this was not."""

gate_options = together(
    flag(
        "--fail-under",
        config=ANY,
        multiple=True,
        metavar="[JUDGE=]X",
        help="Exit 1 when a judge's mean is under X.",
    ),
    flag(
        "--fail-under-pass-rate",
        config=ANY,
        multiple=True,
        metavar="[JUDGE=]X",
        help="Exit 1 when the pass rate is under X (0 to 1).",
    ),
    flag(
        "--gate",
        config=ANY,
        type=click.Choice(["point", "lower"]),
        default="point",
        show_default=True,
        help="Compare the mean itself, or the lower end of its 95 % interval.",
    ),
    flag(
        "--max-error-rate",
        config=ANY,
        type=click.FloatRange(0, 1),
        help="Exit 3 when more than this share was not judged; 0.05 when a gate is set, else off.",
    ),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Gates:
    means: Mapping[str, float]
    """Judge -> the least mean, on the judge's own scale."""
    pass_rates: Mapping[str, float]
    lower: bool
    """Compare the interval's lower end instead of the estimate itself."""
    max_error_rate: float | None
    """Set whenever a gate is."""

    @property
    def gated(self) -> bool:
        return self.max_error_rate is not None

    def judge(self, summaries: Sequence[Summary], tell: Callable[[str], None]) -> int:
        """The exit code, with a line for each gate that failed. What could not be measured goes first."""
        code = 0
        for summary in summaries:
            judged = summary.scored + summary.forced
            lost = summary.not_judged / summary.asked if summary.asked else 1.0
            if judged == 0:
                tell(f"not measured: {summary.judge}: none of {summary.asked} could be judged")
                code = EXIT_NOT_MEASURED
            elif summary.outcomes.get("call_failed") and not summary.answered:
                # rows that rules decided say nothing about the rows a model was to decide
                tell(
                    f"not measured: {summary.judge}: every call failed; the {judged} judged got a score by rule alone"
                )
                code = EXIT_NOT_MEASURED
            elif self.max_error_rate is not None and lost > self.max_error_rate:
                tell(
                    f"not measured: {summary.judge}: {lost:.1%} of {summary.asked} could not be judged, more than "
                    f"--max-error-rate {self.max_error_rate:.1%}"
                )
                code = EXIT_NOT_MEASURED
        for summary in summaries:
            for what, wanted, estimate in (
                ("mean", self.means.get(summary.judge), summary.mean),
                ("pass rate", self.pass_rates.get(summary.judge), summary.pass_rate),
            ):
                if wanted is not None and not self._holds(what, summary.judge, wanted, estimate, tell):
                    code = code or EXIT_GATE_FAILED
        if self.lower and (self.means or self.pass_rates):
            tell(_ONE_LOOK)
        return code

    def _holds(
        self, what: str, judge: str, wanted: float, estimate: Estimate | None, tell: Callable[[str], None]
    ) -> bool:
        if estimate is None:
            tell(f"gate failed: {judge}: no {what} to compare with {wanted:g}")
            return False
        found = estimate.low if self.lower else estimate.value
        if self.lower and estimate.warning:
            tell(f"warning: {judge}: the gate compares the lower end of an interval: {estimate.warning}")
        if found >= wanted:
            return True
        side = f"the lower end of the {what}'s 95 % interval" if self.lower else f"the {what}"
        tell(f"gate failed: {judge}: {side}, {found:.4g}, is under {wanted:g}")
        return False


def parse_gates(
    fail_under: Sequence[str],
    fail_under_pass_rate: Sequence[str],
    *,
    lower: bool,
    max_error_rate: float | None,
    judges: Sequence[Judge],
) -> Gates:
    names = [judge.name for judge in judges]
    means = _thresholds(fail_under, "--fail-under", names)
    for judge in judges:
        if judge.name in means and judge.better == "lower":
            raise SettingsError(
                "--fail-under",
                f"{judge.name}: lower is better on its scale, so a mean under {means[judge.name]:g} is a good one",
                "gate it with --fail-under-pass-rate",
            )
        if (
            judge.name in means
            and judge.scale
            and not judge.scale.low <= means[judge.name] <= judge.scale.high
        ):
            raise SettingsError(
                "--fail-under",
                f"{judge.name}: {means[judge.name]:g} is not on its scale",
                f"give a number from {judge.scale.low:g} to {judge.scale.high:g}",
            )
    pass_rates = _thresholds(fail_under_pass_rate, "--fail-under-pass-rate", names)
    for judge in judges:
        if judge.name in pass_rates and judge.passes is None:
            raise SettingsError(
                "--fail-under-pass-rate",
                f"{judge.name} has no pass rule",
                "give one with --pass, or `passes:` in its file",
            )
    for name, rate in pass_rates.items():
        if not 0 <= rate <= 1:
            raise SettingsError(
                "--fail-under-pass-rate", f"{name}: {rate:g} is no rate", "give a number from 0 to 1"
            )
    if max_error_rate is None and (means or pass_rates):
        max_error_rate = ERROR_RATE_WITH_A_GATE
    return Gates(means=means, pass_rates=pass_rates, lower=lower, max_error_rate=max_error_rate)


def _thresholds(texts: Sequence[str], where: str, judges: Sequence[str]) -> dict[str, float]:
    """`X` for every judge, `JUDGE=X` for one."""
    thresholds: dict[str, float] = {}
    for text in texts:
        judge, equals, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            raise SettingsError(where, f"`{text}` has no number", "write X, or JUDGE=X") from None
        if equals and judge not in judges:
            raise SettingsError(
                where, f"no judge `{judge}` in this run", f"the judges are {', '.join(judges)}"
            )
        thresholds.update(dict.fromkeys([judge] if equals else judges, value))
    return thresholds
