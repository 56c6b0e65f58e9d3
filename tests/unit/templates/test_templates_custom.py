"""Marks of a prompt's own: read only where a value would stand, and filled like any other placeholder."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.templates import detect, inputs, render

LABELLED = "Is the claim true?\n\nClaim:\n[CLAIM]\n\nSource:\n[SOURCE_TEXT]\n\nSay Yes or No."
TAGGED = (
    "Rate the reply.\n\n<User Request>\n\n$REQUEST$\n\n</User Request>\n\n<Reply>\n\n$REPLY$\n\n</Reply>\n"
)
ANGLES = "Did the agent do it?\n\nTASK: <task>\nFinal answer: <answer>\n<count> pictures follow:"
WRAPPED = "Rate {$answer} for {$question}.\n{$answer} is all you see."


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (LABELLED, ["CLAIM", "SOURCE_TEXT"]),
        (TAGGED, ["REQUEST", "REPLY"]),
        (ANGLES, ["task", "answer", "count"]),
        (WRAPPED, ["answer", "question"]),
        ("## Question\n[QUESTION]\n\n## Answer\n```\n[ANSWER]\n```", ["QUESTION", "ANSWER"]),
        ("Question: [QUESTION]\nAnswer: [ANSWER]\n", ["QUESTION", "ANSWER"]),
    ],
)
def test_marks_that_stand_for_values_are_inputs(text: str, names: list[str]) -> None:
    assert detect(text) == "custom"
    assert [item.name for item in inputs(text, "custom")] == names


@pytest.mark.parametrize(
    "text",
    [
        "Rate the answer.\n\nReply in this format:\nAnswer: <answer>\nScore: <score>",
        "Rate the answer.\n\nAnswer: <answer>\nScore: <score>",
        "Respond as follows:\n\nQuestion: <question>",
        "[INSTRUCTIONS]\nRate the answer you are given.\n\n[SCALE]\n1 to 5.",
        "The answer stands in <answer> tags:\n<answer>\nan example\n</answer>",
        "[BEGIN DATA]\nnothing\n[END DATA]",
        "Compare [ANSWER] with what is known; <question> is not shown.",
        "It costs $5 and $PRICE$ is not a label here.",
        "Say [YES] or [NO].",
        "Facts:\n[FACTS]\nThey are listed above.",
    ],
)
def test_headings_tags_and_the_blanks_of_a_reply_are_text(text: str) -> None:
    assert detect(text) == "none"
    assert inputs(text, "none") == ()


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("Question: [QUESTION]\nAnswer: {answer}", "python"),
        ("Question: <question>\nAnswer: {{answer}}", "mustache"),
        ("Rate $answer for {$question}", "shell"),
        ("Rate ${answer} for {$question}", "shell"),
    ],
)
def test_another_dialects_placeholders_go_first(text: str, dialect: str) -> None:
    assert detect(text) == dialect


def test_only_the_mark_in_the_place_of_a_value_is_filled() -> None:
    text = "A [CLAIM] is a sentence.\n\nClaim:\n[CLAIM]\n"
    (message,) = render(text, "custom", {"CLAIM": "Cats fly."})
    assert message.content == "A [CLAIM] is a sentence.\n\nClaim:\nCats fly.\n"
    (message,) = render(WRAPPED, "custom", {"answer": "a", "question": "q"})
    assert message.content == "Rate a for q.\na is all you see."


@pytest.mark.parametrize("text", [LABELLED, TAGGED, ANGLES, WRAPPED])
@given(data=st.data())
def test_a_value_is_never_read_as_a_mark(text: str, data: st.DataObject) -> None:
    names = [item.name for item in inputs(text, "custom")]
    marks = st.sampled_from(["[CLAIM]", "<answer>", "$REPLY$", "{$answer}", "Claim:\n[CLAIM]\n", "x"])
    values = {name: "".join(data.draw(st.lists(marks, max_size=4))) for name in names}
    plain = {name: f"\u0000{name}\u0000" for name in names}
    (filled,) = render(text, "custom", plain)
    expected = filled.content
    for name in names:
        expected = expected.replace(plain[name], f"\u0001{name}\u0001")
    for name in names:
        expected = expected.replace(f"\u0001{name}\u0001", values[name])
    (message,) = render(text, "custom", values)
    assert message.content == expected


def test_words_in_braces_are_blanks_of_the_reply() -> None:
    text = (
        "Write your review:\nTitle: {the title you give}\nGood: {what is good}\nBad: {what is bad}\n"
        "Verdict: {one short sentence} {emoji}"
    )
    assert detect(text) == "none"
    assert detect("Rate {answer} with {a word of praise}") == "python"
    assert detect("Rate the answer from 1 to 5.\n\nReason: {reason}\nScore: {score}") == "none"
    assert detect("Is {score} right for {answer}?") == "python"
    assert detect("Wrap it: \\boxed{{yes or no}}. Code: {code}") == "python"


def test_a_text_without_placeholders_is_sent_as_it_is() -> None:
    text = 'Rate it. {"score": 1} $5 <b> 100% {{ }} '
    assert detect(text) == "none"
    assert [message.content for message in render(text, "none", {"score": "x"})] == [text]
