"""Prompts that ask for no one score run all the same: labels by their shares, several numbers as ratings, the rest kept."""

import json

import pytest


def run(adjudge, tmp_path, prompt, replies, *more, process=False):
    (tmp_path / "judge.txt").write_text(prompt, encoding="utf-8")
    cases = [{"id": f"c{number}", "response": f"Answer {number}."} for number in range(len(replies))]
    (tmp_path / "cases.jsonl").write_text("".join(f"{json.dumps(case)}\n" for case in cases))
    answers = [{"case_id": case["id"], "reply": reply} for case, reply in zip(cases, replies, strict=True)]
    (tmp_path / "replies.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in answers))
    done = adjudge(
        "run", str(tmp_path / "cases.jsonl"), "--judge", str(tmp_path / "judge.txt"), "--model",
        f"scripted:{tmp_path / 'replies.jsonl'}", "-o", str(tmp_path / "rows.jsonl"), "--name", "r",
        *more, process=process,
    )  # fmt: skip
    written = tmp_path / "rows.jsonl"
    rows = [json.loads(line) for line in written.read_text().splitlines()] if written.exists() else []
    report = adjudge("report", "r", "--json")
    return done, rows, None if report.code else json.loads(report.out)


def test_labels_without_points_are_judged_and_reported_by_their_shares(adjudge, tmp_path):
    prompt = "Which colour is it? Answer only `red`, `blue` or `green`.\n\n{{response}}\n"
    done, rows, report = run(adjudge, tmp_path, prompt, ["red", "blue", "red", "red"], process=True)
    assert done.code == 0
    assert [(row["outcome"], row["score"], row["verdict"]) for row in rows[:2]] == [
        ("judged", None, {"verdict": "red"}),
        ("judged", None, {"verdict": "blue"}),
    ]
    (field,) = report["judges"][0]["fields"]
    shares = {each["label"]: each["share"] for each in field["labels"]}
    assert [(label, share["value"], share["n"]) for label, share in shares.items()] == [
        ("red", 0.75, 4),
        ("blue", 0.25, 4),
        ("green", 0.0, 4),
    ]
    assert 0 < shares["red"]["low"] < 0.75 < shares["red"]["high"] < 1
    assert "75.0 %" in done.out
    assert "verdict red: 3 of 4" in done.out


def test_several_numbers_are_ratings(adjudge, tmp_path):
    prompt = 'Rate the answer.\nReply as JSON: {"accuracy": <1-5>, "style": <1-5>}\n\n{{response}}\n'
    replies = ['{"accuracy": 4, "style": 2}', '{"accuracy": 5, "style": 3}']
    done, rows, report = run(adjudge, tmp_path, prompt, replies)
    assert done.code == 0
    assert rows[1]["verdict"] == {"accuracy": 5, "style": 3}
    means = {each["name"]: each["mean"]["value"] for each in report["judges"][0]["ratings"]}
    assert means == {"accuracy": 4.5, "style": 2.5}


def test_fields_of_which_none_is_a_rating_are_judged_and_kept(adjudge, tmp_path):
    prompt = 'Find what went wrong.\nReply as JSON: {"failures": ["<what>"]}\n\n{{response}}\n'
    done, rows, _ = run(adjudge, tmp_path, prompt, ['{"failures": ["late"]}', '{"failures": []}'])
    assert done.code == 0
    assert [row["verdict"] for row in rows] == [{"failures": ["late"]}, {"failures": []}]


def test_the_entries_of_a_list_are_reported_field_by_field(adjudge, tmp_path):
    prompt = (
        "Grade each claim. Reply in this format:\n"
        '[{"claim": "…", "verdict": "kept|broken"}, …]\n\nAnswer: {{response}}\n'
    )
    replies = [
        '```json\n[{"claim": "a", "verdict": "kept"}, {"claim": "b", "verdict": "broken"}]\n```',
        '[{"claim": "c", "verdict": "kept"}]',
    ]
    done, rows, report = run(adjudge, tmp_path, prompt, replies)
    assert done.code == 0
    assert rows[1]["verdict"] == {"entries": [{"claim": "c", "verdict": "kept"}]}
    field = next(each for each in report["judges"][0]["fields"] if each["name"] == "entries[].verdict")
    assert [(each["label"], each["share"]["n"]) for each in field["labels"]] == [("kept", 3), ("broken", 3)]


def test_a_prompt_of_whose_reply_nothing_is_known_keeps_it_whole(adjudge, tmp_path):
    done, rows, _ = run(
        adjudge, tmp_path, "Say what you think of it.\n\n{{response}}\n", ["Well done.", "No."]
    )
    assert done.code == 0
    assert [row["verdict"] for row in rows] == [{"reply": "Well done."}, {"reply": "No."}]


@pytest.mark.parametrize("gate", [("--fail-under", "1"), ("--pass", "score >= 1")])
def test_a_gate_on_a_score_that_is_not_there_is_refused(adjudge, tmp_path, gate):
    prompt = "Which colour is it? Answer only `red` or `blue`.\n\n{{response}}\n"
    done, _, _ = run(adjudge, tmp_path, prompt, ["red"], *gate)
    assert done.code == 2
    assert "score:" in done.err


def test_a_judgement_without_a_score_comes_back_from_the_store(adjudge, tmp_path):
    prompt = "Which colour is it? Answer only `red` or `blue`.\n\n{{response}}\n"
    run(adjudge, tmp_path, prompt, ["red", "blue"])
    again, rows, _ = run(adjudge, tmp_path, prompt, ["red", "blue"])
    assert again.code == 0
    assert [row["outcome"] for row in rows] == ["judged", "judged"]
    shown = adjudge("show", "r", "c1")
    assert '"verdict": "blue"' in shown.out
    assert "judged, not scored" in shown.out
    assert "blue" in adjudge("report", "r").out


def test_slices_of_a_judge_without_a_score_show_shares(adjudge, tmp_path):
    prompt = "Which colour is it? Answer only `red`, `blue` or `green`.\n\n{{response}}\n"
    cases = [
        {"id": f"c{n}", "response": f"Answer {n}.", "topic": "sky" if n < 3 else "sea"} for n in range(5)
    ]
    replies = ["red", "blue", "red", "green", "what?"]
    (tmp_path / "judge.txt").write_text(prompt)
    (tmp_path / "cases.jsonl").write_text("".join(f"{json.dumps(case)}\n" for case in cases))
    answers = [{"case_id": case["id"], "reply": each} for case, each in zip(cases, replies, strict=True)]
    (tmp_path / "replies.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in answers))
    done = adjudge(
        "run", str(tmp_path / "cases.jsonl"), "--judge", str(tmp_path / "judge.txt"), "--model",
        f"scripted:{tmp_path / 'replies.jsonl'}", "--slice", "topic", "--name", "r", "--max-error-rate", "0.5",
    )  # fmt: skip
    assert done.code == 0, done.err
    table = adjudge("report", "r", "--slice", "topic").out.partition(" by topic")[2]
    assert "3 of 3" in table
    assert "red 66.7 %" in table
    assert "green 100.0 %" in table
    report = json.loads(adjudge("report", "r", "--slice", "topic", "--json").out)
    sky, sea = report["judges"][0]["slices"][0]["slices"]
    assert [(each["value"], each["judged"], each["not_judged"]) for each in (sky, sea)] == [
        ("sky", 3, 0),
        ("sea", 1, 1),
    ]
    assert {each["label"]: each["share"]["value"] for each in sky["fields"][0]["labels"]}["blue"] == 1 / 3


def test_labels_are_not_compared_with_a_judge_that_has_no_score(adjudge, tmp_path):
    prompt = "Which colour is it? Answer only `red` or `blue`.\n\n{{response}}\n"
    run(adjudge, tmp_path, prompt, ["red", "blue"])
    (tmp_path / "labels.jsonl").write_text('{"id": "c0", "label": "red"}\n')
    for more in ([str(tmp_path / "labels.jsonl")], ["--next", "1"], ["--label-map", "red=1"]):
        done = adjudge("agree", "r", *more)
        assert done.code == 2
        assert "judge has no score" in done.err
        assert "`score:`" in done.err


LETTERS = """Does it agree with the reference? Think about it first.

{{response}}

On the last line print only one letter: A (agrees), B (partly), C (disagrees)
"""


def test_points_for_labels_need_no_verdict(adjudge, tmp_path):
    prompt = f"---\nadjudge: 1\nscore: {{A: 1, B: 0.5, C: 0}}\n---\n{LETTERS}"
    done, rows, _ = run(adjudge, tmp_path, prompt, ["It does.\n\nA", "In part.\n\nB"])
    assert done.code == 0, done.err
    assert [row["score"] for row in rows] == [1, 0.5]


def test_points_for_labels_that_the_prompt_does_not_show_are_read_from_the_reply(adjudge, tmp_path):
    prompt = "---\nadjudge: 1\nscore: {fine: 1, poor: 0}\n---\nWhat do you think of it?\n\n{{response}}\n"
    done, rows, _ = run(adjudge, tmp_path, prompt, ["It is short.\nVerdict: fine", "poor"])
    assert done.code == 0, done.err
    assert [row["score"] for row in rows] == [1, 0]


def test_levels_in_one_line_are_a_scale_and_nothing_is_added_to_the_prompt(adjudge, tmp_path):
    prompt = (
        "Rate the tone.\n\n1 = rude, 2 = cold, 3 = neutral, 4 = friendly, 5 = warm\n\n{{response}}\n\n"
        'Explain it, then finish with a line "Rating: N".\n'
    )
    done, rows, _ = run(adjudge, tmp_path, prompt, ["Kind.\nRating: 5", "Short.\nRating: 2"])
    assert done.code == 0
    assert [row["normalized"] for row in rows] == [1, 0.25]
    shown = json.loads(adjudge("show", "judge.txt", "--json").out)
    assert shown["scale"] == [1, 5]
    assert [message["role"] for message in shown["messages"]] == ["user"]


def test_a_scale_without_a_place_is_a_guess_that_strict_refuses(adjudge, tmp_path):
    prompt = "Score it from 1 to 5. Your answer should be short.\n\n{{response}}\n"
    done, rows, _ = run(adjudge, tmp_path, prompt, ["Fine. I give it 4 out of 5.", "2"])
    assert done.code == 0
    assert [row["score"] for row in rows] == [4, 2]
    refused, _, _ = run(adjudge, tmp_path, prompt, ["4"], "--strict")
    assert refused.code == 2
    assert "a guess was made" in refused.err
