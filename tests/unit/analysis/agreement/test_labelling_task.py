"""Which cases of a run are drawn for labelling."""

from datetime import UTC, datetime

import pytest

from adjudge.analysis.agreement.labelling_task import doubts_of, draw_next
from adjudge.analysis.agreement.verdicts import collect_verdicts
from adjudge.errors import InputError
from adjudge.labels.draws import DrawRequest
from adjudge.stats.selection import responses_by_doubt, select

AT = datetime(2026, 1, 31, tzinfo=UTC)


def request(**values):
    return DrawRequest(at=AT, **values)


@pytest.fixture
def verdicts(build):
    judge = build.judge(passes="score >= 3")

    def make(scores, probabilities=None):
        rows = [
            build.judgement(
                build.scored(score),
                case_id=f"c{at:03}",
                passed=score >= 3,
                probability=None if probabilities is None else probabilities[at],
            )
            for at, score in enumerate(scores)
        ]
        rows.append(build.judgement(build.failed("call_failed"), case_id="failed"))
        return collect_verdicts(rows, [judge], judge=None)

    return make


def test_doubt_is_the_judges_own_where_it_says_how_sure_it_is(verdicts):
    found = verdicts([1, 4, 5], [0.99, 0.51, None])
    doubt = doubts_of(found.verdicts)
    assert doubt.values == pytest.approx((0.1, 0.7, 0.5))
    assert doubt.basis == ("probability",)


def test_doubt_is_else_nearness_to_where_passes_begin(verdicts):
    found = verdicts([0, 2, 3, 5])
    doubt = doubts_of(found.verdicts)
    assert doubt.values == pytest.approx((0.0, 0.8, 0.8, 0.0))
    assert doubt.basis == ("threshold",)


def test_where_lower_is_better_passes_begin_from_above(build):
    judge = build.judge(passes="score <= 2", better="lower")
    rows = [
        build.judgement(build.scored(float(score)), case_id=f"c{score}", passed=score <= 2)
        for score in (0, 2, 3, 5)
    ]
    found = collect_verdicts(rows, [judge], judge=None)
    assert doubts_of(found.verdicts).values == pytest.approx((0.0, 0.8, 0.8, 0.0))


@pytest.mark.parametrize("scores", [[4, 4, 4], [0, 5, 5], [1, 2]])
def test_one_side_alone_tells_nothing_of_doubt(verdicts, scores):
    found = verdicts(scores)
    assert len(set(doubts_of(found.verdicts).values)) == 1
    draw = draw_next("r", found, [], request(count=1))
    assert (draw.basis, draw.uniform_share, len(set(draw.chances.values()))) == ((), 1.0, 1)


def test_when_every_case_is_drawn_there_is_no_next_draw(verdicts):
    found = verdicts([0, 1, 2, 3, 4, 5])
    first = draw_next("r", found, [], request(count=10))
    assert sorted(first.chosen) == sorted(found.cases)
    with pytest.raises(InputError, match="all 6 judged cases have been drawn already"):
        draw_next("r", found, [first], request(count=1))


def doubts(found):
    return dict(zip(found.cases, doubts_of(found.verdicts).values, strict=True))


def test_responses_tell_whether_people_left_the_doubtful_cases(verdicts):
    found = verdicts([0] * 40 + [2, 3] * 30)
    draw = draw_next("r", found, [], request(count=60, uniform_share=0.5))
    easy = [case_id for case_id in draw.chosen if case_id < "c040"]
    assert 0 < len(easy) < 60
    selection = select(list(found.cases), [*easy, draw.chosen[-1]], [draw])
    hard, others = responses_by_doubt(doubts(found), selection)
    assert (hard.of, hard.drawn, hard.labelled) == ("more_doubtful", 60 - len(easy), 1)
    assert (others.drawn, others.labelled) == (len(easy), len(easy))
    flat = verdicts([4] * 10)
    one = draw_next("r", flat, [], request(count=4))
    nothing = select(list(flat.cases), one.chosen[:2], [one])
    assert responses_by_doubt(doubts(flat), nothing) == ()


def test_a_run_without_a_verdict_has_nothing_to_draw(verdicts):
    found = verdicts([])
    with pytest.raises(InputError, match="no judged case"):
        draw_next("r", found, [], request(count=5))
