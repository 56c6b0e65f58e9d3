"""`/compare` and `/api/compare`: two runs compared."""

from typing import Annotated, Any, Literal

from msgspec import Meta
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from adjudge.analysis.chosen_model import model_choices, verdicts_of
from adjudge.analysis.comparison.alike import chosen_models
from adjudge.analysis.comparison.document import comparison_document
from adjudge.documents.html import render_html
from adjudge.documents.markdown import render_markdown
from adjudge.documents.records_json import records_json
from adjudge.errors import InputError, NotComparableError
from adjudge.server.cases.texts import TITLES
from adjudge.server.compare_page import (
    MAX_FLIPS,
    CompareQuery,
    PageQuery,
    compare,
    compare_page,
    compared_runs,
    find_place,
    judge_pairs,
    side_by_side,
)
from adjudge.server.figures import AT_ONCE
from adjudge.server.keys import from_key
from adjudge.server.pages import page
from adjudge.server.routing import RouteTable
from adjudge.server.run_files import MEDIA_TYPES
from adjudge.server.runs_page import list_runs
from adjudge.server.service import NotFoundError, Served, swaps
from adjudge.store import RunRecord

routes = RouteTable(tag="runs")
MAX_OFFERED = 200
MAX_MODEL_PAIRS = 30


def model_pairs(a: RunRecord, b: RunRecord) -> list[str]:
    """Of runs that several models judged: a model of A and one of B, as `by` takes them, the same in both first."""
    choices = [model_choices(run.plan) for run in (a, b)]
    if max(map(len, choices)) < 2:
        return []
    found = [
        (one, other) for one in choices[0] for other in choices[1] if one != other or a.run_id != b.run_id
    ]
    found.sort(key=lambda pair: pair[0] != pair[1])
    return ["=".join(pair) for pair in found[:MAX_MODEL_PAIRS]]


class CaseQuery(CompareQuery, frozen=True, kw_only=True):
    """`judge` is the pair whose verdicts are shown; the rest says which comparison this is a case of."""

    case: Annotated[str, Meta(max_length=20_000)]
    only: Annotated[str, Meta(max_length=400)] = ""
    flips: int = MAX_FLIPS


@routes.get("/api/compare")
def api_compare(service: Served, asked: CompareQuery) -> dict[str, Any]:
    """Whether run B is better than run A, case by case: what `adjudge compare A B --json` prints."""
    found = records_json(compare(service, asked, compared_runs(service, asked)))
    assert isinstance(found, dict)
    return found


@routes.get("/api/compare/report.{form}")
def api_compare_file(service: Served, form: Literal["html", "md"], asked: CompareQuery) -> Response:
    """The comparison as a file to send on, in the words of `adjudge compare A B`."""
    compared = compare(service, asked, compared_runs(service, asked))
    assert compared is not None
    render = {"html": render_html, "md": render_markdown}[form]
    return Response(
        render(comparison_document(compared)).encode("utf-8", "replace"),
        media_type=MEDIA_TYPES[f".{form}"],
        headers={"content-disposition": f'attachment; filename="comparison.{form}"'},
    )


@routes.get("/compare")
def show_comparison(request: Request, service: Served, asked: PageQuery) -> HTMLResponse:
    """Large runs are compared when the page is shown: its script, or `now`, asks for that part."""
    a, b = (service.run(from_key(key)) if key else None for key in (asked.a, asked.b))
    found, problem, offer_across = None, None, False
    pairs, models, columns = list[str](), list[str](), list[str]()
    if a is not None and b is not None:
        try:
            at_once = None if asked.now or swaps(request, "comparison") else AT_ONCE
            found = compare_page(service, asked, (a, b), at_once=at_once)
        except NotFoundError:
            raise
        except InputError as error:
            # two runs that cannot be compared: said on the page, where they are chosen
            problem = error
            models = [] if asked.by else model_pairs(a, b)
            if isinstance(error, NotComparableError):
                offer_across = error.across and not asked.across
                pairs = judge_pairs(a, b) if error.by_pair else []
    if a is not None and (found is not None or a.judgements <= AT_ONCE):
        columns = [column.name for column in service.figures.get(a).columns]
    offered = list_runs(service, service.store.runs(), size=MAX_OFFERED, at_once=0)
    return page(
        request,
        "compare.html",
        offered=offered.runs,
        left_out=offered.total - len(offered.runs),
        values=asked.values,
        swapped=asked.swapped,
        q=asked.q,
        found=found,
        pending=found is None and problem is None and None not in (a, b),
        judgements=sum(run.judgements for run in (a, b) if run is not None),
        problem=problem,
        offer_across=offer_across,
        pairs=pairs,
        models=models,
        columns=columns,
    )


@routes.get("/compare/case")
def compare_case_page(request: Request, service: Served, asked: CaseQuery) -> HTMLResponse:
    keys = (asked.a, asked.b)
    runs = compared_runs(service, asked)
    name_a, _, name_b = asked.judge.partition("=")
    pair = (name_a, name_b or name_a)
    # without a choice all models of a run are shown, though they could not be compared
    models = chosen_models(runs, asked.by) if asked.by else (None, None)
    sides = [
        [*verdicts_of(service.store.judgement(run.run_id, asked.case, name or None), run, model)]
        for run, name, model in zip(runs, pair, models, strict=True)
    ]
    if not sides[0] and not sides[1]:
        raise NotFoundError(f"case {asked.case}", "is in neither run", "go back to the comparison")
    comparison = replace(asked, judge=asked.only)
    return page(
        request,
        "compare_case.html",
        titles=TITLES,
        runs=runs,
        keys=keys,
        case=asked.case,
        pair=asked.judge,
        values=comparison.values,
        place=find_place(service, comparison, runs, "=".join(pair), asked.case),
        fields=side_by_side(*(service.store.case(run.run_id, asked.case) for run in runs)),
        sides=sides,
    )
