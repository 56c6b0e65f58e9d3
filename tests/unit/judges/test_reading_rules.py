"""The rules that read a bare prompt, one at a time."""

import pytest

from adjudge.judges import describe_judge, parse_judge
from adjudge.judges.lint import lint_judge
from adjudge.judges.reading.kinds import find_ranges, read_kind
from adjudge.judges.reading.polarity import label_polarity, name_polarity, points_for
from adjudge.judges.reading.scale import find_anchors, find_pass_rule, overall_scale
from adjudge.judges.reading.skeleton import Leaf, ListNode, ObjectNode, find_objects
from adjudge.judges.reading.words import word_choices


@pytest.mark.parametrize(
    ("text", "low", "high", "kind"),
    [
        ("<0-5>", 0, 5, "integer"),
        ("1–4", 1, 4, "integer"),
        ("[1-5]", 1, 5, "integer"),
        ("<int 1-5>", 1, 5, "integer"),
        ("An integer number between 0 and 5", 0, 5, "integer"),
        ("a score from 1 (worst) to 10 (best)", 1, 10, "integer"),
        ("0.0-1.0", 0, 1, "number"),
        ("between 0 and 1", 0, 1, "number"),
        ("a float from 1 to 5", 1, 5, "number"),
        ("an integer between 0 and 1", 0, 1, "integer"),
        ("one to five", 1, 5, "integer"),
        ("out of 10", 0, 10, "integer"),
        ("a 7-point scale", 1, 7, "integer"),
        ("0, 1, 2, or 3", 0, 3, "integer"),
        ("1/2/3/4/5", 1, 5, "integer"),
        ("1 = poor, 5 = great", 1, 5, "integer"),
        ("where 1 means poor and 6 means great", 1, 6, "integer"),
        ("in steps of 0.5, from 1 to 5", 1, 5, "number"),
        ("5 to 1", 1, 5, "integer"),
        ("an integer in the range of [1,5]", 1, 5, "integer"),
        ("a score in [0, 1]", 0, 1, "number"),
        ("0 to 10, halves allowed", 0, 10, "number"),
        ("0%-100%", 0, 100, "integer"),
        ("<número del 1 al 5>", 1, 5, "integer"),
        ("<Zahl von 1 bis 6>", 1, 6, "integer"),
    ],
)
def test_a_range_of_numbers_is_read(text: str, low: float, high: float, kind: str) -> None:
    read = read_kind(text, whole=True)
    assert (read.low, read.high, read.type) == (low, high, kind)


@pytest.mark.parametrize(
    "text",
    [
        "2-3 sentences",
        "1 to 2 concise sentences",
        "List 2-3 specific strengths",
        "50-100 words",
        "within ±4%",
        "2023-10-05",
        "version 1.2-3.4.5",
        "10-20%",
        "GPT-4",
    ],
)
def test_a_count_a_date_and_a_tolerance_are_no_scale(text: str) -> None:
    assert find_ranges(text) == []


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("0.0 or 1.0", (0.0, 1.0)),
        ("<0 or 1>", (0, 1)),
        ("0|1", (0, 1)),
        ("0, 0.5, or 1", (0.0, 0.5, 1.0)),
        ("yes|no", ("yes", "no")),
        ('"yes" or "no"', ("yes", "no")),
        ("PASS/FAIL", ("PASS", "FAIL")),
        ("PASS or FAIL", ("PASS", "FAIL")),
        ('"A" | "B" | "tie"', ("A", "B", "tie")),
        ("A, B, or C", ("A", "B", "C")),
        ("either `good`, `fair` or `poor`", ("good", "fair", "poor")),
        ("one of: low, medium, high", ("low", "medium", "high")),
        ("<correct | incorrect>", ("correct", "incorrect")),
        ("<a|b|tie>", ("a", "b", "tie")),
        ('"1", "2" or "tie"', ("1", "2", "tie")),
        ("„ja“ oder „nein“", ("ja", "nein")),
        ("«да» или «нет»", ("да", "нет")),
        ("「はい」または「いいえ」", ("はい", "いいえ")),
        ("'supported' (it is there) or 'refuted' (it is not)", ("supported", "refuted")),
    ],
)
def test_a_choice_is_read_as_spelled(text: str, options: tuple) -> None:
    assert read_kind(text, whole=True).options == options


@pytest.mark.parametrize("text", ["true/false", "true or false", "<boolean>", "bool", "true | false", "true"])
def test_a_truth_value_is_a_boolean(text: str) -> None:
    assert read_kind(text, whole=True).type == "boolean"


@pytest.mark.parametrize("text", ["this and that", "a sentence or two", "the question or the answer", "3/4"])
def test_prose_is_no_choice(text: str) -> None:
    assert word_choices(text) == ()
    assert read_kind(text, whole=True).options == ()


JUDGED = "\n\nQuestion: {{question}}\nAnswer: {{answer}}\n"


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        (
            "Classify it into exactly one category:\n- billing: charges, refunds\n- login: passwords\n- other: the rest",
            ["billing", "login", "other"],
        ),
        ("Is every statement supported by the question? (yes/no)", ["yes", "no"]),
        ("Letter grades: A (superb), B (good), C (fair), D (poor), F (useless).", list("ABCDF")),
        ('Rispondi solo con "giusta", "parziale" o "vaga".', ["giusta", "parziale", "vaga"]),
        ('Ответь только одним словом: "ДА" или "НЕТ".', ["ДА", "НЕТ"]),
        ("「良い」または「悪い」のみを出力してください。", ["良い", "悪い"]),
        ('If it holds, mark it "kept". If it does not, it is marked "broken".', ["kept", "broken"]),
    ],
)
def test_labels_are_read_from_lists_questions_and_other_languages(text: str, labels: list[str]) -> None:
    (part,) = describe_judge(parse_judge(text + JUDGED, name="j"))["verdict"]["properties"].values()
    assert part["enum"] == labels


def test_letters_and_tags_in_prose_are_no_labels() -> None:
    assert word_choices("output one of the following after </think>: it, or that") == ()
    shown = describe_judge(
        parse_judge("Say one of:\nOption A (fine):\nGO\nOption B (not so):\nSTOP" + JUDGED, name="j")
    )
    assert "choice" not in (shown["verdict"] or {}).get("properties", {})


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("How polite is it? 1 = rude, 2 = cold, 3 = neutral, 4 = kind, 5 = warm", [1, 5]),
        ("How polite is it? 1 = rude, 2 = cold, … 5 = warm", [1, 5]),
        ("How polite is it? 0 (rude), 1 (cold), 2 (warm)", [0, 2]),
        ("What share of the facts does it name, as a percentage (0%-100%)?", [0, 100]),
        (
            'Points are accumulated on a 5-point scale:\n- Add 1 point if it is clear.\nConclude with: "Score: <points>"',
            [0, 5],
        ),
        ("評価基準\n3: 正しい\n2: 概ね正しい\n1: 誤り\n評価：（1〜3の整数）", [1, 3]),
    ],
)
def test_a_scale_is_read_that_nothing_calls_one(text: str, scale: list[float]) -> None:
    assert describe_judge(parse_judge(text + JUDGED, name="j"))["scale"] == scale


@pytest.mark.parametrize(
    "text", ["It costs 1 = one coin, 2 = two coins.", "Parts: 2 = legs, 4 = arms, 7 = hats"]
)
def test_few_or_uneven_numbers_in_a_line_are_no_scale(text: str) -> None:
    assert find_anchors(text) == []


def test_the_last_level_of_a_line_ends_with_its_sentence() -> None:
    (anchors,) = find_anchors("Rate it: 1 = rude, 2 = neutral, 3 = warm. End with a line of its own.")
    assert anchors.texts == {"1": "rude", "2": "neutral", "3": "warm"}


@pytest.mark.parametrize(
    "kind",
    [
        "Array<{\n  rule: string;\n  severity: 'low' | 'high';\n}>",
        "{ rule: string; severity: 'low' | 'high' }[]",
    ],
)
def test_lists_of_objects_are_read_from_typescript(kind: str) -> None:
    (shown,) = find_objects(f'type Review = {{\n  verdict: "kept" | "broken";\n  violations: {kind};\n}};')
    assert shown.node.names == ("verdict", "violations")
    violations = shown.node["violations"]
    assert isinstance(violations, ListNode)
    (element,) = violations.elements
    assert isinstance(element, ObjectNode)
    assert element.names == ("rule", "severity")


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("Use this format:\n\nGrammar: X/10\nStyle: X/10", ["grammar", "style"]),
        (
            "Answer in this form:\nHas a greeting: yes/no\nHas a call to action: yes/no",
            ["has_a_greeting", "has_a_call_to_action"],
        ),
        ("Antworte genau in diesem Format:\nBegründung: <kurz>\nNote: <1-6>", ["begründung", "note"]),
        ("Responda no seguinte formato:\nComentário: <texto>\nNota: <0-10>", ["comentário", "nota"]),
        ('按JSON输出，1到10分：\n{"准确性": 分数, "总分": 分数}', ["准确性", "总分"]),
    ],
)
def test_fields_are_read_by_their_places(text: str, fields: list[str]) -> None:
    shown = describe_judge(parse_judge(text + JUDGED, name="j"))
    assert list(shown["verdict"]["properties"]) == fields
    assert all(part != {"type": "string"} for part in list(shown["verdict"]["properties"].values())[1:])


def test_a_sentence_that_asks_to_explain_gives_no_labels() -> None:
    body = (
        "Your judgement must be in the format specified below:\n\nextracted_answer: The answer in the text.\n\n"
        "reasoning: Explain why the extracted_answer is correct or incorrect.\n\n"
        "correct: Answer 'yes' if it matches. Answer 'no' otherwise.\n"
    )
    shown = describe_judge(parse_judge(body + JUDGED, name="j"))
    assert shown["verdict"]["properties"]["extracted_answer"] == {"type": "string"}
    assert shown["score"] == {"yes": 1, "no": 0}


def test_json_is_read_with_everything_prompts_put_into_it() -> None:
    (shown,) = find_objects(
        """{
          // the verdict
          "score": <0-5>,   # whole numbers
          'why': "it's \\"fine\\"",
          tags: ["a", "b", ...],
          nested: {deep: true/false},
          ...
          choice: "x" | "y",
        }"""
    )
    assert shown.node.names == ("score", "why", "tags", "nested", "choice")
    assert shown.node["score"] == Leaf(text="<0-5>", quoted=False)
    assert shown.node["why"] == Leaf(text='it\'s \\"fine\\"', quoted=True)
    assert isinstance(shown.node["tags"], ListNode)
    assert shown.node["tags"].open_ended
    assert isinstance(shown.node["nested"], ObjectNode)
    assert shown.node["choice"] == Leaf(text='"x" | "y"', quoted=False)


@pytest.mark.parametrize("text", ["{", "{}", "{a}", '{"a": "', "{x: [1, 2", '{"a" 1}', "{{{{", '{"a": ]}'])
def test_what_is_not_json_is_not_taken_for_it(text: str) -> None:
    assert find_objects(text) == []


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("A score of 3 or above passes.", "score >= 3"),
        ("The answer passes if the score is at least 4.", "score >= 4"),
        ("It passes when the score is greater than 2.", "score > 2"),
        ("Passing score: 4", "score >= 4"),
        ("We use a threshold of 3.5.", "score >= 3.5"),
        ("Scores >= 4 pass.", "score >= 4"),
        ("A threshold of 70% applies.", None),
        ("A threshold of 50 applies.", None),
        ("Pass the answer on to the 3 reviewers.", None),
    ],
)
def test_a_pass_rule_is_read_where_the_prompt_states_one(text: str, rule: str | None) -> None:
    assert find_pass_rule(text, 1, 5) == rule


def test_polarity_comes_from_a_fixed_list_of_words() -> None:
    assert [label_polarity(word) for word in ("Correct", "not correct", "non-toxic", "TOXIC", "meh")] == [
        1,
        -1,
        1,
        -1,
        0,
    ]
    assert [name_polarity(name) for name in ("is_correct", "hallucinated", "has_pii", "mentions_price")] == [
        1,
        -1,
        -1,
        0,
    ]
    assert points_for(("yes", "no"), {}, "Does it answer the question?") == {"yes": 1.0, "no": 0.0}
    assert points_for(("yes", "no"), {}, "Does it contain errors?") is None
    assert points_for(("good", "meh", "bad"), {}, "") is None


def test_anchors_give_the_scale_and_its_words() -> None:
    (anchors,) = find_anchors("Rating scale:\n- 1: Poor. Bad.\n- 2: Fair. So so.\n- 3: Good. Fine.\n")
    assert anchors.words == {"poor": 1.0, "fair": 2.0, "good": 3.0}
    kind = overall_scale("", [anchors])
    assert kind is not None
    assert (kind.low, kind.high, kind.type) == (1, 3, "integer")


def test_numbered_steps_are_no_anchors() -> None:
    assert find_anchors("Scoring steps:\n1. Read it.\n2. Think.\n3. Score it.\n") == []


@pytest.mark.parametrize(
    "label",
    [
        "Context (optional): {{context}}",
        "Context (if any):\n{{context}}",
        "The context may be empty.\n{{context}}",
        "If a context is provided, use it.\nContext: {{context}}",
        "There is also a context. Sometimes it will be present, other times it will be empty. Here is the context.\n\nContext: {{context}}",
        "{{#context}}Context: {{context}}{{/context}}",
    ],
)
def test_an_input_that_may_be_lacking_is_optional(label: str) -> None:
    judge = parse_judge(
        f"Question: {{{{question}}}}\n{label}\nScore 1 to 5. Return only the number.", name="j"
    )
    assert {item.name: item.required for item in judge.inputs} == {"question": True, "context": False}


@pytest.mark.parametrize(
    "label",
    [
        "Context: {{context}}",
        "If the answer is missing, give 1.\nContext: {{context}}",
        "An optional remark may follow.\n\nQuestion: {{q}}\nContext: {{context}}",
    ],
)
def test_an_input_that_nothing_is_said_of_is_required(label: str) -> None:
    judge = parse_judge(f"{label}\nScore 1 to 5. Return only the number.", name="j")
    assert next(item for item in judge.inputs if item.name == "context").required


def test_inputs_are_filled_from_the_canonical_fields() -> None:
    judge = parse_judge(
        "{{ item.input }} {{ sample.output_text }} {{toolCalls}} {{persona}} {{date}}", name="j"
    )
    assert [(item.name, item.source) for item in judge.inputs] == [
        ("item.input", "question"),
        ("sample.output_text", "response"),
        ("toolCalls", "tool_calls"),
        ("persona", "persona"),
        ("date", "current_date"),
    ]


def test_messages_are_shown_by_role_and_not_rendered() -> None:
    text = "<system>\nBe strict.\n</system>\n<user>\nRate {{ x }}{{ if y }} {{ y }}{{ endif }} from 1 to 5.\n</user>\n"
    shown = describe_judge(parse_judge(text, name="j"))
    assert shown["dialect"] == "promptl"
    assert shown["messages"][:2] == [
        {"role": "system", "content": "Be strict."},
        {"role": "user", "content": "Rate {{ x }}{{ if y }} {{ y }}{{ endif }} from 1 to 5."},
    ]


@pytest.mark.parametrize(
    "unit",
    [
        '{"a": "',
        "[[",
        "1-",
        "Score: 1\n",
        "1: a\n",
        " ",
        "\t",
        "yes or ",
        "`a` or ",
        "<a>x",
        "- a: b\n",
        "A, ",
        "\n",
        "(A) x\n",
    ],
)
def test_a_long_hostile_prompt_is_read_all_the_same(unit: str) -> None:
    """Each of these took minutes in a pattern that backtracks."""
    text = (unit * (300_000 // len(unit))) + '\n{{x}}\nReturn {"score": <1-5>}'
    judge = parse_judge(text, name="j")
    assert [item.name for item in judge.inputs] == ["x"]
    lint_judge(judge)


def test_two_scores_on_one_stated_scale_are_both_bounded_by_it() -> None:
    body = (
        "Rate the answer and the question, each with a score from 0 to 100.\n"
        "Respond only with a JSON having:\n- An 'answer_score' key with the score of the answer.\n"
        "- A 'question_score' key with the score of the question.\n<q>{{question}}</q>\n<a>{{response}}</a>\n"
    )
    shown = describe_judge(parse_judge(body, name="j"))
    hundred = {"type": "integer", "minimum": 0, "maximum": 100}
    assert shown["verdict"]["properties"] == {"answer_score": hundred, "question_score": hundred}
    assert (shown["score"], shown["scale"]) == (None, [0, 100])
    chosen = describe_judge(parse_judge(f"---\nscore: answer_score\n---\n{body}", name="j"))
    assert (chosen["score"], chosen["scale"], chosen["unread"]) == ("answer_score", [0, 100], [])


def test_a_name_with_a_space_is_filled_by_the_field_it_stands_for():
    judge = parse_judge(
        "{{question}} {{Reference Answer}} {{Student Answer}} Rate it from 1 to 5.", name="spaced"
    )
    assert [(item.name, item.source) for item in judge.inputs] == [
        ("question", "question"),
        ("Reference Answer", "reference"),
        ("Student Answer", "Student Answer"),
    ]


@pytest.mark.parametrize(
    ("ending", "labels"),
    [
        ('End with "Winner: A", "Winner: B" or "Winner: tie".', ["A", "B", "tie"]),
        ('Write exactly one of "Winner: A", "Winner: B", "Winner: C".', ["A", "B", "C"]),
    ],
)
def test_replies_that_are_listed_in_quotes_are_all_read(ending: str, labels: list[str]) -> None:
    prompt = f"Which answer is better?\nA: {{{{ response_a }}}}\nB: {{{{ response_b }}}}\n{ending}"
    judge = parse_judge(prompt, name="listed")
    assert judge.contract is not None
    assert judge.contract.schema["properties"]["winner"]["enum"] == labels
    assert judge.pair is not None
