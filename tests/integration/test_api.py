"""adjudge from Python: files, lists and frames; with and without a running event loop."""

import asyncio
import json

import pytest

import adjudge
from adjudge.errors import InputError
from adjudge.testing import ModelServer, ScriptedClient

GOOD = json.dumps({"reason": "It answers.", "score": 4})
CASE = {"id": "a", "question": "q", "response": "r"}


def test_evaluate_gives_judgements_rows_and_a_report(capsys):
    run = adjudge.evaluate([CASE], judges=["relevance"], model=ScriptedClient(GOOD), name="mine")
    (judgement,) = run
    assert (run.name, len(run), judgement.score, judgement.passed) == ("mine", 1, 4, True)
    assert judgement.verdict == {"reason": "It answers.", "score": 4}
    assert run.rows()[0]["run"] == "mine"
    run.report().print()
    assert "relevance " in capsys.readouterr().out
    assert run.report().to_json()["judges"][0]["asked"] == 1
    assert "relevance" in run.report().to_markdown()


def test_one_judge_may_be_given_without_a_list(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(CASE) + "\n")
    assert adjudge.evaluate(path, "relevance", model=ScriptedClient(GOOD)).judgements[0].score == 4


def test_a_data_frame_goes_in_and_comes_out():
    import pandas as pd

    frame = pd.DataFrame([{**CASE, "focus": float("nan")}])
    out = adjudge.evaluate(frame, judges=["relevance"], model=ScriptedClient(GOOD)).to_pandas()
    assert list(out["score"]) == [4]


def test_judge_one_case_inside_a_running_loop_and_outside():
    async def handler():
        return adjudge.judge("relevance", question="q", response="r", model=ScriptedClient(GOOD))

    assert asyncio.run(handler()).score == 4
    assert adjudge.judge("relevance", question="q", response="r", model=ScriptedClient(GOOD)).score == 4


def test_ajudge_is_awaited():
    judgement = asyncio.run(
        adjudge.ajudge("relevance", question="q", response="r", model=ScriptedClient(GOOD))
    )
    assert judgement.score == 4


def test_an_error_inside_the_thread_reaches_the_caller():
    async def handler():
        return adjudge.judge("relevanse", question="q", response="r", model=ScriptedClient())

    with pytest.raises(InputError, match="did you mean"):
        asyncio.run(handler())


def test_without_a_model_a_judge_of_ones_own_says_what_can_be_used(tmp_path):
    (tmp_path / "mine.md").write_text("Rate {{ response }} from 1 to 5. Reply as JSON with `score`.")
    with pytest.raises(InputError, match="ADJUDGE_MODEL"):
        adjudge.judge("mine.md", response="r")


def test_without_a_model_a_built_in_judge_wants_the_embedded_one(tmp_path, monkeypatch):
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path))
    with pytest.raises(InputError, match="adjudge models pull"):
        adjudge.judge("relevance", question="q", response="r")


def test_over_http_the_schema_is_sent_and_the_checklist_is_asked_for_once():
    checklist = {
        "facts": [{"fact": "It is blue.", "quote": "It is blue"}],
        "conclusions": [],
        "terms": [],
    }
    match = {
        "facts": [{"id": "F1", "why": "stated", "matched": True, "evidence": "blue"}],
        "conclusions": [],
        "terms": [],
        "organization": "matched",
    }

    def answer(request):
        return json.dumps(checklist if "you do not see them" in request.prompt else match)

    case = {"question": "Colour?", "reference": "It is blue.", "response": "blue"}
    with ModelServer(handler=answer) as server:
        run = adjudge.evaluate(
            [{"id": "a", **case}, {"id": "b", **case}],
            judges=["coverage"],
            model="openai:x",
            base_url=server.openai_url,
            repeat=3,
        )
        asked = ["you do not see them" in request.prompt for request in server.requests]
        assert server.requests[0].body["response_format"]["type"] == "json_schema"
    assert [judgement.score for judgement in run] == [5] * 6
    assert (asked.count(True), asked.count(False)) == (1, 3)  # both cases ask the same


def test_a_loaded_judge_can_be_given():
    judge = adjudge.parse_judge("Rate 1 to 5: {{response}}. Reply with only the number.", name="bare")
    assert adjudge.judge(judge, response="r", model=ScriptedClient("4")).score == 4


def test_judgements_from_the_store_have_their_case(tmp_path, capsys):
    """A second run takes them over; one that is resumed reads them back."""
    bad = json.dumps({"reason": "It does not.", "score": 1})
    rows = [{"id": f"c{number}", "question": f"q{number}", "response": "r"} for number in range(4)]
    cases = tmp_path / "cases.jsonl"
    cases.write_text("".join(json.dumps(row) + "\n" for row in rows))
    replies = tmp_path / "replies.jsonl"
    replies.write_text("".join(json.dumps({"case_id": row["id"], "reply": bad}) + "\n" for row in rows))
    options = {"model": f"scripted:{replies}"}
    first = adjudge.evaluate(cases, "relevance", max_calls=2, jobs=1, **options)
    resumed, again = (adjudge.evaluate(cases, "relevance", **options) for _ in range(2))
    assert (first.name == resumed.name, resumed.name == again.name) == (True, False)
    for run in (first, resumed, again):
        assert [judgement.case.fields["question"] for judgement in run] == ["q0", "q1", "q2", "q3"]
    again.report().print()
    printed = capsys.readouterr().out
    assert "Failed" in printed
    assert all(row["id"] in printed and row["question"] in printed for row in rows)
