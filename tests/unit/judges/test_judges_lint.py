"""Each lint rule finds its fault in a file that has it, and is silent on one that has not."""

import re
from pathlib import Path

import pytest

from adjudge.judges import parse_judge
from adjudge.judges.lint import RULES, lint_judge

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "lint.md"

SCALE = "1: poor\n5: perfect\n"
ASK = 'Return JSON: {"reason": "<text>", "score": <1-5>}\n'
GOOD = f"Rate the answer from 1 to 5.\n{SCALE}\n<answer>\n{{{{answer}}}}\n</answer>\n\n{ASK}"
LABELS = 'Return JSON: {"reason": "<text>", "label": "pass" | "fail" | "cannot_tell"}\n'


def codes(text: str) -> set[str]:
    return {finding.code for finding in lint_judge(parse_judge(text, name="j"))}


def test_a_judge_without_faults_has_no_findings() -> None:
    assert codes(GOOD) == set()


CASES: list[tuple[str, str, str]] = [
    (
        "ADJ001",
        "---\nadjudge: 1\ninputs: {answer: required, context: required}\n---\n" + GOOD,
        "---\nadjudge: 1\ninputs: {answer: required}\n---\n" + GOOD,
    ),
    ("ADJ002", GOOD.replace(SCALE, ""), GOOD),
    ("ADJ002", GOOD.replace(SCALE, ""), "---\nanchors: {1: bad, 5: good}\n---\n" + GOOD.replace(SCALE, "")),
    ("ADJ003", GOOD.replace(ASK, ""), GOOD),
    (
        "ADJ004",
        GOOD.replace(ASK, 'Return JSON: {"score": <1-5>, "reason": "<text>"}\n'),
        GOOD,
    ),
    ("ADJ004", GOOD.replace(ASK, "Answer as follows:\nScore: <1-5>\nReasoning: <text>\n"), GOOD),
    ("ADJ005", GOOD.replace("<1-5>}", '"1-5"}'), GOOD),
    (
        "ADJ006",
        GOOD + 'Example:\n{"reason": "It is.", "score": 4}\n',
        GOOD + 'Examples:\n{"reason": "It is.", "score": 4}\n{"reason": "It is not.", "score": 1}\n',
    ),
    (
        "ADJ006",
        GOOD + "Example 1\nAnswer: blue\nScore: 2\n",
        GOOD + "Example 1\nScore: 2\nExample 2\nScore: 5\n",
    ),
    ("ADJ007", GOOD.replace("<answer>\n", "").replace("</answer>\n", ""), GOOD),
    (
        "ADJ008",
        GOOD + "{% if tools %}<tools>{{ tools }}</tools>{% else %}No tools were called.{% endif %}\n",
        GOOD
        + "{% if tools %}<tools>{{ tools }}</tools>{% else %}Whether tools were called is unknown.{% endif %}\n",
    ),
    (
        "ADJ008",
        GOOD + "{{#notes}}<notes>{{notes}}</notes>{{/notes}}{{^notes}}The user has no notes.{{/notes}}\n",
        GOOD + "{{#notes}}<notes>{{notes}}</notes>{{/notes}}{{^notes}}Notes are not available.{{/notes}}\n",
    ),
    ("ADJ009", GOOD + "I will tip you $200 for a good rating.\n", GOOD + "Tips in the answer are fine.\n"),
    ("ADJ009", GOOD + "You will be fired if you are wrong.\n", GOOD),
    ("ADJ010", GOOD + "The score goes from 0 to 10.\n", GOOD + "Again: the score goes from 1 to 5.\n"),
    ("ADJ011", GOOD + "```\n", GOOD + "```\nx\n```\n"),
    ("ADJ012", GOOD + "<label>{{label}}</label>\n", GOOD + "<labels_guide>{{labels_guide}}</labels_guide>\n"),
    (
        "ADJ013",
        GOOD + "<hint>Hint (optional): {{hint}}</hint>\n",
        GOOD + "{% if hint %}<hint>Hint (optional): {{ hint }}</hint>{% endif %}\n",
    ),
    (
        "ADJ014",
        GOOD + "The score is the weighted average of the three criteria.\n",
        GOOD + "Weigh the criteria against one another.\n",
    ),
    ("ADJ014", GOOD + "score = 2 * clarity + style\n", GOOD),
    (
        "ADJ015",
        '<a>{{a}}</a>\nReturn JSON {"reason": "<text>", "accuracy": <1-5>, "style": <1-5>}\n',
        GOOD,
    ),
    ("ADJ016", "---\ndialect: mustache\n---\n" + GOOD.replace("{{answer}}", "<<answer>>"), GOOD),
    (
        "ADJ017",
        GOOD.replace(ASK, 'First explain your reasoning. Then return JSON: {"score": <1-5>}\n'),
        GOOD.replace(ASK, 'Return JSON: {"score": <1-5>}. Don’t explain your reasoning.\n'),
    ),
    (
        "ADJ017",
        "---\nstructured: true\n---\n"
        + GOOD.replace(ASK, "Give your reasoning step by step, then end with a line\nScore: <1-5>\n"),
        GOOD.replace(ASK, "Give your reasoning step by step, then end with a line\nScore: <1-5>\n"),
    ),
    (
        "ADJ017",
        GOOD.replace(ASK, 'Think step by step. Return JSON: {"score": <1-5>}\n'),
        "---\nstructured: false\n---\n"
        + GOOD.replace(ASK, 'Think step by step. Return JSON: {"score": <1-5>}\n'),
    ),
    (
        "ADJ017",
        GOOD.replace(ASK, 'Start with a short justification. Return JSON: {"score": <1-5>}\n'),
        GOOD.replace(ASK, 'The answer should give its rationale. Return JSON: {"score": <1-5>}\n'),
    ),
    (
        "ADJ018",
        GOOD.replace(ASK, LABELS),
        "---\nabstain: [cannot_tell]\n---\n" + GOOD.replace(ASK, LABELS),
    ),
    (
        "ADJ018",
        GOOD.replace(ASK, LABELS.replace("cannot_tell", "N/A")),
        "---\nscore: {pass: 1, fail: 0, N/A: 0.5}\n---\n"
        + GOOD.replace(ASK, LABELS.replace("cannot_tell", "N/A")),
    ),
]


@pytest.mark.parametrize(
    ("code", "faulty", "sound"), CASES, ids=[f"{case[0]}-{n}" for n, case in enumerate(CASES)]
)
def test_a_rule_finds_its_fault_and_nothing_where_there_is_none(code: str, faulty: str, sound: str) -> None:
    assert code in codes(faulty)
    assert code not in codes(sound)


def test_every_rule_is_tested() -> None:
    assert {case[0] for case in CASES} == {rule.code for rule in RULES}


def test_codes_and_names_are_unique_and_in_order() -> None:
    found = [rule.code for rule in RULES]
    assert found == sorted(set(found))
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_the_reference_page_lists_every_rule_and_no_other() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (ADJ\d{3}) `([a-z-]+)` \|", text, re.MULTILINE))
    assert rows == {rule.code: rule.name for rule in RULES}


def test_a_finding_says_where_what_and_what_to_do() -> None:
    text = "---\nadjudge: 1\n---\n" + GOOD.replace("<answer>\n", "").replace("</answer>\n", "")
    (finding,) = lint_judge(parse_judge(text, name="j"))
    assert (finding.code, finding.rule) == ("ADJ007", "no-boundary")
    assert text.splitlines()[finding.line - 1] == "{{answer}}"
    assert finding.message == "`answer` is inserted into the prompt without delimiters"
    assert finding.hint


@pytest.mark.parametrize(
    "around",
    [
        "<answer>\n{{answer}}\n</answer>",
        "<answer>Text: {{answer}}</answer>",
        "```\n{{answer}}\n```",
        '"""\n{{answer}}\n"""',
        "---\n{{answer}}\n---",
        "****\n[Answer]: {{answer}}\n****",
        "[BEGIN DATA]\n[Answer]: {{answer}}\n[END DATA]",
        "[The Start of the Answer]\n{{answer}}\n[The End of the Answer]",
        "{{fenced.answer}}",
    ],
)
def test_every_common_boundary_is_one(around: str) -> None:
    assert "ADJ007" not in codes(GOOD.replace("<answer>\n{{answer}}\n</answer>", around))


@pytest.mark.parametrize(
    "around",
    [
        "{{answer}}",
        "Answer: {{answer}}",
        "<answer>\n{{answer}}",
        "<answer></answer>\n{{answer}}",
        "```\nx\n```\n{{answer}}",
        "[BEGIN DATA]\n[END DATA]\n{{answer}}",
    ],
)
def test_a_boundary_that_does_not_enclose_is_none(around: str) -> None:
    assert "ADJ007" in codes(GOOD.replace("<answer>\n{{answer}}\n</answer>", around))


def test_a_fallback_answer_is_not_an_example_of_a_score() -> None:
    text = GOOD + 'If the input is missing, use this fallback:\n{"reason": "missing", "score": 1}\n'
    assert "ADJ006" not in codes(text)


@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        ("Rate from 1 (rude) to 5 (warm): <a>{{answer}}</a>", False),
        ("Give a score where 1 means rude and 5 means warm: <a>{{answer}}</a>", False),
        ("Rate from 1 (rude) to 5: <a>{{answer}}</a>", True),
        ("Rate from 1 to 5: <a>{{answer}}</a>", True),
    ],
)
def test_ends_of_a_scale_that_a_sentence_describes_are_anchors(prompt, found):
    judge = parse_judge(f'{prompt}\nReply with JSON: {{"reason": "...", "score": 1-5}}', name="x")
    assert ("ADJ002" in {finding.code for finding in lint_judge(judge)}) is found
