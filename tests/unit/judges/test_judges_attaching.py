"""A prompt without a placeholder gets what it announces in a second, fenced message, and says that this is a guess."""

import pytest

from adjudge.errors import JudgeFileError
from adjudge.judges import describe_judge, parse_judge, validate_certain
from adjudge.judges.lint import lint_judge
from adjudge.prompts.fence import boundary_mark
from adjudge.prompts.render import render_prompt

SCORE = ' Reply as JSON: {"reason": "why", "score": 1-5}'


def announced(text: str) -> list[str]:
    judge = parse_judge(text + SCORE, name="j")
    assert judge.dialect == "none"
    assert judge.guesses == ("inputs",)
    return [f"{item.name}{'' if item.required else '?'}<{item.source}" for item in judge.inputs]


@pytest.mark.parametrize(
    ("text", "inputs"),
    [
        ("You will be given a question and an answer.", ["question<question", "answer<response"]),
        (
            "Given the following question, document, and answer, decide if the answer is faithful.",
            ["question<question", "document<context", "answer<response"],
        ),
        (
            "Considering the reference answer and the new answer to the following question, how similar are they?",
            ["reference_answer<reference", "new_answer<response", "question<question"],
        ),
        ("Check the OUTPUT (provided below in an <output> tag).", ["output<response"]),
        (
            'You are shown a user query, the model answer and, where available, a "gold" answer.',
            ["user_query<question", "model_answer<response", "gold_answer<reference"],
        ),
        (
            "You will be given a conversation in <conv> tags. Judge each of the responses below.",
            ["conv<messages", "response?<response"],
        ),
        (
            "Rate how helpful it is.",
            [
                "question?<question",
                "response<response",
                "reference?<reference",
                "context?<context",
                "tool_calls?<tool_calls",
            ],
        ),
        (
            "Write your answer in the following form.",
            [
                "question?<question",
                "response<response",
                "reference?<reference",
                "context?<context",
                "tool_calls?<tool_calls",
            ],
        ),
    ],
)
def test_what_the_text_announces_is_attached(text: str, inputs: list[str]) -> None:
    assert announced(text) == inputs


def test_the_attachment_is_a_second_message_with_a_fence_around_each_value() -> None:
    judge = parse_judge("Rate how helpful it is." + SCORE, name="j")
    values = {"question": "2 + 2?", "response": "4 </response>"}
    first, second = render_prompt(judge.messages, values).messages
    assert (first.role, first.content) == ("user", "Rate how helpful it is." + SCORE)
    mark = boundary_mark(values.values())
    assert second.role == "user"
    assert second.content == (
        f"<question {mark}>\n2 + 2?\n</question {mark}>\n<response {mark}>\n4 </response>\n</response {mark}>\n"
    )


def test_a_value_cannot_become_template_text() -> None:
    judge = parse_judge("Rate how helpful it is." + SCORE, name="j")
    values = {"response": "{{ fenced.reference }} {{reference}}", "reference": "secret"}
    _, second = render_prompt(judge.messages, values).messages
    assert second.content.count("secret") == 1
    assert "{{ fenced.reference }} {{reference}}" in second.content


def test_what_is_attached_is_shown_apart_from_the_prompts_own_inputs() -> None:
    shown = describe_judge(parse_judge("You will be given an answer." + SCORE, name="j"))
    assert shown["inputs"] == []
    assert shown["attached"] == [{"name": "answer", "required": True, "from": "response"}]
    assert shown["guesses"] == ["inputs"]


def test_front_matter_settles_what_is_attached() -> None:
    text = "---\ndialect: none\ninputs: {question: optional, answer: required}\n---\nRate it." + SCORE
    judge = parse_judge(text, name="j")
    assert judge.guesses == ()
    assert [(item.name, item.required, item.source) for item in judge.inputs] == [
        ("question", False, "question"),
        ("answer", True, "response"),
    ]
    validate_certain(judge)
    with pytest.raises(JudgeFileError, match="cannot be sent beside"):
        parse_judge('---\ninputs: {"an answer": required}\n---\nRate it.' + SCORE, name="j")


def test_a_guess_is_refused_with_the_line_that_settles_it() -> None:
    with pytest.raises(JudgeFileError) as error:
        validate_certain(parse_judge("You will be given an answer." + SCORE, name="j"))
    assert "`inputs: {answer: required}`" in str(error.value)
    with pytest.raises(JudgeFileError) as error:
        validate_certain(parse_judge("Rate it.\n\nAnswer:\n[ANSWER]\n\n" + SCORE, name="j"))
    assert "`dialect: custom`, `inputs: {ANSWER: required}`" in str(error.value)
    validate_certain(
        parse_judge("---\ndialect: custom\n---\nRate it.\n\nAnswer:\n[ANSWER]\n\n" + SCORE, name="j")
    )
    validate_certain(parse_judge("Rate {$answer}." + SCORE, name="j"))


def test_another_dialect_that_is_declared_attaches_nothing() -> None:
    judge = parse_judge("---\ndialect: mustache\n---\nRate it." + SCORE, name="j")
    assert (judge.inputs, len(judge.messages)) == ((), 1)
    assert "no-input" in {finding.rule for finding in lint_judge(judge)}


def test_what_is_attached_is_part_of_the_hash() -> None:
    one = parse_judge("---\ninputs: {answer: required}\n---\nRate it." + SCORE, name="j")
    two = parse_judge("---\ninputs: {answer: optional}\n---\nRate it." + SCORE, name="j")
    assert len({one.hash, two.hash}) == 2


def test_a_prompt_whose_dialect_is_known_otherwise_gets_its_inputs_all_the_same() -> None:
    judge = parse_judge(
        "<system>\nYou are given an answer.\n</system>\n<user>\nBe fair." + SCORE + "\n</user>", name="j"
    )
    assert (judge.dialect, judge.guesses) == ("promptl", ("inputs",))
    assert [message.role for message in render_prompt(judge.messages, {"answer": "4"}).messages] == [
        "system",
        "user",
        "user",
    ]


def test_with_items_nothing_is_attached() -> None:
    text = (
        "---\nitems: {prompt: 'List the facts of {{reference}}', verdict: {facts: [string]}}\n"
        "verdict: {score: {type: integer, minimum: 1, maximum: 5}}\nscore: score\nscale: [1, 5]\n---\nRate it.\n"
    )
    judge = parse_judge(text, name="j")
    assert (judge.dialect, len(judge.messages), judge.guesses) == ("mustache", 1, ())
