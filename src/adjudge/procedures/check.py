"""A check in code: the case is looked at, and no request is made."""

from collections.abc import Mapping

from adjudge.procedures.procedure import Ruling, scored
from adjudge.records import CheckScore, Failed, Json, Judge, Verdict


def check_case(judge: Judge, rule: CheckScore, fields: Mapping[str, Json]) -> Ruling:
    # what checks need is slow to load, and most runs have none
    from adjudge.scoring.checks import run_check  # noqa: PLC0415
    from adjudge.scoring.checks.scorer import CheckScorer  # noqa: PLC0415

    found = run_check(rule, fields)
    if isinstance(found, Failed):
        return Ruling(outcome=found)
    score = CheckScorer(rule=rule).scored(found).score
    assert score.parts is not None
    return scored(judge, Verdict(parts=score.parts), score)._replace(reason=found.reason)
