"""`--repeat auto` ends when nothing can change any more: it never differs from all the repeats, and saves some."""

import random
from collections import Counter
from datetime import UTC, datetime
from itertools import product

import pytest

from adjudge.errors import SettingsError
from adjudge.options import Repeats, parse_repeats
from adjudge.records import Failed, Judgement, Score, Scored, Verdict
from adjudge.runs.engine.repeats import could_change, vote_of

AT = datetime(2026, 1, 31, tzinfo=UTC)


def judgement(vote):
    """`True`, `False`: passed or not; a number: a score without a pass rule; None: not judged."""
    if vote is None or vote == "abstained":
        outcome = Failed(kind=vote or "unreadable", message="x")
    else:
        outcome = Scored(verdict=Verdict(parts={}), score=Score(value=float(vote), exact=float(vote)))
    passed = vote if isinstance(vote, bool) else None
    return Judgement(
        case_id="c", judge="j", judge_hash="h", model="m", repeat=0, outcome=outcome, passed=passed, at=AT
    )


def made(votes, most):
    """Those that are asked for, of all that there would be."""
    least = Repeats(most=most, auto=True).least
    asked = [judgement(vote) for vote in votes[:least]]
    while len(asked) < most and could_change(asked, most):
        asked.append(judgement(votes[len(asked)]))
    return [vote_of(each) for each in asked]


def most_said(votes):
    """None where two are said as often."""
    counts = Counter(vote for vote in votes if vote is not None).most_common(2)
    if not counts or (len(counts) == 2 and counts[0][1] == counts[1][1]):
        return None
    return counts[0][0]


@pytest.mark.parametrize("most", [2, 3, 4, 5, 6, 7])
@pytest.mark.parametrize(
    "values", [(True, False), (True, False, None), (1, 2, 3), (True, False, "abstained")]
)
def test_what_most_say_is_what_all_would_have_said(most, values):
    if len(values) ** most > 3000:
        pytest.skip("covered by the smaller ones")
    for votes in product(values, repeat=most):
        asked = made(votes, most)
        assert len(asked) >= most // 2 + 1
        assert most_said(asked) == most_said([vote_of(judgement(vote)) for vote in votes])


@pytest.mark.parametrize(
    ("votes", "asked"),
    [
        ((True, True, True, False, False), 3),
        ((True, False, True, True, False), 4),
        ((True, False, True, False, True), 5),
        ((None, True, True, True, False), 4),
        ((None, None, None, True, True), 5),
        ((4, 4, 4, 1, 1), 3),
        ((4, 3, 2, 1, 1), 5),
    ],
)
def test_how_many_are_asked_for(votes, asked):
    assert len(made(votes, 5)) == asked


def test_what_it_saves_grows_with_how_far_the_judge_repeats_itself():
    """The table in docs/guides/repeats.md."""
    chance = random.Random(7)
    table = {}
    for agreement in (1.0, 0.95, 0.9, 0.8, 0.5):
        counts = [len(made([chance.random() < agreement for _ in range(5)], 5)) for _ in range(4000)]
        table[agreement] = sum(counts) / len(counts)
    assert table == {
        1.0: 3.0,
        0.95: pytest.approx(3.16, abs=0.03),
        0.9: pytest.approx(3.32, abs=0.03),
        0.8: pytest.approx(3.63, abs=0.04),
        0.5: pytest.approx(4.125, abs=0.05),
    }


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (3, Repeats(most=3)),
        ("3", Repeats(most=3)),
        ("auto", Repeats(most=5, auto=True)),
        ("auto:9", Repeats(most=9, auto=True)),
        ("auto:2", Repeats(most=2, auto=True)),
    ],
)
def test_repeats_are_a_number_or_auto(text, wanted):
    assert parse_repeats(text) == wanted
    assert parse_repeats(str(wanted)) == wanted


@pytest.mark.parametrize(
    "text", ["0", "-1", "auto:", "auto:1", "auto:x", "2.5", "", "٣", "automatic", None, True]
)
def test_anything_else_is_an_error_that_says_what_to_give(text):
    with pytest.raises(SettingsError, match="give a number from 1, `auto`"):
        parse_repeats(text)
