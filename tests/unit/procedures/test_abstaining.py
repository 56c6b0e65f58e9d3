"""A judge that may say that it cannot tell: what counts as that, and what becomes of it."""

import pytest
from conversation import case_of, converse
from hypothesis import given
from hypothesis import strategies as st

from adjudge.analysis.summary.figures import Tally
from adjudge.errors import JudgeFileError
from adjudge.judges import parse_judge
from adjudge.records import Failed, PointsScore, Scale

PROMPT = "Is the answer polite?\n\n<response>\n{{response}}\n</response>\n"
WORTH = "score: {pass: 1, fail: 0}\n"
LABELLED = "verdict: {reason: string, label: {enum: [pass, fail, cannot_tell, not_applicable]}}\n"
ABSTAIN = "abstain: [cannot_tell, not_applicable]\n"


def judge(*front, prompt=PROMPT):
    return parse_judge(f"---\nadjudge: 1\nname: polite\n{''.join(front)}---\n{prompt}", name="polite")


POLITE = judge(LABELLED, WORTH, ABSTAIN)


def test_a_label_that_abstains_is_an_outcome_with_its_verdict_and_no_number():
    said = {"reason": "Only a link.", "label": "cannot_tell"}
    requests, ruling = converse(POLITE, case_of(response="See https://x"), said)
    assert len(requests) == 1
    assert isinstance(ruling.outcome, Failed)
    assert (ruling.outcome.kind, ruling.outcome.error_kind) == ("abstained", "cannot_tell")
    assert ruling.outcome.message == "the judge answered `cannot_tell`: Only a link."
    assert ruling.outcome.verdict.parts == said
    assert ruling.reason == "Only a link."
    assert (ruling.normalized, ruling.passed) == (None, None)


@pytest.mark.parametrize(("label", "score"), [("pass", 1.0), ("fail", 0.0)])
def test_every_other_label_has_its_points(label, score):
    _, ruling = converse(POLITE, case_of(response="Thanks!"), {"reason": "So.", "label": label})
    assert ruling.outcome.score.value == score


def test_a_label_in_another_case_is_the_label():
    _, ruling = converse(POLITE, case_of(response="x"), {"reason": "So.", "label": "Not_Applicable"})
    assert (ruling.outcome.kind, ruling.outcome.error_kind) == ("abstained", "not_applicable")


def test_without_points_the_labels_that_are_left_are_read():
    read = judge(
        "verdict: {reason: string, label: {enum: [pass, fail, cannot_tell]}}\n", "abstain: cannot_tell\n"
    )
    assert read.score == PointsScore(field="label", points={"pass": 1.0, "fail": 0.0})
    assert (read.scale, read.passes, read.unread) == (Scale(low=0.0, high=1.0), "score >= 1", ())


def test_a_bare_prompt_keeps_its_own_form():
    prompt = f"{PROMPT}\nExplain, then end with a line\nVerdict: <pass|fail|unsure>\n"
    read = judge("abstain: [unsure]\n", prompt=prompt)
    assert read.contract.form == "line"
    _, ruling = converse(read, case_of(response="x"), "Too short to say.\nVerdict: unsure")
    assert (ruling.outcome.kind, ruling.reason) == ("abstained", "Too short to say.")
    _, ruling = converse(read, case_of(response="x"), "It thanks.\nVerdict: pass")
    assert ruling.outcome.score.value == 1.0


def test_a_number_may_have_a_word_or_null_beside_it():
    words = judge(
        "verdict: {rating: {enum: [1, 2, 3, not_applicable]}}\nscore: rating\nabstain: [not_applicable]\n"
    )
    assert words.scale == Scale(low=1.0, high=3.0)
    assert converse(words, case_of(response="x"), {"rating": "not_applicable"})[1].outcome.kind == "abstained"
    assert converse(words, case_of(response="x"), {"rating": 2})[1].outcome.score.value == 2.0
    nulls = judge(
        'verdict: {rating: {type: [integer, "null"], minimum: 1, maximum: 5}}\nscore: rating\nabstain: ["null"]\n'
    )
    assert converse(nulls, case_of(response="x"), {"rating": None})[1].outcome.kind == "abstained"
    assert converse(nulls, case_of(response="x"), {"rating": 4})[1].outcome.score.value == 4.0


def test_a_field_of_its_own_may_say_it():
    applies = judge(
        "verdict: {applies: {enum: [yes_it_does, not_applicable]}, rating: {type: integer, minimum: 0, maximum: 2}}\n"
        "score: rating\nabstain: [not_applicable]\n"
    )
    assert applies.contract.needs == ("applies", "rating")
    _, ruling = converse(applies, case_of(response="x"), {"applies": "not_applicable", "rating": 0})
    assert ruling.outcome.kind == "abstained"


def test_the_labels_are_part_of_the_hash():
    assert (
        judge(LABELLED.replace(", not_applicable", ""), WORTH, "abstain: [cannot_tell]\n").hash != POLITE.hash
    )
    plain = judge("verdict: {label: {enum: [pass, fail]}}\n", WORTH)
    assert plain.hash == judge("verdict: {label: {enum: [pass, fail]}}\n", WORTH).hash


@pytest.mark.parametrize(
    ("front", "problem"),
    [
        (
            LABELLED + WORTH + "abstain: [canot_tell]\n",
            "`canot_tell`, which is no label of the verdict\n\nhint: did you mean",
        ),
        (LABELLED + "abstain: {cannot_tell: 0}\n", "is not a list of labels"),
        (LABELLED + "abstain: []\n", "is not a list of labels"),
        (
            LABELLED + "score: {pass: 1, fail: 0, cannot_tell: 0.5}\n" + ABSTAIN,
            "gives points to `cannot_tell`",
        ),
        (LABELLED + WORTH, "are not those of `label`"),
        (
            "verdict: {rating: {type: integer, minimum: 0, maximum: 2}}\n" + ABSTAIN,
            "declare it in `verdict:`",
        ),
    ],
)
def test_what_cannot_be_meant_is_an_error_when_the_file_is_loaded(front, problem):
    with pytest.raises(JudgeFileError) as error:
        judge(front)
    assert problem in str(error.value)
    assert "line" in str(error.value)


@given(
    st.lists(st.booleans(), min_size=2, max_size=30),
    st.lists(st.integers(0, 29), max_size=30),
    st.booleans(),
)
def test_abstaining_never_changes_the_mean_of_the_rest(build, passed, at, repeated):
    """Wherever the abstentions stand, mean, pass rate and their intervals are those of the other rows."""

    def summary(rows):
        tally = Tally([POLITE], repeats=2 if repeated else 1)
        for row in rows:
            tally.add(row)
        return tally.summaries()[0]

    def row(number, outcome, passes=None):
        return build.judgement(
            outcome,
            case_id=str(number),
            judge="polite",
            judge_hash=POLITE.hash,
            passed=passes,
            calls=(build.call(),),
        )

    scored = [row(number, build.scored(float(each)), each) for number, each in enumerate(passed)]
    mixed = list(scored)
    for number, place in enumerate(at):
        mixed.insert(place, row(f"a{number}", build.failed("abstained")))
    alone, among = summary(scored), summary(mixed)
    assert (alone.mean, alone.pass_rate, alone.distribution) == (
        among.mean,
        among.pass_rate,
        among.distribution,
    )
    assert among.abstention_rate.n == len(mixed)
    assert among.abstention_rate.value == pytest.approx(len(at) / len(mixed))
    # with the sampling error around them
    assert among.bounds.low <= sum(passed) / len(mixed) + 1e-9
    assert among.bounds.high >= (sum(passed) + len(at)) / len(mixed) - 1e-9
