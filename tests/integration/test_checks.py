"""Judges without a prompt, from the command line and from Python: checks in code, and scores combined from other judges."""

import json

import pytest

import adjudge
from adjudge.judges import load_judge, parse_kept_judge

CASES = [
    {"id": "right", "question": "Capital of France?", "response": "Paris", "reference": "Paris"},
    {
        "id": "long",
        "question": "Capital of France?",
        "response": "It is Paris, I think.",
        "reference": "Paris",
    },
    {"id": "wrong", "question": "Capital of Italy?", "response": "Milan", "reference": "Rome"},
    {"id": "blank", "question": "Capital of Spain?", "response": "", "reference": "Madrid"},
    {"id": "none", "question": "Capital of Peru?", "response": "Lima"},
]
GRADER = """---
adjudge: 1
name: grader
verdict: {reason: string, score: {type: integer, minimum: 1, maximum: 5}}
passes: score >= 3
---
Rate the answer from 1 to 5.
<question>{{question}}</question>
<answer>{{response}}</answer>
"""


def in_code(text):
    return f"---\nadjudge: 1\n{text}\n---\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ADJUDGE_MODEL", raising=False)
    for name, text in {
        "same.md": in_code("check: exact"),
        "short.md": in_code("check: {length: {max: 3}}"),
        "wording.md": in_code("check: {similarity: token_f1}\npasses: score >= 0.5"),
        "both.md": in_code("combine: 0.75 * same + 0.25 * short\npasses: score >= 0.5"),
        "grader.md": GRADER,
        "mixed.md": in_code("combine: 0.5 * grader + 0.5 * short"),
        "cases.jsonl": "".join(json.dumps(case) + "\n" for case in CASES),
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def rows_of(path):
    return {(row["case_id"], row["judge"]): row for row in map(json.loads, path.read_text().splitlines())}


def test_checks_run_with_no_model_no_key_and_no_cost(adjudge, folder):
    done = adjudge("run", "cases.jsonl", "--judge", "same.md", "--judge", "wording.md", "-o", "rows.jsonl")
    assert done.code == 0, done.err
    assert "no model is asked" in done.err
    rows = rows_of(folder / "rows.jsonl")
    assert {row["model"] for row in rows.values()} == {"code"}
    assert {row["cost"] for row in rows.values()} == {0.0}
    assert {row["calls"] for row in rows.values()} == {0}
    found = {key: (row["outcome"], row["score"], row["passed"]) for key, row in rows.items()}
    assert found["right", "same"] == ("scored", 1, True)
    assert found["long", "same"] == ("scored", 0, False)
    assert found["long", "wording"][1:] == (pytest.approx(1 / 3), False)  # 1 of 5 words and of 1
    assert found["blank", "same"] == ("scored", 0, False)
    assert rows["blank", "same"]["notes"] == ["empty_response"]
    assert found["none", "same"] == ("missing_input", None, None)
    assert rows["wrong", "same"]["reason"] == "The response `Milan` is not `Rome`."


def test_a_key_or_a_model_in_the_environment_changes_nothing(adjudge, folder, monkeypatch):
    monkeypatch.setenv("ADJUDGE_MODEL", "openai:gpt-x")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert adjudge("run", "cases.jsonl", "--judge", "same.md", "-o", "rows.jsonl").code == 0
    assert rows_of(folder / "rows.jsonl")["right", "same"]["model"] == "code"


def test_every_command_knows_a_check(adjudge, folder):
    assert adjudge("run", "cases.jsonl", "--judge", "both.md", "-o", "rows.jsonl").code == 0
    shown = adjudge("show", "last", "long")
    assert "check exact: failed" in shown.out
    assert "0.75 × 0 + 0.25 × 0 = 0" in shown.out
    assert "no model is asked" in adjudge("show", "both.md").out
    described = json.loads(adjudge("show", "short.md", "--json").out)
    assert described["score"] == {"check": {"length": {"max": 3}}}
    assert adjudge("lint", "both.md", "same.md").code == 0
    estimate = json.loads(adjudge("estimate", "cases.jsonl", "--judge", "both.md", "--json").out)
    assert (estimate["calls"]["high"], estimate["cost"]["high"]) == (0, 0)
    certified = adjudge("certify", "same.md")
    assert certified.code == 2
    assert "none of the probes applies" in certified.err
    assert adjudge("report", "last").code == 0
    assert adjudge("judge", "same.md", "--response", "x", "--reference", "x").out.startswith(
        "score 1, passed"
    )
    assert adjudge("show", "both.md", "--write", "copy.md").code == 0
    assert load_judge("copy.md").hash == load_judge("both.md").hash
    (folder / "labels.jsonl").write_text('{"id": "right", "label": 1}\n{"id": "wrong", "label": 0}\n')
    assert adjudge("run", "cases.jsonl", "--judge", "same.md", "-o", "rows.jsonl").code == 0
    agreed = adjudge("agree", "last", "labels.jsonl")
    assert agreed.code == 0, agreed.err


def test_gates_hold_for_the_judges_that_were_named(adjudge, folder):
    assert (
        adjudge(
            "run", "cases.jsonl", "--judge", "both.md", "--fail-under", "0.9", "--max-error-rate", "1"
        ).code
        == 1
    )
    gated = adjudge(
        "run",
        "cases.jsonl",
        "--judge",
        "both.md",
        "--fail-under",
        "short=0.5",
        "--max-error-rate",
        "1",
        "--gate",
        "point",
    )
    assert gated.code == 0, gated.err


def test_a_combination_is_computed_from_judgements_of_its_parts(adjudge, folder):
    assert adjudge("run", "cases.jsonl", "--judge", "both.md", "-o", "rows.jsonl").code == 0
    rows = rows_of(folder / "rows.jsonl")
    assert len(rows) == 3 * len(CASES)
    scores = {case["id"]: rows[case["id"], "both"]["score"] for case in CASES}
    assert scores == {"right": 1, "long": 0, "wrong": 0.25, "blank": 0, "none": None}
    assert rows["none", "both"]["outcome"] == "missing_input"
    assert "part `same` was not scored" in rows["none", "both"]["error"]["message"]
    assert rows["wrong", "both"]["verdict"] == {"same": 0.0, "short": 1.0}


def grade(prompt):
    return json.dumps({"reason": "As it looks.", "score": 5 if "Paris" in prompt else 1})


def test_a_part_that_asks_a_model_is_asked_once_and_its_row_is_kept(folder):
    asked = []

    def model(prompt):
        asked.append(prompt)
        return grade(prompt)

    run = adjudge_evaluate(folder, ["mixed.md", "grader.md"], model)
    rows = {(each.case_id, each.judge): each for each in run.judgements}
    assert len(asked) == 4  # five cases, of which the blank one needs no call
    assert rows["right", "mixed"].score == 1
    assert rows["long", "mixed"].score == 0.5
    assert rows["wrong", "mixed"].score == 0.5
    assert rows["right", "mixed"].model == rows["right", "grader"].model != "code"
    assert rows["right", "short"].model == "code"
    assert rows["right", "mixed"].calls == ()
    assert rows["right", "grader"].calls
    assert sum(each.cost or 0 for each in run.judgements) == sum(
        rows[case["id"], "grader"].cost or 0 for case in CASES
    )


def adjudge_evaluate(folder, judges, model, **options):
    return adjudge.evaluate(
        str(folder / "cases.jsonl"), judges=judges, model=model, store=".adjudge", **options
    )


def test_a_part_without_a_verdict_leaves_the_whole_with_its_outcome(folder):
    run = adjudge_evaluate(folder, ["mixed.md"], lambda prompt: "I would rather not say.")
    rows = {(each.case_id, each.judge): each for each in run.judgements}
    assert rows["right", "grader"].outcome.kind == "unreadable"
    assert rows["right", "mixed"].outcome.kind == "unreadable"
    assert rows["right", "mixed"].score is None
    assert rows["blank", "mixed"].outcome.kind == "scored"


def test_an_interrupted_combination_goes_on_with_what_is_stored(folder):
    first = adjudge_evaluate(folder, ["mixed.md"], grade, max_calls=2, name="r", jobs=1)
    assert {each.outcome.kind for each in first.judgements if each.judge == "mixed"} == {
        "scored",
        "not_asked",
    }
    second = adjudge_evaluate(folder, ["mixed.md"], grade, name="r", jobs=1)
    assert second.name == "r"
    assert {each.outcome.kind for each in second.judgements} == {"scored"}
    scores = {each.case_id: each.score for each in second.judgements if each.judge == "mixed"}
    assert scores == {"right": 1, "long": 0.5, "wrong": 0.5, "blank": 0, "none": 0.5}


def test_one_case_from_python(folder):
    assert adjudge.judge("both.md", response="Paris", reference="Paris").score == 1
    assert adjudge.judge("same.md", response="Paris", reference="Rome").reason == (
        "The response `Paris` is not `Rome`."
    )


def test_the_report_says_how_often_a_check_says_the_same_as_a_model(folder):
    run = adjudge_evaluate(folder, ["short.md", "grader.md"], grade)
    (found,) = run.report().checks
    assert (found.check, found.judge, found.judged, found.equal) == ("short", "grader", 5, 2)
    assert found.rate.low < 0.4 < found.rate.high
    assert (
        "check `short` passes and fails as `grader` does on 2 of 5 cases (40.0 %"
        in run.report().to_markdown()
    )
    assert adjudge_evaluate(folder, ["short.md", "same.md"], None).report().checks == ()


def test_a_combination_is_kept_with_its_parts(folder):
    """Their files may change or go; the store still knows what was computed."""
    judge = load_judge("both.md")
    (folder / "same.md").unlink()
    assert parse_kept_judge(judge.text, name="both").hash == judge.hash
    with pytest.raises(adjudge.InputError):
        load_judge("both.md")


def test_without_re2_only_a_check_with_a_pattern_is_refused_with_what_it_needs(adjudge, tmp_path):
    (tmp_path / "blocked").mkdir()
    (tmp_path / "blocked" / "sitecustomize.py").write_text("import sys; sys.modules['re2'] = None")
    environ = {"PYTHONPATH": str(tmp_path / "blocked")}
    (tmp_path / "cases.jsonl").write_text('{"id": "a", "response": "42"}\n')
    (tmp_path / "regex.md").write_text("---\ncheck: {regex: '[0-9]+'}\n---\n")
    (tmp_path / "length.md").write_text("---\ncheck: {length: {max: 9, unit: characters}}\n---\n")
    command = ("run", "cases.jsonl", "--judge")
    refused = adjudge(*command, "regex.md", environ=environ, process=True)
    assert refused.code == 2
    assert "needs the package google-re2, which is not installed" in refused.err
    assert "pip install google-re2" in refused.err
    done = adjudge(*command, "length.md", environ=environ, process=True)
    assert done.code == 0, done.err


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("check: {regex: '(a'}", 3, "is not a regular expression of RE2"),
        ("check: regex", 3, "lacks `pattern`"),
        ("check:\n  regex:\n    pattern: a\n    patern: b", 6, "`patern` is not a parameter"),
        ("check:\n  json_schema:\n    schema: {type: objekt}", 5, "is not a JSON Schema"),
        ("check: {length: {unit: words}}", 3, "neither `min` nor `max`"),
        ("check: exakt", 3, "`exakt` is not a check"),
        ("check: [exact]", 3, "does not name one check"),
        ("check: exact\ntemperature: 0", 4, "`temperature` has no meaning beside `check:`"),
        ("check: exact\n---\n\nGrade it.", 6, "there is text below the front matter"),
        ("check: exact\npasses: rating >= 1", 4, "`rating`, which the verdict does not have"),
        ("check: exact\nwhen_empty: {score: 2}", 4, "off the scale"),
        ("combine: 0.5 * same + 0.5 * nobody", 3, "`nobody` is neither a built-in judge nor a file"),
        ("combine: 0.5 * bad + 0.5 * same", 3, "`bad` names itself"),
        ("combine: same + short", 3, "off the scale"),
        ("combine: 0.5 *", 3, "is not an expression"),
        ("combine: 1 + 1", 3, "names no judge"),
        (
            "combine: {score: same, judges: {same: ../outside.md}}",
            3,
            "is neither a built-in judge nor a file",
        ),
        (
            "combine: {score: same, judges: {same: same.md, other: short.md}}",
            3,
            "which the expression does not use",
        ),
        ("name: same\ncombine: 1 * same", 4, "is called `same`, and so is this file"),
        ("combine: 0.5 * round_trip + 0.5 * same", 3, "leads back to itself"),
    ],
)
def test_a_bad_file_is_exit_2_with_its_line(adjudge, folder, text, line, problem):
    (folder.parent / "outside.md").write_text(in_code("check: exact"))
    (folder / "round_trip.md").write_text(in_code("combine: 1 * bad"))
    (folder / "bad.md").write_text(in_code(text) if "\n---\n" not in text else f"---\nadjudge: 1\n{text}\n")
    done = adjudge("run", "cases.jsonl", "--judge", "bad.md")
    assert done.code == 2, done.err
    assert problem in done.err
    where = "round_trip.md line 3" if "round_trip" in text else f"bad.md line {line}"
    assert where in done.err


def test_parameters_and_parts_are_part_of_the_hash(folder):
    def hash_of(text, name="one"):
        (folder / f"{name}.md").write_text(in_code(text))
        return load_judge(f"{name}.md").hash

    assert hash_of("check: {length: {max: 3}}") == hash_of("check: {length: {max: 3, unit: words}}")
    assert hash_of("check: {length: {max: 3}}") != hash_of("check: {length: {max: 4}}")
    assert hash_of("check: exact") != hash_of("check: contains")
    before = load_judge("both.md").hash
    (folder / "short.md").write_text(in_code("check: {length: {max: 4}}"))
    assert load_judge("both.md").hash != before
