"""`scripted:FILE`: who gets which reply, in which order, and what a bad file says."""

import asyncio
import json

import pytest

from adjudge.errors import ModelNameError, RateLimitedError, RejectedError, UnavailableError
from adjudge.models import open_model
from adjudge.records import Usage


@pytest.fixture
def script(tmp_path):
    def write(*rows):
        path = tmp_path / "replies.jsonl"
        lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
        path.write_text("\n".join(lines), encoding="utf-8")
        return open_model(f"scripted:{path}", environ={})

    return write


def say(client, *requests):
    async def work():
        return [(await client.complete(request)).text for request in requests]

    return asyncio.run(work())


def test_a_reply_answers_every_call_of_its_case(script, make_request):
    client = script({"case_id": "c1", "reply": "one"}, {"case_id": "c2", "reply": "two"})
    c1, c2 = make_request(case_id="c1"), make_request(case_id="c2")
    assert say(client, c1, c2, c1, make_request(case_id="c1", repeat=3)) == ["one", "two", "one", "one"]


def test_replies_are_given_in_order_and_then_run_out(script, make_request):
    client = script({"case_id": "c1", "replies": ["a", "b", "c"]})
    assert say(client, make_request(), make_request(repeat=1), make_request()) == ["a", "b", "c"]
    with pytest.raises(RejectedError, match="the script has no more replies for case c1, judge relevance"):
        say(client, make_request())


def test_a_case_that_is_not_in_the_script_is_said_with_file_and_size(script, make_request, tmp_path):
    client = script({"case_id": "c1", "reply": "a"}, {"case_id": "c2", "judge": "coverage", "reply": "b"})
    with pytest.raises(RejectedError) as caught:
        say(client, make_request(case_id="c2"))
    path = tmp_path / "replies.jsonl"
    assert caught.value.message == f"the script has no reply for case c2, judge relevance (2 rows in {path})"


def test_a_row_that_names_judge_or_step_goes_before_one_that_does_not(script, make_request):
    client = script(
        {"case_id": "c1", "reply": "any"},
        {"case_id": "c1", "judge": "coverage", "reply": "coverage"},
        {"case_id": "c1", "judge": "coverage", "step": "items", "reply": "items"},
    )
    found = say(
        client,
        make_request(judge="relevance"),
        make_request(judge="coverage"),
        make_request(judge="coverage@3f9c2a"),
        make_request(judge="coverage", step="items"),
    )
    assert found == ["any", "coverage", "coverage", "items"]


def test_several_rows_queue_and_the_last_reply_resumes(script, make_request):
    client = script({"case_id": "c1", "reply": "a"}, {"case_id": "c1", "reply": "b"})
    assert say(client, *[make_request()] * 3, make_request(repeat=1)) == ["a", "b", "b", "a"]


def test_replies_then_a_reply_go_on_across_repeats(script, make_request):
    client = script({"case_id": "c1", "replies": ["a", "b"]}, {"case_id": "c1", "reply": "z"})
    found = say(
        client, make_request(), make_request(repeat=1), make_request(repeat=1), make_request(repeat=2)
    )
    assert found == ["a", "b", "z", "z"]


def test_a_json_reply_is_dumped_and_text_is_left_alone(script, make_request):
    client = script({"case_id": "c1", "replies": [{"score": 4, "reason": "ä"}, [1], 3, '{"score": "x"}']})
    assert say(client, *[make_request()] * 4) == ['{"score": 4, "reason": "ä"}', "[1]", "3", '{"score": "x"}']


def test_entries_may_carry_their_own_finish_and_status(script, make_request):
    client = script(
        {
            "case_id": "c1",
            "replies": [
                {"text": "cut", "finish": "length"},
                {"status": 429},
                {"text": "down", "status": 503},
                {"status": "ok", "score": 1},
                {"finish": "refusal"},
            ],
        }
    )

    async def work():
        first = await client.complete(make_request())
        with pytest.raises(RateLimitedError) as limited:
            await client.complete(make_request())
        with pytest.raises(UnavailableError, match="down"):
            await client.complete(make_request())
        return (
            first,
            limited.value,
            await client.complete(make_request()),
            await client.complete(make_request()),
        )

    first, limited, verdict, refused = asyncio.run(work())
    assert (first.text, first.finish) == ("cut", "length")
    assert limited.status == 429
    assert verdict.text == '{"status": "ok", "score": 1}'
    assert (refused.finish, refused.text) == ("refusal", "")


def test_a_row_carries_usage_model_and_structured(script, make_request):
    row = {"case_id": 7, "reply": {}, "usage": {"input": 3, "output": 2}, "model": "m-1", "structured": True}
    client = script(row)
    completion = asyncio.run(client.complete(make_request(case_id="7")))
    assert completion.usage == Usage(input=3, output=2)
    assert (completion.model_snapshot, completion.structured, completion.cost) == ("m-1", True, 0)


def test_match_answers_any_case_whose_prompt_holds_the_text_but_a_case_row_goes_first(script, make_request):
    client = script({"match": "Paris", "reply": "by text"}, {"case_id": "c1", "reply": "by case"})
    found = say(client, make_request("Is it Paris?", case_id="c9"), make_request("Is it Paris?"))
    assert found == ["by text", "by case"]


def test_bom_crlf_and_blank_lines_are_fine(tmp_path, make_request):
    path = tmp_path / "s.jsonl"
    path.write_bytes(
        b'\xef\xbb\xbf{"case_id": "c1", "reply": "a"}\r\n\r\n{"case_id": "c2", "reply": "b"}\r\n'
    )
    client = open_model(f"scripted:{path}", environ={})
    assert say(client, make_request(case_id="c2")) == ["b"]
    assert client.name == f"scripted:{path}"


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("{not json", "is not one line of JSON"),
        ("[" * 100_000, "is not one line of JSON"),
        ("[1]", "found a list, wanted an object"),
        ("{}", "has neither `case_id` nor `match`"),
        ('{"case_id": "c"}', "has neither `reply` nor `replies` nor `status`"),
        ('{"case_id": "c", "reply": "a", "replies": ["b"]}', "has both `reply` and `replies`"),
        ('{"case_id": "c", "replies": []}', "has `replies` that are not a list of at least one"),
        ('{"case_id": "c", "replies": "a"}', "has `replies` that are not a list of at least one"),
        ('{"case_id": "c", "reply": null}', "has null as a reply, wanted text or a JSON object"),
        (
            '{"case_id": "c", "reply": "a", "finish": "lenght"}',
            'has a `finish` that is not "length" or "refusal"',
        ),
        (
            '{"case_id": "c", "status": "429"}',
            "has a `status` that is not 200 or an HTTP error from 400 to 599",
        ),
        (
            '{"case_id": "c", "reply": "a", "usage": {"input": -1}}',
            "has a `usage` with something that is not a number of tokens",
        ),
        (
            '{"case_id": "c", "reply": "a", "usage": 3}',
            "has a `usage` that is not an object of `input`, `output`, `cached`",
        ),
        ('{"case_id": "c", "reply": "a", "structured": 1}', "has a `structured` that is not true or false"),
        ('{"case_id": true, "reply": "a"}', "has true or false as `case_id`, wanted a string"),
        ('{"case_id": "c", "judge": 3, "reply": "a"}', "has a number as `judge`, wanted text"),
        ('{"case_id": "c", "match": "", "reply": "a"}', "has empty text as `match`, wanted text"),
    ],
)
def test_a_bad_row_names_file_and_line(tmp_path, row, problem):
    path = tmp_path / "s.jsonl"
    path.write_text(f'{{"case_id": "ok", "reply": "a"}}\n\n{row}\n', encoding="utf-8")
    with pytest.raises(ModelNameError) as caught:
        open_model(f"scripted:{path}", environ={})
    assert caught.value.where == f"{path} line 3"
    assert caught.value.problem == problem


def test_an_unknown_key_is_named_with_those_that_are_known(script):
    with pytest.raises(ModelNameError, match="unknown key 'replys'; known are case_id, "):
        script({"case_id": "c", "replys": ["a"]})


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ModelNameError, match=r"cannot be read \(No such file or directory\)"):
        open_model(f"scripted:{tmp_path / 'none.jsonl'}", environ={})
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n\n", encoding="utf-8")
    with pytest.raises(ModelNameError, match="has no rows"):
        open_model(f"scripted:{empty}", environ={})
    latin = tmp_path / "latin.jsonl"
    latin.write_bytes(b'{"case_id": "\xe4"}')
    with pytest.raises(ModelNameError, match="is not UTF-8 text"):
        open_model(f"scripted:{latin}", environ={})
