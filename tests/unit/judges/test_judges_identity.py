"""A judge's hash changes with what is sent or how it is read, and with nothing else."""

import pytest

from adjudge.judges import parse_judge

FRONT = {
    "adjudge": "1",
    "name": "j",
    "description": "what it is",
    "verdict": "{reason: string, score: {type: integer, minimum: 1, maximum: 5}}",
    "score": "score",
    "scale": "[1, 5]",
    "anchors": "{1: bad, 5: good}",
}
BODY = "Rate {{ answer }} for {{question}}.\n"


def digest(body: str = BODY, **changes: str) -> str:
    front = {**FRONT, **changes}
    lines = "\n".join(f"{key}: {value}" for key, value in front.items() if value)
    return parse_judge(f"---\n{lines}\n---\n{body}", name="j").hash


def test_the_hash_is_twelve_hex_digits() -> None:
    assert len(digest()) == 12
    assert int(digest(), 16) >= 0


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "other"},
        {"description": "something else"},
        {"description": ""},
        {"anchors": "{1: poor, 5: great}"},
        {"scale": "[1.0, 5.0]"},
        {"verdict": "{reason: string, score: {maximum: 5, minimum: 1, type: integer}}"},
        {"score": "score  # the field"},
        {"better": "higher"},
        {"when_empty": "lowest"},
    ],
)
def test_what_is_only_said_about_a_judge_does_not_change_it(changes: dict[str, str]) -> None:
    assert digest(**changes) == digest()


@pytest.mark.parametrize(
    "changes",
    [
        {"verdict": "{score: {type: integer, minimum: 1, maximum: 5}, reason: string}"},
        {"verdict": "{reason: string, score: {type: number, minimum: 1, maximum: 5}}"},
        {"score": "score * 1"},
        {"scale": "[0, 5]"},
        {"better": "lower"},
        {"passes": "score >= 4"},
        {"when_missing": "{score: 1}"},
        {"when_empty": "ask"},
        {"when_empty": "{score: 1}"},
        {"temperature": "0"},
        {"max_output_tokens": "10"},
        {"dialect": "jinja"},
        {"inputs": "{question: optional}"},
        {"inputs": "{question: {default: none}}"},
        {"items": "{prompt: 'List {{question}}', verdict: {x: [string]}}"},
    ],
)
def test_what_changes_the_judging_changes_the_hash(changes: dict[str, str]) -> None:
    assert digest(**changes) != digest()


def test_every_character_that_is_sent_counts_and_comments_do_not() -> None:
    assert digest("Rate {{ answer }} for {{question}}!\n") != digest()
    assert digest("Rate {{answer}} for {{  question  }}.\n") == digest()
    assert digest("{{! a note }}" + BODY, dialect="mustache") == digest(dialect="mustache")


def test_the_order_of_keys_does_not_matter() -> None:
    lines = [f"{key}: {value}" for key, value in FRONT.items()]
    turned = "\n".join([lines[0], *reversed(lines[1:])])
    assert parse_judge(f"---\n{turned}\n---\n{BODY}", name="j").hash == digest()


def test_the_version_of_a_named_scorer_is_part_of_the_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    from adjudge.judges import identity

    changes = {"score": "correctness", "scale": "[0, 1]", "anchors": ""}
    before = digest(**changes)
    monkeypatch.setitem(identity.SCORER_VERSIONS, "correctness", 999)
    assert digest(**changes) != before
