"""Several models in one run: each judges every case, side by side, under one budget; code judges once."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
from jsonl import read_lines, write_lines

import adjudge as library
from adjudge.errors import SettingsError
from adjudge.options import RunOptions, make_options
from adjudge.records import Completion, ModelClient, Request
from adjudge.runs.identity import describe_run
from adjudge.runs.plan import make_plan

QUESTIONS = ("one", "two", "three")
SCORES = {"a": (5, 4, 1), "b": (5, 1, 2)}


@pytest.fixture
def folder(tmp_path):
    cases = [
        {"id": f"c{n}", "question": word, "response": word, "label": 5} for n, word in enumerate(QUESTIONS)
    ]
    write_lines(tmp_path / "cases.jsonl", cases)
    for name, scores in SCORES.items():
        script(name, [{"score": score, "reason": f"{name} says {score}"} for score in scores])
    (tmp_path / "short.md").write_text("---\nadjudge: 1\ncheck: {length: {max: 3}}\n---\n")
    (tmp_path / "mixed.md").write_text(
        "---\nadjudge: 1\ncombine: 0.5 * relevance + 0.5 * short\n---\n".replace("short", "brief")
    )
    (tmp_path / "brief.md").write_text("---\nadjudge: 1\ncheck: {length: {max: 3}}\n---\n")
    return tmp_path


def script(name, replies):
    rows = [
        {"case_id": f"c{n}", **(reply if "status" in reply or "finish" in reply else {"reply": reply})}
        for n, reply in enumerate(replies)
    ]
    write_lines(f"{name}.jsonl", rows)


def run(*models, judges=("relevance",)):
    judged = [part for judge in judges for part in ("--judge", judge)]
    return (
        "run",
        "cases.jsonl",
        *judged,
        *(part for m in models for part in ("--model", f"scripted:{m}.jsonl")),
    )


def rows_of(path="rows.jsonl"):
    return read_lines(path)


def test_each_model_judges_every_case_and_the_rows_say_which(adjudge, folder):
    done = adjudge(*run("a", "b"), "-o", "rows.jsonl", "--name", "r")
    assert done.code == 0
    assert "models scripted:a.jsonl, scripted:b.jsonl" in done.err
    assert [(row["case_id"], row["model"], row["score"]) for row in rows_of()] == [
        (f"c{n}", f"scripted:{name}.jsonl", SCORES[name][n]) for n in range(3) for name in "ab"
    ]
    report = json.loads(adjudge("report", "r", "--json").out)
    assert [(each["model"], each["mean"]["value"], each["asked"]) for each in report["judges"]] == [
        ("scripted:a.jsonl", pytest.approx(10 / 3), 3),
        ("scripted:b.jsonl", pytest.approx(8 / 3), 3),
    ]
    shown = adjudge("report", "r").out
    assert "Models for relevance" in shown
    assert "relevance (scripted:a.jsonl)" in shown
    assert "scripted:a.jsonl, scripted:b.jsonl" in adjudge("runs").out


def test_code_judges_once_and_a_combination_once_for_each_model(adjudge, folder):
    assert adjudge(*run("a", "b", judges=("mixed.md",)), "-o", "rows.jsonl").code == 0
    found = {(row["judge"], row["model"], row["case_id"]): row["score"] for row in rows_of()}
    assert len(found) == len(rows_of()) == 3 + 2 * 3 + 2 * 3
    assert {model for judge, model, _ in found if judge == "brief"} == {"code"}
    for name in "ab":
        for n, score in enumerate(SCORES[name]):
            assert found["mixed", f"scripted:{name}.jsonl", f"c{n}"] == pytest.approx(0.5 * score / 5 + 0.5)


def test_a_gate_applies_to_every_model_and_says_which_failed(adjudge, folder):
    done = adjudge(*run("a", "b"), "--fail-under", "3", "--gate", "point")
    assert done.code == 1
    assert "relevance (scripted:b.jsonl): mean needs 3, has 2.667" in done.err
    assert "relevance (scripted:a.jsonl): mean needs 3, has 3.333" in done.err


def test_the_limits_are_over_all_models(adjudge, folder):
    adjudge(*run("a", "b"), "--max-calls", "4", "-j", "1", "-o", "rows.jsonl", "--name", "r")
    assert [row["outcome"] for row in rows_of()] == ["scored"] * 4 + ["not_asked"] * 2
    adjudge(*run("a", "b"), "--max-calls", "6", "-o", "rows.jsonl", "--name", "r")
    assert [row["score"] for row in rows_of()] == [5, 5, 4, 1, 1, 2]


def test_each_model_has_its_own_price(adjudge, folder, monkeypatch):
    seen = []

    class Priced(ModelClient):
        def __init__(self, name):
            self.name = name

        async def complete(self, request):
            seen.append((self.name, request.max_output_tokens))
            return Completion(text='{"score": 3, "reason": ""}')

        async def close(self):
            pass

    dear = [Priced("openai:gpt-4o"), Priced("unheard:of")]
    with pytest.raises(SettingsError, match="price of unheard:of is not known"):
        library.evaluate("cases.jsonl", ["relevance"], model=dear, max_cost=1, store=None)
    assert seen == []


def test_one_that_cannot_be_reached_does_not_end_a_run_of_several(adjudge, folder):
    script("dead", [{"status": 401}] * 3)
    done = adjudge(*run("a", "dead"), "-j", "1", "-o", "rows.jsonl")
    assert done.code == 3
    assert "relevance (scripted:dead.jsonl): none of 3 could be judged" in " ".join(done.out.split())
    assert "stopped" not in done.err
    outcomes = {(row["model"], row["outcome"]) for row in rows_of()}
    assert outcomes == {("scripted:a.jsonl", "scored"), ("scripted:dead.jsonl", "call_failed")}
    with Path("cases.jsonl").open("a") as file:
        file.writelines(
            json.dumps({"id": f"c{n}", "question": "q", "response": f"{n}"}) + "\n" for n in (3, 4)
        )
    script("gone", [{"status": 401}] * 5)
    script("dead", [{"status": 401}] * 5)
    done = adjudge(*run("gone", "dead"), "-j", "1", "-o", "rows.jsonl")
    assert done.code == 3
    assert "stopped after" in done.err


def test_a_run_of_several_models_goes_on_where_it_stopped(adjudge, folder):
    adjudge(*run("a", "b"), "--max-calls", "3", "-j", "1")
    done = adjudge(*run("a", "b"), "--max-calls", "10", "-o", "rows.jsonl")
    assert "resuming run" in done.err
    assert [row["score"] for row in rows_of()] == [5, 5, 4, 1, 1, 2]
    again = adjudge(*run("a", "b"), "-o", "again.jsonl")
    assert again.code == 0
    assert all(row["from_store"] for row in rows_of("again.jsonl"))
    replayed = adjudge(
        "run", "cases.jsonl", "--judge", "relevance", "--model", "replay", "-o", "replayed.jsonl"
    )
    assert replayed.code == 0
    assert [(row["model"], row["score"]) for row in rows_of("replayed.jsonl")] == [
        (row["model"], row["score"]) for row in rows_of()
    ]


def test_the_same_models_from_the_environment_and_the_config_file(adjudge, folder, monkeypatch):
    Path("adjudge.toml").write_text('model = ["scripted:a.jsonl", "scripted:b.jsonl"]\n')
    adjudge("run", "cases.jsonl", "--judge", "relevance", "-o", "rows.jsonl")
    assert {row["model"] for row in rows_of()} == {"scripted:a.jsonl", "scripted:b.jsonl"}
    Path("adjudge.toml").unlink()
    monkeypatch.setenv("ADJUDGE_MODEL", "scripted:b.jsonl, scripted:a.jsonl")
    found = library.evaluate("cases.jsonl", "relevance", store=None)
    assert [each.model for each in found][:2] == ["scripted:b.jsonl", "scripted:a.jsonl"]
    assert adjudge("judge", "relevance", "--response", "x").code == 2


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--model", "scripted:a.jsonl"), "scripted:a.jsonl is given 2 times"),
        (("--model", "replay"), "names no provider"),
    ],
)
def test_what_cannot_be_two_models(adjudge, folder, arguments, problem):
    done = adjudge(*run("a"), *arguments)
    assert done.code == 2
    assert problem in done.err


def test_functions_and_names_together_from_python(folder):
    def kind(request: Request):
        return json.dumps({"score": 5, "reason": request.case_id})

    found = library.evaluate("cases.jsonl", "relevance", model=[kind, "scripted:a.jsonl"], store=None)
    scores = [(each.model.rpartition(".")[2], each.score) for each in found]
    assert scores == [
        (name, score) for n in range(3) for name, score in (("kind", 5), ("jsonl", SCORES["a"][n]))
    ]
    assert [each.model for each in found.report().judges] == [found.judgements[0].model, "scripted:a.jsonl"]


def test_one_model_is_known_as_it_was_before_there_could_be_several(folder):
    class Named(ModelClient):
        name, base_url = "openai:gpt-x", "http://127.0.0.1:1/v1"

        async def complete(self, request):
            raise NotImplementedError

        async def close(self):
            pass

    plan = make_plan(["relevance"], RunOptions())
    described = describe_run("cases.jsonl", plan, models=[Named()], version="1")
    asked = {
        "cases": sha256(Path("cases.jsonl").read_bytes()).hexdigest(),
        "judges": [f"relevance@{plan.judges[0].hash}"],
        "model": "openai:gpt-x",
        "base_url": "http://127.0.0.1:1/v1",
        "temperature": 0.0,
        "parameters": {},
        "maps": {},
        "sets": {},
        "repeats": 1,
        "rows": [None, None, None],
    }
    assert described["identity"] == sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
    two = describe_run("cases.jsonl", plan, models=[Named(), Named()], version="1")
    assert two["model"] == ["openai:gpt-x", "openai:gpt-x"]
    assert two["identity"] != described["identity"]


@pytest.mark.parametrize(
    ("given", "kept"), [(None, ()), ("embedded", ("embedded",)), (["a:1", "b:2"], ("a:1", "b:2")), ((), ())]
)
def test_one_model_several_or_none(given, kept):
    assert make_options(model=given).model == kept


def test_an_estimate_adds_the_models_up(adjudge, folder):
    one = json.loads(adjudge("estimate", *run("a")[1:], "--json").out)
    two = json.loads(adjudge("estimate", *run("a", "b", judges=("relevance", "short.md"))[1:], "--json").out)
    assert (one["judgements"], one["calls"]["likely"]) == (3, 3)
    assert (two["cases"], two["judgements"], two["not_asked"], two["calls"]["likely"]) == (3, 9, 3, 6)
    assert two["input_tokens"]["likely"] == 2 * one["input_tokens"]["likely"]
