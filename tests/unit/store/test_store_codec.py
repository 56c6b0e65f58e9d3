"""Records come back from JSON, and from a store, equal to what they were."""

import tempfile
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal
from hashlib import sha256
from types import MappingProxyType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import fields, replace

from adjudge.records import (
    Call,
    Case,
    Completion,
    Failed,
    Forced,
    Judgement,
    Measured,
    Message,
    Place,
    Prompt,
    Request,
    Score,
    Scored,
    ScoreDistribution,
    TokenLogprob,
    Usage,
    Verdict,
)
from adjudge.store import JudgementKey, KeepCompletion, KeepJudgement, open_store
from adjudge.store.codec import (
    dump_case,
    dump_judgement,
    dump_logprobs,
    dump_prompt,
    load_case,
    load_judgement,
    load_logprobs,
    load_prompt,
)
from adjudge.store.packing import DamagedError, dump_json, to_micros

TEXT = st.text(st.characters(codec=None, categories=None), max_size=30)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda children: st.lists(children, max_size=3) | st.dictionaries(TEXT, children, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(TEXT, JSON, max_size=4)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-10, 10)
NOTES = st.lists(TEXT, max_size=2).map(tuple)
COUNTS = st.none() | st.integers(0, 2**63 - 1)
PLACES = st.none() | st.builds(Place, file=TEXT, line=st.none() | st.integers(0, 2**40))
MOMENTS = st.datetimes(timezones=st.just(UTC))

SCORES = st.builds(Score, value=NUMBERS, exact=NUMBERS, notes=NOTES, parts=st.none() | OBJECTS)
VERDICTS = st.builds(Verdict, parts=OBJECTS, notes=NOTES)
OUTCOMES = (
    st.builds(Scored, verdict=VERDICTS, score=SCORES)
    | st.builds(Forced, score=SCORES, reason=TEXT, verdict=VERDICTS)
    | st.builds(
        Failed,
        kind=st.sampled_from(
            [
                "abstained",
                "missing_input",
                "bad_row",
                "unreadable",
                "refused",
                "truncated",
                "too_long",
                "call_failed",
                "not_asked",
            ]
        ),
        message=TEXT,
        error_kind=TEXT,
        attempts=st.integers(0, 9),
        maybe_billed=st.booleans(),
        verdict=VERDICTS,
    )
)
REQUESTS = st.builds(
    Request,
    prompt=st.builds(
        Prompt,
        messages=st.lists(
            st.builds(Message, role=st.sampled_from(["system", "user", "assistant"]), content=TEXT),
            max_size=3,
        ).map(tuple),
    ),
    schema=st.none() | OBJECTS.map(MappingProxyType),
    case_id=TEXT,
    judge=TEXT,
    step=TEXT,
    repeat=st.integers(0, 5),
    shared=st.booleans(),
    temperature=st.none() | st.floats(0, 2),
    max_output_tokens=st.none() | st.integers(1, 2**40),
    parameters=OBJECTS,
)
COMPLETIONS = st.builds(
    Completion,
    text=TEXT,
    finish=st.sampled_from(["stop", "length", "refusal"]),
    structured=st.booleans(),
    model_snapshot=st.none() | TEXT,
    usage=st.builds(Usage, input=COUNTS, output=COUNTS, cached=COUNTS),
    cost=st.none() | st.decimals(allow_nan=False, allow_infinity=False),
    latency_ms=st.floats(0, 1e9),
    attempts=st.integers(0, 50),
    notes=NOTES,
    logprobs=st.lists(
        st.builds(
            TokenLogprob,
            token=TEXT,
            logprob=st.floats(max_value=0, allow_nan=False),
            alternatives=st.lists(
                st.tuples(TEXT, st.floats(max_value=0, allow_nan=False, allow_infinity=False)), max_size=2
            ).map(tuple),
        ),
        max_size=3,
    ).map(tuple),
    measured=st.none() | st.builds(Measured, probability=st.floats(0, 1), exact=st.none() | st.floats(0, 5)),
    from_store=st.booleans(),
)
JUDGEMENTS = st.builds(
    Judgement,
    case_id=TEXT,
    judge=TEXT,
    judge_hash=TEXT,
    model=TEXT,
    repeat=st.integers(0, 5),
    outcome=OUTCOMES,
    reason=st.none() | TEXT,
    normalized=st.none() | NUMBERS,
    passed=st.none() | st.booleans(),
    probability=st.none() | NUMBERS,
    distribution=st.none()
    | st.builds(
        ScoreDistribution,
        shares=st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=3).map(tuple),
        off_scale=NUMBERS,
    ),
    notes=NOTES,
    calls=st.lists(st.builds(Call, request=REQUESTS, completion=COMPLETIONS), max_size=2).map(tuple),
    at=MOMENTS,
    place=PLACES,
    metadata=OBJECTS,
    cluster=st.none() | TEXT,
    label=JSON,
    annotators=JSON,
)


@st.composite
def cases(draw, case_id=TEXT):
    columns = draw(OBJECTS)
    shared = {
        f"field {number}": columns[name]
        for number, name in enumerate(
            draw(st.lists(st.sampled_from(sorted(columns)), max_size=3)) if columns else []
        )
    }
    return Case(
        case_id=draw(case_id),
        columns=columns,
        fields=shared | draw(OBJECTS),
        contested=draw(st.dictionaries(TEXT, NOTES, max_size=2)),
        place=draw(PLACES),
    )


def bare(call):
    """What a judgement itself remembers of a call: what it was for and what it cost, not what was said."""
    request, completion = call.request, call.completion
    return Call(
        request=Request(
            prompt=Prompt(messages=()),
            schema=None,
            case_id=request.case_id,
            judge=request.judge,
            step=request.step,
            repeat=request.repeat,
            shared=request.shared,
        ),
        completion=Completion(
            text="",
            finish=completion.finish,
            structured=completion.structured,
            model_snapshot=completion.model_snapshot,
            usage=completion.usage,
            cost=completion.cost,
            latency_ms=completion.latency_ms,
            attempts=completion.attempts,
            notes=completion.notes,
            from_store=completion.from_store,
        ),
    )


def read(data, judgement):
    key = JudgementKey(judgement.case_id, judgement.judge, judgement.model, judgement.repeat)
    return load_judgement(data, key, judgement.judge_hash, to_micros(judgement.at))


@given(JUDGEMENTS)
def test_a_judgement_comes_back_with_what_its_calls_cost(judgement):
    found = read(dump_judgement(judgement), judgement)
    assert found == replace(judgement, calls=tuple(bare(call) for call in judgement.calls))
    for name in ("usage", "cost", "latency_ms", "attempts", "model_snapshot", "from_store"):
        assert getattr(found, name) == getattr(judgement, name)


@given(JUDGEMENTS, TEXT, NOTES)
def test_what_a_judgement_has_from_its_verdict_or_score_is_written_once(judgement, reason, notes):
    parts = {"why": f"{reason} is what it says, at some length", "final": 1.0}
    score = Score(value=1, exact=1.0, notes=notes, parts=parts)
    judgement = replace(
        judgement,
        outcome=Scored(verdict=Verdict(parts=parts), score=score),
        reason=parts["why"],
        notes=notes,
    )
    data = dump_judgement(judgement)
    assert data.count(b"is what it says") == 1
    found = read(data, judgement)
    assert found == replace(judgement, calls=tuple(bare(call) for call in judgement.calls))
    other = replace(judgement, reason="another", notes=(*notes, "one more"))
    assert read(dump_judgement(other), other).reason == "another"
    assert read(dump_judgement(other), other).notes == (*notes, "one more")


@given(cases())
def test_a_case_comes_back_with_its_fields_in_order(case):
    found = load_case(dump_case(case), case_id=case.case_id, place=case.place)
    assert found == case
    assert list(found.fields) == list(case.fields)
    assert repr(dict(found.fields)) == repr(dict(case.fields))


def test_a_field_that_is_a_column_is_not_written_twice():
    answer = "Paris " * 50
    case = Case(case_id="1", columns={"output": answer}, fields={"response": answer})
    assert len(dump_case(case)) < len(answer) + 60


def test_equal_rows_of_two_files_are_one_text():
    rows = [
        Case(case_id=case_id, columns={"q": "?"}, fields={"question": "?"}, place=Place(file=case_id, line=1))
        for case_id in ("a", "b")
    ]
    assert dump_case(rows[0]) == dump_case(rows[1])


@given(REQUESTS, COMPLETIONS)
def test_prompts_and_token_probabilities_come_back(request, completion):
    assert load_prompt(dump_prompt(request.prompt)) == request.prompt
    assert load_logprobs(dump_logprobs(completion.logprobs)) == completion.logprobs


@pytest.mark.parametrize("broken", [{}, [], {"reason": "r"}, {"outcome": {}}, "x", None])
def test_a_judgement_with_parts_missing_is_damaged(broken):
    judgement = Judgement(
        case_id="1",
        judge="j",
        judge_hash="h",
        model="m",
        repeat=0,
        outcome=Failed(kind="refused", message=""),
        at=datetime.now(UTC),
    )
    with pytest.raises(DamagedError):
        read(dump_json(broken), judgement)


def test_every_part_of_the_records_is_drawn():
    """A field added to a record has to be added to the codec and here."""
    assert {each.name for each in fields(Judgement)} == {
        "case_id", "judge", "judge_hash", "model", "repeat", "outcome", "reason", "normalized", "passed", "probability",
        "distribution", "notes", "calls", "at", "place", "metadata", "cluster", "label", "annotators",
        "case",  # kept by itself
    }  # fmt: skip
    assert {each.name for each in fields(Completion)} == {
        "text", "finish", "structured", "model_snapshot", "usage", "cost", "latency_ms", "attempts", "notes",
        "logprobs", "measured", "from_store", "key", "version",
        "read",  # kept as the request's prompt
    }  # fmt: skip
    assert {each.name for each in fields(Request)} == {
        "prompt", "schema", "case_id", "judge", "step", "repeat", "shared", "temperature", "max_output_tokens",
        "parameters", "values", "fields",
    }  # fmt: skip
    assert {each.name for each in fields(Failed)} == {
        "kind",
        "message",
        "error_kind",
        "attempts",
        "maybe_billed",
        "verdict",
    }
    assert {each.name for each in fields(Case)} == {
        "case_id", "columns", "fields", "contested", "place",
        "noted",  # kept as notes of the judgements
    }  # fmt: skip


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(st.data())
def test_a_whole_judgement_its_case_and_its_completions_come_back_from_a_store(data):
    judgement = data.draw(JUDGEMENTS)
    case = replace(data.draw(cases()), case_id=judgement.case_id, place=judgement.place)
    run_id = data.draw(st.text(min_size=1, max_size=20))
    keys = [sha256(f"{number}".encode()).hexdigest() for number in range(len(judgement.calls))]
    judgement = replace(
        judgement,
        calls=tuple(
            replace(call, completion=replace(call.completion, key=key, version=1))
            for key, call in zip(keys, judgement.calls, strict=True)
        ),
    )
    with tempfile.TemporaryDirectory() as folder, closing(open_store(f"{folder}/s.db")) as store:
        store.write(
            [
                *(
                    KeepCompletion(
                        key=key,
                        version=1,
                        request=call.request,
                        completion=call.completion,
                        model=judgement.model,
                        base_url=None,
                        at=judgement.at,
                    )
                    for key, call in zip(keys, judgement.calls, strict=True)
                ),
                KeepJudgement(
                    run_id=run_id,
                    judgement=judgement,
                    case=case,
                    calls=tuple((key, 1) for key in keys),
                    reuse_key="reuse",
                ),
            ]
        )
        assert store.judgement(run_id, judgement.case_id) == [judgement]
        assert list(store.judgements(run_id, with_calls=True)) == [judgement]
        assert store.case(run_id, judgement.case_id) == case
        stored = store.find_completions(keys)
        assert [stored[key].completion for key in keys] == [
            replace(call.completion, from_store=True) for call in judgement.calls
        ]
        assert store.find_judgements(["reuse"])["reuse"] == replace(
            judgement,
            calls=tuple(
                replace(
                    bare(call),
                    completion=replace(
                        bare(call).completion, from_store=True, key=key, version=1, cost=Decimal(0)
                    ),
                )
                for key, call in zip(keys, judgement.calls, strict=True)
            ),
        )
