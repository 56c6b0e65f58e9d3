"""What is searched, shown and filtered by: rows made from judgements, and queries made from what people type."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seeded_store import AT

from adjudge.records import Failed, Forced, Judge, Judgement, Scale, Score, Scored, Verdict
from adjudge.server.cases.index_rows import (
    COLUMNS,
    MAX_FACETS,
    MAX_PREVIEW_CHARS,
    CaseLabels,
    Scales,
    clean,
    explained,
    make_facets,
    make_notes,
    make_preview,
    make_row,
    make_searched,
    search_words,
)
from adjudge.store import ListedJudgement
from adjudge.text import NO_VALUE


def listed(**more):
    values = {
        "number": 7, "at": AT, "case_id": "c1", "judge": "relevance", "judge_hash": "abc", "model": "openai:m", "repeat": 0, "outcome": "scored",
        "score": 4.0, "passed": None, "probability": None, "cost": None, "latency_ms": 0.0, "reason": "", "notes": (),
        "metadata": {}, "label": None, "columns": {},
    }  # fmt: skip
    return ListedJudgement(**values | more)


def judged(outcome, **more):
    return Judgement(
        case_id="c1",
        judge="relevance",
        judge_hash="abc",
        model="m",
        repeat=0,
        outcome=outcome,
        at=AT,
        **more,
    )


SCORED = Scored(verdict=Verdict(parts={}), score=Score(value=4.0, exact=3.7))


def row_of(each, scales=None):
    return dict(zip(COLUMNS, make_row(each, scales or Scales([])), strict=True))


def matches(query, *texts):
    """Which of the texts FTS5 finds, over the same tokenizer as the index's."""
    with sqlite3.connect(":memory:") as connection:
        connection.execute(
            "CREATE VIRTUAL TABLE w USING fts5(text, content='', tokenize='unicode61 remove_diacritics 2')"
        )
        connection.executemany("INSERT INTO w (rowid, text) VALUES (?, ?)", enumerate(map(searched, texts)))
        return [
            row[0]
            for row in connection.execute("SELECT rowid FROM w WHERE w MATCH ? ORDER BY rowid", [query])
        ]


def searched(text):
    return make_searched(listed(columns={"response": text}, case_id=""))


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("paris", [0, 1]),
        ("par", [0, 1]),
        ("par hotel", []),
        ("hotel paris", [1]),
        ('"hotel in paris"', [1]),
        ('"paris hotel"', []),
        ('"hotel in par', []),
        ("HÔTEL", [1]),
        ("東京", [2]),
        ("京東", [2]),
        ('"京東"', []),
        ("a-b", [3]),
        ("NOT", [4]),
        ("paris NOT hotel", []),
        ("pari* ^paris", [0, 1]),
    ],
)  # fmt: skip
def test_a_search_finds_all_its_words_wherever_and_its_quotes_as_they_stand(typed, found):
    texts = ["Paris is a city", "an hotel in Paris", "東京は大きい", "the a-b test", "this is not so"]
    assert matches(search_words(typed), *texts) == found


@pytest.mark.parametrize("typed", ["", "   ", '""', "???", '"', "\0", "\ud800", "*", "()", "- +"])
def test_a_search_without_a_word_is_empty(typed):
    assert search_words(typed) == ""


@given(st.text(alphabet=st.characters(), max_size=60))
def test_whatever_is_typed_is_a_query_or_nothing(typed):
    query = search_words(typed)
    if query:
        matches(query, "some text")


@given(st.text(alphabet=st.characters(categories=["L", "N"]), min_size=1, max_size=20))
def test_a_word_that_stands_in_a_text_is_found(word):
    query = search_words(f'"{word}"')
    assert matches(query, f"before {word} after") == [0]


def test_lone_surrogates_become_something_that_can_be_stored():
    assert clean("a\ud800b") == "a\ufffdb"
    assert clean("plain") == "plain"


def test_a_judgement_says_why_it_was_scored_so_or_why_it_was_not():
    assert explained(judged(Failed(kind="refused", message="would not"))) == "would not"
    assert explained(judged(Forced(score=Score(value=0, exact=0), reason="empty"))) == "empty"
    assert explained(judged(SCORED)) == ""
    assert len(explained(judged(SCORED, reason="r" * 900))) == MAX_PREVIEW_CHARS


def test_previews_are_short_and_on_one_line():
    assert make_preview("a\n\n b\tc") == "a b c"
    assert make_preview(None) == ""
    assert len(make_preview("x" * 5_000)) == MAX_PREVIEW_CHARS


def test_facets_are_written_as_the_reports_slices_are():
    found = make_facets({"n": 4.0, "none": None, "yes": True, "long": "x" * 500, "odd\ud800": "\ud800"})
    assert (found["n"], found["none"], found["yes"]) == ("4", NO_VALUE, "true")
    assert len(found["long"]) == 80
    assert "odd\ufffd" in found
    assert len(make_facets({str(number): number for number in range(100)})) == MAX_FACETS


def test_everything_about_a_case_is_searched():
    columns = {"q": "alpha", "extra": {"deep": ["beta", 10**30, float("nan")]}, "s": "\ud800"}
    text = make_searched(listed(columns=columns, reason="gamma", notes=("delta:1",), case_id="c9"))
    assert all(word in text for word in ("c9", "alpha", "beta", "gamma", "delta:1"))
    assert make_notes(("a" * 900,)) == ["a" * 199 + "…"]


def test_a_case_says_its_own_label_on_the_judges_scale():
    judge = Judge(
        name="relevance",
        hash="abc",
        messages=(),
        dialect="mustache",
        inputs=(),
        contract=None,
        score=None,
        scale=Scale(low=0, high=5),
    )
    scales = Scales([judge])
    assert row_of(listed(label=3), scales)["own_score"] == 3.0
    assert row_of(listed(label=9), scales)["own_score"] is None
    assert row_of(listed(label=True, passed=True), scales)["own_pass"] == 1
    assert row_of(listed(label=3, outcome="refused", score=None), scales)["own_score"] is None


def test_the_gap_is_the_mean_distance_to_each_person():
    assert CaseLabels(labels=(1.0, 5.0), passes=False).against(3.0, None, 4.0) == (1, 3.0, None, 0.5)
    assert CaseLabels(labels=(1.0, 0.0), passes=True).against(None, 1, 4.0) == (1, None, 0.5, 0.5)
    assert CaseLabels(labels=(1.0,), passes=False).against(None, None, 4.0) == (1, 1.0, None, None)
