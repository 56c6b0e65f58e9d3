"""The executor: every piece of work gives one judgement, a bounded number is in flight, faults stay with their row."""

import asyncio
import json
from dataclasses import replace

import pytest

from adjudge.errors import DatasetError, RateLimitedError, TooLongError
from adjudge.judges import load_judge, parse_judge
from adjudge.procedures.procedure import RequestSettings
from adjudge.prompts.fill import Bindings
from adjudge.records import BadRow, Case, Completion, ModelClient, Place
from adjudge.runs.engine.context import RunContext, RunModel
from adjudge.runs.engine.loop import execute
from adjudge.runs.engine.run_store import NullRunStore

ASKING = RequestSettings(bindings=Bindings(current_date="2026-01-02"))
RELEVANCE = load_judge("relevance")


class Client(ModelClient):
    """Answers everything, and remembers how many requests were open at once."""

    name = "test:client"

    def __init__(self, reply=None, error=None):
        self.reply = reply or json.dumps({"reason": "ok", "score": 3})
        self.error = error
        self.open = self.most_open = self.asked = 0

    async def complete(self, request):
        self.asked += 1
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        for _ in range(20):  # others begin meanwhile
            await asyncio.sleep(0)
        self.open -= 1
        if self.error is not None:
            raise self.error
        return Completion(text=self.reply, notes=("left_out:temperature",))

    async def close(self):
        pass


def cases(count):
    for number in range(count):
        fields = {"question": "q", "response": f"r{number}", "metadata": {"n": number}, "label": 3}
        yield Case(case_id=str(number), columns=fields, fields=fields)


def context(client, judges=(RELEVANCE,), repeats=1):
    return RunContext(
        judges=judges, repeats=repeats, models=(RunModel(client, ASKING),), run_store=NullRunStore()
    )


def judge_all(rows, client, *, jobs=4, judges=(RELEVANCE,), repeats=1):
    async def collect():
        return [judgement async for judgement in execute(rows, context(client, judges, repeats), jobs=jobs)]

    return asyncio.run(collect())


def test_every_case_judge_and_repeat_gives_one_judgement():
    made = judge_all(cases(7), Client(), repeats=3)
    assert sorted((judgement.case_id, judgement.repeat) for judgement in made) == sorted(
        (str(case), repeat) for case in range(7) for repeat in range(3)
    )
    assert {judgement.model for judgement in made} == {"test:client"}
    assert {judgement.label for judgement in made} == {3}
    assert made[0].metadata.keys() == {"n"}
    assert "left_out:temperature" in made[0].notes


def test_no_more_than_so_many_are_in_flight():
    client = Client()
    judge_all(cases(50), client, jobs=4)
    assert client.asked == 50
    assert client.most_open == 4


def test_cases_are_taken_as_they_are_needed():
    taken = 0

    def counted():
        nonlocal taken
        for case in cases(1000):
            taken += 1
            yield case

    async def first_few():
        made = []
        stream = execute(counted(), context(Client()), jobs=4)
        async for judgement in stream:
            made.append(judgement)
            if len(made) == 10:
                await stream.aclose()
                break
        return made

    assert len(asyncio.run(first_few())) == 10
    assert taken <= 32


@pytest.mark.parametrize(
    ("error", "kind", "finer"),
    [
        (RateLimitedError("slow down", status=429), "call_failed", "rate_limited"),
        (TooLongError("too long"), "too_long", "too_long"),
    ],
)
def test_a_call_that_fails_is_an_outcome_of_its_row(error, kind, finer):
    made = judge_all(cases(3), Client(error=error))
    assert [(judgement.outcome.kind, judgement.outcome.error_kind) for judgement in made] == [
        (kind, finer)
    ] * 3
    assert all(judgement.score is None and judgement.calls == () for judgement in made)


class PickyKeeper(NullRunStore):
    """Keeps everything but cases."""

    def __init__(self):
        self.kept = []

    async def keep(self, judgement, row, reuse_key, position):
        if isinstance(row, Case):
            raise TypeError("a value that has no stored form")
        self.kept.append((judgement, row))


def test_a_bug_is_kept_with_its_case_and_raised_at_the_end():
    async def collect(run_store, client, made):
        async for judgement in execute(cases(3), replace(context(client), run_store=run_store), jobs=1):
            made.append(judgement)

    made = []
    with pytest.raises(ZeroDivisionError):
        asyncio.run(collect(NullRunStore(), Client(error=ZeroDivisionError()), made))
    assert [(each.case_id, each.outcome.kind, each.outcome.error_kind) for each in made] == [
        ("0", "call_failed", "defect")
    ]
    run_store = PickyKeeper()
    with pytest.raises(TypeError, match="no stored form"):
        asyncio.run(collect(run_store, Client(), []))
    ((judgement, row),) = run_store.kept
    assert (judgement.outcome.error_kind, judgement.metadata, row.case_id) == ("defect", {}, "0")


def test_a_bad_row_is_an_outcome_for_every_judge_and_nothing_is_asked():
    row = BadRow(
        case_id="line-7", place=Place(file="f.jsonl", line=7), found="broken JSON", wanted="an object"
    )
    client = Client()
    (judgement,) = judge_all([row], client)
    assert judgement.outcome.kind == "bad_row"
    assert judgement.outcome.message == "f.jsonl line 7: found broken JSON; wanted an object"
    assert client.asked == 0


CONTESTED = Case(
    case_id="x",
    columns={"question": "q", "answer": "a", "output": "b"},
    fields={"question": "q"},
    contested={"response": ("answer", "output")},
)


def test_columns_that_compete_stop_a_run_before_it_begins_and_cost_one_row_later():
    with pytest.raises(DatasetError, match="--columns response=answer"):
        judge_all([CONTESTED], Client())
    made = judge_all([next(cases(1)), CONTESTED], Client(), jobs=1)
    assert [judgement.outcome.kind for judgement in made] == ["scored", "bad_row"]


def test_a_row_the_template_cannot_take_costs_that_row():
    judge = parse_judge(
        "{% for x in response %}{% for y in response %}{{ x }}{% endfor %}{% endfor %}\n\nReply with only a number from 1 to 5.",
        name="loops",
    )
    rows = [
        Case(case_id=name, columns={"response": text}, fields={"response": text})
        for name, text in (("bomb", "x" * 20_000), ("fine", "ab"))
    ]
    made = {judgement.case_id: judgement for judgement in judge_all(rows, Client(reply="4"), judges=(judge,))}
    assert made["bomb"].outcome.kind == "bad_row"
    assert made["bomb"].outcome.message.startswith("the prompt, line 1")
    assert made["fine"].score == 4
