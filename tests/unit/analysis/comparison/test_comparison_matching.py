"""Two runs' judgements become pairs: matched by id, repeats averaged, losses counted."""

import pytest

from adjudge.analysis.comparison.matching import Matching


@pytest.fixture
def add(build):
    def put(matching, side, case_id, outcome, **more):
        outcome = build.scored(float(outcome)) if isinstance(outcome, int | float) else build.failed(outcome)
        matching.add(side, build.judgement(outcome, case_id=case_id, **more))

    return put


def test_cases_are_matched_by_id_in_any_order(add):
    matching = Matching()
    for side, case_id, score in (("b", "x", 2), ("a", "y", 3), ("a", "x", 1), ("b", "y", 5), ("a", "z", 4)):
        add(matching, side, case_id, score)
    assert {(pair.case_id, pair.a, pair.b) for pair in matching.pairs()} == {("x", 1.0, 2.0), ("y", 3.0, 5.0)}
    assert (matching.count("a").cases, matching.count("a").unmatched, matching.count("b").unmatched) == (
        3,
        1,
        0,
    )


def test_repeats_are_averaged_and_those_without_a_score_left_out_and_counted(add):
    matching = Matching()
    for repeat, outcome in enumerate((4, "refused", 5)):
        add(matching, "a", "x", outcome, repeat=repeat, passed=outcome == 5 if outcome != "refused" else None)
    add(matching, "b", "x", 3, passed=True)
    (pair,) = matching.pairs()
    assert (pair.a, pair.b, pair.passed_a, pair.passed_b) == (4.5, 3.0, 0.5, 1.0)
    assert (matching.count("a").repeats_not_scored, matching.count("a").not_judged) == (1, {})
    assert (matching.traits["a"].repeats, matching.traits["b"].repeats) == (3, 1)


def test_what_was_not_judged_is_counted_by_outcome_on_its_own_side(add):
    matching = Matching()
    for number, (a, b) in enumerate([(1, 1), ("unreadable", 1), (1, "refused"), ("call_failed", "refused")]):
        add(matching, "a", str(number), a)
        add(matching, "b", str(number), b)
    assert len(list(matching.pairs())) == 1
    assert matching.count("a").not_judged == {"unreadable": 1, "call_failed": 1}
    assert matching.count("b").not_judged == {"refused": 2}


def test_rows_without_an_id_of_their_own_are_not_matched_by_their_line(add):
    matching = Matching()
    for side in ("a", "b"):
        add(matching, side, "line-7", "bad_row")
        add(matching, side, "c7", "bad_row")  # a row with an id, whose values the template would not take
    assert list(matching.cases) == ["c7"]
    assert (matching.traits["a"].unread_rows, matching.traits["b"].unread_rows) == (1, 1)


def test_a_cluster_is_the_first_one_named_and_a_case_without_is_its_own(add):
    matching = Matching()
    add(matching, "a", "x", 1, cluster="d1")
    add(matching, "b", "x", 1, cluster="d2")
    add(matching, "a", "y", 1)
    add(matching, "b", "y", 1, cluster="d1")
    add(matching, "a", "d1", 1)
    add(matching, "b", "d1", 1)
    assert [pair.cluster for pair in matching.pairs()] == ["d1", "d1", ("d1",)]
    assert matching.clusters_differ == 1


def test_slices_come_from_the_metadata_of_whichever_run_has_it(add):
    matching = Matching(columns=("topic", "hard"))
    add(matching, "a", "x", 1, metadata={"topic": "law", "hard": True})
    add(matching, "b", "x", 1, metadata={"topic": "tax"})
    add(matching, "a", "y", 1)
    add(matching, "b", "y", 1, metadata={"topic": "pay", "hard": False})
    assert [pair.slices for pair in matching.pairs()] == [("law", "true"), ("pay", "false")]
    assert list(matching.metadata_columns) == ["topic", "hard"]


def test_normalized_scores_are_taken_where_scales_differ(add):
    matching = Matching(normalized=True)
    add(matching, "a", "x", 4, normalized=0.8)
    add(matching, "b", "x", 1, normalized=1.0)
    assert [(pair.a, pair.b) for pair in matching.pairs()] == [(0.8, 1.0)]
