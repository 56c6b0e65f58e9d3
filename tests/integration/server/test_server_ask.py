"""adjudge as a service: judges and models from the server's own list, and nothing else."""

import json

import pytest
from jsonl import write_lines
from served import finish_runs, served

CASE = {"id": "a", "question": "How many legs has a spider?", "response": "Eight.", "reference": "8"}
REPLY = {
    "reason": "Equal.",
    "contradicts": False,
    "misses_critical": False,
    "calculation": False,
    "numbers": [],
}


@pytest.fixture
def replies(tmp_path):
    path = tmp_path / "replies.jsonl"
    rows = [{"case_id": case_id, "judge": "correctness", "reply": REPLY} for case_id in ("a", "b", "c")]
    write_lines(path, rows)
    return f"scripted:{path}"


@pytest.fixture
def pages(tmp_path, replies):
    judge = tmp_path / "polite.md"
    judge.write_text("Is this polite? Rate it from 1 to 5.\n\n{{response}}\n\nReply with `Score: N`.\n")
    with served(tmp_path / "store", models=[replies], judges=[judge]) as opened:
        yield opened


def test_one_case_is_judged_and_comes_back_as_a_result_row(pages):
    said = pages.client.post("/api/judge", json={"judge": "correctness", "case": CASE}).json()
    assert said["row"]["score"] == 1
    assert said["row"]["outcome"] == "scored"
    assert "Eight." in "".join(message["content"] for message in said["messages"])
    assert json.loads(said["replies"][0]) == REPLY


def test_a_prompt_is_rendered_and_nothing_is_asked(pages):
    said = pages.client.post(
        "/api/render", json={"judge": "polite", "case": {"response": "<b>Thanks</b> {{x}}"}}
    ).json()
    assert "<b>Thanks</b> {{x}}" in said["messages"][0]["content"]


@pytest.mark.parametrize(
    "judge",
    ["/etc/passwd", "polite.md", "../polite.md", "correctness@000000000000", "nobody", "file:polite.md"],
)
def test_a_request_names_a_judge_of_the_list_and_never_a_file(pages, judge):
    answer = pages.client.post("/api/judge", json={"judge": judge, "case": CASE})
    assert answer.status_code == 400
    assert "is not allowed on this server" in answer.json()["problem"]


@pytest.mark.parametrize(
    "model",
    [
        "openai:gpt-x",
        "scripted:other.jsonl",
        "scripted:/etc/passwd",
        "embedded",
        "http://evil.example",
        "replay",
    ],
)
def test_a_request_names_a_model_of_the_list_and_no_other(pages, model):
    answer = pages.client.post("/api/judge", json={"judge": "correctness", "model": model, "case": CASE})
    assert answer.status_code == 400
    assert "is not allowed on this server" in answer.json()["problem"]


@pytest.mark.parametrize("key", ["base_url", "headers", "environ", "store", "api_key", "param"])
def test_what_a_request_may_not_say_is_refused_and_not_ignored(pages, key):
    body = {"judge": "correctness", "case": CASE, key: "x"}
    assert pages.client.post("/api/judge", json=body).status_code == 422
    assert (
        pages.client.post(
            "/api/runs", json={"judges": ["correctness"], "cases": [CASE], key: "x"}
        ).status_code
        == 422
    )


def test_a_case_without_what_the_judge_needs_is_told_so(pages):
    answer = pages.client.post("/api/render", json={"judge": "correctness", "case": {"question": "q"}})
    assert answer.status_code == 400
    assert "response" in answer.json()["problem"]


def finished(pages, run):
    finish_runs(pages.service)
    found = next(each for each in pages.read("/api/runs")["runs"] if each["run"] == run)
    assert found["state"] == "finished"
    return found


def begin(pages, **body):
    answer = pages.client.post("/api/runs", json={"judges": ["correctness"], **body})
    assert answer.status_code == 202, answer.text
    return answer.json()


def test_a_run_is_begun_kept_and_followed(pages):
    cases = [{**CASE, "id": each} for each in ("a", "b", "c")]
    begun = begin(pages, cases=cases, name="from / outside")
    run = finished(pages, begun["run"])
    assert run["key"] == begun["key"]
    assert run["name"] == "from / outside"
    assert run["headlines"][0]["mean"]["value"] == 1.0
    assert run["headlines"][0]["asked"] == 3


def test_a_second_run_of_one_name_is_another_run(pages):
    assert finished(pages, begin(pages, cases=[CASE], name="n")["run"])["run"] == "n"
    assert begin(pages, cases=[CASE], name="n")["run"] == "n-2"


def test_a_run_that_cannot_begin_says_why(pages):
    body = {"judges": ["polite", "polite@000000000000"], "cases": [{"response": "x"}]}
    assert pages.client.post("/api/runs", json=body).status_code == 400
    empty = pages.client.post("/api/runs", json={"judges": [], "cases": [CASE]})
    assert empty.status_code == 422


def test_judges_are_listed_with_what_is_known_of_them(pages):
    said = pages.read("/api/judges")
    names = {judge["name"]: judge for judge in said["judges"]}
    assert names["correctness"]["origin"] == "built-in"
    assert names["polite"]["origin"] == "file"
    shown = pages.read(f"/api/judges/{names['polite']['key']}")
    assert shown["described"]["scale"] == [1, 5]
    assert any(finding["code"].startswith("ADJ") for finding in shown["findings"])
    assert pages.client.get("/judges/nobody").status_code == 404
    assert "Try it" in pages.client.get("/judges/polite").text
