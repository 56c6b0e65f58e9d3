"""Which cases are drawn for labelling, and what a person is shown of them."""

from datetime import UTC, datetime

import pytest

from adjudge.analysis.agreement.draws import DrawRequest, doubts_of, draw_next, labelling_order, row_to_label
from adjudge.analysis.agreement.verdicts import collect_verdicts
from adjudge.errors import InputError
from adjudge.judges import load_judge
from adjudge.records import Case, Input
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


def test_a_draw_has_as_many_as_asked_prefers_doubt_and_gives_every_judged_case_a_chance(verdicts):
    found = verdicts([0] * 80 + [2] * 10 + [3] * 10)
    draw = draw_next("r", found, [], request(count=20))
    assert len(draw.chosen) == len(set(draw.chosen)) == 20
    assert sum(draw.chances.values()) == pytest.approx(20)
    assert draw.chances.keys() == {f"c{at:03}" for at in range(100)}
    assert draw.chances["c090"] > 10 * draw.chances["c000"] > 0
    assert draw == draw_next("r", found, [], request(count=20))


def test_a_second_draw_leaves_out_the_first_and_raises_every_chance(verdicts):
    found = verdicts([0, 1, 2, 3, 4, 5] * 10)
    first = draw_next("r", found, [], request(count=20))
    second = draw_next("r", found, [first], request(count=20))
    assert (second.number, second.seed, len(second.chosen)) == (2, 1, 20)
    assert not set(first.chosen) & set(second.chosen)
    assert all(second.chances[case_id] > first.chances[case_id] for case_id in first.chances)
    last = draw_next("r", found, [first, second], request(count=50))
    assert len(last.chosen) == 20
    with pytest.raises(InputError, match="all 60 judged cases have been drawn already"):
        draw_next("r", found, [first, second, last], request(count=1))


def test_a_draw_is_labelled_in_an_order_that_says_nothing(verdicts):
    found = verdicts([0, 1, 2, 3, 4, 5] * 30)
    draw = draw_next("r", found, [], request(count=90))
    order = labelling_order(draw)
    assert (sorted(order), order) == (sorted(draw.chosen), labelling_order(draw))
    first, rest = (set(part) for part in (order[:45], order[45:]))
    assert len(first & set(draw.chosen[:45])) < 35
    assert len(rest & set(draw.chosen[:45])) > 10


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


def test_a_person_is_shown_what_the_judge_saw_and_not_what_gives_the_answer_away(build):
    inputs = tuple(
        Input(name=name, required=True, source=name) for name in ("question", "tone", "label", "current_date")
    )
    case = Case(
        case_id="c1",
        columns={"input": "Why?", "tone": "kind", "label": 1, "score": 5, "current_date": "2026-01-01"},
        fields={"question": "Why?", "response": "So.", "reference": None, "label": 1},
    )
    row = row_to_label(case, build.judge(inputs=inputs), ())
    assert row == {
        "case_id": "c1",
        "question": "Why?",
        "response": "So.",
        "tone": "kind",
        "label": None,
        "annotator": None,
        "explanation": None,
    }


def test_a_judge_of_parameters_was_shown_the_context_and_so_is_the_person():
    case = Case(case_id="c1", columns={}, fields={"question": "Why?", "response": "So.", "context": ["c"]})
    row = row_to_label(case, load_judge("relevance"), ())
    assert row["context"] == ["c"]
    row = row_to_label(case, load_judge("correctness"), ())
    assert "context" not in row


def test_columns_of_unknown_names_are_shown_when_nothing_else_is():
    case = Case(case_id="c1", columns={"frage": "Warum?", "label": 1}, fields={})
    row = row_to_label(case, None, ())
    assert row["frage"] == "Warum?"
    assert row["label"] is None
