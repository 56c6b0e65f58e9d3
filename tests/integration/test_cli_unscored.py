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
