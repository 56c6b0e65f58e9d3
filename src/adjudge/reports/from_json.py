"""A report read back from the JSON that `json.py` writes, so that what was counted once can be said in every form."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import inf
from typing import Any

from adjudge.records import Place, Scale, Usage
from adjudge.reports.repeated import Repeated, Undecided
from adjudge.reports.report import Report
from adjudge.reports.sample import Bounds
from adjudge.reports.slices import Slice, SliceColumn
from adjudge.reports.summary import Agreement, Failure, Latency, Lowest, Summary
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.repeats import Noise


def report_from_json(said: Mapping[str, Any]) -> Report:
    return Report(
        summaries=tuple(_summary(judge) for judge in said["judges"]),
        current_date=said["current_date"],
        run=said["run"],
    )


def _summary(judge: Mapping[str, Any]) -> Summary:
    """`answered`, which only gates ask for, is not in the JSON: at least what was judged with a call was answered."""
    return Summary(
        judge=judge["judge"],
        judge_hash=judge["judge_hash"],
        model=judge["model"] or "",
        scale=None if judge["scale"] is None else Scale(low=judge["scale"][0], high=judge["scale"][1]),
        better=judge["better"],
        asked=judge["asked"],
        outcomes=judge["outcomes"],
        repeats=judge["repeats"],
        grouping=judge["grouping"],
        mean=_estimate(judge["mean"]),
        mean_without_forced=_estimate(judge["mean_without_forced"]),
        bounds=_bounds(judge["bounds"]),
        pass_rate=_estimate(judge["pass_rate"]),
        pass_bounds=_bounds(judge["pass_bounds"]),
        distribution=judge["distribution"],
        agreement=_agreement(judge["agreement"]),
        cost=None if judge["cost"] is None else Decimal(str(judge["cost"])),
        cost_unknown=judge["cost_unknown"],
        usage=Usage(**judge["usage"]),
        from_store=judge["from_store"],
        latency=None if judge["latency"] is None else Latency(**judge["latency"]),
        answered=judge["outcomes"].get("scored", 0),
        temperatures=tuple(judge["temperatures"]),
        notes=judge["notes"],
        error_kinds=judge["error_kinds"],
        failures={kind: tuple(map(_failure, several)) for kind, several in judge["failures"].items()},
        lowest=tuple(Lowest(**each) for each in judge["lowest"]),
        repeated=_repeated(judge["repeated"]),
        slices=tuple(
            SliceColumn(column=column["column"], slices=tuple(_slice(part) for part in column["slices"]))
            for column in judge["slices"]
        ),
    )


def _slice(part: Mapping[str, Any]) -> Slice:
    return Slice(
        value=part["value"],
        asked=part["asked"],
        outcomes=part["outcomes"],
        mean=_estimate(part["mean"]),
        bounds=_bounds(part["bounds"]),
        pass_rate=_estimate(part["pass_rate"]),
        pass_bounds=_bounds(part["pass_bounds"]),
    )


def _failure(said: Mapping[str, Any]) -> Failure:
    place = said["place"]
    return Failure(
        case_id=said["case_id"], message=said["message"], place=None if place is None else Place(file=place)
    )


def _agreement(said: Mapping[str, Any] | None) -> Agreement | None:
    if said is None:
        return None
    return Agreement(
        labelled=said["labelled"], judged=said["judged"], equal=said["equal"], rate=_estimate(said["rate"])
    )


def _repeated(said: Mapping[str, Any] | None) -> Repeated | None:
    if said is None:
        return None
    noise, undecided = said["noise"], said["undecided"]
    return Repeated(
        noise=Undefined(why=noise["why"]) if "why" in noise else Noise(**noise),
        flips=_known(said["flips"]),
        kappa=_known(said["kappa"]),
        compared=said["compared"],
        undecided=None
        if undecided is None
        else Undecided(**{**undecided, "case_ids": tuple(undecided["case_ids"])}),
    )


def _known(said: Mapping[str, Any]) -> Estimate | Undefined:
    found = None if "why" in said else _estimate(said)
    return Undefined(why=said["why"]) if found is None else found


def _estimate(said: Mapping[str, Any] | None) -> Estimate | None:
    """Null is how JSON says that nothing bounds an end."""
    if said is None:
        return None
    low, high = said["low"], said["high"]
    return Estimate(**{**said, "low": -inf if low is None else low, "high": inf if high is None else high})


def _bounds(said: Sequence[float] | None) -> Bounds | None:
    return None if said is None else Bounds(low=said[0], high=said[1])
