"""A judgement as one result row, the same fields in every format."""

from collections.abc import Mapping

from adjudge.documents.numbers import show_time, whole
from adjudge.documents.records_json import records_json
from adjudge.records import Failed, Forced, Json, Judgement, Scored, ScoreDistribution

FIELDS: tuple[str, ...] = (
    "run",
    "case_id",
    "judge",
    "judge_hash",
    "model",
    "model_snapshot",
    "repeat",
    "outcome",
    "score",
    "exact",
    "normalized",
    "passed",
    "probability",
    "reason",
    "verdict",
    "error",
    "notes",
    "usage",
    "cost",
    "latency_ms",
    "calls",
    "attempts",
    "from_store",
    "at",
    "expected_score",
    "distribution",
)


def result_row(judgement: Judgement, run: str) -> dict[str, Json]:
    """One row with exactly the fields above, in that order, safe for every JSON writer."""
    outcome = judgement.outcome
    scored = outcome if isinstance(outcome, Scored | Forced) else None
    usage = judgement.usage
    cost = judgement.cost
    values: dict[str, object] = {
        "run": run,
        "case_id": judgement.case_id,
        "judge": judgement.judge,
        "judge_hash": judgement.judge_hash,
        "model": judgement.model,
        "model_snapshot": judgement.model_snapshot,
        "repeat": judgement.repeat,
        "outcome": outcome.kind,
        "score": whole(scored.score.value) if scored else None,
        "exact": whole(scored.score.exact) if scored else None,
        "normalized": judgement.normalized if scored else None,
        "passed": judgement.passed if scored else None,
        "probability": judgement.probability,
        "reason": _reason(judgement),
        "verdict": verdict_parts(scored) if scored else outcome.verdict.parts or None,
        "error": {"kind": _error_kind(outcome), "message": outcome.message}
        if isinstance(outcome, Failed) and outcome.kind != "abstained"
        else None,
        "notes": judgement.notes,
        "usage": {"input": usage.input, "output": usage.output, "cached": usage.cached},
        "cost": None if cost is None else float(cost),
        "latency_ms": round(judgement.latency_ms, 3) if judgement.calls else None,
        "calls": len(judgement.calls),
        "attempts": judgement.attempts,
        "from_store": judgement.from_store,
        "at": show_time(judgement.at),
        "expected_score": None if judgement.distribution is None else judgement.distribution.expected,
        "distribution": _distribution(judgement.distribution),
    }
    return {name: records_json(values[name]) for name in FIELDS}


def _distribution(found: ScoreDistribution | None) -> dict[str, Json] | None:
    if found is None:
        return None
    return {
        "scores": {f"{whole(score)}": share for score, share in found.shares},
        "off_scale": found.off_scale,
    }


def _error_kind(outcome: Failed) -> str:
    """Why a call failed (`rate_limited`, `unauthorized`); for the rest the outcome says it all."""
    return outcome.error_kind if outcome.kind == "call_failed" and outcome.error_kind else outcome.kind


def verdict_parts(outcome: Scored | Forced) -> Mapping[str, Json]:
    """The verdict as code completed or corrected it; as the model gave it where code had nothing to add."""
    return outcome.verdict.parts if outcome.score.parts is None else outcome.score.parts


def _reason(judgement: Judgement) -> str | None:
    if judgement.reason is None and isinstance(judgement.outcome, Forced):
        return judgement.outcome.reason
    return judgement.reason
