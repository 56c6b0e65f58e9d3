"""Case ids as numbers."""

from hypothesis import given
from hypothesis import strategies as st

from adjudge.analysis.summary.repeats import CaseNumbers


@given(st.lists(st.text(st.characters(exclude_categories=[])), unique=True, max_size=20), st.integers(1, 4))
def test_a_case_keeps_its_number_and_its_name_and_is_forgotten_when_it_is_done(ids, rows):
    numbers = CaseNumbers(rows)
    found = [[numbers.count(case_id) for case_id in ids] for _ in range(rows)]
    assert all(each == list(range(len(ids))) for each in found)
    assert [numbers.name(number) for number in range(len(numbers))] == ids
    assert numbers.open == 0


def test_rows_that_were_not_judged_count_towards_the_end_of_a_case():
    numbers = CaseNumbers(2)
    numbers.pass_over("a")
    assert (len(numbers), numbers.open) == (0, 1)
    assert numbers.count("a") == 0
    assert (len(numbers), numbers.open) == (1, 0)


def test_without_a_known_number_of_rows_every_case_stays_open():
    numbers = CaseNumbers(None)
    assert [numbers.count(case_id) for case_id in "abab"] == [0, 1, 0, 1]
    numbers.pass_over("never judged")
    assert (len(numbers), numbers.open) == (2, 2)
