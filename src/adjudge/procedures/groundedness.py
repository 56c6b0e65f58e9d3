"""Claims of the response, listed once without the context, then looked for in it window by window, and scored in code."""

from adjudge.procedures.ask import ASSUMED_LIMIT
from adjudge.procedures.checklist import list_items
from adjudge.procedures.procedure import Context, Procedure, RequestSettings, Ruling, distinct, is_blank
from adjudge.procedures.single import judge_once, rule_on
from adjudge.prompts.fill import Filled
from adjudge.prompts.fit import MIN_BYTES, DoesNotFitError, prompt_bytes
from adjudge.prompts.render import render_prompt
from adjudge.prompts.windows import cut_windows
from adjudge.records import Contract, Failed, Items, Json, Judge, NamedScore, Scored, Verdict
from adjudge.scoring import Invalid
from adjudge.scoring.claims import UNFOUND, best_answers, context_text, entries

NO_CLAIMS = "no_claims"
ASSUMED_WINDOW_TOKENS = 8_000
"""What is read of a context in one call, where it is not known how much the model takes."""
MAX_WINDOW_TOKENS = 64_000
"""Where it is known: a passage is easier to overlook in more."""
MIN_WINDOW_BYTES = 1_000


def checks_claims(judge: Judge) -> bool:
    return judge.score == NamedScore(name="groundedness")


def judge_by_claims(context: Context, contract: Contract, items: Items, filled: Filled) -> Procedure:
    """One call for the claims, then one for each window with the claims that no window has supported yet.

    The claims come from a call of their own: it is short, because the context is not in it, and no sentence of a context
    can add a claim or hide one.
    """
    judge = context.judge
    if not context_text(filled.fields.get("context")).strip():
        failed = Failed(kind="missing_input", message="`context` is empty", error_kind="context")
        return Ruling(outcome=failed, notes=filled.notes)
    if is_blank(filled.fields.get("response")):
        return _no_claims("the response is blank", filled.notes)
    answer = yield from list_items(context, items, filled)
    if isinstance(answer, Failed):
        return Ruling(outcome=answer, notes=filled.notes)
    listed, claims = answer.value, entries(answer.value)
    notes = distinct(filled.notes, answer.notes, answer.verdict.notes)
    if not claims:
        return _no_claims("the response makes no claim", notes)
    asked = context.scorer.items_to_ask(listed, filled.fields)
    windows = context_windows(judge, {**filled.values, "items": asked}, context.settings)
    if len(windows) > 1:
        notes = (*notes, f"context_windows:{len(windows)}")
    names = [item.name for item in judge.inputs if item.source == "context"]
    said: list[dict[str, Json]] = []
    for number, window in enumerate(windows, start=1):
        supported = {each["id"] for each in said if each["verdict"] == "supported"}
        still_open: list[Json] = [each for each in claims if each["id"] not in supported]
        if not still_open:
            break
        part = filled._replace(
            values={**filled.values, **dict.fromkeys(names, window)},
            fields={**filled.fields, "context": window},
        )
        suffix = f"_{number}" if len(windows) > 1 else ""
        ruling = yield from judge_once(context, contract, part, items={"claims": still_open}, suffix=suffix)
        notes = distinct(notes, ruling.notes)
        if not isinstance(ruling.outcome, Scored):
            return ruling._replace(notes=notes)  # a window that was not read might have supported any claim
        said += entries(ruling.outcome.verdict.parts)
    verdict = Verdict(parts={"claims": best_answers(said)})
    score = context.scorer.score(verdict, filled.fields, listed)
    assert not isinstance(score, Invalid)
    ruling = rule_on(judge, contract, verdict, score)
    assert isinstance(ruling.outcome, Scored)
    unfound = {
        str(each["id"]) for each in entries(ruling.outcome.verdict.parts) if each["verdict"] == "not_found"
    }
    kept = tuple(
        note for note in notes if not note.startswith(UNFOUND) or note.removeprefix(UNFOUND) in unfound
    )
    return ruling._replace(notes=distinct(kept, ruling.notes))


def context_windows(judge: Judge, values: dict[str, Json], settings: RequestSettings) -> list[str]:
    """The context in parts that fit the model beside the instructions, the claims and the reply."""
    names = [item.name for item in judge.inputs if item.source == "context"]
    text = context_text(next((values[name] for name in names if name in values), None))
    if settings.context_tokens is None:
        return cut_windows(text, ASSUMED_WINDOW_TOKENS * MIN_BYTES)
    reply = judge.max_output_tokens or settings.max_output_tokens or ASSUMED_LIMIT
    beside = prompt_bytes(render_prompt(judge.messages, {**values, **dict.fromkeys(names, "")}))
    room = (settings.context_tokens - reply) * MIN_BYTES - beside
    if room < MIN_WINDOW_BYTES:
        raise DoesNotFitError(
            f"{beside:,} bytes of instructions and claims leave no room for a context in {settings.context_tokens:,} tokens"
        )
    return cut_windows(text, min(room, MAX_WINDOW_TOKENS * MIN_BYTES))


def _no_claims(why: str, notes: tuple[str, ...]) -> Ruling:
    failed = Failed(
        kind="abstained",
        message=f"{why}, so there is nothing to look for in the context",
        error_kind=NO_CLAIMS,
        verdict=Verdict(parts={"claims": []}),
    )
    return Ruling(outcome=failed, reason=f"{why[0].upper()}{why[1:]}.", notes=(*notes, NO_CLAIMS))
