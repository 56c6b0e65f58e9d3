"""When a comparison ends the command with another exit code than 0."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from adjudge.analysis.comparison.document import detectable_text
from adjudge.analysis.comparison.figures import JudgeComparison
from adjudge.analysis.comparison.wording import show_difference, show_p
from adjudge.cli.gates import ERROR_RATE_WITH_A_GATE
from adjudge.cli.main import EXIT_GATE_FAILED, EXIT_NOT_MEASURED
from adjudge.stats.intervals import CONFIDENCE
from adjudge.stats.pairs import holm


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparisonGates:
    on_regression: bool
    margin: float | None
    """B may be worse by less than this."""
    inconclusive: Literal["pass", "fail"]
    max_error_rate: float | None
    """None: as `error_limit` says."""

    @property
    def error_limit(self) -> float | None:
        """The share of matched cases that may lack a pair; a gate sets one."""
        if self.max_error_rate is None and (self.on_regression or self.margin is not None):
            return ERROR_RATE_WITH_A_GATE
        return self.max_error_rate

    @property
    def gated(self) -> bool:
        return self.on_regression or self.margin is not None or self.inconclusive == "fail"

    def judge(self, comparisons: Sequence[JudgeComparison], tell: Callable[[str], None]) -> int:
        """The exit code, with a line for each thing that decided it. What could not be measured goes first.

        One judge that is worse fails the gate, so by chance alone one of many would: the p values are Holm's. For
        `margin` all have to hold, which chance makes no likelier.
        """
        tested = [each for each in comparisons if each.comparison is not None]
        adjusted = holm([each.comparison.p for each in tested if each.comparison is not None])
        by_holm = {id(each): p for each, p in zip(tested, adjusted, strict=True)}
        codes = [
            self._judge(compared, tell, p=by_holm.get(id(compared), 1.0), tested=len(tested))
            for compared in comparisons
        ]
        return max(codes, default=0)

    def _judge(self, compared: JudgeComparison, tell: Callable[[str], None], *, p: float, tested: int) -> int:
        name, comparison = compared.b.judge, compared.comparison
        if comparison is None:
            tell(f"not measured: {name}: none of {compared.matched} matched cases was judged in both runs")
            return EXIT_NOT_MEASURED
        missing = compared.not_judged / compared.matched
        if self.error_limit is not None and missing > self.error_limit:
            tell(
                f"not measured: {name}: {missing:.1%} of {compared.matched} matched cases were not judged in both runs, "
                f"more than --max-error-rate {self.error_limit:.1%}"
            )
            return EXIT_NOT_MEASURED
        if self.inconclusive == "fail" and self._is_inconclusive(compared):
            tell(f"inconclusive: {name}: {detectable_text(compared)}")
            return EXIT_NOT_MEASURED
        code = 0
        if self.on_regression and compared.finding == "worse":
            worse = (
                f"{name}: B is worse, {show_difference(comparison.difference.value)}, {show_p(comparison.p)}"
            )
            many = f"; {show_p(p)} by Holm's method over {tested} judges" if tested > 1 else ""
            if p <= 1.0 - CONFIDENCE:
                tell(f"gate failed: {worse}{many}")
                code = EXIT_GATE_FAILED
            else:
                tell(f"gate not failed: {worse}{many}, which so many judges give by chance")
        if self.margin is not None and not comparison.difference.low > -self.margin:
            low = show_difference(comparison.difference.low)
            tell(
                f"gate failed: {name}: the lower end of the difference's 95 % interval, {low}, "
                f"is not above -{self.margin:g}"
            )
            code = EXIT_GATE_FAILED
        return code

    def _is_inconclusive(self, compared: JudgeComparison) -> bool:
        """Neither shown to be worse nor shown to be good enough."""
        if compared.finding != "inconclusive" or compared.comparison is None:
            return False
        return self.margin is None or not compared.comparison.difference.low > -self.margin
