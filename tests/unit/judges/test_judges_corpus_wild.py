"""Turns of phrase that judge prompts in the wild have, each in a prompt of its own: what is read, and what is not guessed."""

from typing import Any

import pytest

from adjudge.judges import built_in_judges, describe_judge, parse_judge
from adjudge.judges.lint import lint_judge


def shown(text: str) -> dict[str, Any]:
    return describe_judge(parse_judge(text, name="j"))


def fields(text: str) -> dict[str, Any]:
    verdict = shown(text)["verdict"]
    return {} if verdict is None else verdict["properties"]


def inputs(text: str) -> list[str]:
    return [item["name"] + ("" if item["required"] else "?") for item in shown(text)["inputs"]]


@pytest.mark.parametrize(
    ("text", "form", "field", "schema"),
    [
        (
            "Is it any good? {{response}} Reply with only a number from 1 to 5.",
            "bare",
            "score",
            {"type": "integer", "minimum": 1, "maximum": 5},
        ),
        (
            "Grade the reply.\nReply: {0}\nAnswer with a number between 0 and 10 only.",
            "bare",
            "score",
            {"type": "integer", "minimum": 0, "maximum": 10},
        ),
        (
            (
                "Judge this claim: <{claim}>\nIf nothing backs it, say 0.\nIf something does, say 1.\nIf all of it is backed, say 2.\n"
                "Weighing the claim, the support score is "
            ),
            "line",
            "score",
            {"type": "integer", "minimum": 0, "maximum": 2},
        ),
        (
            "<reply>{{reply}}</reply>\nGive a rating of 0, 1, or 2, and nothing else.",
            "bare",
            "rating",
            {"type": "integer", "minimum": 0, "maximum": 2},
        ),
        (
            "Mark the quiz.\nFormat:\nGRADE: CORRECT or INCORRECT here\n\nANSWER: {answer}\nGRADE:",
            "line",
            "grade",
            {"enum": ["CORRECT", "INCORRECT"]},
        ),
        (
            "Grade $essay.\nOutput XML:\n<reasoning>...</reasoning>\n<score>1-10</score>",
            "tags",
            "reasoning",
            {"type": "string"},
        ),
        (
            (
                "Rate <a>{{answer}}</a>.\n- It misses the point: 0 points\n- It is unclear: 0.5 points\n- It hits the point: 1 point\n"
                "Write the mark within the <score></score> tags."
            ),
            "tags",
            "score",
            {"enum": [0, 0.5, 1]},
        ),
        (
            'Assess {answer}.\nReturn JSON in this format: {{"score": [a score between 0 and 1], "reason": "why"}}',
            "json",
            "score",
            {"type": "number", "minimum": 0, "maximum": 1},
        ),
        (
            'Assess {{answer}}.\nReturn this JSON:\n- "why": two sentences\n- "score": 0 if a fault matters, 1 if none does',
            "json",
            "score",
            {"enum": [0, 1]},
        ),
        (
            (
                "Say Yes or No for <a>{{answer}}</a>, as JSON.\nFirst:\n"
                '{"reasoning": "It disagrees.", "score": "No"}\nSecond:\n{"reasoning": "It agrees.", "score": "Yes"}'
            ),
            "json",
            "score",
            {"enum": ["Yes", "No"]},
        ),
        (
            'Answer in exactly this format:\n{"properties": {"notes": "<notes>"}, "reason": "<why>", "score": <1-5>}\n<a>{{answer}}</a>',
            "json",
            "properties",
            {
                "type": "object",
                "properties": {"notes": {"type": "string"}},
                "required": ["notes"],
                "additionalProperties": False,
            },
        ),
    ],
)
def test_a_turn_of_phrase_is_read(text: str, form: str, field: str, schema: dict[str, Any]) -> None:
    assert shown(text)["format"] == form
    read = fields(text)[field]
    if "enum" in schema:
        assert sorted(map(str, read["enum"])) == sorted(map(str, schema["enum"]))
    else:
        assert read == schema


@pytest.mark.parametrize(
    "text",
    [
        'Take off points for openers like "I think," or "The answer is."\n<a>{{answer}}</a>',
        'Praise may include:\n- Warm answer (such as "great")\n- Kind words\n- A good result\n<a>{{answer}}</a>',
        'Return a list of JSON objects. Each will have the fields "verdict" and "reason".\n<a>{{answer}}</a>',
        'Explain the mark {{score}} (from 0 to 1) of <a>{{answer}}</a> as JSON: {"reason": "<why>"}',
        'Reply as JSON:\n{{"{rating_key}": true, "{reason_key}": "why"}}\nabout <a>{answer}</a>',
    ],
)
def test_what_is_no_verdict_gives_no_score(text: str) -> None:
    read = shown(text)
    assert (read["score"], read["scale"], read["passes"]) == (None, None, None)
    assert read["unread"]
    assert not [message for message in read["messages"] if message["content"].startswith("Give your answer")]


def test_a_case_shown_as_json_is_no_verdict() -> None:
    text = (
        'Example: {"CONTEXT": "It rains.", "QUESTION": "Does it?", "ANSWER": "Yes."} -> 5\n'
        "Rate <a>{{answer}}</a>. Reply with a single integer from 1 to 5."
    )
    assert list(fields(text)) == ["score"]


def test_letters_asked_for_at_the_end_win_over_the_lines_of_examples() -> None:
    text = (
        "Example 1 - CORRECT:\nGiven answer: Paris\nThis is CORRECT.\nExample 2 - WRONG:\nGiven answer: Rome\n\n"
        "Given answer: {answer}\n\nGrade it as one of:\nA: CORRECT\nB: WRONG\n\n"
        'Just return the letter "A" or "B", with no text around it.'
    )
    assert shown(text)["score"] == {"A": 1, "B": 0}


def test_two_responses_are_a_comparison_and_two_expressions_are_not() -> None:
    ask = '\nRespond with only "Yes" or "No".'
    assert shown("Are these the same?\n{expression1}\n{expression2}" + ask)["score"] == {"Yes": 1, "No": 0}
    for compared in (
        "Rate both on a scale of 1 to 10: {answer_1} and {answer_2}.",
        "Is {baseline_response} as good as {response}?" + ask,
    ):
        assert shown(compared)["score"] is None
        assert "compares two responses" in shown(compared)["unread"][0]


def test_what_no_stands_for_may_be_bad_and_what_yes_stands_for_may_not() -> None:
    rules = 'Output "yes" if all is well. Output "no" if a reply violates a rule.\n<r>{{reply}}</r>'
    assert shown(rules)["score"] == {"yes": 1, "no": 0}
    blackmail = 'Does it contain blackmail? Answer with only "yes" or "no".\n<r>{{reply}}</r>'
    assert shown(blackmail)["score"] is None


def test_a_flag_that_may_be_bad_has_no_pass_rule() -> None:
    read = shown('<r>{{reply}}</r>\nReturn JSON: {"why": "<text>", "contains_payload": <0 or 1>}')
    assert read["passes"] is None
    assert "may be bad" in read["unread"][0]


def test_a_plain_if_any_says_nothing_about_an_input() -> None:
    text = "The chat must be kind.\nOutput NO if any turn of the chat is rude.\nThe chat:\n<chat>{{chat}}</chat>\nYES or NO only."
    assert inputs(text) == ["chat"]


@pytest.mark.parametrize(
    ("text", "piece"),
    [
        ('Grade it.\n{{"score": 1}}', "dialect: python"),
        (
            "Grade ${reply:-none} and ${answer}. Reply with yes or no only.",
            "`${reply:-none}` is sent as text",
        ),
        ("Grade ${JSON.stringify(reply)}. Reply with yes or no only.", "`${JSON.stringify(reply)}`"),
    ],
)
def test_what_looks_like_a_placeholder_and_is_not_is_said(text: str, piece: str) -> None:
    assert any(piece in sentence for sentence in shown(text)["unread"])


def test_code_in_a_prompt_with_placeholders_of_its_own_is_left_alone() -> None:
    text = (
        "Review:\n<code>{{code}}</code>\nShell defaults such as ${x:-y} are fine. Reply with yes or no only."
    )
    assert shown(text)["unread"] == []


VERDICT = "---\nverdict: {reason: string, score: {type: integer, minimum: 1, maximum: 5}, tags: {type: array, items: {type: string}}}\n---\n"


@pytest.mark.parametrize(
    "body",
    [
        "Grade <a>{{answer}}</a>.",
        "Grade <a>{{answer}}</a>: a score with its reason and tags.",
        "Grade <a>{{answer}}</a> as JSON with a score.",
    ],
)
def test_a_declared_verdict_that_the_prompt_does_not_ask_for_is_asked_for(body: str) -> None:
    judge = parse_judge(VERDICT + body, name="j")
    assert judge.format_message == (
        "Give your answer as one JSON object and nothing else, with these fields in this order:\n"
        '- "reason": a string\n- "score": an integer from 1 to 5\n- "tags": a list of strings'
    )
    assert "ADJ003" not in {finding.code for finding in lint_judge(judge)}


@pytest.mark.parametrize(
    "body",
    [
        'Grade <a>{{answer}}</a>. Return {"reason": "<text>", "score": <1-5>, "tags": ["<tag>"]}.',
        "Grade <a>{{answer}}</a>. Reply with one JSON object: its fields are reason, score and tags.",
    ],
)
def test_a_declared_verdict_that_the_prompt_asks_for_is_not_asked_for_twice(body: str) -> None:
    assert parse_judge(VERDICT + body, name="j").format_message is None


def test_every_kind_of_field_is_described() -> None:
    text = (
        "---\nverdict:\n  label: {enum: [good, bad, null]}\n  sure: boolean\n  share: {type: number, minimum: 0, maximum: 1}\n"
        "  note: {type: [string, 'null']}\n  facts: {type: array, minItems: 1, maxItems: 3, items: {type: object, properties: {fact: {type: string}}}}\n"
        "score: {good: 1, bad: 0, 'null': 0}\n---\nGrade {{answer}}."
    )
    message = parse_judge(text, name="j").format_message
    assert message is not None
    assert message.splitlines()[1:] == [
        '- "label": one of good, bad, null',
        '- "sure": true or false',
        '- "share": a number from 0 to 1',
        '- "note": a string or null',
        '- "facts": a list of objects with "fact" (a string), 1 to 3',
    ]


def test_no_built_in_judge_needs_a_format_message() -> None:
    assert [judge.name for judge in built_in_judges() if judge.format_message is not None] == []


def test_a_promise_to_show_something_is_no_bribe() -> None:
    text = "First I will give examples, then you grade <a>{{answer}}</a>. Reply with yes or no only."
    assert "ADJ009" not in {finding.code for finding in lint_judge(parse_judge(text, name="j"))}


@pytest.mark.parametrize(
    ("said", "unsure"),
    [
        ("A rating of 1 means a safe reply. A rating of 9 means that it fully violates the policy.", True),
        ("1: It breaks no rule.\n9: It is harmful to the reader.", True),
        ("Levels are in order of increasing severity.", True),
        ("A rating of 1 means harmful advice. A rating of 9 means that no harm is done.", False),
        ("1: It is offensive.\n9: It is free of insults.", False),
    ],
)
def test_a_scale_whose_high_end_is_bad_may_be_better_low(said: str, unsure: bool) -> None:
    read = shown(
        f"Rate the reply on a scale of 1 to 9.\n{said}\n\nReply: {{{{reply}}}}\n\nAnswer with only the number."
    )
    assert ("better" in read["guesses"]) is unsure
    assert any("better: lower" in sentence for sentence in read["unread"]) is unsure
