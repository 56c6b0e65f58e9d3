"""A case's values as a person reads them."""

import json

import pytest

from adjudge.server.cases.passages import Wanted
from adjudge.server.cases.shapes import CaseField
from adjudge.server.cases.texts import LONG, MAX_ENTRIES, find_wanted, make_part, verdict_parts


def part(name, value, *, wanted=(), style="markdown", whole=False, column=None):
    return make_part(CaseField(name=name, column=column, value=value), wanted, style=style, whole=whole)


def test_text_that_is_markdown_is_rendered_and_can_be_shown_as_it_stands():
    made = part("response", "**bold** <b>x</b>")
    assert "<strong>bold</strong> &lt;b&gt;x&lt;/b&gt;" in made.entries[0].html
    assert made.markdown
    plain = part("response", "**bold**", style="plain")
    assert "**bold**" in plain.entries[0].html
    assert plain.markdown
    assert not part("response", "2 * 3 * 4").markdown


def test_a_long_text_is_cut_and_says_how_much_is_left_and_whether_a_marked_passage_is_in_it():
    text = "word " * LONG + "the evidence"
    made = part("response", text, wanted=[Wanted("the evidence", "F1"), Wanted("word", "T1")])
    assert len(str(made.entries[0].html)) < 3 * LONG
    assert made.left == f"{len(text) - LONG:,} characters, 1 marked passage"
    whole = part("response", text, wanted=[Wanted("the evidence", "F1")], whole=True)
    assert (whole.left, str(whole.entries[0].html).count("<mark")) == ("", 1)
    assert '<mark class="quoted" title="F1">the evidence</mark>' in whole.entries[0].html


def test_a_long_list_shows_its_beginning():
    made = part("context", [f"passage {number}" for number in range(40)])
    assert (len(made.entries), made.left) == (MAX_ENTRIES, f"{40 - MAX_ENTRIES} entries")
    assert [entry.title for entry in made.entries[:2]] == ["1", "2"]
    assert len(part("context", [str(number) for number in range(40)], whole=True).entries) == 40
    many = part("context", ["x" * 1_000] * 10)
    assert many.left == "4,000 characters"


def test_a_retrieved_document_is_its_text_with_its_title_and_the_rest_folded():
    (entry,) = part("context", [{"title": "Help", "text": "Links expire.", "score": 0.5}]).entries
    assert entry.title == "Help"
    assert "Links expire." in entry.html
    assert [summary for summary, _ in entry.folded] == ["title, score"]
    (other,) = part("context", {"a": {"b": [1]}}).entries
    assert (other.html, other.folded[0][0]) == (None, "a")


@pytest.mark.parametrize(
    ("call", "name", "folds"),
    [
        ({"name": "search", "arguments": {"q": "x"}, "result": "found"}, "search", ["arguments", "result"]),
        ({"id": "1", "function": {"name": "get", "arguments": '{"u": 1}'}}, "get", ["arguments", "id"]),
        ({"tool": "calc", "input": {"a": 1}, "output": [2]}, "calc", ["arguments", "result"]),
        ("a text", "0", []),
        ({}, "call", []),
    ],
)
def test_tool_calls_of_the_usual_shapes_are_read(call, name, folds):
    (entry,) = part("tool_calls", [call]).entries
    assert entry.title == name
    assert [summary for summary, _ in entry.folded] == folds


def test_an_empty_list_says_that_there_were_none():
    assert part("tool_calls", []).entries[0].title == "none: an empty list"


def test_a_transcript_is_turns():
    made = part(
        "messages",
        [
            {"role": "user", "content": "Hi **you**"},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "c"}]},
            {"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]},
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://t.example"}}]},
            "stray",
            7,
        ],
    )
    assert made.role == "turns"
    assert [entry.title for entry in made.entries] == ["user", "assistant", "user", "user", "0", "0"]
    assert made.entries[1].html is None
    assert "one" in made.entries[2].html
    assert "two" in made.entries[2].html
    assert "https://t.example" in made.entries[3].folded[0][1]


def test_a_text_that_is_json_is_laid_out():
    (entry,) = part("question", '{"a":[1,2]}').entries
    assert json.loads(entry.html.striptags().replace("&#34;", '"')) == {"a": [1, 2]}
    assert "\n" in entry.html.striptags() or entry.html.count("\n") > 2
    assert "{not json" in part("question", "{not json").entries[0].html
    deep = "[" * 5_000 + "]" * 5_000
    assert part("question", deep).entries


def test_evidence_is_looked_for_in_the_response_and_quotations_in_the_reference():
    verdict = {
        "facts": [
            {"id": "F1", "quote": "q1", "evidence": "e1", "matched": True},
            {"id": "F2", "quote": "q2", "evidence": "e2", "matched": False},
        ],
        "numbers": [{"expected": "5", "response": "6", "agrees": False}, {"expected": "7", "response": None}],
        "points": [{"evidence": "e3"}, "text", None],
        "reason": "r",
    }
    found = find_wanted(verdict)
    assert [(each.quotation, each.title, each.holds) for each in found["response"]] == [
        ("e1", "F1", True),
        ("6", "number: does not agree", False),
        ("e3", "points", None),
    ]
    assert [(each.quotation, each.holds) for each in found["reference"]] == [
        ("q1", True),
        ("q2", False),
        ("5", False),
        ("7", False),
    ]


def test_what_was_found_and_what_was_missed_are_marked_apart_in_plain_text_and_in_markdown():
    wanted = [
        Wanted("one", "F1", holds=True),
        Wanted("two", "F2", holds=False),
        Wanted("two", "T1", holds=True),
    ]
    for text in ("one, two", "**one**, two"):
        html = part("reference", text, wanted=wanted).entries[0].html
        assert '<mark class="found" title="F1">one</mark>' in html
        assert '<mark class="missed" title="F2, T1">two</mark>' in html, "the fact counts before its term"


def test_a_verdicts_words_are_words_and_the_rest_is_json():
    parts = verdict_parts(
        {"reason": "a\u202eb", "list": ["x", 1], "none": None, "objects": [{"a": 1}], "empty": []}
    )
    assert [(each.name, each.texts) for each in parts[:3]] == [
        ("reason", ("a\\u202eb",)),
        ("list", ("x", "1")),
        ("none", ("null",)),
    ]
    assert parts[3].html is not None
    assert parts[4].texts == ()
