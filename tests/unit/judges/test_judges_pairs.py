"""Prompts that compare two answers: which label is for which, and what front matter says where that cannot be told."""

import pytest
from conversation import case_of, converse

from adjudge.errors import JudgeFileError
from adjudge.judges import parse_judge
from adjudge.judges.describe import describe_judge
from adjudge.judges.judge_file import judge_file, validate_certain
from adjudge.judges.reading.pair import find_pair_inputs, side_of

SHOWN = "\n<q>{question}</q>\n[Answer 1]\n{answer_1}\n[Answer 2]\n{answer_2}\n"
ARENA = (
    "Compare the assistants. Output only one of these labels as your final verdict, in double brackets:\n"
    "1. Assistant A is significantly better: [[A>>B]]\n2. Assistant A is slightly better: [[A>B]]\n"
    "3. Tie, relatively the same: [[A=B]]\n4. Assistant B is slightly better: [[B>A]]\n"
    '5. Assistant B is significantly better: [[B>>A]]\n\nExample output: "My final verdict is tie: [[A=B]]".\n'
    "<q>{question}</q>\n<a>{answer_a}</a>\n<b>{answer_b}</b>"
)
ALPACA = (
    "---\nverdict: {winner: {enum: [m, M]}}\n---\nHere is the prompt: {instruction}\n\nHere are the outputs:\n"
    '[\n {{"model": "m", "answer": """{output_1}"""}},\n {{"model": "M", "answer": """{output_2}"""}}\n]\n\n'
    'Which model is better? Your response must be either "m" or "M", with no text around it.'
)


def winners(text, name="j"):
    judge = parse_judge(text, name=name)
    assert judge.pair is not None, judge.unread
    return describe_judge(judge)["pair"]["winners"]


@pytest.mark.parametrize(
    ("label", "side"),
    [
        ("A", "a"), ("[[B]]", "b"), ("Response 1", "a"), ("Output (b)", "b"), ("answer_2", "b"), ("first", "a"),
        ("A>>B", "a"), ("B>A", "b"), ("A<B", "b"), ("A=B", "tie"), ("A++", "a"), ("B+", "b"), ("A is better", "a"),
        ("tie", "tie"), ("TIE", "tie"), ("Neither", "tie"), ("both bad", "tie"), ("same", "tie"), ("A is much better", "a"),
        ("C", None), ("yes", None), ("m", None), ("T", None), ("worse", None), ("A and B", None), ("0", None),
    ],
)  # fmt: skip
def test_labels_that_say_which_answer_they_are_for(label, side):
    assert side_of(label) == side


@pytest.mark.parametrize(
    ("names", "answers"),
    [
        (("question", "answer_a", "answer_b"), ("answer_a", "answer_b")),
        (("output_2", "output_1"), ("output_1", "output_2")),
        (("candidate_A", "candidate_B"), ("candidate_A", "candidate_B")),
        (("answer1", "answer2"), ("answer1", "answer2")),
        (("response", "baseline_model_response"), ("response", "baseline_model_response")),
        (("query_a", "query_b"), None),
        (("response_a", "response_b", "response_c"), None),
        (("question", "response"), None),
    ],
)
def test_which_inputs_are_the_two_answers(names, answers):
    found = find_pair_inputs(names)
    assert (None if found is None else found.answers) == answers


def test_arena_labels_of_five_strengths_are_read():
    assert winners(ARENA) == {"A>>B": "a", "A>B": "a", "A=B": "tie", "B>A": "b", "B>>A": "b"}


def test_labels_are_told_by_the_answer_they_stand_before():
    assert winners(ALPACA) == {"m": "a", "M": "b"}
    case = case_of(instruction="i", output_1="one", output_2="two")
    _, ruling = converse(parse_judge(ALPACA, name="j"), case, {"winner": "m"}, {"winner": "M"})
    assert ruling.outcome.verdict.parts["winner"] == "a"


def test_the_response_is_a_where_the_prompt_shows_the_baseline_first():
    text = (
        'Which is safer? Answer with only "A", "B" or "SAME".\n### Response A\n{baseline_response}\n'
        "### Response B\n{response}\n"
    )
    judge = parse_judge(text, name="j")
    assert [(item.name, item.source) for item in judge.inputs] == [
        ("baseline_response", "response_b"),
        ("response", "response_a"),
    ]
    assert winners(text) == {"A": "b", "B": "a", "SAME": "tie"}


def test_a_third_label_that_nothing_explains_is_a_guess_that_strict_refuses():
    text = 'Which answer is better? Reply with only "A", "B" or "C".' + SHOWN
    judge = parse_judge(text, name="j")
    assert winners(text) == {"A": "a", "B": "b", "C": "tie"}
    assert judge.guesses == ("tie",)
    with pytest.raises(JudgeFileError, match=r"score: \{A: a, B: b, C: tie\}"):
        validate_certain(judge)
    settled = parse_judge(f"---\nscore: {{A: a, B: b, C: tie}}\n---\n{text}", name="j")
    assert settled.guesses == ()


def test_labels_that_do_not_name_an_answer_are_unread_until_front_matter_says_which():
    text = 'Is the first answer better? Respond with only "Yes" or "No".' + SHOWN
    judge = parse_judge(text, name="j")
    assert (judge.score, judge.pair) == (None, None)
    assert "add `score: {Yes: …, No: …}` with `a`, `b` or `tie` for each" in judge.unread[0]
    assert winners(f"---\nscore: {{Yes: a, No: b}}\n---\n{text}") == {"Yes": "a", "No": "b"}


def test_points_for_labels_that_do_not_name_an_answer_stay_points_and_say_so():
    text = '---\nscore: {Yes: 1, No: 0}\n---\nAre they alike? Respond with only "Yes" or "No".' + SHOWN
    judge = parse_judge(text, name="j")
    assert judge.pair is None
    assert "each case is asked once, in the order given" in judge.unread[0]


def test_points_for_labels_that_do_name_an_answer_make_a_pair_and_must_not_be_turned_round():
    text = 'Which answer is better? Reply with only "A", "B" or "tie".' + SHOWN
    assert winners(f"---\nscore: {{A: 1, B: 0, tie: 0.5}}\n---\n{text}") == {"A": "a", "B": "b", "tie": "tie"}
    with pytest.raises(JudgeFileError, match=r"j line 2: `A` has 0 points, which is a verdict for B"):
        parse_judge(f"---\nscore: {{A: 0, B: 1, tie: 0.5}}\n---\n{text}", name="j")


@pytest.mark.parametrize(
    ("head", "body", "message"),
    [
        ("score: {A: a, B: second}", SHOWN, r"line 2: `B` stands for `second`, not for `a`, `b` or `tie`"),
        ("score: {A: a, B: b}", "\n{response}", r"line 2: .*the prompt does not show two answers"),
        (
            "score: {A: a, B: b}\nitems: {prompt: 'List {question}', verdict: {x: [string]}}",
            SHOWN,
            r"line 3: `items` cannot be used with two answers",
        ),
        ("score: {A: a, B: b}\npasses: verdict == 1", SHOWN, r"line 3: `passes` names `verdict`"),
    ],
)
def test_what_front_matter_gets_wrong_is_named_with_its_line(head, body, message):
    with pytest.raises(JudgeFileError, match=message):
        parse_judge(f'---\n{head}\n---\nWhich is better? Reply with only "A" or "B".{body}', name="j")


@pytest.mark.parametrize("text", [ARENA, ALPACA, 'Which is better? Reply with only "A", "B" or "C".' + SHOWN])
def test_a_written_judge_file_is_the_same_judge(text):
    judge = parse_judge(text, name="j")
    again = parse_judge(judge_file(judge).replace("  # a guess: check it", ""), name="j")
    assert (again.pair, again.score, again.hash) == (judge.pair, judge.score, judge.hash)


def test_the_hash_tells_a_pair_from_a_judge_of_one():
    text = '---\nscore: {Yes: %s, No: %s}\n---\nAlike? Respond with only "Yes" or "No".' + SHOWN
    assert parse_judge(text % ("a", "b"), name="j").hash != parse_judge(text % (1, 0), name="j").hash


def test_a_winner_inside_another_field_is_compared_by_an_expression():
    head = 'verdict: {overall: {winner: {enum: [A, B, tie]}}}\nscore: (overall.winner == "A") - (overall.winner == "B")\n'
    judge = parse_judge(f"---\n{head}scale: [-1, 1]\n---\nWhich is better?{SHOWN}", name="j")
    case = case_of(question="q", answer_1="x", answer_2="y")
    said = [{"overall": {"winner": winner}} for winner in ("A", "B", "tie")]
    assert converse(judge, case, said[0], said[1])[1].outcome.score.value == 1
    assert converse(judge, case, said[2], said[2])[1].outcome.score.value == 0.5
    assert judge_file(judge).count("scale: [-1, 1]") == 1


def test_one_score_of_two_answers_is_no_comparison():
    text = 'Do both say the same? Reply with JSON: {"score": 0 or 1}\n<a>{{answer_1}}</a><b>{{answer_2}}</b>'
    judge = parse_judge(text, name="j")
    assert (judge.pair, describe_judge(judge)["score"]) == (None, "score")


def test_an_overall_score_of_each_answer_is_one():
    text = (
        'Rate both from 1 to 10. Reply with JSON: {"overall_score_a": 1-10, "overall_score_b": 1-10}\n'
        "<a>{{answer_a}}</a><b>{{answer_b}}</b>"
    )
    judge = parse_judge(text, name="j")
    assert judge.pair is not None
    assert describe_judge(judge)["score"] == "overall_score_a - overall_score_b"
    assert describe_judge(judge)["pair"]["reply_scale"] == [-9, 9]
