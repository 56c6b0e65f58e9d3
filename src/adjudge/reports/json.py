"""The report as JSON: every figure with its interval, its n and what was left out."""

from collections.abc import Sequence
from dataclasses import asdict

from adjudge.documents.records_json import records_json
from adjudge.records import Json
from adjudge.reports.repeated import Repeated
from adjudge.reports.sample import Bounds
from adjudge.reports.slices import Slice
from adjudge.reports.summary import Summary
from adjudge.reports.words import card_of
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.repeats import Noise


def report_json(summaries: Sequence[Summary]) -> dict[str, Json]:
    """`{"judges": […]}`, one object for each judge and model."""
    return {"judges": [_judge(summary) for summary in summaries]}


def _judge(summary: Summary) -> Json:
    agreement, card = summary.agreement, card_of(summary)
    return records_json(
        {
            "judge": summary.judge,
            "judge_hash": summary.judge_hash,
            "model": summary.model or None,
            "scale": None if summary.scale is None else [summary.scale.low, summary.scale.high],
            "better": summary.better,
            "asked": summary.asked,
            "judged": summary.judged,
            "not_judged": summary.not_judged,
            "outcomes": summary.outcomes,
            "repeats": summary.repeats,
            "grouping": summary.grouping,
            "temperatures": list(summary.temperatures),
            "mean": _estimate(summary.mean),
            "mean_without_forced": _estimate(summary.mean_without_forced),
            "bounds": _bounds(summary.bounds),
            "pass_rate": _estimate(summary.pass_rate),
            "pass_bounds": _bounds(summary.pass_bounds),
            "distribution": summary.distribution,
            "repeated": None if summary.repeated is None else _repeated(summary.repeated),
            "slices": [
                {"column": column.column, "slices": [_slice(part) for part in column.slices]}
                for column in summary.slices
            ],
            "agreement": None
            if agreement is None
            else {
                "labelled": agreement.labelled,
                "judged": agreement.judged,
                "equal": agreement.equal,
                "rate": _estimate(agreement.rate),
                "within_one_step": _estimate(agreement.within_one),
                "off_scale": agreement.off_scale,
                "off_scale_example": agreement.off_scale_example,
            },
            "card": None if card is None else [asdict(each) for each in card.for_judge(summary.judge)],
            "cost": summary.cost,
            "cost_unknown": summary.cost_unknown,
            "usage": asdict(summary.usage),
            "from_store": summary.from_store,
            "latency": None if summary.latency is None else asdict(summary.latency),
            "notes": summary.notes,
            "error_kinds": summary.error_kinds,
            "failures": {
                kind: [
                    {
                        "case_id": failure.case_id,
                        "message": failure.message,
                        "place": None if failure.place is None else str(failure.place),
                    }
                    for failure in failures
                ]
                for kind, failures in summary.failures.items()
            },
            "lowest": [asdict(each) for each in summary.lowest],
        }
    )


def _slice(part: Slice) -> Json:
    return {
        "value": part.value,
        "asked": part.asked,
        "judged": part.judged,
        "not_judged": part.not_judged,
        "outcomes": dict(part.outcomes),
        "mean": _estimate(part.mean),
        "bounds": _bounds(part.bounds),
        "pass_rate": _estimate(part.pass_rate),
        "pass_bounds": _bounds(part.pass_bounds),
    }


def _repeated(repeated: Repeated) -> Json:
    return {
        "compared": repeated.compared,
        "noise": _known(repeated.noise),
        "flips": _known(repeated.flips),
        "kappa": _known(repeated.kappa),
        "undecided": None if repeated.undecided is None else records_json(asdict(repeated.undecided)),
    }


def _known(figure: Estimate | Noise | Undefined) -> Json:
    """A figure that the data do not have becomes `{"why": …}`."""
    return records_json(asdict(figure))


def _estimate(estimate: Estimate | None) -> Json:
    """An end that nothing bounds becomes null."""
    return None if estimate is None else records_json(asdict(estimate))


def _bounds(bounds: Bounds | None) -> Json:
    return None if bounds is None else [bounds.low, bounds.high]
