"""`/runs/KEY/label` and the API under it: draw cases, label them blind, then see how far the judge agrees."""

import re
from typing import Annotated, Any, TypeVar
from urllib.parse import parse_qsl, quote, urlencode

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from adjudge.analysis.agreement.document import agreement_document
from adjudge.documents.records_json import records_json
from adjudge.errors import InputError
from adjudge.rubrics import MAX_CRITERIA
from adjudge.server.keys import from_key
from adjudge.server.labels.blind import (
    keep_label,
    label_state,
    make_draw,
    remove_label,
    take_turn,
)
from adjudge.server.labels.files import (
    MAX_FILE_BYTES,
    Form,
    agreement,
    import_labels,
    list_labels,
    write_labels,
)
from adjudge.server.labels.shapes import (
    EVERY_CASE,
    Annotator,
    CaseId,
    DrawBody,
    DrawMade,
    Imported,
    JudgeName,
    JudgeToLabel,
    Kept,
    LabelBody,
    LabelList,
    LabelQuery,
    LabelState,
    Overlap,
    Removed,
    Turn,
    TurnQuery,
)
from adjudge.server.pages import page, query
from adjudge.server.routing import From, InvalidRequestError, RequestBody, RouteTable, validated
from adjudge.server.service import Served
from adjudge.server.shapes import MAX_NAME_CHARS
from adjudge.stats.labelling import MIN_UNIFORM

routes = RouteTable(tag="labels")
_PART = re.compile(r"part_[0-9]{1,3}")

Valid = TypeVar("Valid", bound=RequestBody)
FORMS: dict[Form, str] = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}


# ---- the API ----


@routes.get("/api/runs/{run}/label")
def api_label_state(
    service: Served, run: str, annotator: Annotator = "", overlap: Overlap = EVERY_CASE
) -> LabelState:
    """What there is to label in a run, judge by judge, and how far everybody is."""
    return label_state(service, from_key(run), annotator=annotator.strip(), overlap=overlap)


@routes.get("/api/runs/{run}/label/next")
def api_label_next(service: Served, run: str, wanted: TurnQuery) -> Turn:
    """A drawn case as the judge was shown it, and nothing of what it or another person said.

    It is `case`, or the next one without a label of this annotator's after `after`, or the first such; `annotator` has to be named.
    """
    if not wanted.annotator:
        raise InputError("annotator", "is not named", "say who labels: ?annotator=NAME")
    return take_turn(service, from_key(run), wanted)


@routes.post("/api/runs/{run}/draws", status=201)
def api_draw(service: Served, run: str, body: DrawBody) -> DrawMade:
    """Draw cases to label, with known sampling probabilities, as `adjudge agree RUN --next N` does."""
    return make_draw(service, from_key(run), body)


@routes.post("/api/runs/{run}/labels")
def api_keep_label(service: Served, run: str, body: LabelBody) -> Kept:
    """Keep a label; when this answers it is in the store for good. What was said before is replaced."""
    return keep_label(service, from_key(run), body)


@routes.delete("/api/runs/{run}/labels")
def api_remove_label(
    *,
    service: Served,
    run: str,
    annotator: Annotator,
    case_id: CaseId,
    judge: JudgeName = "",
    seen_verdict: Annotated[bool, Meta(description="The one given after seeing the verdict.")] = False,
) -> Removed:
    """Remove what one annotator said of one case: the blind label, or the one given after seeing the verdict."""
    return remove_label(
        service, from_key(run), judge=judge, annotator=annotator, case_id=case_id, seen_verdict=seen_verdict
    )


@routes.get("/api/runs/{run}/labels")
def api_labels(
    *,
    service: Served,
    run: str,
    judge: JudgeName = "",
    annotator: Annotated[Annotator | None, Meta(description="Of one alone.")] = None,
    first: Annotated[int, Meta(ge=0, le=10_000_000)] = 0,
    size: Annotated[int, Meta(ge=1, le=1_000)] = 100,
) -> LabelList:
    """What people said of the run's cases. Not blind: it has everybody's labels, unless `annotator` names one."""
    return list_labels(service, from_key(run), judge=judge, annotator=annotator, first=first, size=size)


@routes.get("/api/runs/{run}/labels/file", media_types=FORMS.values())
def api_labels_file(
    service: Served,
    run: str,
    judge: JudgeName = "",
    annotator: Annotator | None = None,
    format_: Form = "jsonl",
) -> Response:
    """The same as a file, JSONL or CSV, that `adjudge agree RUN FILE` reads."""
    data = write_labels(service, from_key(run), judge=judge, annotator=annotator, form=format_)
    disposition = f'attachment; filename="labels.{format_}"'
    return Response(data, media_type=FORMS[format_], headers={"content-disposition": disposition})


async def _raw(request: Request) -> bytes:
    data = bytearray()
    async for part in request.stream():
        data += part
        if len(data) > MAX_FILE_BYTES:
            break  # one byte too many is enough to be refused
    return bytes(data)


Raw = Annotated[bytes, From(_raw)]


@routes.post("/api/runs/{run}/labels/file", media_types=FORMS.values())
def api_import_labels(
    service: Served, run: str, data: Raw, judge: JudgeName = "", annotator: Annotator = ""
) -> Imported:
    """Keep the labels of a file, JSONL, JSON or CSV: `case_id`, `label`, `annotator` and `explanation`.

    All or none; `annotator` is who gave those that name nobody.
    """
    return import_labels(service, from_key(run), data, judge=judge, annotator=annotator.strip())


@routes.get("/api/runs/{run}/agreement")
def api_agreement(
    service: Served,
    run: str,
    judge: JudgeName = "",
    slice_: Annotated[
        list[Annotated[str, Meta(max_length=1_000)]], Meta(max_length=20, description="A metadata column.")
    ] = [],  # noqa: B006 - never changed
    disagreements: Annotated[int, Meta(ge=0, le=1_000)] = 5,
) -> dict[str, Any]:
    """How far the judge agrees with people, as `adjudge agree RUN --json` prints it. Not blind."""
    report = agreement(service, from_key(run), judge=judge, slices=tuple(slice_), disagreements=disagreements)
    return dict[str, Any](records_json(report))  # type: ignore[arg-type]


# ---- the pages ----


@routes.get("/runs/{run}/label")
def label_page(request: Request, service: Served, run: str, wanted: LabelQuery) -> HTMLResponse:
    found = label_state(service, from_key(run), annotator=wanted.annotator, overlap=wanted.overlap)
    chosen = _chosen(found, wanted.judge)
    return page(request, "label.html", found=found, chosen=chosen, least_uniform=MIN_UNIFORM)


@routes.get("/runs/{run}/label/next")
def turn_page(request: Request, service: Served, run: str, wanted: TurnQuery) -> Response:
    if not wanted.annotator:
        return RedirectResponse(f"/runs/{run}/label{query({'judge': wanted.judge})}", status_code=303)
    found = take_turn(service, from_key(run), wanted)
    return page(request, "label_next.html", turn=found, who=_who(found))


@routes.get("/runs/{run}/label/agreement")
def agreement_page(
    *,
    request: Request,
    service: Served,
    run: str,
    wanted: LabelQuery,
    sure: bool = False,
) -> HTMLResponse:
    """The figures, when they are asked for: a person with cases left is told first that they end the blindness."""
    state = label_state(service, from_key(run), annotator=wanted.annotator, overlap=wanted.overlap)
    chosen = _chosen(state, wanted.judge)
    if chosen is not None and chosen.left and wanted.annotator and not sure:
        return page(request, "label_reveal.html", found=state, chosen=chosen)
    report = agreement(service, from_key(run), judge=wanted.judge, disagreements=25)
    return page(
        request,
        "label_agreement.html",
        report=report,
        document=agreement_document(report),
        state=state,
        chosen=chosen,
        judge=wanted.judge,
    )


# ---- the same without scripts: forms ----


async def _form(request: Request) -> dict[str, str]:
    """Fields of a plain form. Each stands once but for `label`, of which the last counts: the button or the number."""
    raw = await _raw(request)
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, max_num_fields=MAX_CRITERIA + 50)
    except ValueError:
        raise InputError("the form", "cannot be read", "go back and send it again") from None
    found: dict[str, str] = {}
    for name, value in pairs:
        if value or name not in found:
            found[name] = value
    return found


Fields = Annotated[dict[str, str], From(_form)]


@routes.post("/runs/{run}/label/draw")
def draw_form(service: Served, run: str, fields: Fields) -> Response:
    body = _valid(DrawBody, fields, uniform_share=_share(fields, "uniform", MIN_UNIFORM))
    draw = make_draw(service, from_key(run), body)
    carried = {**_carried(fields), "judge": draw.judge}
    return RedirectResponse(f"/runs/{run}/label/next{query(carried)}", status_code=303)


@routes.post("/runs/{run}/label/keep")
def keep_form(service: Served, run: str, fields: Fields) -> Response:
    body = _label_body(fields, seen_verdict=False)
    keep_label(service, from_key(run), body)
    where = query(_carried(fields), after=body.case_id)
    return RedirectResponse(f"/runs/{run}/label/next{where}", status_code=303)


@routes.post("/runs/{run}/case/label")
def case_form(service: Served, run: str, fields: Fields) -> Response:
    """A label given on the case's page, where the verdict is in sight: it is kept as such, whatever the form says."""
    name = {**_carried(fields), "case_id": fields.get("case_id", "")}
    if "remove" in fields:
        remove_label(
            service,
            from_key(run),
            judge=name["judge"],
            annotator=name["annotator"],
            case_id=name["case_id"],
            seen_verdict=True,
        )
    else:
        keep_label(service, from_key(run), _label_body(fields, seen_verdict=True))
    pairs = [pair for pair in parse_qsl(fields.get("here", "")) if pair[0] != "annotator"]
    address = urlencode([*pairs, ("annotator", name["annotator"])])
    return RedirectResponse(f"/runs/{quote(run, safe='')}/case?{address}#labels", status_code=303)


@routes.post("/runs/{run}/label/undo")
def undo_form(service: Served, run: str, fields: Fields) -> Response:
    carried, case_id = _carried(fields), fields.get("undo", "")
    remove_label(
        service, from_key(run), judge=carried["judge"], annotator=carried["annotator"], case_id=case_id
    )
    return RedirectResponse(f"/runs/{run}/label/next{query(carried, case=case_id)}", status_code=303)


@routes.post("/runs/{run}/label/file")
def file_form(request: Request, service: Served, run: str, fields: Fields) -> HTMLResponse:
    carried = _carried(fields)
    data = fields.get("labels", "").encode("utf-8", "replace")
    made = import_labels(service, from_key(run), data, judge=carried["judge"], annotator=carried["annotator"])
    return page(request, "label_imported.html", made=made, run=run, carried=carried)


def _label_body(fields: dict[str, str], *, seen_verdict: bool) -> LabelBody:
    places = [int(name.removeprefix("part_")) for name in fields if _PART.fullmatch(name)]
    if places:
        parts = [fields.get(f"part_{place}") or None for place in range(max(places) + 1)]
        return _valid(LabelBody, fields, seen_verdict=seen_verdict, label=parts)
    if not fields.get("label", "").strip():
        raise InputError("the form", "has no label", "go back and press one of the buttons, or type a number")
    return _valid(LabelBody, fields, seen_verdict=seen_verdict)


def _carried(fields: dict[str, str]) -> dict[str, str]:
    """Who labels what: what every address of these pages carries."""
    kept = {name: fields.get(name, "")[:1_000] for name in ("judge", "annotator", "overlap")}
    return {**kept, "annotator": kept["annotator"].strip()[:MAX_NAME_CHARS]}


def _chosen(state: LabelState, judge: str) -> JudgeToLabel | None:
    if len(state.judges) == 1:
        return state.judges[0]
    return next((each for each in state.judges if judge in (each.reference, each.judge)), None)


def _who(turn: Turn) -> dict[str, Any]:
    overlap = None if turn.overlap == EVERY_CASE else f"{turn.overlap:g}"
    return {"judge": turn.judge, "annotator": turn.annotator, "overlap": overlap}


def _share(fields: dict[str, str], name: str, otherwise: float) -> str | float:
    """Percent, as people write it."""
    written = fields.get(name, "").strip().removesuffix("%")
    try:
        return float(written) / 100.0 if written else otherwise
    except ValueError:
        return written


def _valid(shape: type[Valid], fields: dict[str, str], **more: Any) -> Valid:
    """The fields that the shape has; what is wrong with one is said as the API says it."""
    known = {name: value for name, value in fields.items() if name in shape.__struct_fields__}
    try:
        return validated("the form", {**known, **more}, shape)
    except InvalidRequestError as error:
        raise InputError(error.where, error.problem.lower(), "go back and change it") from None
