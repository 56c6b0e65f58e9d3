"""`/judges`, and judges as a service: which there are, what is known of one, and asking one."""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from logging import getLogger
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse

from adjudge.analysis.certification.document import card_line, finding_text
from adjudge.analysis.certification.rulings import RULINGS
from adjudge.analysis.certification.shelf import card_json, find_cards, shelf_of
from adjudge.analysis.summary.stored import judge_as_stored
from adjudge.dataset import read_cases
from adjudge.documents.document import plain
from adjudge.documents.records_json import records_json
from adjudge.documents.rows import result_row
from adjudge.errors import InputError, JudgeFileError
from adjudge.judges import describe_judge
from adjudge.judges.lint import lint_judge
from adjudge.options import RunOptions, make_options
from adjudge.prompts.fill import Bindings
from adjudge.records import Json, Judge, Judgement
from adjudge.runs.plan import rows_by_turn
from adjudge.runs.preview import first_case, preview
from adjudge.server.asker import RunOrder
from adjudge.server.keys import from_key, to_key
from adjudge.server.pages import page
from adjudge.server.routing import RouteTable
from adjudge.server.service import NotFoundError, Served, Service
from adjudge.server.shapes import (
    CardLine,
    JudgeBody,
    JudgeDetail,
    JudgeList,
    JudgeRow,
    JudgingAnswer,
    MessageSent,
    Origin,
    RenderBody,
    Rendered,
    RunBegun,
    RunBody,
    Stopped,
    UsedIn,
)
from adjudge.store import model_names, planned_judges

routes = RouteTable(tag="judges")
LOG = getLogger(__name__)

MAX_USED = 200
MAX_RUNS = 20


@routes.get("/api/judges")
def api_judges(service: Served) -> JudgeList:
    """The built-in judges, those given when the server was started, and those that stored runs used."""
    return list_judges(service)


@routes.get("/api/judges/{judge}")
def api_judge(service: Served, judge: str) -> JudgeDetail:
    """One judge, by the `key` of the list: prompt, inputs, lint findings, cards."""
    return show_judge(service, judge)


@routes.get("/judges")
def judges_page(request: Request, service: Served) -> HTMLResponse:
    return page(request, "judges.html", found=list_judges(service))


@routes.get("/judges/{judge}")
def judge_page(request: Request, service: Served, judge: str) -> HTMLResponse:
    return page(request, "judge.html", found=show_judge(service, judge), models=service.models)


# ---- asking ----


@routes.post("/api/render", tag="asking")
def api_render(service: Served, wanted: RenderBody) -> Rendered:
    """The prompts that a judge would send about a case; nothing is sent."""
    return render_case(service, wanted.judge, wanted.case)


@routes.post("/api/judge", tag="asking")
async def api_judge_case(service: Served, wanted: JudgeBody) -> JudgingAnswer:
    """Judge one case and wait for it. Nothing is kept: `POST /api/runs` keeps what it judges."""
    return await judge_case(service, wanted.judge, wanted.model, wanted.case)


@routes.post("/api/runs", tag="asking", status=202)
async def api_begin_run(service: Served, wanted: RunBody) -> RunBegun:
    """Begin a run over these cases; it goes on by itself, and `GET /api/runs/{key}` says how far it is."""
    run = await service.asker.begin_run(run_order(service, wanted))
    return RunBegun(run=run, key=to_key(run))


@routes.post("/api/runs/{run}/stop", tag="asking")
async def api_stop_run(service: Served, run: str) -> Stopped:
    """Take no further cases of a run that this server began; what is in flight is finished and kept."""
    return Stopped(stopped=await service.asker.stop_run(from_key(run)))


# ---- what is known ----


def list_judges(service: Service) -> JudgeList:
    used = _used(service)
    rows = [_row(judge, _origin(judge), used) for judge in service.judges.values()]
    known = {(row.name, row.hash) for row in rows}
    for reference in list(used)[:MAX_USED]:
        name, _, judge_hash = reference.rpartition("@")
        if (name, judge_hash) not in known:
            judge = _stored(service, name, judge_hash)
            if judge is not None:
                rows.append(_row(judge, "used", used))
    return JudgeList(judges=rows, models=list(service.models))


def show_judge(service: Service, key: str) -> JudgeDetail:
    reference = from_key(key)
    judge, origin = _find(service, reference)
    known = f"{judge.name}@{judge.hash}"
    runs = [record for record in service.store.runs() if known in planned_judges(record.plan)]
    described = records_json(describe_judge(judge))
    assert isinstance(described, dict)
    return JudgeDetail(
        judge=_row(judge, origin, _used(service)),
        described=described,
        text=str(records_json(judge.text)),
        findings=list(lint_judge(judge)),
        cards=[
            CardLine(
                model=card.model,
                line=card_line(card),
                findings=[
                    (each.probe, ruling, plain(finding_text(each, compares=card.compares)))
                    for ruling in RULINGS
                    for each in card.ruled(ruling)
                ],
                card=card_json(card),
            )
            for card in find_cards(shelf_of(service.where), judge_hash=judge.hash)
        ],
        runs=[
            UsedIn(
                run=record.run_id,
                key=to_key(record.run_id),
                name=record.name,
                model=", ".join(model_names(record.plan)) or None,
            )
            for record in runs[:MAX_RUNS]
        ],
    )


def allowed_judge(service: Service, reference: str) -> Judge:
    """One that requests may name. Never looked for among files: a request does not choose what is read."""
    name, at, wanted = reference.partition("@")
    judge = service.judges.get(name)
    if judge is None or (at and judge.hash != wanted):
        known = ", ".join(service.judges)
        raise InputError(
            f"judge {reference}",
            "is not allowed on this server",
            f"name one of {known}; `adjudge view --judge FILE` allows more",
        )
    return judge


def allowed_model(service: Service, wanted: str | None) -> str:
    if wanted is None:
        return service.models[0]
    if wanted not in service.models:
        raise InputError(
            f"model {wanted}",
            "is not allowed on this server",
            f"name one of {', '.join(service.models)}; `adjudge view --model M` allows more",
        )
    return wanted


def render_case(service: Service, reference: str, columns: Mapping[str, Json]) -> Rendered:
    judge = allowed_judge(service, reference)
    bindings = Bindings(current_date=datetime.now(UTC).date().isoformat())
    rows = rows_by_turn(read_cases([columns], name="the case"), (judge,), RunOptions())
    return Rendered(
        judge=judge.name,
        judge_hash=judge.hash,
        messages=[
            MessageSent(step=step.name, role=message.role, content=str(records_json(message.content)))
            for step in preview(judge, first_case(rows, "the case"), bindings)
            for message in step.messages
        ],
    )


async def judge_case(
    service: Service, reference: str, model: str | None, columns: Mapping[str, Json]
) -> JudgingAnswer:
    judge = allowed_judge(service, reference)
    judgement = await service.asker.judge(judge, allowed_model(service, model), columns)
    return judged(judgement)


def judged(judgement: Judgement) -> JudgingAnswer:
    row: dict[str, Any] = dict(result_row(judgement, "request"))
    return JudgingAnswer(
        row=row,
        messages=[
            MessageSent(step=call.request.step, role=message.role, content=str(records_json(message.content)))
            for call in judgement.calls
            for message in call.request.prompt.messages
        ],
        replies=[str(records_json(call.completion.text)) for call in judgement.calls],
    )


def run_order(service: Service, wanted: RunBody) -> RunOrder:
    return RunOrder(
        judges=[allowed_judge(service, name) for name in dict.fromkeys(wanted.judges)],
        model=allowed_model(service, wanted.model),
        cases=wanted.cases,
        options=make_options(
            name=wanted.name,
            repeat=wanted.repeats,
            jobs=wanted.jobs,
            max_cost=wanted.max_cost,
            max_calls=wanted.max_calls,
        ),
    )


def _find(service: Service, reference: str) -> tuple[Judge, Origin]:
    name, _, judge_hash = reference.rpartition("@")
    for judge in service.judges.values():
        if reference in (judge.name, f"{judge.name}@{judge.hash}"):
            return judge, _origin(judge)
    stored = _stored(service, name, judge_hash) if name else None
    if stored is None:
        raise NotFoundError(f"judge {reference}", "not found", "see the list of judges")
    return stored, "used"


def _stored(service: Service, name: str, judge_hash: str) -> Judge | None:
    kept = service.store.judge_text(judge_hash)
    if kept is None or kept[0] != name:
        return None
    try:
        return judge_as_stored(kept[1], name=name, judge_hash=judge_hash)
    except JudgeFileError:  # written for another version; one such judge must not hide the others
        LOG.warning("the stored text of judge %s@%s cannot be read", name, judge_hash)
        return None


def _origin(judge: Judge) -> Origin:
    return "built-in" if judge.built_in else "file"


def _used(service: Service) -> Counter[str]:
    return Counter(
        name for record in service.store.runs(counted=False) for name in planned_judges(record.plan)
    )


def _row(judge: Judge, origin: Origin, used: Counter[str]) -> JudgeRow:
    known = f"{judge.name}@{judge.hash}"
    return JudgeRow(
        name=judge.name,
        hash=judge.hash,
        key=to_key(known),
        origin=origin,
        description=judge.description,
        scale=None if judge.scale is None else (judge.scale.low, judge.scale.high),
        passes=judge.passes,
        runs=used[known],
    )
