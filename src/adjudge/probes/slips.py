"""What measures have in common: the judge on untouched answers, and trials that go right or wrong."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from adjudge.probes.examine import Answers, Examination, has_passed
from adjudge.probes.findings import LEAST_MARGIN, MOST_MARGIN, Finding, percent, rule, shown_rate
from adjudge.probes.trials import Trial
from adjudge.records import Failed, Judgement
from adjudge.stats.intervals import Estimate
from adjudge.stats.limits import Tails, exact_share, excess
from adjudge.stats.repeats import Noise, within_case_noise

SLIPS_ALLOWED = 0.20
"""Of trials that go wrong, in probes other than attacks."""
EXAMPLES = 12

Rows = Sequence[tuple[Trial, Judgement]]
Pairs = Sequence[tuple[str, bool]]
"""An answer, and whether a trial of it went wrong."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Clean:
    """The judge on untouched answers, some of them judged several times."""

    passed: Mapping[str, Sequence[bool]]
    scores: Mapping[str, Sequence[float]]
    """On a scale of 0 to 1."""
    wavered: Pairs
    """Repeats of wrong answers that failed at first: whether they pass, with nothing done to them."""
    sd: float | None

    def first(self, subject: str) -> bool | None:
        found = self.passed.get(subject, ())
        return found[0] if found else None

    @property
    def wavering(self) -> float:
        return sum(again for _, again in self.wavered) / max(1, len(self.wavered))

    @property
    def margin(self) -> float:
        """What a score may move: as far as one judged again does, within bounds."""
        noise = 0.0 if self.sd is None else 1.96 * self.sd
        return min(MOST_MARGIN, max(LEAST_MARGIN, noise))

    def turned_again(self, turned: Callable[[bool, bool], bool]) -> Pairs:
        """Repeats of every answer, by how the first judgement and a later one compare."""
        return [
            (subject, turned(verdicts[0], verdict))
            for subject, verdicts in self.passed.items()
            for verdict in verdicts[1:]
        ]


def read_clean(examination: Examination, answers: Answers) -> Clean:
    passed: dict[str, list[bool]] = {}
    scores: dict[str, list[float]] = {}
    wavered: list[tuple[str, bool]] = []
    for trial in examination.clean:
        subject = trial.subject.subject_id
        for judgement in answers.of(trial):
            verdict = has_passed(judgement)
            if verdict is not None:
                passed.setdefault(subject, []).append(verdict)
            if judgement.normalized is not None:
                scores.setdefault(subject, []).append(judgement.normalized)
        verdicts = passed.get(subject, [])
        if trial.subject.right is False and verdicts and not verdicts[0]:
            wavered += [(subject, again) for again in verdicts[1:]]
    noise = within_case_noise(scores)
    return Clean(
        passed=passed, scores=scores, wavered=wavered, sd=noise.sd if isinstance(noise, Noise) else None
    )


def slips(
    probe: str,
    rows: Rows,
    went_wrong: Callable[[Trial, Judgement], bool | None],
    *,
    wanted: str,
    what: str,
    allowed: float,
    tails: Tails,
    untouched: Pairs = (),
) -> Finding:
    """A probe whose trials each go right or wrong; None: the trial says nothing.

    `untouched` are repeats without the probe: what goes wrong there too is not the probe's doing.
    """
    pairs: list[tuple[Trial, bool]] = []
    lost = 0
    for trial, judgement in rows:
        wrong = went_wrong(trial, judgement)
        if wrong is not None:
            pairs.append((trial, wrong))
        elif isinstance(judgement.outcome, Failed):
            lost += 1
    found = exact_share(((trial.subject.subject_id, wrong) for trial, wrong in pairs), tails)
    if found is None:
        return Finding(
            probe=probe,
            ruling="inconclusive" if rows else "not applicable",
            wanted=wanted,
            found="no answer was judged as it should be before it was touched"
            if rows
            else "nothing to try it on",
            not_judged=lost,
        )
    count = sum(wrong for _, wrong in pairs)
    again = exact_share(untouched, tails)
    beyond = excess(found, again)
    return Finding(
        probe=probe,
        ruling=rule(beyond, allowed),
        wanted=wanted,
        found=f"{count} of {len(pairs)} {what}: {shown_rate(found)}{shown_excess(beyond, again)}; "
        f"allowed {percent(allowed)}",
        n=len(pairs),
        figure=found,
        ruled=beyond,
        allowed=allowed,
        not_judged=lost,
        examples=tuple(trial.trial_id for trial, wrong in pairs if wrong)[:EXAMPLES],
    )


def shown_excess(beyond: Estimate, again: Estimate | None) -> str:
    """Nothing where nothing was judged again, or nothing went wrong either time."""
    if again is None or not (beyond.value or again.value):
        return ""
    return f"; {percent(again.value)} when judged again untouched, so {shown_rate(beyond)} beyond that"
