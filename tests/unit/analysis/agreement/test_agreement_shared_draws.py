"""One draw for two runs, and the file in which neither is named."""

from datetime import UTC, datetime, timedelta

import pytest

from adjudge.analysis.agreement.draws import (
    DrawRequest,
    RunSide,
    Unlabelled,
    draw_for_both,
    draw_next,
    parts_to_label,
    rows_of_both,
    run_mark,
    unlabelled_pairs,
)
from adjudge.analysis.agreement.verdicts import collect_verdicts
from adjudge.errors import InputError
from adjudge.records import Case
from adjudge.stats.selection import select, shared_draws

AT = datetime(2026, 1, 31, tzinfo=UTC)


def request(at=AT, **values):
    return DrawRequest(at=at, **values)


@pytest.fixture
def side(build):
    def make(run_id, scores, probabilities=None, before=()):
        rows = [
            build.judgement(
                build.scored(float(score)),
                case_id=f"c{at:03}",
                passed=score >= 3,
                probability=None if probabilities is None else probabilities[at],
            )
            for at, score in enumerate(scores)
            if score is not None
        ]
        verdicts = collect_verdicts(rows, [build.judge(passes="score >= 3")], judge=None)
        return RunSide(run_id=run_id, verdicts=verdicts, before=before)

    return make


def test_both_runs_keep_one_draw_of_the_cases_judged_in_both(side):
    a, b = side("a", [0, 5] * 20 + [None]), side("b", [5, 5] * 20 + [3])
    one, two = draw_for_both(a, b, request(count=10))
    assert (one.run_id, one.shared.other, two.run_id, two.shared.other) == ("a", "b", "b", "a")
    assert one.chosen == two.chosen == one.shared.chosen
    assert len(one.chosen) == 10
    assert one.chances == two.chances == one.shared.chances
    assert one.chances.keys() == {f"c{at:03}" for at in range(40)}
    assert shared_draws([one], [two]) == [one.shared]
    assert shared_draws([two], [one]) == [two.shared]


def test_doubt_about_either_side_makes_a_case_likelier(side):
    sure, unsure = 0.999, 0.6
    a = side("a", [4] * 40, [unsure] * 10 + [sure] * 30)
    b = side("b", [4] * 40, [sure] * 10 + [unsure] * 10 + [sure] * 20)
    draw, _ = draw_for_both(a, b, request(count=10))
    chances = list(draw.chances.values())
    assert min(chances[:20]) > 5 * max(chances[20:]) > 0
    assert chances[0] == pytest.approx(chances[15])
    assert draw.basis == ("probability",)
    assert draw.uniform_share == 0.1
    alone, _ = draw_for_both(a, side("b", [4] * 40), request(count=10))  # B tells of no doubt
    assert alone.chances["c000"] > 5 * alone.chances["c015"]


def test_what_one_run_drew_alone_changes_its_own_chances_and_not_the_shared_ones(side):
    a, b = side("a", [0, 5] * 20), side("b", [5, 5] * 20)
    alone = draw_next("a", a.verdicts, [], request(count=15))
    one, two = draw_for_both(a._replace(before=[alone]), b, request(count=20, at=AT + timedelta(1)))
    assert (one.number, two.number, one.seed) == (2, 1, 1)
    assert one.shared.chances == two.chances
    for case_id, chance in two.chances.items():
        assert one.chances[case_id] == pytest.approx(1 - (1 - alone.chances[case_id]) * (1 - chance))
    assert set(one.chosen) == set(two.chosen) - set(alone.chosen)
    assert set(one.chosen) < set(two.chosen) == set(one.shared.chosen)
    # A's own figures use the chance that either draw had its case, over what both chose
    found = select([f"c{at:03}" for at in range(40)], {*alone.chosen, *one.chosen}, [alone, one])
    assert found.chances == {case_id: one.chances[case_id] for case_id in {*alone.chosen, *one.chosen}}
    later = draw_next("a", a.verdicts, [alone, one], request(count=5))
    assert later.seed == 2
    assert not set(later.chosen) & {*alone.chosen, *one.chosen}


def test_a_second_draw_for_both_leaves_out_the_first_until_all_are_drawn(side):
    a, b = side("a", [0, 5] * 20), side("b", [5, 5] * 20)
    first = draw_for_both(a, b, request(count=15))
    again = a._replace(before=[first.a]), b._replace(before=[first.b])
    second = draw_for_both(*again, request(count=100, at=AT + timedelta(1)))
    assert not set(first.a.chosen) & set(second.a.chosen)
    assert len(second.a.chosen) == 25
    assert second.a.chances == second.a.shared.chances
    assert len(shared_draws([first.a, second.a], [first.b, second.b])) == 2
    whole = a._replace(before=[first.a, second.a]), b._replace(before=[first.b, second.b])
    with pytest.raises(InputError, match="all 40 cases judged in both have been drawn"):
        draw_for_both(*whole, request(count=1))


def test_runs_without_a_case_in_common_have_nothing_to_draw(side):
    with pytest.raises(InputError, match="no case was judged in both"):
        draw_for_both(side("a", [1, None]), side("b", [None, 1]), request(count=1))


def test_draws_shared_with_another_run_or_made_alone_are_not_one_draw(side):
    a, b, c = (side(name, [0, 5] * 20) for name in "abc")
    with_b, of_b = draw_for_both(a, b, request(count=10))
    with_c, of_c = draw_for_both(a, c, request(count=10))
    alone = draw_next("b", b.verdicts, [], request(count=10))
    assert shared_draws([with_c], [of_b]) == shared_draws([with_b], [alone, of_c]) == []


def answer_of(run, case_id):
    same = case_id == "same"
    case = Case(
        case_id=case_id,
        columns={"system": run},
        fields={"question": "Why?", "response": "So." if same else f"So says {run}."},
    )
    return parts_to_label(case, None, ())


def test_the_file_names_no_run_and_asks_once_for_what_looks_the_same():
    wanted = [Unlabelled(case_id=f"c{at}", runs=("a", "b")) for at in range(30)]
    wanted += [Unlabelled(case_id="same", runs=("a", "b")), Unlabelled(case_id="half", runs=("b",))]
    rows = rows_of_both(wanted, answer_of, seed=3)
    assert len(rows) == 62
    assert rows == rows_of_both(wanted, answer_of, seed=3)
    assert set(rows[0]) == {"case_id", "run", "question", "response", "label", "annotator", "explanation"}
    by_case = {}
    for row in rows:
        by_case.setdefault(row["case_id"], []).append(row)
    assert len(by_case["same"]) == 1
    assert [row["run"] for row in by_case["half"]] == [run_mark("b", "half")]
    firsts = [given[0]["response"] for case_id, given in by_case.items() if len(given) == 2]
    assert {"So says a.", "So says b."} == set(firsts)  # neither always comes first
    assert list(by_case) != [each.case_id for each in wanted]
    assert len({row["run"] for row in rows}) == 62  # a mark says nothing about the next one


def test_what_waits_is_what_lacks_a_label_on_either_side(side):
    shared = draw_for_both(side("a", [0, 5] * 20), side("b", [5, 5] * 20), request(count=3)).a.shared
    one, two, three = shared.chosen
    found = unlabelled_pairs([shared], {"a": {one, two}, "b": {one}})
    assert found == [Unlabelled(case_id=two, runs=("b",)), Unlabelled(case_id=three, runs=("a", "b"))]
