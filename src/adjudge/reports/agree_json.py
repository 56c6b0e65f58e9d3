"""Agreement with people as JSON: every figure with its interval, its n and how it was made, or why there is none."""

from dataclasses import asdict
from typing import Any

from adjudge.records import Json
from adjudge.reports.agree import AgreeReport
from adjudge.reports.agree_selection import Selection
from adjudge.reports.format import plain_json
from adjudge.stats.ceiling import AltTest
from adjudge.stats.intervals import Undefined
from adjudge.stats.thresholds import Trial


def agree_json(report: AgreeReport) -> Json:
    threshold, people = report.better_threshold, report.people
    return plain_json(
        {
            "run": report.run_id,
            "judge": report.judge,
            "judge_hash": report.judge_hash,
            "model": report.model,
            "scale": None if report.scale is None else [report.scale.low, report.scale.high],
            "rule": report.rule,
            "judged": report.judged,
            "not_judged": dict(report.not_judged),
            "labelled": report.labelled,
            "labels": report.labels,
            "labelled_not_judged": report.labelled_not_judged,
            "labels_of_other_cases": report.elsewhere,
            "tuned_on": report.tuned_on,
            "seen_verdict": report.seen_verdict,
            "annotators": list(report.annotators),
            "adjudicators": list(report.adjudicators),
            "source": report.source,
            "sources": dict(report.sources),
            "own_labels_replaced": report.replaced,
            "own_labels_refused": report.refused,
            "selection": _selection(report.selection),
            "responses": [_plain(each) for each in report.responses],
            "agreement": {each.kind: _plain(each) for each in report.agreements},
            "human_ceiling": None if people is None else _plain(people.ceiling),
            "alt_test": None if people is None else _alt_test(people.alt_test),
            "better_threshold": _trial(report, threshold),
            "means": [_plain(each) for each in report.means],
            "slices": [
                {"column": each.column, "value": each.value, **_plain(each.agreement)}
                for each in report.slices
            ],
            "slices_left_out": report.slices_left_out,
            "disagreeing": report.disagreeing,
            "disagreements": [_plain(each) for each in report.disagreements],
            "seed": report.seed,
        }
    )


def _plain(record: Any) -> Any:
    """A record of ours as a dict; `Undefined` is `{"why": …}`."""
    return None if record is None else asdict(record)


def _selection(selection: Selection) -> dict[str, Json]:
    return {
        "kind": selection.kind,
        "known": len(selection.chances),
        "unknown": selection.unknown,
        "drawn_without_label": selection.missing,
        "not_in_the_draw": selection.outside,
        "words": selection.words,
    }


def _alt_test(found: AltTest | Undefined) -> Any:
    return _plain(found) if isinstance(found, Undefined) else {**_plain(found), "passed": found.passed}


def _trial(report: AgreeReport, found: Trial | Undefined | None) -> Any:
    if found is None or isinstance(found, Undefined) or report.threshold is None:
        return _plain(found)
    written = report.threshold.written
    return {
        **_plain(found),
        "better": found.better,
        "current": written(found.current),
        "proposed": written(found.proposed),
    }
