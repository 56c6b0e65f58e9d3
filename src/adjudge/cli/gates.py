"""Gates: when the figures of a run, or of a comparison, end the command with another exit code than 0."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self

from adjudge.cli.main import EXIT_GATE_FAILED, EXIT_NOT_MEASURED
from adjudge.cli.options import ComparisonGateOptions, GateOptions
from adjudge.documents.document import Fact, Quote, Tone, join
from adjudge.documents.numbers import show_percent
from adjudge.errors import SettingsError
from adjudge.records import Judge

if TYPE_CHECKING:
    from adjudge.analysis.comparison.figures import JudgeComparison
    from adjudge.analysis.summary.figures import Summary
    from adjudge.stats.intervals import Estimate

_ONE_LOOK = (
    "these intervals hold for one look: adding cases until the gate passes makes it pass too easily; the gate passes "
    "only if every figure holds, so it needs no adjustment for how many there are"
)
ERROR_RATE_WITH_A_GATE = 0.05
"""A mean over what happened to be judged says little when more than this was not."""

GateKind = Literal["not measured", "gate failed", "gate passed", "warning", "note"]
_TONES: Mapping[GateKind, Tone] = {
    "not measured": "bad",
    "gate failed": "bad",
    "gate passed": "good",
    "warning": "warning",
    "note": "plain",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class GateFinding:
    kind: GateKind
    judge: str = ""
    text: str
    code: int = 0
    """What the command exits with because of it."""

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.kind, self.judge, self.text)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Gates:
    means: Mapping[str, float]
    """Judge -> the least mean, on the judge's own scale."""
    pass_rates: Mapping[str, float]
    lower: bool
    """Compare the interval's lower end instead of the estimate itself."""
    max_error_rate: float | None
    """Set whenever a gate is."""
    max_abstain_rate: float | None = None
    """None: cases on which the judge abstained count as not judged, under `max_error_rate`."""

    @classmethod
    def of(cls, options: GateOptions, judges: Sequence[Judge], named: Sequence[Judge] | None = None) -> Self:
        """`named` are those that were asked for: a part of a combination is only gated by its name."""
        names = [judge.name for judge in judges]
        asked = names if named is None else [judge.name for judge in named]
        means = _thresholds(options.fail_under, "--fail-under", names, asked)
        for judge in judges:
            if judge.name in means and judge.score is None:
                raise SettingsError(
                    "--fail-under",
                    f"{judge.name} has no score",
                    "add `score:` to its front matter, such as the points of each label",
                )
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
        pass_rates = _thresholds(
            options.fail_under_pass_rate, "--fail-under-pass-rate", names, asked, is_rate=True
        )
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
                    "--fail-under-pass-rate",
                    f"{name}: {rate:g} is not a rate",
                    "give a number from 0 to 1, or a percentage",
                )
        return cls(
            means=means,
            pass_rates=pass_rates,
            lower=options.gate == "lower",
            max_error_rate=_error_rate(options.max_error_rate, gated=bool(means or pass_rates)),
            max_abstain_rate=options.max_abstain_rate,
        )

    @property
    def gated(self) -> bool:
        return self.max_error_rate is not None or self.max_abstain_rate is not None

    def check(self, summaries: Sequence["Summary"], *, complete: bool = True) -> list[GateFinding]:
        """What could not be measured goes first, and is not held against anything.

        `complete`: of a run that was stopped halfway nothing is said to pass or to fail.
        """
        measured, found = [], []
        for summary in summaries:
            finding = self._not_measured(summary)
            if finding is not None:
                found.append(finding)
            elif complete:
                measured.append(summary)
        for summary in measured:
            for figure, needed, estimate in (
                ("mean", self.means.get(summary.judge), summary.mean),
                ("pass rate", self.pass_rates.get(summary.judge), summary.pass_rate),
            ):
                if needed is not None:
                    found += self._holds(figure, summary.title, needed, estimate)
        if self.lower and complete and (self.means or self.pass_rates):
            found.append(GateFinding(kind="note", text=_ONE_LOOK))
        return found

    def _not_measured(self, summary: "Summary") -> GateFinding | None:
        asked, limit = summary.asked, self.max_abstain_rate
        abstained = 0.0 if limit is None or not asked else summary.abstained / asked
        lost = summary.not_judged / asked - abstained if asked else 1.0
        if summary.judged == 0:
            why = f"none of {summary.asked} could be judged"
        elif summary.outcomes.get("call_failed") and not summary.answered:
            # what rules decided says nothing about what a model was to decide
            why = f"every call failed; the {summary.judged} judged got a score by rule alone"
        elif self.max_error_rate is not None and lost > self.max_error_rate:
            why = f"{show_percent(lost)} of {summary.asked} could not be judged, more than --max-error-rate {show_percent(self.max_error_rate)}"
        elif limit is not None and abstained > limit:
            why = f"the judge abstained on {show_percent(abstained)} of {asked}, more than --max-abstain-rate {show_percent(limit)}"
        else:
            return None
        return GateFinding(kind="not measured", judge=summary.title, text=why, code=EXIT_NOT_MEASURED)

    def _holds(
        self, figure: str, judge: str, needed: float, estimate: "Estimate | None"
    ) -> Iterator[GateFinding]:
        if estimate is None:
            text = f"needs a {figure} of {needed:g}, has none"
            yield GateFinding(kind="gate failed", judge=judge, text=text, code=EXIT_GATE_FAILED)
            return
        if self.lower and estimate.warning:
            text = f"the gate compares the lower end of an interval: {estimate.warning}"
            yield GateFinding(kind="warning", judge=judge, text=text)
        found = estimate.low if self.lower else estimate.value
        where = " at the lower end of its 95 % interval" if self.lower else ""
        text = f"{figure} needs {_figure_text(figure, needed)}{where}, has {_figure_text(figure, found)}"
        if found >= needed:
            yield GateFinding(kind="gate passed", judge=judge, text=text)
        else:
            if estimate.value >= needed:
                value = _figure_text(figure, estimate.value)
                text += (
                    f"; the {figure} itself is {value}, which {estimate.n:,} judgements are too few to show"
                )
            yield GateFinding(kind="gate failed", judge=judge, text=text, code=EXIT_GATE_FAILED)


def _figure_text(figure: str, value: float) -> str:
    return f"{value * 100:.3g} %" if figure == "pass rate" else f"{value:.4g}"


def gate_facts(findings: Iterable[GateFinding]) -> tuple[Fact, ...]:
    """For the report; a note on method is a detail."""
    return tuple(
        Fact(
            kind=finding.kind,
            label="" if finding.kind == "note" else finding.kind.upper(),
            text=join(": ", [Quote(finding.judge), finding.text]),
            tone=_TONES[finding.kind],
            detail=finding.kind == "note",
        )
        for finding in findings
    )


def _thresholds(
    texts: Sequence[str], where: str, judges: Sequence[str], asked: Sequence[str], *, is_rate: bool = False
) -> dict[str, float]:
    """`X` for every judge that was asked for, `JUDGE=X` for one; a rate also as `80%`."""
    thresholds: dict[str, float] = {}
    for text in texts:
        judge, equals, number = text.rpartition("=")
        try:
            share = is_rate and number.rstrip().endswith("%")
            value = float(number.rstrip().removesuffix("%")) / 100 if share else float(number)
        except ValueError:
            hint = "write X, or JUDGE=X" + ("" if is_rate else ", with X on the judge's own scale")
            raise SettingsError(where, f"`{text}` has no number", hint) from None
        if equals and judge not in judges:
            raise SettingsError(
                where, f"no judge `{judge}` in this run", f"the judges are {', '.join(judges)}"
            )
        thresholds.update(dict.fromkeys([judge] if equals else asked, value))
    return thresholds


def _error_rate(limit: float | None, *, gated: bool) -> float | None:
    return ERROR_RATE_WITH_A_GATE if limit is None and gated else limit


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparisonGates:
    options: ComparisonGateOptions

    @property
    def error_limit(self) -> float | None:
        """The share of matched cases that may lack a pair; a gate sets one."""
        if self.options.max_error_rate is None and (
            self.options.fail_on_regression or self.options.margin is not None
        ):
            return ERROR_RATE_WITH_A_GATE
        return self.options.max_error_rate

    @property
    def gated(self) -> bool:
        return (
            self.options.fail_on_regression
            or self.options.margin is not None
            or self.options.inconclusive == "fail"
        )

    def judge(self, comparisons: Sequence["JudgeComparison"], print_message: Callable[[str], None]) -> int:
        """The exit code, with a line for each thing that decided it. What could not be measured goes first.

        One judge that is worse fails the gate, so by chance alone one of many would: the p values are Holm's. For
        `margin` all have to hold, which chance makes no likelier.
        """
        from adjudge.stats.pairs import holm

        tested = [each for each in comparisons if each.comparison is not None]
        adjusted = holm([each.comparison.p for each in tested if each.comparison is not None])
        by_holm = {id(each): p for each, p in zip(tested, adjusted, strict=True)}
        codes = [
            self._judge(compared, print_message, p=by_holm.get(id(compared), 1.0), tested=len(tested))
            for compared in comparisons
        ]
        return max(codes, default=0)

    def _judge(
        self, compared: "JudgeComparison", print_message: Callable[[str], None], *, p: float, tested: int
    ) -> int:
        # not needed for a run's gates, and slow to load
        from adjudge.analysis.comparison.document import detectable_text
        from adjudge.analysis.comparison.wording import show_difference, show_p
        from adjudge.stats.intervals import CONFIDENCE

        name, comparison = compared.b.judge, compared.comparison
        if comparison is None:
            print_message(
                f"not measured: {name}: none of {compared.matched} matched cases was judged in both runs"
            )
            return EXIT_NOT_MEASURED
        missing = compared.not_judged / compared.matched
        if self.error_limit is not None and missing > self.error_limit:
            print_message(
                f"not measured: {name}: {show_percent(missing)} of {compared.matched} matched cases were not judged in both runs, "
                f"more than --max-error-rate {show_percent(self.error_limit)}"
            )
            return EXIT_NOT_MEASURED
        if self.options.inconclusive == "fail" and self._is_inconclusive(compared):
            print_message(f"inconclusive: {name}: {detectable_text(compared)}")
            return EXIT_NOT_MEASURED
        code = 0
        if self.options.fail_on_regression and compared.finding == "worse":
            worse = (
                f"{name}: B is worse, {show_difference(comparison.difference.value)}, {show_p(comparison.p)}"
            )
            many = f"; {show_p(p)} by Holm's method over {tested} judges" if tested > 1 else ""
            if p <= 1.0 - CONFIDENCE:
                print_message(f"gate failed: {worse}{many}")
                code = EXIT_GATE_FAILED
            else:
                print_message(
                    f"gate not failed: {worse}{many}, which is likely by chance with this many judges"
                )
        if self.options.margin is not None and not comparison.difference.low > -self.options.margin:
            low = show_difference(comparison.difference.low)
            print_message(
                f"gate failed: {name}: the lower end of the difference's 95 % interval, {low}, "
                f"is not above -{self.options.margin:g}"
            )
            code = EXIT_GATE_FAILED
        return code

    def _is_inconclusive(self, compared: "JudgeComparison") -> bool:
        """Neither shown to be worse nor shown to be good enough."""
        if compared.finding != "inconclusive" or compared.comparison is None:
            return False
        return self.options.margin is None or not compared.comparison.difference.low > -self.options.margin
