"""Chat transcripts as a person reads them, and the cases that their turns become."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adjudge.dataset import read_cases
from adjudge.dataset.conversations import (
    Said,
    answer_text,
    find_turns,
    read_conversation,
    transcript,
    turn_calls,
)
from adjudge.dataset.turns import TurnRules, turn_cases
from adjudge.errors import DatasetError
from adjudge.json_values import UnusableError
from adjudge.records import BadRow
from adjudge.store.codec import dump_case

ALL = 10**9
WEATHER = [
    {"role": "system", "content": "You are a travel agent."},
    {"role": "user", "content": "How is Paris?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Paris"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "1", "content": '{"sky": "clear", "degrees": 18}'},
    {"role": "assistant", "content": "Clear, 18 degrees."},
    {"role": "user", "content": "Book it."},
    {"role": "assistant", "content": "Done."},
]
SHOWN = """System:
  You are a travel agent.

User:
  How is Paris?

Assistant calls weather:
  city: Paris

Tool weather returns:
  sky: clear
  degrees: 18

Assistant:
  Clear, 18 degrees.

User:
  Book it.

Assistant:
  Done."""


def shown(messages, most=ALL):
    return transcript(read_conversation(messages), most)


def test_a_transcript_reads_as_a_person_would_write_it():
    assert shown(WEATHER) == (SHOWN, None)
    assert shown([{"role": "user", "content": "Hello?"}]).text == "Hello?"


def test_other_shapes_read_the_same():
    anthropic = [
        {
            "role": "user",
            "content": [{"type": "text", "text": "How is Paris?"}, {"type": "image", "source": {}}],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I will look."},
                {
                    "type": "tool_use",
                    "id": "t",
                    "name": "weather",
                    "input": {"city": "Paris", "days": [1, 2]},
                },
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "Clear."}]}
            ],
        },
        {"role": "assistant", "content": "It is clear."},
    ]
    assert shown(anthropic).text == (
        "User:\n  How is Paris?\n\n  [image]\n\nAssistant:\n  I will look.\n\n"
        "Assistant calls weather:\n  city: Paris\n  days: [1, 2]\n\nTool weather returns:\n  Clear.\n\n"
        "Assistant:\n  It is clear."
    )
    assert len(find_turns(read_conversation(anthropic))) == 1
    sharegpt = [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]
    assert shown(sharegpt).text == "User:\n  Hi\n\nAssistant:\n  Hello"
    legacy = [
        {"role": "assistant", "function_call": {"name": "now", "arguments": "{}"}},
        {"role": "function", "name": "now", "content": ""},
    ]
    assert shown(legacy).text == "Assistant calls now\n\nTool now returns:\n  (nothing)"


@given(st.text(max_size=200), st.text(max_size=80))
def test_nothing_that_is_said_can_pretend_to_be_another_message(text, name):
    messages = [
        {"role": "user", "content": text},
        {
            "role": "assistant",
            "content": text,
            "tool_calls": [{"function": {"name": name, "arguments": text}}],
        },
        {"role": "tool", "name": name, "content": text},
    ]
    titles = [line for line in shown(messages).text.split("\n") if line and not line.startswith("  ")]
    assert len(titles) == (4 if text.strip() else 3)
    assert titles[0] == "User:"
    assert titles[-1].startswith("Tool")


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        ({"role": "user"}, "`messages` that is an object"),
        (["Hello"], "message 1 of `messages` that is text: 'Hello'"),
        (
            [{"role": "user", "content": "x"}, {"role": "boss", "content": "x"}],
            "message 2 of `messages` with the role 'boss'",
        ),
        ([{"content": "x"}], "with the role None"),
        ([{"role": "user", "content": 3}], "content that is a number: 3"),
        ([{"role": "assistant", "tool_calls": ["x"]}], "a tool call that is text"),
        ([{"role": "assistant", "tool_calls": [{"function": {}}]}], "a tool call without a name"),
        ([{"role": ["user"], "content": "x"}], "with the role ['user']"),
        ([{"role": {"name": "user"}, "content": "x"}], "with the role {'name': 'user'}"),
        ([{"role": "user", "content": [{"type": 3}]}], "a part that is an object"),
        ([{"role": "user", "content": [{"type": ["text"], "text": "x"}]}], "a part that is an object"),
        (
            [{"role": "user", "content": [{"type": "tool_result", "content": [{"type": {}, "text": "x"}]}]}],
            "a part that is an object",
        ),
    ],
)
def test_what_is_no_conversation_is_said(messages, found):
    with pytest.raises(UnusableError, match="found") as error:
        read_conversation(messages)
    assert found in error.value.found


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
PARTS = JSON | st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "tool_use", "tool_result", "image", "refusal"]) | JSON},
    optional={"text": JSON, "name": JSON, "input": JSON, "content": JSON, "id": JSON, "tool_use_id": JSON},
)
MESSAGES = JSON | st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "system"]) | JSON},
    optional={
        "content": JSON | st.lists(PARTS, max_size=3),
        "tool_calls": JSON
        | st.lists(st.fixed_dictionaries({"function": JSON | st.just({"name": "f"})}), max_size=2),
        "name": JSON,
        "tool_call_id": JSON,
    },
)


@given(
    st.lists(MESSAGES, max_size=5) | JSON,
    st.sampled_from(["last", "each", "all"]),
    st.sampled_from(["a", None]),
)
@example([{"role": ["user"], "content": "Hi"}], "last", None)
@example([{"role": "user", "content": [{"type": ["text"], "text": "Hi"}]}], "last", None)
def test_whatever_stands_in_messages_becomes_cases_or_a_bad_row(messages, turns, case_id):
    row = {"id": case_id, "messages": messages, "x": 1}
    for case in turned([row], turns, needs=("history", "transcript")):
        if not isinstance(case, BadRow):
            assert dump_case(case)


def test_arguments_that_no_case_may_hold_are_shown_as_they_are():
    deep = "[" * 500 + "]" * 500
    call = {"function": {"name": "f", "arguments": deep}}
    assert shown([{"role": "assistant", "tool_calls": [call]}]).text == f"Assistant calls f:\n  {deep}"


def test_two_systems_cases_match_by_what_the_users_said():
    ours, theirs = (
        [
            case.case_id
            for case in read_cases([{"messages": [*WEATHER[:6], {"role": "assistant", "content": text}]}])
        ]
        for text in ("Done.", "No.")
    )
    assert ours == theirs
    (other,) = read_cases([{"messages": WEATHER[:5]}])
    assert other.case_id != ours[0]


# ---- turns ----


def test_a_turn_is_all_that_the_assistant_does_until_the_user_speaks():
    said = read_conversation(WEATHER)
    first, second = find_turns(said)
    assert (answer_text(said, first), answer_text(said, second)) == ("Clear, 18 degrees.", "Done.")
    assert transcript(said[: first.answer], ALL).text.endswith("degrees: 18")
    assert turn_calls(said[first.start : first.end]) == [
        {"name": "weather", "arguments": {"city": "Paris"}, "result": '{"sky": "clear", "degrees": 18}'}
    ]


def test_a_turn_that_ends_with_calls_has_them_in_its_response():
    said = read_conversation(
        [
            {"role": "user", "content": "Save it."},
            {
                "role": "assistant",
                "content": "Saving.",
                "tool_calls": [{"function": {"name": "save", "arguments": "{}"}}],
            },
            {"role": "tool", "content": "ok"},
        ]
    )
    (turn,) = find_turns(said)
    assert answer_text(said, turn) == "Saving.\n\nAssistant calls save\n\nTool returns:\n  ok"
    bare = read_conversation([{"role": "assistant", "tool_calls": [{"name": "save", "args": {"a": 1}}]}])
    assert answer_text(bare, find_turns(bare)[0]) == "Assistant calls save:\n  a: 1"


SPEAKERS = st.sampled_from(["system", "user", "assistant", "tool"])


@given(st.lists(st.tuples(SPEAKERS, st.sampled_from(["", "words"])), max_size=30))
def test_every_message_of_the_assistant_is_in_one_turn(drawn):
    said = [Said(speaker, text) for speaker, text in drawn]
    turns = find_turns(said)
    for one, following in pairwise(turns):
        assert one.end <= following.start
        assert any(each.speaker == "user" for each in said[one.end - 1 : following.start + 1])
    inside = [place for turn in turns for place in range(turn.start, turn.end)]
    for place, each in enumerate(said):
        assert inside.count(place) == 1 or each.speaker != "assistant"
    assert all(said[turn.answer].speaker == "assistant" for turn in turns)


# ---- long transcripts ----


@given(st.integers(1, 60), st.integers(900, 4_000), st.integers(1, 400))
def test_a_long_transcript_keeps_its_beginning_and_its_end_and_says_what_is_left_out(count, most, length):
    said = [Said("system", "Rules."), Said("user", "First.")]
    said += [Said("assistant" if n % 2 else "user", f"{n:03}" + "x" * length) for n in range(count)]
    text, note = transcript(said, most)
    assert len(text) <= most
    assert text.startswith("System:\n  Rules.\n\nUser:\n  First.")
    assert f"{count - 1:03}" in text
    kept = [n for n in range(count) if f"{n:03}x" in text]
    assert kept == list(range(count - len(kept), count))
    if len(kept) == count:
        assert note is None or "shortened" in note
    else:
        assert note.startswith(f"transcript_windowed:{len(kept) + 2} of {count + 2} messages")
        assert f"({count - len(kept)} messages are left out here)" in text


def test_one_message_that_is_too_long_is_shortened_in_its_middle():
    said = [Said("user", "Read it."), Said("tool", f"BEGIN {'x' * 50_000} END", name="read")]
    text, note = transcript(said, 4_000)
    assert note == "transcript_windowed:2 of 2 messages, 1 of them shortened"
    assert "BEGIN" in text
    assert text.endswith("END")
    assert "characters left out" in text


# ---- cases ----


def turned(rows, turns="last", needs=(), tokens=None, strict=False):
    rules = TurnRules(
        turns=turns, needs={"question", "response", *needs}, context_tokens=lambda: tokens, strict=strict
    )
    return list(turn_cases(read_cases(rows), rules))


def test_the_last_turn_is_judged_unless_something_else_is_said():
    (case,) = turned([{"id": "a", "messages": WEATHER}], needs=("history", "transcript"))
    assert case.case_id == "a"
    assert case.fields["response"] == "Done."
    assert case.fields["question"] == case.fields["history"] == SHOWN.rpartition("\n\nAssistant:")[0]
    assert case.fields["transcript"] == SHOWN
    assert case.fields["tool_calls"] == []
    assert case.fields["messages"] == WEATHER


def test_each_turn_is_a_case_in_the_cluster_of_its_conversation():
    row = {"id": "a", "messages": WEATHER, "label": 1, "context": "x", "question": "Whole?"}
    first, second = turned([row], "each")
    assert [case.case_id for case in (first, second)] == ["a/turn-1", "a/turn-2"]
    assert [case.fields["response"] for case in (first, second)] == ["Clear, 18 degrees.", "Done."]
    assert first.fields["question"] == SHOWN[: SHOWN.index("\n\nAssistant:")]
    assert first.fields["tool_calls"][0]["name"] == "weather"
    for case in (first, second):
        assert (case.fields["cluster"], case.fields["context"]) == ("a", "x")
        assert not {"label", "messages"} & {*case.fields, *case.columns}
        assert "question" not in case.columns
    (own, _) = turned([{**row, "cluster": "c"}], "each")
    assert own.fields["cluster"] == "c"
    (looped, _) = turned([row], "each", needs=("messages",))
    assert looped.fields["messages"] == WEATHER[:5]


def test_where_no_judge_asks_for_a_question_reports_show_what_the_user_said_last():
    rules = TurnRules(turns="each", needs={"history", "response"}, context_tokens=lambda: None)
    cases = list(turn_cases(read_cases([{"id": "a", "messages": WEATHER}]), rules))
    assert [case.fields["question"] for case in cases] == ["How is Paris?", "Book it."]


def test_all_of_it_is_the_response():
    (case,) = turned([{"id": "a", "messages": WEATHER}], "all")
    assert case.fields["response"] == case.fields["history"] == SHOWN
    assert case.fields["question"] == "How is Paris?"


def test_a_response_of_its_own_is_the_last_thing_said():
    messages = [{"role": "user", "content": "Hi"}]
    (case,) = turned([{"messages": messages, "answer": "Hello"}], needs=("transcript",))
    assert (case.fields["question"], case.fields["response"]) == ("Hi", "Hello")
    assert case.fields["transcript"] == "User:\n  Hi\n\nAssistant:\n  Hello"
    said = [*messages, {"role": "assistant", "content": "Hello"}]
    (case,) = turned([{"messages": said, "answer": "Hello", "question": "Own?"}])
    assert (case.fields["question"], case.fields["response"]) == ("Own?", "Hello")


@pytest.mark.parametrize("turns", ["last", "each", "all"])
def test_without_a_turn_of_the_assistant_there_is_no_response(turns):
    (case,) = turned([{"id": "a", "messages": WEATHER[:2]}], turns)
    assert case.case_id == "a"
    assert "response" not in case.fields
    assert case.noted["response"] == "no_assistant_turn"


def test_what_is_no_conversation_is_a_bad_row_with_its_line():
    rows = [{"id": "a", "messages": [{"role": "x"}]}, {"id": "b", "messages": WEATHER}]
    bad, good = turned(rows)
    assert isinstance(bad, BadRow)
    assert (bad.place.line, bad.wanted) == (1, "a `role` that is system, user, assistant or tool")
    assert good.case_id == "b"
    with pytest.raises(DatasetError, match="drop the line"):
        turned(rows, strict=True)
    (kept,) = turned([{"messages": [{"role": "x"}], "response": "r"}])
    assert kept.fields["response"] == "r"
    (text,) = turned([{"messages": "User: hi", "response": "r"}], "each")
    assert text.fields["messages"] == "User: hi"


def test_two_cases_with_the_id_of_one_turn_are_not_mixed_up():
    rows = [{"id": "a", "messages": WEATHER}, {"id": "a/turn-1", "messages": WEATHER}]
    assert [case.case_id for case in turned(rows, "each")] == [
        "a/turn-1",
        "a/turn-2",
        "a/turn-1/turn-1",
        "a/turn-1/turn-2",
    ]


def is_a_turn(case_id):
    return {"id": case_id, "messages": WEATHER}


def is_no_conversation(case_id):
    return {"id": case_id, "question": "q", "response": "r"}


def is_unusable(case_id):
    return {"id": case_id, "messages": [{"role": "x"}]}


@pytest.mark.parametrize("other", [is_no_conversation, is_unusable])
def test_a_row_that_is_called_like_a_turn_is_a_bad_row_when_it_comes_second(other):
    first, second, clash = turned([is_a_turn("a"), other("a/turn-2")], "each")
    assert [first.case_id, second.case_id, clash.case_id] == ["a/turn-1", "a/turn-2", "a/turn-2-again"]
    assert isinstance(clash, BadRow)
    assert (clash.place.line, clash.found) == (2, "the id 'a/turn-2' again, first on line 1")
    kept, turn, clash = turned([other("a/turn-2"), is_a_turn("a")], "each")
    assert [kept.case_id, turn.case_id, clash.case_id] == ["a/turn-2", "a/turn-1", "a/turn-2-again"]
    assert isinstance(clash, BadRow)
    with pytest.raises(DatasetError, match="again, first on line 1"):
        turned([is_a_turn("a"), is_no_conversation("a/turn-2")], "each", strict=True)


@given(
    st.lists(
        st.builds(
            lambda make, ending: make(f"a{ending}"),
            st.sampled_from([is_a_turn, is_no_conversation, is_unusable]),
            st.sampled_from(["", "/turn-1", "/turn-2", "/turn-2-again", "/turn-2-again-2", "/turn-1/turn-2"]),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_no_two_cases_of_a_run_have_one_id(rows):
    ids = [case.case_id for case in turned(rows, "each")]
    assert len(set(ids)) == len(ids)


def test_a_transcript_takes_half_of_a_small_model():
    said = [{"role": "user" if n % 2 == 0 else "assistant", "content": f"{n} " * 2_000} for n in range(40)]
    (case,) = turned([{"messages": said}], tokens=8_000)
    assert len(case.fields["question"]) <= 4_000 * 3
    assert case.noted["question"].startswith("transcript_windowed:")
    (case,) = turned([{"messages": said}], tokens=200_000)
    assert 60_000 < len(case.fields["question"]) <= 32_000 * 3
    assert case.noted["question"].startswith("transcript_windowed:")


def test_a_transcript_in_any_script_takes_half_of_a_small_model():
    said = [{"role": "user" if n % 2 == 0 else "assistant", "content": "天" * 300} for n in range(21)]
    (case,) = turned([{"messages": [*said, {"role": "assistant", "content": "是"}]}], tokens=8_000)
    assert len(case.fields["question"].encode()) <= 4_000 * 3
    assert case.noted["question"].startswith("transcript_windowed:")
