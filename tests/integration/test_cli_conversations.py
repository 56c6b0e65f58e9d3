"""Conversations as a person meets them: --turns, ids, clusters, resume, samples, bad rows, notes and pages."""

import json

import pytest
from jsonl import parse_lines, write_lines
from served import served

import adjudge as library
from adjudge.judges import parse_judge

JUDGE = """---
adjudge: 1
name: polite
inputs: {conversation: required, response: required}
verdict: {reason: string, polite: boolean}
score: {"true": 1, "false": 0}
---
Is the response polite in this conversation?

{{ fenced.conversation }}

{{ fenced.response }}
"""


def chat(*texts):
    return [
        {"role": "user" if at % 2 == 0 else "assistant", "content": text} for at, text in enumerate(texts)
    ]


CASES = [
    {"id": "a", "messages": chat("Hi <b>", "Hello.", "Help?", "No.", "Why?", "Sorry, I can.")},
    {"id": "b", "messages": chat("Hi")},
    {"id": "c", "messages": [{"role": "boss", "content": "x"}]},
    {"id": "d", "messages": chat("One?", "Yes.")},
]
POLITE = {"a/turn-1": True, "a/turn-2": False, "a/turn-3": True, "d/turn-1": True, "a": True, "d": False}


@pytest.fixture
def chats(adjudge, tmp_path):
    (tmp_path / "polite.md").write_text(JUDGE)
    write_lines(tmp_path / "chats.jsonl", CASES)
    replies = [{"case_id": name, "reply": {"reason": "So.", "polite": each}} for name, each in POLITE.items()]
    write_lines(tmp_path / "replies.jsonl", replies)

    def call(command="run", *more):
        model = ("--model", "scripted:replies.jsonl")
        return adjudge(command, "chats.jsonl", "--judge", "polite.md", *model, *more)

    return call


def test_each_turn_is_judged_by_itself(chats, adjudge, tmp_path):
    rows = parse_lines(chats("run", "--turns", "each", "--name", "r", "-o", "-").out)
    assert [(row["case_id"], row["outcome"], row["score"]) for row in rows] == [
        ("a/turn-1", "scored", 1),
        ("a/turn-2", "scored", 0),
        ("a/turn-3", "scored", 1),
        ("b", "missing_input", None),
        ("c", "bad_row", None),
        ("d/turn-1", "scored", 1),
    ]
    assert rows[3]["notes"] == ["no_assistant_turn"]
    assert "the conversation has no turn of the assistant" in rows[3]["error"]["message"]
    assert (
        "chats.jsonl line 3: found message 1 of `messages` with the role 'boss'"
        in rows[4]["error"]["message"]
    )
    (figures,) = json.loads(adjudge("report", "r", "--json").out)["judges"]
    assert (figures["asked"], figures["grouping"]) == (6, "cluster")
    shown = adjudge("show", "r", "a/turn-2").out
    assert "User:\n  Hi <b>\n\nAssistant:\n  Hello.\n\nUser:\n  Help?\n</conversation" in shown
    assert "\nNo.\n</response" in shown
    assert "Sorry" not in shown
    with served(tmp_path / ".adjudge") as site:
        page = site.client.get("/runs/r/case?case=a%2Fturn-2").text
        assert "Hi &lt;b&gt;" in page
        assert "Hi <b>" not in page


def test_the_last_turn_is_judged_by_default_and_the_whole_where_wanted(chats, adjudge):
    rows = parse_lines(chats("run", "--name", "latest", "-o", "-").out)
    assert [(row["case_id"], row["score"]) for row in rows] == [("a", 1), ("b", None), ("c", None), ("d", 0)]
    rows = parse_lines(chats("run", "--turns", "all", "--name", "all", "-o", "-").out)
    assert [row["outcome"] for row in rows] == ["scored", "missing_input", "bad_row", "scored"]
    assert "Assistant:\n  Sorry, I can.\n</response" in adjudge("show", "all", "a").out


def test_a_sample_counts_conversations(chats):
    rows = parse_lines(chats("run", "--turns", "each", "-n", "1", "-o", "-").out)
    assert [row["case_id"] for row in rows] == ["a/turn-1", "a/turn-2", "a/turn-3"]
    found = json.loads(chats("estimate", "--turns", "each", "-n", "1", "--store", "other", "--json").out)
    assert (found["judgements"], found["calls"]["likely"]) == (3, 3)


def test_an_interrupted_run_goes_on_where_it_was(chats):
    flags = ("run", "--turns", "each", "-o", "-", "-j", "1")
    first = parse_lines(chats(*flags, "--max-calls", "2").out)
    assert [row["outcome"] for row in first].count("scored") == 2
    again = parse_lines(chats(*flags).out)
    assert [row["case_id"] for row in again] == ["a/turn-1", "a/turn-2", "a/turn-3", "b", "c", "d/turn-1"]
    assert {row["run"] for row in again} == {first[0]["run"]}
    other = parse_lines(chats("run", "-o", "-").out)
    assert other[0]["run"] != first[0]["run"]


def test_strict_stops_at_what_is_no_conversation(chats):
    done = chats("run", "--strict")
    assert done.code == 2
    assert "chats.jsonl line 3" in done.err
    assert "a `role` that is system, user, assistant or tool" in done.err


def test_each_does_not_go_with_a_comparison_of_two_files(adjudge, tmp_path):
    for name, last in (("a", "Yes."), ("b", "No.")):
        write_lines(tmp_path / f"{name}.jsonl", [{"id": "1", "messages": chat("Well?", last)}])
    write_lines(tmp_path / "r.jsonl", [{"reply": {"reason": "x", "winner": "A"}, "case_id": "1"}])
    flags = ("run", "a.jsonl", "--against", "b.jsonl", "--judge", "preference", "--model", "scripted:r.jsonl")
    done = adjudge(*flags, "--turns", "each")
    assert done.code == 2
    assert "conversations differ before the turn" in done.err
    (row,) = parse_lines(adjudge(*flags, "-o", "-", "--name", "p").out)
    assert row["outcome"] == "scored"
    shown = adjudge("show", "p", "1").out
    assert "\nYes.\n</response_a" in shown
    assert "\nNo.\n</response_b" in shown
    assert "\nWell?\n</question" in shown


def test_from_python_with_a_built_in_judge_and_a_note_where_messages_are_left_out():
    long = chat(*("word " * 6_000 for _ in range(11)), "Done.")
    asked = []

    def model(prompt: str) -> str:
        asked.append(prompt)
        return json.dumps({"reason": "x", "winner": "A", "score": 4})

    run = library.evaluate([{"messages": long}], "relevance", model=model, turns="last", store=None)
    (judgement,) = run.judgements
    assert judgement.score == 4
    assert any(note.startswith("transcript_windowed:") for note in judgement.notes)
    assert "messages are left out here" in asked[0]
    each = library.evaluate(
        [{"id": "x", "messages": chat("a", "b", "c", "d")}],
        "relevance",
        model=model,
        turns="each",
        store=None,
    )
    assert [(one.case_id, one.cluster) for one in each] == [("x/turn-1", "x"), ("x/turn-2", "x")]


@pytest.mark.parametrize(
    ("body", "source"),
    [
        ("{{ conversation }} {{ response }}", "history"),
        ("{{ fenced.messages }} {{ fenced.answer }}", "history"),
        ("{{ transcript }}", "transcript"),
        ("{{ item.turns }}", "transcript"),
        ("{% for m in messages %}{{ m.content }}{% endfor %} {{ response }}", "messages"),
        ("{{ messages.0.content }}", "messages"),
        ("Conversation: {history}\nScore: {x}", "transcript"),
    ],
)
def test_an_input_that_prints_a_conversation_gets_it_as_a_person_reads_it(body, source):
    judge = parse_judge(f"{body}\n\nRate it from 1 to 5. Score: N", name="mine")
    assert judge.inputs[0].source == source


def test_a_template_that_goes_through_the_messages_gets_them(adjudge, tmp_path):
    text = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}\nRate the chat from 1 to 5 as [[N]]."
    (tmp_path / "loop.txt").write_text(text)
    write_lines(tmp_path / "c.jsonl", CASES[:1])
    write_lines(tmp_path / "r.jsonl", [{"case_id": f"a/turn-{n}", "reply": "[[4]]"} for n in (1, 2, 3)])
    flags = ("--judge", "loop.txt", "--model", "scripted:r.jsonl", "--turns", "each", "--name", "l")
    assert adjudge("run", "c.jsonl", *flags).code == 0
    assert "<user>Hi <b><assistant>Hello.\nRate" in adjudge("show", "l", "a/turn-1").out
    shown = adjudge("show", "loop.txt", "--case", "c.jsonl", "--turns", "each").out
    assert "<user>Hi <b><assistant>Hello.\nRate" in shown
