"""Whose turn it is: orders that tell nothing, overlap, and what comes next."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from adjudge.records import LabelDraw
from adjudge.server.labels.blind import RunJudge, label_queue, ticket
from adjudge.store import KeptLabel, RunRecord

NOW = datetime(2026, 1, 1, tzinfo=UTC)
IDS = tuple(f"c{at}" for at in range(200))


def subject(run_id="r", name="tone"):
    record = RunRecord(
        run_id=run_id, name=None, plan={}, state="finished", started_at=NOW, finished_at=NOW, judgements=200
    )
    return RunJudge(record=record, name=name, reference=name, judge=None, judged=200)


def draw(chosen=IDS, number=1):
    return LabelDraw(
        run_id="r",
        judge="tone",
        number=number,
        chosen=tuple(chosen),
        chances=dict.fromkeys(IDS, 0.5),
        basis=(),
        uniform_share=1.0,
        seed=number,
        at=NOW,
    )


def label(case_id, annotator):
    return KeptLabel(case_id=case_id, judge="tone", label=3.0, run_id="r", annotator=annotator, at=NOW)


def test_the_order_is_each_annotators_own_and_the_same_on_every_day():
    orders = {who: list(label_queue(subject(), who, 1.0, [draw()], []).order) for who in ("Anna", "Ben")}
    assert orders["Anna"] != orders["Ben"]
    assert sorted(orders["Anna"]) == sorted(IDS)
    assert orders["Anna"] == list(label_queue(subject(), "Anna", 1.0, [draw(reversed(IDS))], []).order)
    assert orders["Anna"] != list(label_queue(subject(run_id="other"), "Anna", 1.0, [draw()], []).order)


def test_the_order_is_as_good_as_random():
    """The place in it is not correlated with the place in the run, beyond chance."""
    order = list(label_queue(subject(), "Anna", 1.0, [draw()], []).order)
    places = [order.index(case_id) for case_id in IDS]
    mean = (len(IDS) - 1) / 2
    covariance = sum((at - mean) * (place - mean) for at, place in enumerate(places))
    assert abs(covariance / sum((at - mean) ** 2 for at in range(len(IDS)))) < 0.25


def test_an_earlier_draw_comes_first_and_no_case_twice():
    found = label_queue(subject(), "Anna", 1.0, [draw(IDS[:20]), draw(IDS[15:40], 2)], [])
    assert set(list(found.order)[:20]) == set(IDS[:20])
    assert len(found.order) == 40
    assert found.order["c15"] == 1


@given(st.floats(0, 1), st.sets(st.sampled_from(IDS)), st.sets(st.sampled_from(IDS)))
def test_an_annotator_keeps_what_is_theirs_and_gets_all_that_nobody_has(overlap, mine, theirs):
    labels = [label(case_id, "Anna") for case_id in mine] + [label(case_id, "Ben") for case_id in theirs]
    found = label_queue(subject(), "Anna", overlap, [draw()], labels)
    assert set(found.mine) == mine
    assert set(IDS) - theirs | mine <= set(found.order)
    assert found.left == len(found.order) - len(mine)
    if overlap == 1.0:
        assert set(found.order) == set(IDS)


def test_what_is_shared_grows_with_the_share_and_is_the_same_for_all():
    labels = [label(case_id, "Zoe") for case_id in IDS]
    sets = [
        set(label_queue(subject(), "Anna", share, [draw()], labels).order) for share in (0.0, 0.1, 0.5, 1.0)
    ]
    assert sets[0] == set()
    assert sets[0] < sets[1] < sets[2] < sets[3] == set(IDS)
    assert 70 <= len(sets[2]) <= 130
    assert sets[2] == set(label_queue(subject(), "Ben", 0.5, [draw()], labels).order)


def test_next_goes_round_and_leaves_out_what_is_labelled():
    found = label_queue(subject(), "Anna", 1.0, [draw(IDS[:4])], [])
    first, second, third, fourth = found.order
    found = label_queue(subject(), "Anna", 1.0, [draw(IDS[:4])], [label(second, "Anna")])
    assert found.after(None) == first
    assert found.after(first) == third
    assert found.after(fourth) == first
    done = label_queue(subject(), "Anna", 1.0, [draw(IDS[:4])], [label(each, "Anna") for each in IDS[:4]])
    assert done.after(None) is None


def test_a_case_is_found_by_its_ticket_whatever_its_id_is():
    ids = ["a\ud800b", "\0", "\r\n", " ", "<b>", "x" * 5000]
    found = label_queue(subject(), "Anna", 1.0, [draw(ids)], [])
    for case_id in ids:
        written = ticket(subject(), case_id)
        assert written.isalnum()
        assert found.find(written) == case_id
        assert found.find(case_id) == case_id
    assert found.find("nobody") is None
