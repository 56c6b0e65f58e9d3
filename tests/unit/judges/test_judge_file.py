"""A judge written as a file says what is missing and what is a guess; the corpus tests read every one again."""

import pytest
from hypothesis import given
from tests.support.odd_texts import odd_texts

from adjudge.judges import built_in_judges, describe_judge, parse_judge
from adjudge.judges.front_matter import read_yaml
from adjudge.judges.judge_file import front_matter_line, judge_file, missing_lines


def test_what_is_missing_is_a_comment_to_fill_in():
    judge = parse_judge("Is it warm or cold? {{answer}}\nReply: <verdict>warm/cold</verdict>", name="j")
    assert list(missing_lines(judge).values()) == ["score: {warm: …, cold: …}", "scale: […, …]"]
    written = judge_file(judge)
    assert "\n# score: {warm: …, cold: …}  # not found: fill it in\n" in written
    filled = written.replace(
        "# score: {warm: …, cold: …}  # not found: fill it in", "score: {warm: 1, cold: 0}"
    )
    assert describe_judge(parse_judge(filled, name="j"))["score"] == {"warm": 1, "cold": 0}


def test_a_guess_is_marked_and_a_proposal_has_to_be_confirmed():
    judge = parse_judge("Tell whether they are the same (1) or different (0). {{answer}}", name="j")
    assert "scale: [0, 1]  # a guess: check it" in judge_file(judge).splitlines()
    bare = parse_judge("How warm is it? {{answer}}", name="j")
    assert "scale: [1, 3]  # confirm" in judge_file(bare, proposed={"scale": "scale: [1, 3]"}).splitlines()


@pytest.mark.parametrize("label", ["yes", "no", "1", "a: b", "# x", "ähnlich", '"', "true", "- a", "null"])
def test_labels_keep_their_spelling(label):
    judge = parse_judge(
        f"Answer with exactly one of `{label}` or `other`. {{{{answer}}}}".replace("\n", " "), name="j"
    )
    again = parse_judge(judge_file(judge), name="j")
    assert describe_judge(again)["verdict"] == describe_judge(judge)["verdict"]


@pytest.mark.parametrize("judge", built_in_judges(), ids=lambda judge: judge.name)
def test_what_front_matter_says_is_taken_over(judge):
    assert parse_judge(judge_file(judge), name="j").hash == judge.hash


def test_only_keys_of_judge_files_are_taken_over_from_another_tools_front_matter():
    text = "---\nprovider: x\ntemperature: 0.3\nbetter: higher\ncontract: y\n---\nScore the toxicity of {{answer}} 1-5."
    judge = parse_judge(text, name="j")
    written = judge_file(judge)
    assert "\ntemperature: 0.3\nbetter: higher\n---\n" in written
    assert "provider" not in written
    assert parse_judge(written, name="j").hash == judge.hash


@given(odd_texts)
def test_a_text_stays_on_its_line_and_is_read_as_it_was(text):
    line = front_matter_line("verdict", {text: [text, 1]})
    assert len(line.splitlines()) == 1
    assert read_yaml(f"{line}  # confirm\nscale: [0, 1]", where="line").value == {
        "verdict": {text: [text, 1]},
        "scale": [0, 1],
    }
