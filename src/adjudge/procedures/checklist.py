"""A checklist made from the reference alone, then a verdict on each of its items: an answer cannot move its denominator."""

from collections.abc import Generator, Mapping
from functools import partial

from adjudge.procedures.ask import Answer, ask
from adjudge.procedures.procedure import Context, Procedure, Ruling, distinct, is_blank
from adjudge.procedures.single import judge_once
from adjudge.prompts.fill import Filled, values_for
from adjudge.records import Completion, Contract, Failed, Items, Json, Request, Scored, Verdict
from adjudge.scoring import Invalid, Scorer


def judge_by_items(context: Context, contract: Contract, items: Items, filled: Filled) -> Procedure:
    """Make the checklist, then match against it. With several references, the best-covered one counts."""
    reference = filled.fields.get("reference")
    names = [item.name for item in context.judge.inputs if item.source == "reference"]
    references = (
        [text for text in reference if not is_blank(text)] if isinstance(reference, list) else [reference]
    )
    rulings: list[Ruling] = []
    for position, text in enumerate(references, start=1):
        suffix = f"_{position}" if len(references) > 1 else ""
        one = filled
        if reference is not None:
            one = filled._replace(
                values={**filled.values, **dict.fromkeys(names, text)},
                fields={**filled.fields, "reference": text},
            )
        answer = yield from list_items(context, items, one, suffix=suffix)
        if isinstance(answer, Failed):
            return Ruling(outcome=answer, notes=filled.notes)
        ruling = yield from judge_once(context, contract, one, items=answer.value, suffix=suffix)
        ruling = ruling._replace(notes=distinct(ruling.notes, answer.notes, answer.verdict.notes))
        if isinstance(ruling.outcome, Failed):
            # a reference that could not be matched might have been the best-covered one
            return ruling
        rulings.append(ruling)
    return max(rulings, key=_exact)


def list_items(
    context: Context, items: Items, filled: Filled, *, suffix: str = ""
) -> Generator[Request, Completion, Answer[Mapping[str, Json]] | Failed]:
    """The list of a first call, checked by the judge's scorer; all who ask for the same list share it."""
    seen = values_for(items.inputs, filled.values)
    return (
        yield from ask(
            context.request(
                context.judge.items_messages,
                seen,
                items.contract,
                fields={item.source: seen[item.name] for item in items.inputs if item.name in seen},
                step=f"items{suffix}",
                shared=True,
            ),
            items.contract,
            case_texts=tuple(seen.values()),
            check=partial(_validate_items, context.scorer, filled.fields),
        )
    )


def _validate_items(
    scorer: Scorer, fields: Mapping[str, Json], verdict: Verdict
) -> Mapping[str, Json] | Invalid:
    return scorer.validate_items(verdict.parts, fields)


def _exact(ruling: Ruling) -> float:
    assert isinstance(ruling.outcome, Scored)
    return ruling.outcome.score.exact
