"""Filters over the index of a run find what a plain loop over the judgements finds, in the same order."""

import re
from contextlib import closing
from dataclasses import dataclass
from types import SimpleNamespace
from urllib.parse import parse_qsl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seeded_store import LANGUAGES, NOTES, TOPICS, make_case, seed_store
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from adjudge.errors import InputError
from adjudge.records import OUTCOME_KINDS
from adjudge.server.cases.find import (
    CarriedQuery,
    CaseFilter,
    FilterQuery,
    find_cases,
    find_numbers,
    neighbours,
)
from adjudge.server.cases.index import CaseIndex
from adjudge.server.cases.shapes import ListPosition
from adjudge.server.pages import query
from adjudge.server.routing import InvalidRequestError, RouteTable, routes_of
from adjudge.store import JudgementKey, open_store
from adjudge.text import NO_VALUE

ROWS = 260


@dataclass(frozen=True)
class Seeded:
    service: object
    record: object
    rows: list
    """All, as the API gives them, in the order they were made."""


@pytest.fixture(scope="module")
def seeded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cases")
    seed_store(folder, ROWS, repeats=2)
    with closing(open_store(folder)) as store:
        index = CaseIndex(store)
        service, record = SimpleNamespace(index=index, store=store), store.find_run("seeded")
        everything = find_cases(service, record, CaseFilter(size=500))
        assert everything.total == len(everything.rows) == ROWS
        yield Seeded(service, record, everything.rows)
        index.close()


def words_of(row):
    case = make_case(int(row.case_id.removeprefix("case-")))
    texts = [row.case_id, *(str(value) for value in case.columns.values()), row.reason, *row.notes]
    return re.findall(r"\w+", " ".join(texts).replace("_", " ").lower())


def fits(row, wanted):
    """The filter, as a person would say it."""
    slices = {}
    for name, value in wanted.slices:
        slices.setdefault(name, set()).add(value)
    words = words_of(row) if wanted.q else []
    *whole, beginning = wanted.q.lower().split() if wanted.q else [""]
    return all((
        not wanted.judge or row.judge == wanted.judge,
        not wanted.outcomes or row.outcome in wanted.outcomes,
        not wanted.passed or row.passed is (wanted.passed == "yes"),
        wanted.low is None or (row.score is not None and row.score >= wanted.low),
        wanted.high is None or (row.score is not None and row.score <= wanted.high),
        all(row.metadata.get(name, NO_VALUE) in values for name, values in slices.items()),
        wanted.label != "labelled" or (row.label_score, row.label_pass) != (None, None),
        wanted.label != "unlabelled" or (row.label_score, row.label_pass) == (None, None),
        wanted.label != "disagree" or (row.gap or 0) > 1e-9,
        not wanted.note or any(note == wanted.note or note.startswith(f"{wanted.note}:") for note in row.notes),
        all(word in words for word in whole),
        not wanted.q or any(word.startswith(beginning) for word in words),
    ))  # fmt: skip


def in_order(rows, sort):
    if sort == "made":
        return sorted(rows, key=lambda row: row.number)
    if sort == "case":
        return sorted(rows, key=lambda row: (row.case_id, row.judge, row.repeat))
    column = {"latency": "latency_ms"}.get(sort.lstrip("-"), sort.lstrip("-"))
    known = [row for row in rows if getattr(row, column) is not None]
    unknown = [row for row in rows if getattr(row, column) is None]
    down = sort.startswith("-")
    known.sort(key=lambda row: (getattr(row, column), row.number), reverse=down)
    return known + sorted(unknown, key=lambda row: row.number, reverse=down)


SORTS = (
    "made", "case", "score", "-score", "gap", "-gap", "latency", "-latency", "cost", "-cost", "probability",
    "-probability",
)  # fmt: skip
slices = st.one_of(
    st.tuples(st.just("topic"), st.sampled_from(TOPICS)),
    st.tuples(st.just("language"), st.sampled_from([*LANGUAGES, NO_VALUE])),
    st.tuples(st.sampled_from(["absent", "topic"]), st.just(NO_VALUE)),
    st.tuples(st.just("order"), st.integers(0, 40).map(str)),
    st.tuples(st.text(max_size=5), st.text(max_size=5)),
)
filters = st.builds(
    CaseFilter,
    judge=st.sampled_from(["", "", "relevance", "correctness", "nobody"]),
    outcomes=st.lists(st.sampled_from(OUTCOME_KINDS), max_size=3, unique=True).map(tuple),
    passed=st.sampled_from(["", "", "yes", "no"]),
    low=st.one_of(st.none(), st.floats(-1, 6), st.integers(0, 5).map(float)),
    high=st.one_of(st.none(), st.floats(-1, 6), st.integers(0, 5).map(float)),
    slices=st.lists(slices, max_size=2, unique=True).map(tuple),
    q=st.sampled_from(["", "", "", "order", "billing team", "day", "ord", "case 00001", "left out", "zanz", "nothing here"]),
    label=st.sampled_from(["", "", "labelled", "unlabelled", "disagree"]),
    note=st.sampled_from(["", "", *NOTES, "left_out", "no such note"]),
    sort=st.sampled_from(SORTS),
    first=st.integers(0, ROWS + 10),
    size=st.integers(1, 60),
)  # fmt: skip


@settings(max_examples=150)
@given(wanted=filters)
def test_a_filter_finds_what_a_plain_loop_finds_in_its_order(seeded, wanted):
    expected = in_order([row for row in seeded.rows if fits(row, wanted)], wanted.sort)
    page = find_cases(seeded.service, seeded.record, wanted)
    assert page.total == len(expected)
    assert page.rows == expected[wanted.first : wanted.first + wanted.size]
    assert find_numbers(seeded.service, seeded.record, wanted) == [row.number for row in expected]


@settings(max_examples=100)
@given(wanted=filters, which=st.integers(0, ROWS - 1))
def test_the_items_beside_one_are_those_beside_it_in_the_list(seeded, wanted, which):
    row = seeded.rows[which]
    expected = in_order([row for row in seeded.rows if fits(row, wanted)], wanted.sort)
    key = JudgementKey(row.case_id, row.judge, row.model, row.repeat)
    place = neighbours(seeded.service, seeded.record, wanted, key)
    assert place.total == len(expected)
    around = in_order([*(each for each in expected if each != row), row], wanted.sort)
    at = around.index(row)
    assert place.position == (at + 1 if row in expected else None)

    def name(each):
        return each and (each.case_id, each.judge, each.repeat)

    assert name(place.previous) == name(around[at - 1] if at else None)
    assert name(place.next) == name(around[at + 1] if at + 1 < len(around) else None)


def test_a_case_that_is_not_in_the_run_has_no_neighbours(seeded):
    place = neighbours(seeded.service, seeded.record, CaseFilter(), JudgementKey("\ud800", "x", "m", 0))
    assert place == ListPosition(previous=None, next=None, position=None, total=ROWS)


# ---- what a request may say ----


@pytest.fixture(scope="module")
def asked():
    """What routes read from a query string."""
    table = RouteTable()
    seen = []

    @table.get("/list")
    def listed(asked: FilterQuery) -> None:
        seen.append(asked.filter())

    @table.get("/case")
    def case(judge: str, asked: CarriedQuery) -> None:
        seen.append((judge, asked.filter()))

    async def say(_, error):
        return PlainTextResponse(
            str(error), status_code=422 if isinstance(error, InvalidRequestError) else 400
        )

    client = TestClient(Starlette(routes=routes_of(table.operations), exception_handlers={InputError: say}))

    def ask(parameters, path="/list"):
        seen.clear()
        answer = client.get(path + (parameters if isinstance(parameters, str) else query(parameters)))
        return seen[0] if answer.status_code == 200 else answer.status_code

    return ask


texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=30)


@settings(max_examples=60)
@given(
    wanted=st.builds(
        CaseFilter,
        judge=texts,
        outcomes=st.lists(st.sampled_from(OUTCOME_KINDS), max_size=3, unique=True).map(tuple),
        passed=st.sampled_from(["", "yes", "no"]),
        low=st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)),
        high=st.one_of(st.none(), st.just(0.0)),
        slices=st.lists(st.tuples(texts, texts), max_size=3, unique=True).map(tuple),
        q=texts.map(str.strip),
        label=st.sampled_from(["", "labelled", "unlabelled", "disagree"]),
        note=texts,
        sort=st.sampled_from(SORTS),
        first=st.integers(0, 10_000_000),
        size=st.integers(1, 500),
        cols=st.lists(st.text("abc:~01", min_size=1), max_size=3, unique=True).map(tuple),
    )
)
def test_the_values_of_a_filter_give_it_back(asked, wanted):
    assert asked(wanted.values()) == wanted
    carried = wanted.case_values("c", "own", "openai:m", 0)
    judge, again = asked(carried, path="/case")
    assert judge == "own"
    assert again.values(view=False) == wanted.values(view=False)
    assert ("repeat", "0") in parse_qsl(query(carried).removeprefix("?"))


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ("?low=&high=&judge=&outcome=&slice=&cols=&q=&passed=&label=&note=&sort=&slice=", CaseFilter()),
        ("?low=0", CaseFilter(low=0.0)),
        ("?low=nan", 422),
        ("?high=inf", 422),
        ("?low=-Infinity", 422),
        ("?low=1e999", 422),
        ("?low=" + "9" * 400, 422),
        ("?low=five", 422),
        ("?outcome=lost", 422),
        ("?passed=maybe", 422),
        ("?sort=made;drop", 422),
        ("?first=-1", 422),
        ("?first=" + "9" * 30, 422),
        ("?size=0", 422),
        ("?size=501", 422),
        ("?slice=topic", 400),
        ("?slice=a%20b=x", 400),
        ("?slice=~ZZ=x", 400),
        ("?slice=" + "a" * 3_000 + "=x", 422),
        ("?" + "&".join(f"slice=a{n}=x" for n in range(30)), 422),
        ("?q=" + "x" * 10_000, 422),
        ("?q=%00", CaseFilter(q="\0")),
        ("?slice=~ED~A0~80=x", CaseFilter(slices=(("\ufffd", "x"),))),
        ("?slice=a=b=c", CaseFilter(slices=(("a", "b=c"),))),
    ],
)
def test_what_is_no_filter_is_refused(asked, parameters, said):
    assert asked(parameters) == said


@settings(max_examples=80)
@given(
    q=st.text(alphabet=st.characters(), max_size=40),
    judge=st.text(alphabet=st.characters(), max_size=5),
    note=st.text(alphabet=st.characters(), max_size=5),
    low=st.floats(),
)
def test_no_text_or_number_breaks_a_query(seeded, q, judge, note, low):
    from adjudge.server.cases.index_rows import clean

    wanted = CaseFilter(q=clean(q), judge=clean(judge), note=clean(note), low=low)
    assert find_cases(seeded.service, seeded.record, wanted).total >= 0
