"""Whether two runs were judged alike."""

import pytest

from adjudge.errors import InputError, SettingsError
from adjudge.reports.compare_alike import JudgePair, find_alike


def plan(*judges, model="m", **more):
    return {"judges": list(judges), "model": model, **more}


def test_equal_runs_are_alike():
    found = find_alike(plan("j@1", "k@2"), plan("k@2", "j@1"), ())
    assert found.pairs == (JudgePair(a="j@1", b="j@1"), JudgePair(a="k@2", b="k@2"))
    assert (found.refused, found.noted) == ((), ())


def test_another_hash_another_model_and_a_judge_of_one_side_are_refused_by_name():
    found = find_alike(plan("j@1", "k@2"), plan("j@9", "l@3", model="n"), ())
    assert found.refused == (
        "only A has k@2",
        "only B has l@3",
        "the judge is j@1 in A and j@9 in B",
        "the model is m in A and n in B",
    )


def test_a_single_judge_of_each_side_belong_together():
    found = find_alike(plan("j@1"), plan("k@2"), ())
    assert found.pairs == (JudgePair(a="j@1", b="k@2"),)
    assert found.pairs[0].names == ("j", "k")
    assert found.refused == ("the judge is j@1 in A and k@2 in B",)


def test_judges_can_be_chosen():
    a, b = plan("j@1", "k@2"), plan("j@1", "l@3")
    assert find_alike(a, b, ["j"]).refused == ()
    assert find_alike(a, b, ["k=l"]).pairs == (JudgePair(a="k@2", b="l@3"),)
    with pytest.raises(SettingsError, match="B has no judge `k`"):
        find_alike(a, b, ["k"])


def test_what_else_differs_is_noted():
    found = find_alike(plan("j@1", temperature=0.0), plan("j@1", temperature=None, repeats=3), ())
    assert found.refused == ()
    assert found.noted == ("temperature is 0.0 in A and not set in B", "repeats is not set in A and 3 in B")


def test_nothing_shared_says_what_to_type():
    with pytest.raises(InputError, match="share no judge") as error:
        find_alike(plan("j@1", "k@2"), plan("l@3"), ())
    assert "--only" in error.value.hint
