"""Each recogniser reads its turn of phrase, and without it the prompt is read otherwise."""

from typing import Any, NamedTuple

import pytest

from adjudge.judges import describe_judge, parse_judge
from adjudge.judges.reading import RECOGNISERS, read_prompt, without


class Example(NamedTuple):
    text: str
    scale: list[float] | None = None
    labels: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    form: str | None = None


JUDGED = "\n\nQuestion: {{question}}\nAnswer: {{answer}}\n"
EXAMPLES: dict[str, list[Example]] = {
    "json_schema": [
        Example(
            'Reply by this schema: {"$defs": {"Mark": {"enum": [1, 2, 3]}}, "properties": {"why": {"type": "string"}, '
            '"mark": {"$ref": "#/$defs/Mark"}}, "type": "object"}' + JUDGED,
            [1, 3],
            ("1", "2", "3"),
            ("why", "mark"),
        )
    ],
    "shown_json": [
        Example('Grade it.\n{"why": "…", "grade": <0-3>}' + JUDGED, [0, 3], (), ("why", "grade")),
        Example(
            'Grade each claim. Reply in this format:\n[{"claim": "…", "verdict": "kept|broken"}, …]' + JUDGED,
            None,
            ("kept", "broken"),
            ("entries", "claim", "verdict"),
        ),
    ],
    "true_or_false": [
        Example(
            "Return true if it is kind, false otherwise." + JUDGED, [0, 1], ("true", "false"), ("verdict",)
        ),
    ],
    "described_json": [
        Example(
            "Answer with a JSON object with the keys `why` and `score` (an integer from 1 to 4)." + JUDGED,
            [1, 4],
            (),
            ("why", "score"),
        ),
    ],
    "tags": [
        Example(
            "Reply in this format:\n<analysis>your thoughts</analysis>\n<rating>1-7</rating>" + JUDGED,
            [1, 7],
            (),
            ("analysis", "rating"),
        )
    ],
    "labelled_brackets": [
        Example(
            "Rate from 1 to 6, as follows:\nTone: [[rating]]\nDepth: [[rating]]" + JUDGED,
            [1, 6],
            (),
            ("tone", "depth"),
        ),
        Example(
            "1から6までの尺度で評価してください。\n正しさ: [[評価値]]\n深さ: [[評価値]]\n{{answer}}",
            [1, 6],
            (),
            ("正しさ", "深さ"),
        ),
    ],
    "brackets": [
        Example("Say [[KEEP]] if it helps the reader and [[DROP]] if not." + JUDGED, None, ("KEEP", "DROP"))
    ],
    "called_sections": [
        Example(
            "In a section called NOTES, say what is good. In a section called SCORE, give a score from 1 to 9."
            + JUDGED,
            [1, 9],
            (),
            ("notes", "score"),
        )
    ],
    "lines": [
        Example(
            "Use exactly this format:\nComment: <why>\nMark: <1-6>" + JUDGED, [1, 6], (), ("comment", "mark")
        ),
        Example(
            "你的输出应形如:\n选择：A\n原因：…\n或者\n选择：B\n原因：…\n{{answer}}",
            None,
            ("A", "B"),
            ("选择", "原因"),
        ),
        Example(
            "Respond in the following format.\n\nMessage: Ugh.\nscore: true\nreason: It is angry.\n\n"
            f"Message: {'Hi. ' * 200}\nscore: false\nreason: It is kind." + JUDGED,
            None,
            (),
            ("score", "reason"),
        ),
        Example(
            "Give feedback, then follow this format: '[RESULT] followed by the float number of the total score'"
            + JUDGED,
            None,
            (),
            ("feedback", "score"),
        ),
        Example(
            'Respond in the following format:\n\nReason: "why"\nCompliance: "Yes" or "No"\n' + JUDGED,
            None,
            ("Yes", "No"),
            ("reason", "compliance"),
        ),
    ],
    "sections": [
        Example(
            "Write a report with these parts:\n\n# Findings\nWhat you saw.\n\n# Score\nA score between 0 and 3."
            + JUDGED,
            [0, 3],
            (),
            ("findings", "score"),
        ),
        Example(
            "Your report should include:\n1. **Evaluation**: a paragraph\n2. **Strengths**: list two\n"
            "3. **Total rating**: a number from 1 to 4" + JUDGED,
            [1, 4],
            (),
            ("evaluation", "strengths", "total_rating"),
        ),
    ],
    "named_fields": [
        Example(
            'Put your reasoning in the "rationale" field. Set "outcome" to either "kept" or "broken".'
            + JUDGED,
            None,
            ("kept", "broken"),
            ("rationale", "outcome"),
        )
    ],
    "two_scores": [
        Example(
            "Rate both on a scale of 1 to 10. First output a single line containing only two values, the scores for "
            "Assistant 1 and 2, separated by a space.\n\n{{question}}\n\n{{answer_1}}\n\n{{answer_2}}",
            [0, 1],
            (),
            ("score_1", "score_2"),
        )
    ],
    "bare": [Example("Respond with only a number from 1 to 5." + JUDGED, [1, 5], (), ("score",))],
    "number_asked": [
        Example("Give only a single integer, 0 to 9, and no other text." + JUDGED, [0, 9], (), ("score",))
    ],
    "lettered": [
        Example(
            "Choose one option:\nA. It holds\nB. It holds in part\nC. It does not hold" + JUDGED,
            None,
            ("A", "B", "C"),
        )
    ],
    "worded": [Example("Answer with one word, either ripe or unripe." + JUDGED, None, ("ripe", "unripe"))],
    "quoted_choices": [
        Example(
            'Reply with "very warm", "warm" or "cold" and nothing else.' + JUDGED,
            None,
            ("very warm", "warm", "cold"),
        )
    ],
    "piped_choices": [
        Example(
            "Reply with a single word, warm | cool | cold, and stop." + JUDGED, None, ("warm", "cool", "cold")
        )
    ],
    "plain_words": [
        Example("Reply with a single word: WARM, COOL or COLD." + JUDGED, None, ("WARM", "COOL", "COLD")),
        Example("Say only whether it is faithful or unfaithful." + JUDGED, None, ("faithful", "unfaithful")),
    ],
    "one_of": [
        Example(
            "Label the answer with exactly one of warm, cool or cold using your best judgement." + JUDGED,
            None,
            ("warm", "cool", "cold"),
        )
    ],
    "conditional_choices": [
        Example(
            'Output your verdict: "kept" if the promise was kept and "broken" if it was not.' + JUDGED,
            None,
            ("kept", "broken"),
        ),
        Example(
            'Answer "kept" if the promise was kept. Answer "broken" if it was not.' + JUDGED,
            None,
            ("kept", "broken"),
        ),
    ],
    "marked_choices": [
        Example("Reply:\n<verdict>warm/cool/cold</verdict>" + JUDGED, None, ("warm", "cool", "cold")),
        Example('Reply: {"verdict": "very warm | cold"}' + JUDGED, None, ("very warm", "cold")),
    ],
    "or_list": [Example('Reply: {"verdict": "[W++ or W=C or C++]"}' + JUDGED, None, ("W++", "W=C", "C++"))],
    "letter_grades": [
        Example(
            "Use exactly this format:\nReason: <why>\nGrade: <grade>\nA+: superb\nA: good\nB: fair\nF: useless"
            + JUDGED,
            None,
            ("A+", "A", "B", "F"),
            ("reason", "grade"),
        )
    ],
    "numbered_options": [
        Example(
            "What is it?\n\nOptions:\n(1) A request\n(2) A complaint\n(3) Praise" + JUDGED,
            None,
            ("1", "2", "3"),
        )
    ],
    "letter_range": [
        Example(
            "Give the answer exactly one of five letters from A to E, A being best." + JUDGED,
            None,
            tuple("ABCDE"),
        )
    ],
    "defined_labels": [
        Example("Verdicts: kept = it was kept; broken = it was not." + JUDGED, None, ("kept", "broken"))
    ],
    "arrow_labels": [
        Example("- all points are there → KEEP\n- a point is missing → DROP" + JUDGED, None, ("KEEP", "DROP"))
    ],
    "stated_scale": [
        Example("Rate the answer on a scale of 2 to 8." + JUDGED, [2, 8], (), ("score",)),
        Example("Auf einer Skala von 1 bis 6 bewerten.\n{{answer}}", [1, 6]),
        Example("Note de 1 à 20 sur une échelle.\n{{answer}}", [1, 20]),
        Example("Da una puntuación del 1 al 7.\n{{answer}}", [1, 7]),
        Example("请给出 1 到 10 的整数评分。\n{{answer}}", [1, 10]),
        Example("1から5までの尺度で評価してください。\n{{answer}}", [1, 5]),
        Example("1에서 10까지의 점수를 부여하세요.\n{{answer}}", [1, 10]),
        Example(
            "Each point scores 0 or 0.5. The final score is one of 0, 0.5, 1, 1.5, 2." + JUDGED,
            [0, 2],
            ("0.0", "0.5", "1.0", "1.5", "2.0"),
        ),
    ],
    "criteria_scale": [Example("Judge:\n1. Tone (1-5)\n2. Depth (1-5)" + JUDGED, [1, 5])],
    "anchored_alike": [Example("Score it:\n0: bad\n1: poor\n2: fair\n3: good" + JUDGED, [0, 3])],
    "pointed_scale": [
        Example("Tell whether they are the same (1) or different (0)." + JUDGED, [0, 1], ("0", "1")),
        Example("The score is 2 if all of it holds, 1 if some does or 0 if none does." + JUDGED, [0, 2]),
    ],
}


def read(text: str) -> Example:
    read_prompt.cache_clear()
    shown = describe_judge(parse_judge(text, name="j"))
    fields: list[str] = []
    labels: list[str] = []

    def walk(schema: Any) -> None:
        if isinstance(schema, dict):
            for name, child in schema.get("properties", {}).items():
                fields.append(name)
                walk(child)
            walk(schema.get("items"))
            labels.extend(str(option) for option in schema.get("enum", ()))

    walk(shown["verdict"])
    return Example(text, shown["scale"], tuple(labels), tuple(fields), shown["format"])


def agrees(found: Example, wanted: Example) -> bool:
    named = not wanted.fields or found.fields == wanted.fields
    scaled = wanted.scale is None or found.scale == wanted.scale
    formed = wanted.form is None or found.form == wanted.form
    return named and scaled and formed and sorted(found.labels) == sorted(wanted.labels)


@pytest.mark.parametrize(
    ("name", "wanted"), [(name, example) for name, several in EXAMPLES.items() for example in several]
)
def test_a_turn_of_phrase_is_read_by_its_recogniser(name: str, wanted: Example) -> None:
    found = read(wanted.text)
    assert agrees(found, wanted), found
    with without(name):
        assert not agrees(read(wanted.text), wanted)
    read_prompt.cache_clear()


def test_every_recogniser_has_an_example() -> None:
    assert set(EXAMPLES) == set(RECOGNISERS)
