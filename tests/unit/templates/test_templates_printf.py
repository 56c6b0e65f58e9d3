"""printf: conversions in order, named from their labels; the per cent signs that are text."""

import pytest

from adjudge import templates


def names(text):
    return [reference.name for reference in templates.inputs(text, "printf")]


def content(text, values):
    (message,) = templates.render(text, "printf", values)
    return message.content


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Question: %s", ["question"]),
        ("Focus: %s\n", ["focus"]),
        ("User's answer: %s", ["users_answer"]),
        ("User’s answer: %s", ["users_answer"]),
        ("<tag>%s</tag>", ["tag"]),
        ("<user_question>\n%s\n</user_question>", ["user_question"]),
        ('<doc id="1">%s</doc>', ["doc"]),
        ("**Label**: %s", ["label"]),
        ("**Label:** %s", ["label"]),
        ("- __Model output__: %s", ["model_output"]),
        ("1. Question: %s\n2. Answer: %s", ["question", "answer"]),
        ("## Reference Answer\n%s", ["reference_answer"]),
        ("## Reference Answer\n\n%s", ["reference_answer"]),
        ("Reference answer:\n```\n%s\n```", ["reference_answer"]),
        ('Response:\n"""\n%s\n"""', ["response"]),
        ("**Context**\n%s", ["context"]),
        ('Question: "%s"', ["question"]),
        ("Question: `%s`", ["question"]),
        ("Question = %s", ["question"]),
        ("[Question]\n%s\n[The Start of Assistant's Answer]\n%s", ["question", "assistants_answer"]),
        ("Here is the question: %s", ["question"]),
        ("Below is the following context: %s", ["context"]),
        ("Q: %s A: %s", ["q", "a"]),
        ("Judge fairly. Question: %s", ["question"]),
        ("Answer: %s\nAnswer: %s\nAnswer: %s", ["answer", "answer_2", "answer_3"]),
        ("Is %s better than %s?", ["arg1", "arg2"]),
        ("%s", ["arg1"]),
        ("Question: %s\n\nis that %s", ["question", "arg2"]),
        ("Compare it with what an expert would say about this: %s", ["arg1"]),
        ("%(question)s and %(answer)s %(question)s", ["question", "answer"]),
        ("%(item.input)s", ["item.input"]),
        ("Age: %d, score: %.2f, n: %i, x: %f", ["age", "score", "n", "x"]),
        ("Name: %-10s|", ["name"]),
        ("Value: %v", ["value"]),
        ("Вопрос: %s", ["вопрос"]),
        ("问题：%s", ["问题"]),
    ],
)
def test_a_conversion_is_named_from_what_stands_before_it(text, expected):
    assert names(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "50% of",
        "50% discount",
        "100% sure, 100%sure",
        "20%-30% is fine",
        "a date like %Y-%m-%d or %d/%m/%Y %H:%M",
        "https://x.org/a%20b%d0%9f",
        "5%",
        "%",
        "% s and %(open",
        "%!",
    ],
)
def test_a_per_cent_sign_that_begins_no_conversion_is_text(text):
    assert content(text, {}) == text
    assert names(text) == []


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("100%% of %s", {"arg1": "x"}, "100% of x"),
        ("%%s", {}, "%s"),
        ("n: %d", {"n": 4.0}, "n: 4"),
        ("n: %d", {"n": 12}, "n: 12"),
        ("n: %d", {"n": "twelve"}, "n: twelve"),
        ("n: %d", {}, "n: "),
        ("n: %05.1f", {"n": 2.25}, "n: 002.2"),
        ("%(x)r %(y)r", {"x": "it's", "y": [1]}, '"it\'s" [1]'),
        ("n: %.2f", {"n": 2}, "n: 2.00"),
        ("n: %.2f", {"n": True}, "n: true"),
        ("n: %5s|", {"n": "ab"}, "n:    ab|"),
        ("x: %s", {"x": ["é"]}, 'x: ["é"]'),
        ("x: %s %s", {"x": "%s %(x)s", "arg2": "%d"}, "x: %s %(x)s %d"),
    ],
)
def test_conversions_write_their_values(text, values, expected):
    assert content(text, values) == expected
