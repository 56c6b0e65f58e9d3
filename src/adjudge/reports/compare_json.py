"""The comparison as JSON: every figure with its n, its interval, how it was made, and what was left out."""

from collections.abc import Sequence
from dataclasses import asdict

from adjudge.records import Json
from adjudge.reports.compare import Compared, Side, Slice
from adjudge.reports.compare_corrected import Correction
from adjudge.reports.compare_people import People
from adjudge.reports.format import plain_json
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.paired import Comparison


def comparison_json(
    comparisons: Sequence[Compared], *, notes: Sequence[str] = (), across: Sequence[str] = ()
) -> dict[str, Json]:
    """`{"judges": […], "across": […], "notes": […]}`, one object for each judge; `across` is what differs all the same."""
    return {
        "judges": [plain_json(_compared(compared)) for compared in comparisons],
        "across": list(across),
        "notes": list(notes),
    }


def _compared(compared: Compared) -> dict[str, object]:
    return {
        "finding": compared.finding,
        "a": _side(compared.a),
        "b": _side(compared.b),
        "scale": None if compared.scale is None else [compared.scale.low, compared.scale.high],
        "normalized": compared.normalized,
        "lower_is_better": compared.turned,
        "matched": compared.matched,
        "pairs": compared.pairs,
        "clusters": compared.clusters,
        "clusters_differ": compared.clusters_differ,
        **_comparison(compared.comparison),
        "bounds": None if compared.bounds is None else [compared.bounds.low, compared.bounds.high],
        "secondary": {
            "mcnemar": _figure(compared.mcnemar),
            "only_a_passed": compared.only_a_passed,
            "only_b_passed": compared.only_b_passed,
            "ruled_otherwise": compared.ruled_otherwise,
            "wilcoxon": _figure(compared.wilcoxon),
        },
        "slices": [_slice(part) for part in compared.slices],
        "slices_left_out": compared.slices_left_out,
        "flips": {
            "kind": compared.flips.kind,
            "better": compared.flips.better,
            "worse": compared.flips.worse,
            "shown": [asdict(flip) for flip in compared.flips.shown],
        },
        "people": _people(compared.people),
        "corrected": _corrected(compared.corrected),
    }


def _side(side: Side) -> dict[str, object]:
    return {
        "run": side.run,
        "judge": side.judge,
        "models": list(side.models),
        "model_snapshots": list(side.snapshots),
        "cases": side.cases,
        "alone": side.alone,
        "lost": side.lost,
        "unread": side.no_id,
        "repeats": side.repeats,
        "repeats_lost": side.repeats_lost,
        "mean": _estimate(side.mean),
        "pass_rate": _estimate(side.pass_rate),
    }


def _comparison(comparison: Comparison | None) -> dict[str, object]:
    if comparison is None:
        return {"difference": None, "p": None}
    return {
        "difference": _estimate(comparison.difference),
        "p": comparison.p,
        "exact": comparison.exact,
        "p_error": comparison.p_error,
        "significant": comparison.significant,
        "effect_size": _figure(comparison.effect_size),
        "detectable": _figure(comparison.detectable),
    }


def _slice(part: Slice) -> dict[str, object]:
    return {
        "column": part.column,
        "value": part.value,
        **_comparison(part.comparison),
        "p_holm": part.adjusted,
        "significant": part.significant,
    }


def _people(people: People | Undefined | None) -> object:
    if people is None or isinstance(people, Undefined):
        return None if people is None else {"why_not": people.why}
    return {
        "a": _estimate(people.a),
        "b": _estimate(people.b),
        **_comparison(people.comparison),
        "shares": people.shares,
        "labelled": people.labelled,
        "lost": people.lost,
        "unusable": people.unusable,
        "unknown": people.unknown,
    }


def _corrected(correction: Correction | Undefined | None) -> object:
    if correction is None or isinstance(correction, Undefined):
        return None if correction is None else {"why_not": correction.why}
    return {
        "selection": {
            "kind": correction.selection.kind,
            "words": correction.selection.words,
            "missing": correction.selection.missing,
            "not_in_the_draw": correction.selection.outside,
            "unknown": correction.selection.unknown,
        },
        "labelled_a": correction.labelled_a,
        "labelled_b": correction.labelled_b,
        "labelled_both": correction.labelled_both,
        "used": correction.used,
        "tuned_on": correction.tuned_on,
        "differences": [
            {
                "of": each.of,
                "naive": _estimate(each.naive),
                "ppi": {"why_not": each.ppi.why}
                if isinstance(each.ppi, Undefined)
                else {
                    "estimate": _estimate(each.ppi.estimate),
                    "target": each.ppi.target,
                    "labels": each.ppi.labels,
                    "tuning": each.ppi.tuning,
                },
                "quote": each.quote,
                "why": each.why,
            }
            for each in correction.differences
        ],
    }


def _figure(figure: float | Undefined) -> object:
    return {"value": None, "why_not": figure.why} if isinstance(figure, Undefined) else {"value": figure}


def _estimate(estimate: Estimate | None) -> object:
    """An end that nothing bounds becomes null."""
    return None if estimate is None else asdict(estimate)
