"""What front matter declares and what the prompt says -> one Judge; where both speak, front matter counts."""

import dataclasses
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from adjudge.errors import JudgeFileError
from adjudge.judges.asking import ask_for
from adjudge.judges.assembly.attaching import attachment
from adjudge.judges.assembly.criteria import ratings_of, rubric_of, with_ratings, with_rubric
from adjudge.judges.assembly.inputs import (
    attached_inputs,
    declares_inputs,
    first_call,
    judge_inputs,
    truncated_input,
    with_conversations,
)
from adjudge.judges.assembly.pairs import pair_inputs, read_pair
from adjudge.judges.assembly.score import (
    pass_rule,
    scale_of,
    score_rule,
    validate_abstain,
    validate_claims,
    validate_scores,
    with_needs,
)
from adjudge.judges.assembly.verdict import with_declared_verdict
from adjudge.judges.declared import CONTRACT_FIELD, Declared, clean_name
from adjudge.judges.exports import WrittenPrompt
from adjudge.judges.identity import judge_hash
from adjudge.judges.judge_file import SETTLES
from adjudge.judges.reading import PromptReading, read_prompt
from adjudge.records import (
    Contract,
    Dialect,
    FieldScore,
    Judge,
    NamedScore,
    PromptMessage,
    Scale,
    ScoreRule,
)
from adjudge.schemas import choices_of, object_schema, properties_of
from adjudge.templates import BETWEEN_MESSAGES, custom, detect
from adjudge.templates import unread as template_unread


def detect_dialect(written: WrittenPrompt) -> Dialect:
    """The dialect of a prompt, over the texts of all its messages."""
    return detect(BETWEEN_MESSAGES.join(message.text for message in written.messages))


def assemble(declared: Declared, written: WrittenPrompt, *, name: str, where: str, text: str) -> Judge:
    """Join the two readings; what they cannot agree on is an error at the line that says so."""
    if not any(message.text.strip() for message in written.messages):
        raise JudgeFileError(where, "there is no prompt in it", "write the prompt below the front matter")
    declared = with_ratings(with_rubric(declared))
    dialect = declared.dialect or written.dialect or detect_dialect(written)
    if dialect == "none" and declared.items is not None:
        # the text may stay without a placeholder where another prompt asks for what is judged
        dialect = detect(declared.items.prompt)
    messages = tuple(
        PromptMessage(role=message.role, text=message.text, dialect=dialect) for message in written.messages
    )
    read = read_prompt(messages, frozenset(declared.inputs))
    declared = _with_choices(declared, written.choices, read)
    bare = not read.inputs and declared.dialect in {None, "none"} and declared.items is None
    attached = attached_inputs(read, declared) if bare else ()
    read = with_declared_verdict(dataclasses.replace(read, inputs=(*read.inputs, *attached)), declared)
    items = first_call(declared, dialect)
    inputs = with_conversations(judge_inputs(read, declared, items), messages)
    if read.contract is not None and any(map(choices_of, properties_of(read.contract.schema).values())):
        validate_abstain(declared, read.contract)  # before its labels are taken for others that lack points
    score, contract = score_rule(read, declared)
    scale = scale_of(read, declared, score, contract)
    contract = with_needs(contract, score, declared)
    validate_abstain(declared, contract)
    validate_claims(declared, score, items, inputs)
    pair, once = read_pair(read, declared, inputs, score, scale)
    if pair is not None:
        inputs, scale = pair_inputs(pair, inputs), Scale(low=0.0, high=1.0)
    judge = Judge(
        name=declared.name or clean_name(name),
        hash="",
        messages=(*messages, attachment(attached)) if attached else messages,
        dialect=dialect,
        inputs=inputs,
        contract=contract,
        score=score,
        scale=scale,
        better=declared.better if pair is None else "higher",
        passes=pass_rule(read, declared, contract, score, scale, pair=pair),
        format_message=_format_message(read, contract),
        items=items,
        rubric=rubric_of(declared, read, inputs),
        ratings=ratings_of(declared, contract, score),
        when_missing=declared.when_missing,
        when_empty=declared.when_empty,
        abstain=declared.abstain,
        truncate=truncated_input(declared, inputs),
        temperature=declared.temperature,
        max_output_tokens=declared.max_output_tokens,
        anchors=declared.anchors if declared.anchors is not None else read.anchors,
        description=declared.description,
        ignored={**written.ignored, **declared.ignored},
        unread=(
            *_unread(read, declared, contract, score, scale),
            *once,
            *read.left_over,
            *(sentence for message in messages for sentence in template_unread(message.text, dialect)),
        ),
        guesses=(
            *_guesses(declared, dialect, messages, bare=bare),
            *_read_guesses(read, declared, score, scale),
        ),
        text=text,
        contract_template=_contract_template(declared, contract, score),
        pair=pair,
        embedded=declared.embedded,
    )
    validate_scores(declared, scale)
    return replace(judge, hash=judge_hash(judge))


def _with_choices(declared: Declared, choices: Mapping[str, float | None], read: PromptReading) -> Declared:
    """Labels that an export keeps beside its prompt, as if front matter had them; the prompt's own place for them counts."""
    if not choices or declared.verdict is not None or declared.score is not None:
        return declared
    fields = properties_of(read.contract.schema) if read.contract is not None else {}
    placed = any(set(choices_of(schema)) == set(choices) for schema in fields.values())
    points = {label: value for label, value in choices.items() if value is not None}
    return replace(
        declared,
        verdict=None if placed else object_schema({"choice": {"enum": list(choices)}}),
        score=points if len(points) == len(choices) else None,
    )


def _contract_template(
    declared: Declared, contract: Contract | None, score: ScoreRule | None
) -> str | Mapping[str, str] | None:
    """What `--as contract` prints, its fields checked; a named scorer may add fields to the verdict."""
    template = declared.contract
    if template is None:
        return None
    texts = [template] if isinstance(template, str) else template.values()
    names = {found["field"] for text in texts for found in CONTRACT_FIELD.finditer(text)}
    known = {"score", "reason", *(properties_of(contract.schema) if contract else ())}
    unknown = sorted(names - known)
    if unknown and not isinstance(score, NamedScore):
        raise declared.error(
            "contract",
            f"`contract` names `{unknown[0]}`, which is not a field of the verdict",
            f"fields: {', '.join(sorted(known))}",
        )
    return template


def _guesses(
    declared: Declared, dialect: Dialect, messages: tuple[PromptMessage, ...], *, bare: bool
) -> tuple[str, ...]:
    """What is only likely, by key; `bare` says that the prompt has no placeholder."""
    if bare or any(template_unread(message.text, dialect) for message in messages):
        return () if declares_inputs(declared) else ("inputs",)
    unsure = dialect == "custom" and declared.dialect is None
    return (
        ("dialect", "inputs")
        if unsure and not any(custom.is_wrapped(message.text) for message in messages)
        else ()
    )


def _read_guesses(
    read: PromptReading, declared: Declared, score: ScoreRule | None, scale: Scale | None
) -> Iterator[str]:
    """What the reader is not sure of and front matter does not settle."""
    used = {"scale": scale == read.scale, "better": score == read.score}
    for guess in read.guesses:
        if SETTLES[guess] not in declared.lines and used.get(guess, True):
            yield guess


def _format_message(read: PromptReading, contract: Contract | None) -> str | None:
    """Our message about the place of the rating, as JSON where a schema is sent."""
    if (
        read.format_message is None
        or contract is None
        or contract.form == "json"
        or not contract.sends_schema
    ):
        return read.format_message
    return ask_for(properties_of(contract.schema))


def _unread(
    read: PromptReading,
    declared: Declared,
    contract: Contract | None,
    score: ScoreRule | None,
    scale: Scale | None,
) -> tuple[str, ...]:
    """What still cannot be known, once front matter has spoken."""
    if contract is None or score is None:
        return read.unread
    if scale is None:
        about = f" for `{score.field}`" if isinstance(score, FieldScore) else ""
        return (f"no scale was found{about}: add `scale: [lo, hi]`",)
    if score == read.score and read.scale is not None and "better" not in declared.lines:
        return read.unread
    return ()
