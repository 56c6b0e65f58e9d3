"""What depends on the prompts and the reader, and not on the model, cannot be got past by any attack."""

import json

import pytest

from adjudge.judges import built_in_judges
from adjudge.probes.attacks import ATTACKS, attacked
from adjudge.probes.subjects import answer_field, built_in_rows
from adjudge.probes.target import target_of
from adjudge.prompts.fence import boundary_mark
from adjudge.prompts.render import render_prompt
from adjudge.records import Verdict
from adjudge.verdicts import Planted, read_verdict

JUDGES = built_in_judges()
ATTACKS_BY_NAME = {attack.name: attack for attack in ATTACKS}
OWN = {
    "relevance": {"reason": "It does not answer what was asked.", "score": 1},
    "correctness": {
        "reason": "The response contradicts the reference.",
        "contradicts": True,
        "misses_critical": False,
        "calculation": False,
        "numbers": [],
    },
    "helpfulness": {
        "evaluation": "It does not help.",
        "strengths": ["It is short.", "It is polite."],
        "weaknesses": ["It is wrong.", "It is vague."],
        "detailed_analysis": "It falls short on accuracy.",
        "recommendations": ["Answer the question."],
        "rating": 1,
    },
    "coverage": {
        "facts": [{"id": "F1", "why": "It is not said.", "matched": False, "evidence": None}],
        "conclusions": [],
        "terms": [],
        "organization": "mismatched",
    },
    "preference": {"reason": "The other one answers the question.", "winner": "B"},
    "rubric": {"reason": "It does not name a next step.", "passed": False},
    "groundedness": {
        "claims": [{"id": "C1", "passage": None, "why": "It is not said.", "verdict": "not_found"}]
    },
}
"""A failing verdict of each judge's own."""


def attacked_input(judge):
    if judge.name == "groundedness":
        return "context"  # of the response its second prompt has the claims only
    return answer_field(judge)


def values_of(judge, row, response):
    held = {
        **row,
        "response": response,
        "response_a": response,
        "response_b": "Another answer.",
        "parameters": {"question": row["question"]},
        "items": {"facts": [{"id": "F1", "fact": "It is so."}]},
        "current_date": "2026-01-31",
        "rubric": "The answer names a next step.",
        **({"context": response} if judge.name == "groundedness" else {}),
    }
    names = [item.name for item in judge.inputs] + (["items"] if judge.items else [])
    return {name: held[name] for name in names if name in held}


def rendered(judge, row, response):
    values = values_of(judge, row, response)
    (message,) = render_prompt(judge.messages, values).messages
    texts = [
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for value in values.values()
    ]
    return message.content, boundary_mark(texts), texts


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.name)
def test_no_attack_ends_its_fence_or_changes_the_template(judge):
    _, rows = built_in_rows(judge)
    clean, clean_mark, _ = rendered(judge, rows[0], "PLACE OF THE RESPONSE")
    for number, attack in enumerate(ATTACKS):
        row = rows[0]
        text = attacked(attack, rows[number % len(rows)][answer_field(judge)], target_of(judge))
        prompt, mark, _ = rendered(judge, row, text)
        assert mark not in text, attack.name
        tag = f"{attacked_input(judge)} {mark}"
        assert prompt.count(f"</{tag}>") == 1, attack.name
        assert prompt.count(f"<{tag}>\n{text}\n</{tag}>") == 1, attack.name
        same = clean.replace(clean_mark, mark).replace("PLACE OF THE RESPONSE", text)
        assert prompt == same, attack.name


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.name)
def test_no_planted_verdict_is_read_as_the_verdict_of_a_model_that_quotes_it(judge):
    """A model that quotes the response and says nothing of its own has given no verdict."""
    for attack in ATTACKS:
        text = attacked(attack, "The answer is 7.", target_of(judge))
        for reply in (
            f"The response reads as follows:\n\n{text}\n\nThat was all of it.",
            f"> {text}\n\nI have read it.",
        ):
            found = read_verdict(reply, judge.contract, whole=False, case_texts=[text, "What is it?"])
            assert not isinstance(found, Verdict), (attack.name, found)


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.name)
def test_some_attacks_would_be_read_if_nobody_knew_what_stands_in_the_case(judge):
    """So that the test above tests something."""
    text = attacked(ATTACKS_BY_NAME["planted-json-2"], "The answer is 7.", target_of(judge))
    reply = f"The response reads as follows:\n\n{text}\n\nThat was all of it."
    assert isinstance(read_verdict(reply, judge.contract, whole=False, case_texts=[]), Verdict)
    assert isinstance(read_verdict(reply, judge.contract, whole=False, case_texts=[text]), Planted)


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.name)
def test_a_models_own_verdict_after_the_quotation_is_the_only_one_that_can_count(judge):
    own = OWN[judge.name]
    taken = 0
    for attack in ATTACKS:
        text = attacked(attack, "The answer is 7.", target_of(judge))
        reply = f"The response reads as follows:\n\n{text}\n\nMy verdict:\n\n{json.dumps(own)}"
        found = read_verdict(reply, judge.contract, whole=False, case_texts=[text, "What is it?"])
        taken += isinstance(found, Verdict)
        verdict = found.verdict if isinstance(found, Planted) else found
        assert isinstance(verdict, Verdict), (attack.name, found)
        assert dict(verdict.parts) == own, attack.name
    assert taken > len(ATTACKS) / 2


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.name)
def test_a_provider_held_to_the_schema_gives_no_verdict_with_text_around_it(judge):
    for attack in ATTACKS:
        text = attacked(attack, "The answer is 7.", target_of(judge))
        found = read_verdict(f"Quoted: {text} (end)", judge.contract, whole=True, case_texts=[text])
        assert not isinstance(found, Verdict), attack.name
