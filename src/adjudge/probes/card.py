"""A judge's card: what is known about one judge with one model, as a record and as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from secrets import token_hex
from typing import Any

from adjudge import __version__
from adjudge.dataset.label_scale import read_label
from adjudge.documents.numbers import show_time
from adjudge.documents.records_json import records_json
from adjudge.errors import MissingExtraError
from adjudge.probes.examine import Answers, Examination, has_passed
from adjudge.probes.findings import FamilyFigure, Finding, Ruling, worst
from adjudge.probes.measure import measure
from adjudge.probes.trials import ERROR_RATE
from adjudge.records import Failed, Json
from adjudge.stats.intervals import Estimate, rate_interval

FORMAT = 2
"""1 ruled by single figures where this one rules by intervals."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Card:
    """Keyed by the judge's hash and the model's name and snapshot: another of any of them is another card."""

    judge: str
    judge_hash: str
    model: str
    snapshot: str | None
    """What the provider said it ran; None where it did not say."""
    at: str
    adjudge: str
    cases: str
    """Where the answers came from."""
    right: int
    wrong: int
    retests: int
    judgements: int
    not_judged: Mapping[str, int]
    """By outcome."""
    complete: bool
    """Nothing was left out by a budget, a fault or an interruption."""
    cost: str | None
    pass_rule: str
    error_rate: float
    """How often any ruling on the card may be wrong, for answers like these and attacks of this list."""
    rulings: int
    """Made by intervals; those on missing and empty fields are not."""
    margin: float
    wavering: float
    noise_sd: float | None
    findings: tuple[Finding, ...]
    families: tuple[FamilyFigure, ...]
    succeeded: tuple[str, ...]
    agreement: Mapping[str, Estimate]
    """With the labels of the cases; none where they have none."""
    card_id: str = field(default_factory=lambda: token_hex(16))
    """Random, and remembered where the card was made: a card that came with a repository can say anything."""

    @property
    def ruling(self) -> Ruling:
        """Of the whole card: a pass only when everything was judged and every probe that applies passed."""
        found = worst(finding.ruling for finding in self.findings)
        return "inconclusive" if found in {"pass", "not applicable"} and not self.complete else found

    @property
    def confidence(self) -> float:
        """Of each ruling's interval."""
        return 1.0 - 2.0 * self.error_rate / max(1, self.rulings)

    @property
    def in_order(self) -> list[Finding]:
        """Failed probes first, then those that are open."""
        order = ("fail", "inconclusive", "pass", "not applicable")
        return sorted(self.findings, key=lambda finding: order.index(finding.ruling))

    def ruled(self, ruling: str) -> list[str]:
        return [finding.probe for finding in self.findings if finding.ruling == ruling]

    def to_json(self) -> dict[str, Json]:
        found = records_json({"format": FORMAT, **asdict(self)})
        assert isinstance(found, dict)
        return found


def make_card(examination: Examination, answers: Answers, *, model: str, complete: bool) -> Card:
    measured = measure(examination, answers)
    judge, panel = examination.judge, examination.panel
    judgements = answers.all()
    lost: dict[str, int] = {}
    for judgement in judgements:
        outcome = judgement.outcome
        # a case that lacks an input is what the probe wanted, not a loss
        if isinstance(outcome, Failed) and outcome.kind != "missing_input":
            lost[outcome.kind] = lost.get(outcome.kind, 0) + 1
    costs = [judgement.cost for judgement in judgements]
    known = [cost for cost in costs if cost is not None]
    snapshots = sorted({each.model_snapshot for each in judgements if each.model_snapshot is not None})
    return Card(
        judge=judge.name,
        judge_hash=judge.hash,
        model=model,
        snapshot=", ".join(snapshots) or None,
        at=show_time(datetime.now(UTC)),
        adjudge=__version__,
        cases=panel.source,
        right=len(panel.right),
        wrong=len(panel.wrong),
        retests=examination.extent.retests,
        judgements=len(judgements),
        not_judged=lost,
        complete=complete and len(judgements) == examination.judgements and "not_asked" not in lost,
        cost=str(sum(known, Decimal(0))) if len(known) == len(costs) else None,
        pass_rule=judge.passes or "the middle of the scale, since the judge has no pass rule",
        error_rate=ERROR_RATE,
        rulings=examination.extent.rulings,
        margin=measured.margin,
        wavering=measured.wavering,
        noise_sd=measured.sd,
        findings=measured.findings,
        families=measured.families,
        succeeded=measured.succeeded,
        agreement=agreement(examination, answers),
    )


def agreement(examination: Examination, answers: Answers) -> dict[str, Estimate]:
    """Of the first untouched judgement of each labelled answer with its label."""
    verdicts: list[bool] = []
    labels: list[bool] = []
    scores: list[float] = []
    given: list[float] = []
    judge = examination.judge
    for trial in examination.clean:
        first = answers.of(trial)[:1]
        verdict = has_passed(first[0]) if first else None
        if verdict is None or trial.subject.label is None:
            continue
        if trial.subject.right is not None:
            verdicts.append(verdict)
            labels.append(trial.subject.right)
        label = read_label(trial.subject.label, judge.name, judge.scale, pass_rule=judge.passes is not None)
        if isinstance(label, float) and first[0].score is not None:
            scores.append(first[0].score)
            given.append(label)
    if not labels:
        return {}
    same = rate_interval(sum(one == other for one, other in zip(verdicts, labels, strict=True)), len(labels))
    assert same is not None
    return {"accuracy": same, **_kappa(verdicts, labels), **_correlation(scores, given)}


def _kappa(verdicts: Sequence[bool], labels: Sequence[bool]) -> dict[str, Estimate]:
    from adjudge.stats.people import agree  # noqa: PLC0415 - needs numpy, which the core install has not

    try:
        found = agree(verdicts, labels, labels=[False, True]).figures
    except MissingExtraError:
        return {}
    return {name: each for name, each in found.items() if name == "kappa" and isinstance(each, Estimate)}


def _correlation(scores: Sequence[float], given: Sequence[float]) -> dict[str, Estimate]:
    from adjudge.stats.people import correlate  # noqa: PLC0415 - likewise

    if len(set(given)) < 3:
        return {}
    try:
        found = correlate(scores, given)
    except MissingExtraError:
        return {}
    return {name: each for name, each in found.items() if name == "spearman" and isinstance(each, Estimate)}


def read_card(found: Mapping[str, Any]) -> Card:
    """A card from its JSON; a KeyError, TypeError or ValueError for what is none of this format."""
    if found["format"] != FORMAT:
        raise ValueError(f"format {found['format']} is not {FORMAT}")
    parts = {key: value for key, value in found.items() if key != "format"}
    return Card(
        **{
            **parts,
            "findings": tuple(
                Finding(
                    **{
                        **each,
                        "figure": _estimate(each["figure"]),
                        "ruled": _estimate(each["ruled"]),
                        "examples": tuple(each["examples"]),
                    }
                )
                for each in parts["findings"]
            ),
            "families": tuple(
                FamilyFigure(**{**each, "rate": _estimate(each["rate"])}) for each in parts["families"]
            ),
            "succeeded": tuple(parts["succeeded"]),
            "agreement": {name: Estimate(**each) for name, each in parts["agreement"].items()},
        }
    )


def _estimate(found: Mapping[str, Any] | None) -> Estimate | None:
    return None if found is None else Estimate(**found)
