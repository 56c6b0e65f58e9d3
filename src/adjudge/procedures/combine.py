"""One score from several judges: their normalized scores, put into an expression; nothing is asked."""

from collections.abc import Mapping

from adjudge.procedures.procedure import Ruling, scored
from adjudge.records import CombineScore, Failed, Forced, Json, Judge, Judgement, Verdict
from adjudge.scoring import Invalid, base_scorer
from adjudge.scoring.scale import plain


def combine(judge: Judge, rule: CombineScore, parts: Mapping[str, Judgement]) -> Ruling:
    """`parts` by the name in the expression. One that has no score leaves the whole without one, with its outcome."""
    values: dict[str, Json] = {}
    for name in rule.parts:
        part = parts[name]
        if isinstance(part.outcome, Failed):
            message = f"part `{name}` was not scored: {part.outcome.message}"
            kind, finer = part.outcome.kind, part.outcome.error_kind
            return Ruling(outcome=Failed(kind=kind, message=message, error_kind=finer))
        assert part.normalized is not None
        values[name] = part.normalized
    score = base_scorer(judge).score(Verdict(parts=values), {}, None)
    if isinstance(score, Invalid):
        return Ruling(outcome=Failed(kind="unreadable", message=score.why))
    listed = ", ".join(f"{name} {plain(part.normalized or 0)}" for name, part in parts.items())
    return scored(judge, Verdict(parts=values), score)._replace(
        reason=f"{rule.text} = {plain(score.value)}, with {listed}.",
        notes=tuple(
            f"forced_part:{name}" for name, part in parts.items() if isinstance(part.outcome, Forced)
        ),
    )
