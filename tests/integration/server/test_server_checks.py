"""Checks in code on the pages: how they were scored, beside a model judge, with hostile text in the answer."""

import json
import re
from html import unescape

import pytest
from served import served

import adjudge

HOSTILE = "<script>alert(1)</script> `</code><img src=x onerror=alert(2)>` Paris"
CASES = [
    {
        "id": "one",
        "question": "Capital?",
        "response": HOSTILE,
        "reference": "Paris",
        "expected_tool_calls": ["look"],
    },
    {
        "id": "two",
        "question": "Capital?",
        "response": "Rome",
        "reference": "Paris",
        "expected_tool_calls": [],
    },
]
FILES = {
    "names.md": "---\nadjudge: 1\ncheck: contains\n---\n",
    "same.md": "---\nadjudge: 1\ncheck: exact\n---\n",
    "both.md": "---\nadjudge: 1\ncombine: 0.5 * names + 0.5 * same\n---\n",
}


def relevant(prompt):
    return json.dumps({"reason": "It is on topic.", "score": 5 if "Rome" not in prompt else 1})


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("checks")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    store = folder / "store"
    judges = [folder / "both.md", "relevance"]
    adjudge.evaluate(CASES, judges=judges, model=relevant, store=store, name="run")
    with served(store, models=["openai:x"], judges=[folder / "both.md"]) as opened:
        yield opened


def shown(pages, path, **query):
    answer = pages.client.get(path, params=query)
    assert answer.status_code == 200, answer.text
    assert "<script>alert" not in answer.text
    assert "<img src=x" not in answer.text
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", answer.text)).split())


def test_the_run_page_says_that_no_model_was_asked_and_how_often_both_agree(pages):
    text = shown(pages, "/runs/run")
    assert "checked in code: no model was asked" in text
    assert "passes and fails as relevance does on 2 of 2 cases" in text
    report = pages.read("/api/runs/run")["report"]
    assert [(each["check"], each["equal"], each["judged"]) for each in report["checks"]] == [
        ("names", 2, 2),
        ("same", 1, 2),
    ]


def test_the_case_page_shows_what_was_compared(pages):
    text = shown(pages, "/runs/run/case", case="one", judge="names")
    assert "check contains" in text
    assert "The response contains Paris" in text
    assert "Expected tool calls" in text
    combined = shown(pages, "/runs/run/case", case="one", judge="both")
    assert "0.5 × 1 + 0.5 × 0 = 0.5" in combined


def test_a_case_is_judged_by_a_combination_through_the_api(pages):
    case = {"response": "Paris", "reference": "Paris"}
    answer = pages.client.post("/api/judge", json={"judge": "both", "model": "openai:x", "case": case})
    assert answer.status_code == 200, answer.text
    assert answer.json()["row"]["score"] == 1


@pytest.mark.parametrize("text", ["check: contains", "check: {json_schema: {schema: {type: object}}}"])
def test_the_page_of_a_check_names_it(tmp_path, text):
    (tmp_path / "shape.md").write_text(f"---\nadjudge: 1\nname: shape\n{text}\n---\n")
    adjudge.evaluate(CASES, judges=[tmp_path / "shape.md"], store=tmp_path / "store", name="run")
    with served(tmp_path / "store", judges=[tmp_path / "shape.md"]) as opened:
        (judge,) = [each for each in opened.read("/api/judges")["judges"] if each["name"] == "shape"]
        assert "computed in code" in shown(opened, f"/judges/{judge['key']}")


def test_an_address_with_half_a_character_is_not_found(pages):
    assert pages.client.get("/runs/~ED~A0~80").status_code == 404
    assert pages.client.get("/api/runs/~ED~A0~80").status_code == 404
