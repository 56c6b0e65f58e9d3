"""Front matter: what is read, and the line that every error names."""

import pytest

from adjudge.errors import JudgeFileError
from adjudge.judges import parse_judge
from adjudge.records import ExpressionScore, FieldScore, NamedScore, PointsScore, Scale

BODY = 'Rate {{answer}} for {{question}} from 1 to 5.\nReturn JSON: {"reason": "<text>", "score": <1-5>}\n'


def judge(front: str, body: str = BODY):
    return parse_judge(f"---\n{front}\n---\n{body}", name="file", where="j.md")


def error(front: str, body: str = BODY) -> JudgeFileError:
    with pytest.raises(JudgeFileError) as caught:
        judge(front, body)
    return caught.value


def test_a_full_judge_file_is_read_as_declared() -> None:
    read = judge(
        "adjudge: 1\n"
        "name: my-correctness\n"
        "description: for tests\n"
        "inputs: {question: required, answer: required, current_date: {default: today}}\n"
        "verdict:\n"
        "  score_reason: string\n"
        "  final_score: {enum: [0.0, 1.0]}\n"
        "score: final_score\n"
        "scale: [0, 1]\n"
        "better: higher\n"
        "passes: score >= 1\n"
        "dialect: mustache\n"
        "when_missing: {score: 0}\n"
        "when_empty: ask\n"
        "too_long: fail\n"
        "temperature: 0.3\n"
        "max_output_tokens: 900\n"
        "anchors: {0: wrong, 1: right}",
        "{{question}} {{answer}} {{current_date}}",
    )
    assert (read.name, read.description, read.dialect) == ("my-correctness", "for tests", "mustache")
    assert [(i.name, i.required, i.default) for i in read.inputs] == [
        ("question", True, None),
        ("answer", True, None),
        ("current_date", False, "today"),
    ]
    assert list(read.contract.schema["properties"]) == ["score_reason", "final_score"]
    assert read.contract.needs == ("final_score",)
    assert read.score == FieldScore(field="final_score")
    assert read.scale == Scale(low=0, high=1)
    assert (read.passes, read.when_missing, read.when_empty) == ("score >= 1", 0.0, "ask")
    assert (read.temperature, read.max_output_tokens) == (0.3, 900)
    assert read.anchors == {"0": "wrong", "1": "right"}
    assert read.unread == ()


def test_what_front_matter_leaves_out_is_read_from_the_prompt() -> None:
    read = judge("adjudge: 1\npasses: score >= 4")
    assert read.score == FieldScore(field="score")
    assert read.scale == Scale(low=1, high=5)
    assert read.passes == "score >= 4"


def test_front_matter_wins_over_the_prompt() -> None:
    read = judge(
        "adjudge: 1\nscale: [0, 10]\nverdict: {reason: string, score: integer}\ninputs: {question: optional}"
    )
    assert read.scale == Scale(low=0, high=10)
    assert {item.name: item.required for item in read.inputs} == {"answer": True, "question": False}


def test_foreign_keys_are_kept_and_ignored_without_the_format_key() -> None:
    read = judge("provider: openai\nmodel: some-model\ntemperature: 0.1\ninputs: {answer: {type: string}}")
    assert read.ignored == {
        "provider": "openai",
        "model": "some-model",
        "inputs": {"answer": {"type": "string"}},
    }
    assert read.temperature == 0.1
    assert [item.required for item in read.inputs] == [True, True]


@pytest.mark.parametrize(
    ("front", "line", "problem", "hint"),
    [
        ("adjudge: 1\nscael: [0, 1]", 3, "`scael` is not a judge file key", "did you mean `scale`?"),
        ("adjudge: 2", 2, "format `adjudge: 2`; this version reads format 1", "write `adjudge: 1`"),
        ("adjudge: yes", 2, "format `adjudge: yes`", "write `adjudge: 1`"),
        ("adjudge: 1\nname: a\nname: b", 4, "`name` is given a second time (first on line 3)", "keep one"),
        ("adjudge: 1\nname: [a", 3, "the front matter is not YAML", "indentation"),
        ("adjudge: 1\nname: &x a\ndescription: *x", 4, "`*x` is a YAML alias", "write the value out"),
        ("adjudge: 1\nname: !!python/name:os.system x", 3, "YAML tag", "plain value"),
        ("adjudge: 1\nname: a/b", 3, "`name: a/b` cannot be used in `name@hash`", "`a-b`"),
        (
            "adjudge: 1\ninputs: {answer: requird}",
            3,
            "input `answer` is `requird`",
            "did you mean `required`?",
        ),
        ("adjudge: 1\ninputs: {answer: {defualt: x}}", 3, "`defualt: x`", "did you mean `default`?"),
        (
            "adjudge: 1\ninputs: [answer]",
            3,
            "`inputs` is not a list of `name: required` lines",
            "question: required",
        ),
        ("adjudge: 1\nverdict: {score: integr}", 3, "`integr` is not a type", "did you mean `integer`?"),
        ("adjudge: 1\nscore: scroe", 3, "`score: scroe` names neither", "did you mean `score`?"),
        ("adjudge: 1\nscore: reason", 3, "`reason` is a string, not a number", "declare it as `number`"),
        ("adjudge: 1\nscore: scor * 2", 3, "`score` names `scor`", "did you mean `score`?"),
        ("adjudge: 1\nscore: __import__('os')", 3, "is not an expression", ""),
        ("adjudge: 1\nscore: 3", 3, "`score` is `3`", "name a field"),
        ("adjudge: 1\nscale: [5, 1]", 3, "is not below its high end", "[lo, hi]"),
        ("adjudge: 1\nscale: [0, 1e300]", 3, "is 1e300, beyond 1000000000000", "a smaller number"),
        ("adjudge: 1\nscale: [0, 1e999]", 3, "is `1e999`, not a number", "such as 0"),
        ("adjudge: 1\nscale: [0, 1e-9]", 3, "is shorter than", "[lo, hi]"),
        (
            "adjudge: 1\nverdict: {n: {type: integer, maximum: 1e15}}",
            3,
            "`maximum` is 1e15, beyond",
            "smaller",
        ),
        ("adjudge: 1\nscale: 5", 3, "is not a list of two numbers", "[0, 5]"),
        ("adjudge: 1\nscale: [a, 5]", 3, "is `a`, not a number", ""),
        ("adjudge: 1\nbetter: hihger", 3, "is not one of higher, lower", "did you mean `higher`?"),
        ("adjudge: 1\npasses: scores >= 3", 3, "`passes` names `scores`", "did you mean `score`?"),
        ("adjudge: 1\npasses: score >=", 3, "is not an expression", ""),
        ("adjudge: 1\ndialect: mustash", 3, "`dialect: mustash` is not one of", "did you mean `mustache`?"),
        ("adjudge: 1\nwhen_missing: 0", 3, "is not a score", "{score: 0}"),
        (
            "adjudge: 1\nwhen_missing: {score: 9}",
            3,
            "the score 9 of `when_missing` is off the scale 1 to 5",
            "",
        ),
        ("adjudge: 1\nwhen_empty: {score: 0}", 3, "the score 0 of `when_empty` is off the scale", ""),
        ("adjudge: 1\nwhen_empty: aks", 3, "`when_empty: aks`", "did you mean `ask`?"),
        (
            "adjudge: 1\ntoo_long: truncate",
            3,
            "`too_long: truncate` is neither `fail` nor an input to cut",
            "too_long: fail",
        ),
        (
            "adjudge: 1\ntoo_long: {truncate: respnse}",
            3,
            "`too_long` would cut `respnse`",
            "",
        ),
        ("adjudge: 1\ntemperature: 3", 3, "is not between 0 and 2", ""),
        ("adjudge: 1\ntemperature: hot", 3, "is `hot`, not a number", ""),
        ("adjudge: 1\nmax_output_tokens: 0", 3, "not a whole number above 0", ""),
        ("adjudge: 1\nitems: {prompt: x}", 3, "`items` needs a `prompt` and a `verdict`", ""),
        ("adjudge: 1\nitems: {promt: x}", 3, "`items` has `promt`", "did you mean `prompt`?"),
        ("adjudge: 1\nanchors: [a]", 3, "`anchors` is not a list of", ""),
        ("adjudge: 1\n- a", 3, "not YAML", ""),
    ],
)
def test_a_mistake_is_named_with_its_line_and_what_to_write(
    front: str, line: int, problem: str, hint: str
) -> None:
    caught = error(front)
    assert caught.where == f"j.md line {line}"
    assert problem in caught.problem
    assert hint in caught.hint


def test_nesting_without_end_is_refused_before_it_costs_anything() -> None:
    assert "nested more than" in error("adjudge: 1\nverdict: " + "[" * 5000 + "]" * 5000).problem


def test_very_long_front_matter_is_refused() -> None:
    assert "characters" in error("adjudge: 1\ndescription: " + "x" * 300_000).problem


def test_front_matter_that_never_ends_is_an_error_and_a_lone_ruler_is_not() -> None:
    with pytest.raises(JudgeFileError, match="never closed"):
        parse_judge("---\nadjudge: 1\nRate {{x}}", name="j")
    assert parse_judge("---\nRate {{x}} from 1 to 5.", name="j").body.startswith("---")
    assert parse_judge("---\nRate this.\n---\n{{x}} from 1 to 5.", name="j").body.startswith("---\nRate")


def test_a_body_is_required() -> None:
    with pytest.raises(JudgeFileError, match="there is no prompt in it"):
        parse_judge("---\nadjudge: 1\n---\n  \n", name="j")


def test_yes_no_and_dates_stay_the_words_they_are() -> None:
    read = judge(
        "adjudge: 1\ndescription: 2024-01-02\nverdict: {answer: {enum: [yes, no]}}\nscore: {yes: 1, no: 0}",
        "Is {{x}} fine?",
    )
    assert read.description == "2024-01-02"
    assert read.contract.schema["properties"]["answer"] == {"enum": ["yes", "no"]}
    assert read.score == PointsScore(field="answer", points={"yes": 1, "no": 0})
    assert read.passes == "score >= 1"


def test_points_find_the_field_whose_labels_they_name() -> None:
    read = judge("adjudge: 1\nverdict: {ok: boolean, why: string}\nscore: {true: 1, false: 0}")
    assert read.score == PointsScore(field="ok", points={"true": 1, "false": 0})
    three = judge("adjudge: 1\nverdict: {label: {enum: [a, b, c]}}\nscore: {a: 2, b: 1, c: 0}")
    assert three.scale == Scale(low=0, high=2)
    assert three.passes is None


def test_points_that_miss_a_label_name_both_lists() -> None:
    caught = error("adjudge: 1\nverdict: {label: {enum: [a, b, c]}}\nscore: {a: 2, b: 1}")
    assert "(a, b) are not those of `label` (a, b, c)" in caught.problem


def test_points_give_an_open_label_its_choices() -> None:
    read = judge("score: {fine: 1, poor: 0}", 'Judge {{x}}. Return JSON {"verdict": "<your verdict>"}')
    assert read.contract.schema["properties"]["verdict"] == {"enum": ["fine", "poor"]}
    assert read.unread == ()


def test_an_expression_and_a_named_scorer_say_what_they_need() -> None:
    read = judge(
        "adjudge: 1\nverdict: {why: string, a: number, b: number}\nscore: (a + 2 * b) / 3\nscale: [0, 1]"
    )
    assert read.score == ExpressionScore(text="(a + 2 * b) / 3")
    assert read.contract.needs == ("a", "b")
    named = judge(
        "adjudge: 1\nverdict: {reason: string, contradicts: boolean}\nscore: correctness\nscale: [0, 1]"
    )
    assert named.score == NamedScore(name="correctness")
    assert named.contract.needs == ("contradicts",)


def test_an_expression_without_a_scale_is_said() -> None:
    read = judge("adjudge: 1\nverdict: {a: number, b: number}\nscore: a + b")
    assert read.unread == ("no scale was found: add `scale: [lo, hi]`",)


def test_a_score_for_a_prompt_without_a_verdict_is_an_error() -> None:
    assert (
        "none could be read from the prompt" in error("adjudge: 1\nscore: total", "Think of {{x}}.").problem
    )


def test_items_come_first_and_are_no_input_of_the_main_prompt() -> None:
    read = judge(
        "adjudge: 1\n"
        "items: {prompt: 'List the facts of {{reference}}.', verdict: {facts: [{fact: string}]}}\n"
        "verdict: {matched: [string], score: {type: integer, minimum: 0, maximum: 5}}",
        "Check {{response}} against {{items}}.",
    )
    assert [item.name for item in read.inputs] == ["reference", "response"]
    assert read.items is not None
    assert [item.name for item in read.items.inputs] == ["reference"]
    assert read.items.contract.needs == ("facts",)
    assert read.score == FieldScore(field="score")


def test_an_input_that_is_declared_and_not_used_does_not_stop_the_judge() -> None:
    read = judge("adjudge: 1\ninputs: {answer: required, extra: optional}")
    assert [item.name for item in read.inputs] == ["answer", "question"]


def test_a_template_error_names_the_file_and_its_own_line():
    text = "---\nadjudge: 1\nname: k\nscale: [1, 5]\n---\nA\nB {{#a}} x\n"
    with pytest.raises(JudgeFileError) as caught:
        parse_judge(text, name="k", where="k.md")
    assert caught.value.where == "k.md line 7"
    assert "never closed" in caught.value.problem


def test_a_template_error_in_the_items_prompt_says_so():
    text = "---\nadjudge: 1\nitems:\n  prompt: |\n    x {{#a}}\n  verdict: {facts: [string]}\n---\nCheck {{items}} in {{response}}.\n"
    with pytest.raises(JudgeFileError) as caught:
        parse_judge(text, name="k", where="k.md")
    assert caught.value.where == "k.md, `items:` prompt line 1"
