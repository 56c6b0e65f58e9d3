"""The rows that explain a score end at the score that the scorer gave, for every kind of rule."""

from datetime import UTC, datetime
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from adjudge.analysis.scores import case_fields, explain_score, score_lines, score_rows
from adjudge.judges import load_judge, override, parse_judge
from adjudge.judges.identity import scorer_version
from adjudge.records import (
    Call,
    Case,
    Completion,
    Failed,
    Forced,
    Judgement,
    Measured,
    Prompt,
    Request,
    Score,
    Scored,
    Verdict,
)
from adjudge.scoring import CoverageScore, Invalid, normalize, passes, scorer_for
from adjudge.scoring.scale import plain
from adjudge.scoring.steps import (
    ExpressionStep,
    FieldStep,
    FlagStep,
    ItemStep,
    NumberStep,
    PointsStep,
    VetoStep,
)
from adjudge.versions import SCORER_VERSIONS

AT = datetime(2026, 5, 1, tzinfo=UTC)
SENTENCES = ("Paris is large", "Water boils", "Moss is green", "Ravens fly far", "Iron rusts")
RESPONSE = ". ".join(SENTENCES[:3]) + "."
REFERENCE = ". ".join(SENTENCES) + ". Therefore tea needs heat."


def judged(judge, parts, fields, *, items=None, measured=None, notes=(), text="", **more):
    """A judgement as a run would make it."""
    scoring = scorer_for(judge).explain(Verdict(parts=parts), fields, items)
    assert not isinstance(scoring, Invalid), scoring
    scored = scoring.score
    assert scorer_for(judge).score(Verdict(parts=parts), fields, items) == scored
    assert score_of(scoring.steps) == scored.value
    if measured is not None and measured.exact is not None:
        scored = replace(scored, exact=measured.exact)
    verdict = Verdict(parts=parts if scored.parts is None else scored.parts)
    request = Request(prompt=Prompt(messages=()), schema=None, case_id="c", judge=judge.name, step="verdict")
    calls = [Call(request=request, completion=Completion(text="{}", measured=measured))]
    if text:
        first = replace(request, step="items", shared=True)
        calls.insert(0, Call(request=first, completion=Completion(text=text)))
    judgement = Judgement(
        case_id="c",
        judge=judge.name,
        judge_hash=judge.hash,
        model="scripted:x",
        repeat=0,
        outcome=Scored(verdict=verdict, score=scored),
        normalized=normalize(judge.scale, judge.better, scored.exact),
        passed=passes(judge, verdict.parts, scored),
        notes=(*notes, *scored.notes),
        calls=tuple(calls),
        at=AT,
        **more,
    )
    # what is stored leads to the same steps: they need not be stored
    again = explain_score(judgement, judge, fields)
    assert (again.source, again.steps, again.computed) == ("computed", scoring.steps, scored.value)
    return judgement


def score_of(steps):
    """What the steps lead to, by themselves."""
    for step in steps:
        match step:
            case FieldStep(number=number) | PointsStep(worth=number) | ExpressionStep(result=number):
                return float(number)
            case VetoStep(vetoes=vetoes):
                flags = [each.value for each in steps if isinstance(each, FlagStep)]
                numbers = [each for each in steps if isinstance(each, NumberStep) and each.critical]
                agree = all(each.comparison.agrees for each in numbers)
                assert bool(vetoes) == (any(flags) or not agree)
                return 0.0 if vetoes else 1.0
            case CoverageScore(counts=counts, rounded=rounded):
                items = [each for each in steps if isinstance(each, ItemStep)]
                for category in ("facts", "conclusions", "terms") if items else ():
                    matched = [each.matched for each in items if each.category == category]
                    found = getattr(counts, category), getattr(counts, f"matched_{category}")
                    assert found == (len(matched), sum(matched))
                return float(rounded)
    raise AssertionError(steps)


def rows_of(judgement, judge, fields):
    return score_rows(explain_score(judgement, judge, fields))


def assert_ends_at_the_score(rows, judgement):
    assert rows.agrees is True, [step.value for step in rows.steps]
    assert value_of(rows, "score") == [plain(judgement.score)]
    assert [step.holds for step in rows.steps if step.kind == "passes"] == [judgement.passed]


def value_of(rows, kind):
    return [step.value for step in rows.steps if step.kind == kind]


def step_of(rows, kind):
    return next(step for step in rows.steps if step.kind == kind)


def judge_of(front, body="Rate {{question}} {{response}}"):
    return parse_judge(f"---\nadjudge: 1\nname: own\n{front}\n---\n{body}\n", name="own")


# ---- coverage ----


@st.composite
def coverages(draw):
    """A checklist of the reference and answers to it, some with evidence that does not appear in the response."""
    chosen = draw(st.lists(st.sampled_from(SENTENCES), unique=True, max_size=5))
    concludes = draw(st.booleans()) or not chosen
    terms = draw(st.lists(st.sampled_from(["Paris", "tea", "raven", "moss"]), unique=True, max_size=4))
    items = {
        "facts": [{"id": f"F{at}", "fact": text, "quote": text} for at, text in enumerate(chosen, 1)],
        "conclusions": [{"id": "C1", "conclusion": "tea needs heat", "quote": "tea needs heat"}]
        if concludes
        else [],
        "terms": [{"id": f"T{at}", "term": text, "quote": text} for at, text in enumerate(terms, 1)],
    }
    evidence = st.sampled_from([*SENTENCES, "nowhere to be found", None])
    answers = {
        category: [
            {"id": item["id"], "matched": draw(st.booleans()), "evidence": draw(evidence), "why": "so"}
            for item in items[category]
        ]
        for category in items
    }
    return items, {**answers, "organization": draw(st.sampled_from(["matched", "mismatched"]))}


@given(coverages())
def test_coverage_ends_at_the_stored_score_whatever_was_matched(example):
    judge = load_judge("coverage")
    items, parts = example
    fields = {"question": "q", "reference": REFERENCE, "response": RESPONSE}
    judgement = judged(judge, parts, fields, items=items)
    rows = rows_of(judgement, judge, fields)
    assert_ends_at_the_score(rows, judgement)
    written = step_of(rows, "formula").value.rpartition(" = ")[2].partition(" → ")[0].partition(" ≈ ")[0]
    assert float(Fraction(written)) == judgement.exact
    listed = [step for step in rows.steps if step.kind in {"fact", "conclusion", "term"}]
    assert len(listed) == sum(len(each) for each in items.values())
    counts = judgement.verdict["counts"]
    assert sum(step.holds for step in listed) == sum(counts[f"matched_{name}"] for name in items)


@pytest.mark.parametrize(
    ("facts", "conclusions", "formula", "because"),
    [
        ([True, False], [True], "5 × (0.4 × 0.5 + 0.3 × 1 + 0.21 × 1 + 0.09 × 1) = 4 → 4", "has conclusions. Weights: facts 0.4, conclusions 0.3, terms 0.21, organization 0.09."),
        ([True, False], [], "5 × (0.7 × 0.5 + 0.21 × 1 + 0.09 × 1) = 3.25 → 3", "has no conclusions. Weights: facts 0.7, terms 0.21, organization 0.09."),
        ([False, False], [True], "5 × (0.7 × 0 + 0.21 × 1) = 1.05 → 1", "No fact was matched"),
    ],
)  # fmt: skip
def test_the_formula_that_was_used_is_named_with_its_reason(facts, conclusions, formula, because):
    judge = load_judge("coverage")
    items = {
        "facts": [{"id": f"F{n}", "fact": SENTENCES[n], "quote": SENTENCES[n]} for n in range(len(facts))],
        "conclusions": [
            {"id": "C1", "conclusion": "tea needs heat", "quote": "tea needs heat"} for _ in conclusions
        ],
        "terms": [{"id": "T1", "term": "Paris", "quote": "Paris"}],
    }
    parts = {
        "facts": [
            {"id": f"F{n}", "matched": matched, "evidence": SENTENCES[n], "why": "w"}
            for n, matched in enumerate(facts)
        ],
        "conclusions": [
            {"id": "C1", "matched": m, "evidence": "Water boils", "why": "w"} for m in conclusions
        ],
        "terms": [],
        "organization": "matched",
    }
    fields = {"question": "q", "reference": REFERENCE, "response": RESPONSE}
    rows = rows_of(judged(judge, parts, fields, items=items), judge, fields)
    assert value_of(rows, "formula") == [formula]
    assert because in step_of(rows, "formula").explanation
    assert "Found in the response by code" in step_of(rows, "term").explanation


def test_evidence_that_is_not_in_the_response_is_said_to_count_for_nothing():
    judge = load_judge("coverage")
    items = {
        "facts": [{"id": "F1", "fact": "Iron rusts", "quote": "Iron rusts"}],
        "conclusions": [],
        "terms": [],
    }
    parts = {
        "facts": [{"id": "F1", "matched": True, "evidence": "made up", "why": "w"}],
        "conclusions": [],
        "terms": [],
        "organization": "matched",
    }
    fields = {"question": "q", "reference": REFERENCE, "response": RESPONSE}
    fact = step_of(rows_of(judged(judge, parts, fields, items=items), judge, fields), "fact")
    assert fact.holds is False
    assert "is not in the response" in fact.explanation
    assert ("evidence", "made up") in fact.details


def test_with_several_references_the_one_that_counted_is_named():
    judge = load_judge("coverage")
    items = {
        "facts": [{"id": "F1", "fact": "Iron rusts", "quote": "Iron rusts"}],
        "conclusions": [],
        "terms": [],
    }
    parts = {
        "facts": [{"id": "F1", "matched": False, "evidence": None, "why": "w"}],
        "conclusions": [],
        "terms": [],
        "organization": "matched",
    }
    fields = {"question": "q", "reference": "Iron rusts", "response": RESPONSE}
    judgement = judged(judge, parts, fields, items=items)
    rows = rows_of(judgement, judge, {**fields, "reference": ["Moss is green", "Iron rusts"]})
    assert value_of(rows, "reference") == ["2 of 2"]


@given(
    st.tuples(st.integers(0, 9), st.integers(0, 9)).map(sorted),
    st.tuples(st.integers(0, 4), st.integers(0, 4)).map(sorted),
    st.tuples(st.integers(0, 9), st.integers(0, 9)).map(sorted),
    st.booleans(),
    st.sampled_from([" facts correctly matched.", ""]),
)
def test_the_lines_of_the_verbatim_coverage_prompt_are_counted_again(
    facts, conclusions, terms, organized, noun
):
    lines = [
        f"Fact: {facts[0]} of {facts[1]}{noun}",
        f"Conclusion: {conclusions[0]} of {conclusions[1]}{noun}",
        f"Terminology: {terms[0]} of {terms[1]}{noun}",
        f"Organization: {'matched' if organized else 'mismatched'}",
        "Score: whatever",
    ]
    front = (
        "verdict: {rationale: {type: array, items: {type: string}}, score: integer}\nscale: [0, 5]\nscore: "
    )
    for rule in ("coverage_rationale", "score"):
        judge = judge_of(front + rule)
        judgement = judged(judge, {"rationale": lines, "score": 3}, {})
        rows = rows_of(judgement, judge, {})
        assert_ends_at_the_score(rows, judgement)
        if rule == "score" and any(note.startswith("rationale_mismatch") for note in judgement.notes):
            assert "the lines give" in step_of(rows, "lines").value


# ---- correctness ----

NUMBERS = (
    "7.4 billion dollars", "$7.5 billion", "42", "43", "41.5", "1989", "in 1990", "4 %", "0.04", "5 km", "3.1 miles", "v2.1",
    "2.1", "1,577", "1577 million", "(300)", "-300", "1.234,5", "1,234.5", "10 to 20", "15", "12:30", "June 1998", "0", "3rd",
)  # fmt: skip


@given(
    st.lists(
        st.tuples(st.sampled_from(NUMBERS), st.sampled_from([*NUMBERS, None]), st.booleans()), max_size=5
    ),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["How much, in millions?", "In what year was it?", "How far?"]),
)
def test_correctness_ends_at_the_stored_score_and_each_number_says_what_was_decided(
    pairs, contradicts, misses, calculation, question
):
    judge = load_judge("correctness")
    fields = {
        "question": question,
        "reference": " | ".join(expected for expected, _, _ in pairs) or "x",
        "response": " | ".join(response for _, response, _ in pairs if response) or "y",
    }
    parts = {
        "reason": "Because.",
        "contradicts": contradicts,
        "misses_critical": misses,
        "calculation": calculation,
        "numbers": [{"expected": e, "response": r, "critical": c} for e, r, c in pairs],
    }
    judgement = judged(judge, parts, fields)
    rows = rows_of(judgement, judge, fields)
    assert_ends_at_the_score(rows, judgement)
    said = [step.holds for step in rows.steps if step.kind == "number"]
    assert said == [row["agrees"] for row in judgement.verdict["numbers"]]
    if pairs:
        assert ("2 %" if calculation else "4 %") in step_of(rows, "margin").value
    without_case = rows_of(judgement, judge, None)
    assert without_case.agrees is None
    assert value_of(without_case, "score") == [plain(judgement.score)]
    assert "The case is no longer in this store" in step_of(without_case, "unknown").explanation


@pytest.mark.parametrize(
    ("expected", "response", "difference"),
    [
        ("$7.5 billion", "7.4 billion dollars", "|7,400,000,000 − 7,500,000,000| = 100,000,000 ≤ 0.04 · |7,500,000,000| = 300,000,000"),
        ("42", "43.68", "|43.68 − 42| = 1.68 ≤ 0.04 · |42| = 1.68"),
        ("42", "43.69", "|43.69 − 42| = 1.69 > 0.04 · |42| = 1.68"),
        ("5 km", "3.1 miles", "|4.9889664 − 5| = 0.0110336 ≤ 0.04 · |5| = 0.2"),
        ("4 %", "0.04", "|4 − 4| = 0 ≤ 0.04 · |4| = 0.16"),
    ],
)  # fmt: skip
def test_a_number_shows_its_difference_and_its_bound(expected, response, difference):
    judge = load_judge("correctness")
    fields = {"question": "How far?", "reference": expected, "response": response}
    parts = {
        "reason": "r",
        "contradicts": False,
        "misses_critical": False,
        "calculation": False,
        "numbers": [{"expected": expected, "response": response, "critical": True}],
    }
    details = dict(step_of(rows_of(judged(judge, parts, fields), judge, fields), "number").details)
    assert details["difference"].startswith(difference)
    assert {"expected, as read", "response, as read"} <= details.keys()


def test_years_and_versions_are_said_to_be_compared_exactly():
    judge = load_judge("correctness")
    for expected, response, kind in (("1989", "1990", "year"), ("v2.1", "v2.2", "version")):
        fields = {"question": "When?", "reference": expected, "response": response}
        parts = {
            "reason": "r",
            "contradicts": False,
            "misses_critical": False,
            "calculation": False,
            "numbers": [{"expected": expected, "response": response, "critical": True}],
        }
        step = step_of(rows_of(judged(judge, parts, fields), judge, fields), "number")
        assert step.holds is False
        assert dict(step.details)["expected, as read"].startswith(f"{kind} {expected}: compared exactly")
        assert "difference" not in dict(step.details)


# ---- rules of a judge file ----

VERDICT = (
    "verdict: {reason: string, label: {enum: [agree, partly, disagree]}, n: integer, flag: boolean, "
    "facts: {type: array, items: {type: object, properties: {ok: {type: boolean}, w: {type: number}}}}}\nscale: [0, 100]\n"
)
LISTED = st.lists(
    st.fixed_dictionaries({"ok": st.booleans(), "w": st.integers(0, 9)}), min_size=1, max_size=6
)


@settings(max_examples=25)
@given(st.sampled_from(["agree", "Partly", "disagree "]), st.integers(0, 20), st.booleans(), LISTED)
@pytest.mark.parametrize(
    "rule",
    [
        "n",
        "{agree: 1.0, partly: 0.5, disagree: 0.0}",
        "round(5 * count(facts, ok) / count(facts))",
        "round((n + sum(facts, w)) / 3, 2)",
        "min(n, 7) + max(1, 2) - (n - n) * 2",
        "n / 7",
        "flag and n > 3 or not flag",
    ],
)
def test_every_rule_of_a_judge_file_ends_at_the_stored_score(rule, label, n, flag, facts):
    written = rule if rule.startswith("{") or rule == "n" else f'"{rule}"'
    better = "\nbetter: lower" if rule == "n" else ""
    judge = judge_of(f'{VERDICT}score: {written}{better}\npasses: "score >= 1 and flag"')
    if rule.startswith("{"):
        judge = replace(judge, score=replace(judge.score, field="label"))
    parts = {"reason": "r", "label": label, "n": n, "flag": flag, "facts": facts}
    judgement = judged(judge, parts, {})
    rows = rows_of(judgement, judge, {})
    assert_ends_at_the_score(rows, judgement)
    if rule == "n / 7":
        assert value_of(rows, "values") == [f"{n} ÷ 7 = {value_of(rows, 'values')[0].partition(' = ')[2]}"]


def test_an_expression_is_shown_with_its_values_in_it():
    judge = judge_of(
        f'{VERDICT}score: "round(5 * count(facts, ok) / count(facts) + n)"\npasses: "score >= 4 and label != \'x\'"'
    )
    parts = {
        "reason": "r",
        "label": "agree",
        "n": 1,
        "flag": True,
        "facts": [{"ok": True, "w": 1}, {"ok": False, "w": 1}],
    }
    rows = rows_of(judged(judge, parts, {}), judge, {})
    assert value_of(rows, "values") == ["round(5 × 1 ÷ 2 + 1) = 4"]
    assert value_of(rows, "exact") == ["3.5"]
    assert dict(step_of(rows, "expression").details) == {
        "count(facts, ok)": "1",
        "count(facts)": "2",
        "n": "1",
    }
    assert '4 >= 4 and "agree" != "x" holds' in step_of(rows, "passes").explanation


def test_an_expression_may_read_the_items_of_a_first_call():
    front = (
        "verdict: {reason: string, met: integer}\nscore: met / count(items.points)\nscale: [0, 1]\n"
        "items: {prompt: 'List {{question}}', verdict: {points: {type: array, items: {type: string}}}}"
    )
    judge = judge_of(front, "Check {{items}} {{response}}")
    items = {"points": ["a", "b", "c", "d"]}
    text = 'Here: {"points": ["a", "b", "c", "d"]}'
    judgement = judged(judge, {"reason": "r", "met": 3}, {}, items=items, text=text)
    rows = rows_of(judgement, judge, {})
    assert_ends_at_the_score(rows, judgement)
    assert value_of(rows, "values") == ["3 ÷ 4 = 0.75"]


def test_what_the_embedded_judge_measured_is_the_exact_score():
    judge = load_judge("relevance")
    measured = Measured(probability=0.4, exact=2.88364)
    judgement = judged(
        judge, {"reason": "r", "score": 3}, {"response": "x"}, measured=measured, probability=0.4
    )
    rows = rows_of(judgement, judge, {"response": "x"})
    assert_ends_at_the_score(rows, judgement)
    assert value_of(rows, "measured") == ["2.88364"]
    assert value_of(rows, "probability") == ["0.400"]


def test_a_score_that_todays_rules_do_not_give_is_said_to_be_an_older_one():
    judge = load_judge("relevance")
    judgement = judged(judge, {"reason": "r", "score": 3}, {})
    older = replace(judgement, outcome=replace(judgement.outcome, score=Score(value=2.0, exact=2.0)))
    rows = rows_of(older, judge, {})
    assert rows.agrees is False
    assert value_of(rows, "stored") == ["2"]


def test_without_the_judges_file_the_score_stands_and_that_is_said():
    judgement = judged(load_judge("relevance"), {"reason": "r", "score": 3}, {})
    rows = rows_of(judgement, None, None)
    assert rows.agrees is None
    assert value_of(rows, "score") == ["3"]
    assert "no longer in this store" in rows.steps[0].explanation


@pytest.mark.parametrize(("version", "words"), [(1, "correctness v1"), (9, "correctness v9")])
def test_a_score_of_a_scorer_version_that_is_not_there_says_so_and_is_not_recomputed(
    monkeypatch, version, words
):
    text = load_judge("correctness").text
    with monkeypatch.context() as other:
        other.setitem(SCORER_VERSIONS, "correctness", version)
        judge = parse_judge(text, name="correctness")
    fields = {"question": "q", "reference": "r", "response": "s"}
    parts = {
        "reason": "r",
        "contradicts": False,
        "misses_critical": False,
        "calculation": False,
        "numbers": [],
    }
    judgement = replace(judged(load_judge("correctness"), parts, fields), judge_hash=judge.hash)
    rows = rows_of(judgement, judge, fields)
    assert [row.kind for row in rows.steps] == ["unknown", "score", "passes"]
    assert f"Scored by {words}, which this version of adjudge no longer has." in rows.steps[0].explanation
    assert rows.agrees is None
    overridden = override(judge, passes="score >= 0")
    assert scorer_version(overridden) == SCORER_VERSIONS["correctness"]


def test_a_pass_rule_other_than_the_files_is_not_contradicted():
    judge = load_judge("relevance")
    judgement = replace(judged(judge, {"reason": "r", "score": 3}, {}), passed=False)
    step = step_of(rows_of(judgement, judge, {}), "passes")
    assert step.holds is False
    assert "under another rule" in step.explanation


# ---- by rule, and not at all ----


def given_by_rule(judge, value, *, forced, notes=()):
    score = Score(value=value, exact=value)
    verdict = Verdict(parts={})
    outcome = (
        Forced(score=score, reason="Not asked: `reference` is absent.", verdict=verdict)
        if forced
        else Scored(score=score, verdict=verdict)
    )
    return Judgement(
        case_id="c", judge=judge.name, judge_hash=judge.hash, model="m", repeat=0, outcome=outcome, notes=notes,
        reason="The response is empty.", passed=passes(judge, {}, score), at=AT,
        normalized=normalize(judge.scale, judge.better, value),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "forced", "notes", "says"),
    [
        ("coverage", True, (), "`when_missing:`"),
        ("relevance", False, ("empty_response",), "A blank response is an answer"),
    ],
)
def test_a_score_by_rule_names_the_rule_and_what_to_do(name, forced, notes, says):
    judge = load_judge(name)
    judgement = given_by_rule(judge, 0.0, forced=forced, notes=notes)
    rows = rows_of(judgement, judge, {})
    assert_ends_at_the_score(rows, judgement)
    assert says in step_of(rows, "rule").explanation
    assert step_of(rows, "next").value


@pytest.mark.parametrize(
    "kind",
    [
        "missing_input",
        "bad_row",
        "unreadable",
        "refused",
        "truncated",
        "too_long",
        "call_failed",
        "not_asked",
    ],
)
def test_a_failure_says_what_happened_and_what_to_do_and_is_no_number(kind):
    failed = Failed(kind=kind, message="the message", error_kind="finer", attempts=2, maybe_billed=True)
    judgement = Judgement(case_id="c", judge="j", judge_hash="h", model="m", repeat=0, outcome=failed, at=AT)
    rows = rows_of(judgement, None, None)
    assert [step.kind for step in rows.steps] == ["outcome", "next"]
    assert ("message", "the message") in rows.steps[0].details
    assert "may be billed" in dict(rows.steps[0].details)["cost"]


# ---- as text ----


def test_lines_for_a_terminal_hold_no_escape_and_no_line_of_the_case_starts_one():
    judge = load_judge("correctness")
    hostile = "5\x1b[2J\n::set-output name=x::1\u202e"
    parts = {
        "reason": "r",
        "contradicts": False,
        "misses_critical": False,
        "calculation": False,
        "numbers": [{"expected": hostile, "response": hostile, "critical": True}],
    }
    fields = {"question": "q", "reference": hostile, "response": hostile}
    lines = score_lines(rows_of(judged(judge, parts, fields), judge, fields), 60)
    assert all(line.isprintable() for line in lines)
    assert not any(line.lstrip().startswith("::") for line in lines)
    assert any(line.startswith("+ agrees: ") for line in lines)


def test_fields_are_found_as_the_run_found_them():
    judge = load_judge("correctness")
    case = Case(case_id="c", columns={"q": "How?", "a": "5", "expected": "6"}, fields={"reference": "6"})
    plan = {"maps": {"question": "q", "response": "a"}, "sets": {}, "current_date": "2026-01-01"}
    assert case_fields(judge, case, plan) == {
        "question": "How?",
        "response": "5",
        "reference": "6",
        "current_date": "2026-01-01",
    }
