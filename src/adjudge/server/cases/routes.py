"""`/runs/KEY/cases` and `/runs/KEY/case`, as pages and under `/api`: a run's judgements as a table, and one of them whole."""

import shlex
from dataclasses import replace
from typing import Annotated, Literal

from msgspec import Meta, field
from msgspec.structs import astuple
from starlette.requests import Request
from starlette.responses import HTMLResponse, StreamingResponse

from adjudge.server.cases.detail import JudgementName, case_detail
from adjudge.server.cases.find import CarriedQuery, CaseFilter, FilterQuery, find_cases
from adjudge.server.cases.shapes import CaseDetail, FilterChoices, ListedCases
from adjudge.server.cases.table import (
    COLUMNS,
    LABEL_CHOICES,
    ORDERS,
    chips,
    export_cases,
    filter_choices,
    metadata_columns,
    table_columns,
)
from adjudge.server.cases.texts import Style, make_parts, verdict_parts
from adjudge.server.keys import RunKey, from_key, to_key
from adjudge.server.pages import page, query
from adjudge.server.routing import Query, RouteTable
from adjudge.server.run_files import MEDIA_TYPES, file_headers
from adjudge.server.service import Served, swaps
from adjudge.server.shapes import MAX_NAME_CHARS
from adjudge.store import planned_judges

routes = RouteTable(tag="cases")
MAX_ROWS = 100
"""Rows of one page in a browser."""


@routes.get("/api/runs/{run}/cases")
def api_cases(service: Served, run: RunKey, wanted: FilterQuery) -> ListedCases:
    """The judgements of a run that fit, a page of them."""
    return find_cases(service, service.run(from_key(run)), wanted.filter())


@routes.get("/api/runs/{run}/cases/choices")
def api_filter_choices(service: Served, run: RunKey) -> FilterChoices:
    """What the cases of a run can be filtered by."""
    return filter_choices(service, service.run(from_key(run)))


@routes.get("/api/runs/{run}/cases.{form}")
def api_case_file(
    service: Served, run: RunKey, form: Literal["jsonl", "csv"], wanted: FilterQuery
) -> StreamingResponse:
    """All judgements that fit, as a file: the rows that `adjudge export` writes, in the order asked for."""
    record = service.run(from_key(run))
    suffix: Literal[".jsonl", ".csv"] = ".jsonl" if form == "jsonl" else ".csv"
    return StreamingResponse(
        export_cases(service, record, wanted.filter(), suffix),
        media_type=MEDIA_TYPES[suffix],
        headers=file_headers(record, f"cases{suffix}"),
    )


@routes.get("/runs/{run}/cases")
def cases_page(request: Request, service: Served, run: RunKey, asked: FilterQuery) -> HTMLResponse:
    record, wanted = service.run(from_key(run)), asked.filter()
    wanted = replace(wanted, size=min(wanted.size, MAX_ROWS))
    found = find_cases(service, record, wanted)
    # the filters stand outside the part that is swapped
    choices = None if swaps(request, "cases") else filter_choices(service, record)
    offered = (
        {(each.name, value.value) for each in choices.slices for value in each.values} if choices else set()
    )
    names = [name.rpartition("@")[0] or name for name in planned_judges(record.plan)]
    return page(
        request,
        "cases.html",
        run=record,
        key=to_key(record.run_id),
        wanted=wanted,
        found=found,
        choices=choices,
        several=len(names) > 1,
        unit="case" if len(names) == 1 and record.plan.get("repeats") in (None, 1) else "judgement",
        columns=table_columns(wanted, found, len(names)),
        all_columns=COLUMNS,
        metadata_columns=metadata_columns(service, record),
        orders=ORDERS,
        label_choices=LABEL_CHOICES,
        chips=chips(wanted),
        offered=offered,
        live=record.state == "running",
    )


# ---- one case ----

TabName = Literal["score", "verdict", "calls", "others", "json"]
TABS: dict[TabName, str] = {
    "score": "How it was scored",
    "verdict": "Case and verdict",
    "calls": "Prompt and reply",
    "others": "Other runs",
    "json": "JSON",
}


class PageOptions(Query, frozen=True, kw_only=True):
    """How the page shows it; links from case to case keep all but `show`."""

    tab: TabName = "score"
    style: Style = field(default="markdown", name="as")
    show: Annotated[list[Annotated[str, Meta(max_length=1_000)]], Meta(max_length=50)] = field(
        default_factory=list
    )
    annotator: Annotated[str, Meta(max_length=MAX_NAME_CHARS)] = ""

    @property
    def carried(self) -> dict[str, str]:
        style = "" if self.style == "markdown" else self.style
        tab = "" if self.tab == "score" else self.tab
        return {"as": style, "tab": tab, "annotator": self.annotator}


@routes.get("/api/runs/{run}/case")
def api_case(service: Served, run: RunKey, name: JudgementName, wanted: CarriedQuery) -> CaseDetail:
    """One judgement whole: the case, the verdict, how the score was computed step by step, every prompt and reply, labels,
    and the same case elsewhere. The filter of the cases says what comes before and after it.
    """
    return case_detail(service, from_key(run), name, wanted.filter())


@routes.get("/runs/{run}/case")
def case_page(
    request: Request,
    service: Served,
    *,
    run: RunKey,
    asked: CarriedQuery,
    name: JudgementName,
    options: PageOptions,
) -> HTMLResponse:
    wanted = asked.filter()
    detail = case_detail(service, from_key(run), name, wanted)
    row, show = detail.row, options.show
    here = wanted.case_values(detail.case_id, row["judge"], row["model"], row["repeat"]) | options.carried
    named = chips(wanted)
    return page(
        request,
        "case.html",
        detail=detail,
        row=row,
        parts=make_parts(detail, style=options.style, show=show),
        verdict=verdict_parts(row["verdict"] or {}) if options.tab == "verdict" else (),
        options=options,
        tabs={name: title for name, title in TABS.items() if name != "others" or detail.others},
        here=here,
        show=show,
        links=_links(detail, wanted, options),
        back=_back(detail, wanted),
        list_name=named[0].text.capitalize() if len(named) == 1 else "Cases",
        command=shlex.join(["adjudge", "show", detail.run_name or detail.run, detail.case_id]),
    )


def _links(detail: CaseDetail, wanted: CaseFilter, options: PageOptions) -> dict[str, str]:
    """To the case before and after this one, in the list and among the failed ones, where there are such."""
    listed, failed = detail.in_list, detail.among_failed
    found = {
        "previous": listed and listed.previous,
        "next": listed and listed.next,
        "previous_failed": failed and failed.previous,
        "next_failed": failed and failed.next,
    }
    return {
        name: f"/runs/{detail.key}/case{query(wanted.case_values(*astuple(each)), **options.carried)}"
        for name, each in found.items()
        if each is not None
    }


def _back(detail: CaseDetail, wanted: CaseFilter) -> str:
    """The list at the page on which this case stands; the run, where there is no list."""
    if detail.in_list is None:
        return f"/runs/{detail.key}"
    at = detail.in_list.position
    first = 0 if at is None else (at - 1) // wanted.size * wanted.size
    return f"/runs/{detail.key}/cases{query(replace(wanted, first=first).values())}"
