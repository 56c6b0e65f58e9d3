"""Whether two runs were judged alike."""

import pytest

from adjudge.analysis.comparison.alike import RunDifference, describe_difference
from adjudge.analysis.comparison.alike import pair_judges as pair
from adjudge.errors import NotComparableError, SettingsError
from adjudge.records import Jury


def plan(*judges, model="m", **more):
    return {"judges": list(judges), "model": model, **more}


def pair_judges(a, b, only=(), models=(None, None)):
    return pair(a, b, only, models)


def test_equal_runs_are_alike():
    found = pair_judges(plan("j@1", "k@2"), plan("k@2", "j@1"))
    assert found.pairs == (("j@1", "j@1"), ("k@2", "k@2"))
    assert found.refused == ()


def test_another_hash_another_model_and_a_judge_of_one_side_are_refused_by_name():
    found = pair_judges(plan("j@1", "k@2"), plan("j@9", "l@3", model="n"))
    assert found.refused == (
        RunDifference(what="judge", a="k@2", b=None),
        RunDifference(what="judge", a=None, b="l@3"),
        RunDifference(what="judge", a="j@1", b="j@9"),
        RunDifference(what="model", a="m", b="n"),
    )
    assert [describe_difference(each) for each in found.refused] == [
        "only A has judge k@2",
        "only B has judge l@3",
        "judge is j@1 in A and j@9 in B",
        "model is m in A and n in B",
    ]


def test_a_single_judge_of_each_side_belong_together():
    found = pair_judges(plan("j@1"), plan("k@2"))
    assert found.pairs == (("j@1", "k@2"),)
    assert found.refused == (RunDifference(what="judge", a="j@1", b="k@2"),)


def test_judges_can_be_chosen():
    a, b = plan("j@1", "k@2"), plan("j@1", "l@3")
    assert pair_judges(a, b, ["j"]).refused == ()
    assert pair_judges(a, b, ["k=l"]).pairs == (("k@2", "l@3"),)
    with pytest.raises(SettingsError, match="B has no judge `k`"):
        pair_judges(a, b, ["k"])


def test_a_setting_of_one_run_is_named_with_that_it_is_not_set_in_the_other():
    difference = RunDifference(what="base_url", a="http://x", b=None)
    assert describe_difference(difference) == "base url is http://x in A and not set in B"


def test_nothing_shared_says_what_to_type():
    with pytest.raises(NotComparableError, match="share no judge") as error:
        pair_judges(plan("j@1", "k@2"), plan("l@3"))
    assert "--only" in error.value.hint
    assert (error.value.by_pair, error.value.across) == (True, False)


def test_a_jury_and_a_cascade_are_called_as_in_their_rows():
    models = ["m", "n"]
    jury, cascade = ({"rule": rule} for rule in ("median", "cascade"))
    found = pair_judges(plan("j@1", model=models, jury=jury), plan("j@1", model=models, jury=cascade))
    names = [Jury(rule=each["rule"], models=tuple(models), quorum=1).name for each in (jury, cascade)]
    assert names == ["jury:median(m,n)", "cascade:m,n"]
    assert found.refused == (RunDifference(what="model", a=names[0], b=names[1]),)


def test_where_models_are_chosen_they_are_what_differs():
    a, b = plan("j@1", model=["m", "n"]), plan("j@1", model="m")
    assert pair_judges(a, b, models=("m", "m")).refused == ()
    assert pair_judges(a, b, models=("n", None)).refused == (RunDifference(what="model", a="n", b="m"),)
