"""What measures have in common: the judge on untouched answers, and trials that go right or wrong."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from adjudge.probes.examine import Answers, Examination, has_passed
from adjudge.probes.findings import LEAST_MARGIN, MOST_MARGIN, Finding, rule, share, shown_rate
from adjudge.probes.trials import Trial
from adjudge.records import Failed, Judgement
from adjudge.stats.repeats import Noise, within_case_noise

SLIPS_ALLOWED = 0.20
"""Of probes with a few dozen trials: fewer could not be told from this many."""
EXAMPLES = 12

Rows = Sequence[tuple[Trial, Judgement]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Clean:
    """The judge on untouched answers, each judged several times."""

    passed: Mapping[str, Sequence[bool]]
    scores: Mapping[str, Sequence[float]]
    """On a scale of 0 to 1."""
    wavering: float
    """The share of repeats that pass where the first judgement of the same wrong answer failed."""
    sd: float | None

    def first(self, subject: str) -> bool | None:
        found = self.passed.get(subject, ())
        return found[0] if found else None

    @property
    def margin(self) -> float:
        """What a score may move: as far as one judged again does, within bounds."""
        noise = 0.0 if self.sd is None else 1.96 * self.sd
        return min(MOST_MARGIN, max(LEAST_MARGIN, noise))


def read_clean(examination: Examination, answers: Answers) -> Clean:
    passed: dict[str, list[bool]] = {}
    scores: dict[str, list[float]] = {}
    again: list[bool] = []
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
            again += verdicts[1:]
    noise = within_case_noise(scores)
    return Clean(
        passed=passed,
        scores=scores,
        wavering=sum(again) / len(again) if again else 0.0,
        sd=noise.sd if isinstance(noise, Noise) else None,
    )


def slips(
    probe: str,
    rows: Rows,
    went_wrong: Callable[[Trial, Judgement], bool | None],
    *,
    wanted: str,
    what: str,
    allowed: float,
    noise: float = 0.0,
) -> Finding:
    """A probe whose trials each go right or wrong; None: the trial says nothing."""
    pairs: list[tuple[Trial, bool]] = []
    lost = 0
    for trial, judgement in rows:
        wrong = went_wrong(trial, judgement)
        if wrong is not None:
            pairs.append((trial, wrong))
        elif isinstance(judgement.outcome, Failed):
            lost += 1
    found = share((trial.subject.subject_id, wrong) for trial, wrong in pairs)
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
    return Finding(
        probe=probe,
        ruling=rule(found, allowed, noise=noise),
        wanted=wanted,
        found=f"{count} of {len(pairs)} {what}: {shown_rate(found)}",
        n=len(pairs),
        figure=found,
        not_judged=lost,
        examples=tuple(trial.trial_id for trial, wrong in pairs if wrong)[:EXAMPLES],
    )
