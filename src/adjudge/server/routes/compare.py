"""`/compare` and `/api/compare`: two runs held against each other."""

from math import isfinite
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse

from adjudge.analysis.comparison.wording import show_difference, show_interval
from adjudge.documents.document import plain
from adjudge.documents.numbers import show_mean, show_rate
from adjudge.documents.records_json import records_json
from adjudge.errors import InputError, NotComparableError
from adjudge.server.app_state import Served, swaps
from adjudge.server.figures import AT_ONCE
from adjudge.server.keys import from_key
from adjudge.server.pages import page
from adjudge.server.service import NotFoundError
from adjudge.server.views_compare import (
    FLIPS,
    MOST_FLIPS,
    Asked,
    compare,
    compare_page,
    farthest,
    find_place,
    judge_pairs,
    pair_of,
    side_by_side,
)
from adjudge.server.views_runs import list_runs, short_model

router = APIRouter()
Key = Annotated[str, Query(max_length=1_000, description="The `key` of a run.")]
Columns = Annotated[list[str] | None, Query(max_length=5, description="Metadata columns to compare by.")]
Name = Annotated[str, Query(max_length=400)]
MOST_OFFERED = 200


@router.get("/api/compare", tags=["runs"])
def api_compare(
    service: Served,
    a: Key,
    b: Key,
    judge: Annotated[str, Query(max_length=400, description="One judge, or JUDGE_OF_A=JUDGE_OF_B.")] = "",
    *,
    across: Annotated[
        bool, Query(description="Compare runs of different judges or models all the same.")
    ] = False,
    people: Annotated[bool, Query(description="Say which side agrees more with the cases' labels.")] = False,
    flips: Annotated[
        int,
        Query(ge=0, le=MOST_FLIPS, description="How many regressions, and how many improvements, to list."),
    ] = FLIPS,
    slice: Columns = None,  # noqa: A002 - as the command line calls it
) -> dict[str, Any]:
    """Whether run B is better than run A, case by case: what `adjudge compare A B --json` prints."""
    asked = Asked(a=a, b=b, judge=judge, across=across, people=people, columns=_chosen(slice), flips=flips)
    found = records_json(compare(service, asked))
    assert isinstance(found, dict)
    return found


@router.get("/compare", include_in_schema=False)
def show_comparison(
    request: Request,
    service: Served,
    a: Key = "",
    b: Key = "",
    judge: Name = "",
    *,
    across: bool = False,
    people: bool = False,
    slice: Columns = None,  # noqa: A002 - as the command line calls it
    now: bool = False,
) -> HTMLResponse:
    """Large runs are compared when the page is shown: its script, or `now`, asks for that part."""
    asked = Asked(a=a, b=b, judge=judge, across=across, people=people, columns=_chosen(slice))
    runs = [service.run(from_key(key)) if key else None for key in (a, b)]
    found, problem, offer_across = None, None, False
    pairs, columns = list[str](), list[str]()
    if runs[0] is not None and runs[1] is not None:
        try:
            at_once = None if now or swaps(request, "comparison") else AT_ONCE
            found = compare_page(service, asked, at_once=at_once)
        except NotFoundError:
            raise
        except InputError as error:
            # two runs that cannot be compared: said on the page, where they are chosen
            problem = error
            if isinstance(error, NotComparableError):
                offer_across = error.across and not across
                pairs = judge_pairs(runs[0], runs[1]) if error.by_pair else []
    if runs[0] is not None and (found is not None or runs[0].judgements <= AT_ONCE):
        columns = [column.name for column in service.figures.get(runs[0]).columns]
    offered = list_runs(service, size=MOST_OFFERED, at_once=0)
    return page(
        request,
        "compare.html",
        offered=offered.runs,
        left_out=offered.total - len(offered.runs),
        values=_values(asked),
        found=found,
        pending=found is None and problem is None and None not in runs,
        judgements=sum(run.judgements for run in runs if run is not None),
        problem=problem,
        offer_across=offer_across,
        pairs=pairs,
        columns=columns,
        farthest=farthest,
        pair_of=pair_of,
        plain=plain,
        show={"difference": show_difference, "interval": show_interval, "mean": show_mean, "rate": show_rate},
        bounded=lambda figure: isfinite(figure.low) and isfinite(figure.high),
        short=short_model,
    )


@router.get("/compare/case", include_in_schema=False)
def compare_case_page(
    request: Request,
    service: Served,
    *,
    a: Key,
    b: Key,
    case: Annotated[str, Query(max_length=20_000)],
    judge: Name = "",
    only: Name = "",
    across: bool = False,
    people: bool = False,
    slice: Columns = None,  # noqa: A002 - as the command line calls it
) -> HTMLResponse:
    """`judge` is the pair whose verdicts are shown; the rest says which comparison this is a case of."""
    runs = [service.run(from_key(key)) for key in (a, b)]
    name_a, _, name_b = judge.partition("=")
    pair = (name_a, name_b or name_a)
    sides = [
        service.store.judgement(run.run_id, case, name or None) for run, name in zip(runs, pair, strict=True)
    ]
    if not sides[0] and not sides[1]:
        raise NotFoundError(f"case {case}", "is in neither run", "go back to the comparison")
    asked = Asked(a=a, b=b, judge=only, across=across, people=people, columns=_chosen(slice))
    return page(
        request,
        "compare_case.html",
        runs=runs,
        keys=(a, b),
        case=case,
        pair=judge,
        values=_values(asked),
        place=find_place(service, asked, "=".join(pair), case),
        fields=side_by_side(*(service.store.case(run.run_id, case) for run in runs)),
        sides=sides,
        short=short_model,
    )


def _chosen(columns: list[str] | None) -> tuple[str, ...]:
    """A form that is sent without scripts says also that nothing was chosen."""
    return tuple(dict.fromkeys(name.removeprefix("metadata.") for name in columns or () if name))


def _values(asked: Asked) -> dict[str, object]:
    return {
        "a": asked.a,
        "b": asked.b,
        "judge": asked.judge,
        "across": asked.across,
        "people": asked.people,
        "slice": list(asked.columns),
    }
