"""Commands that a report offers are safe to copy."""

import shlex

import pytest

from adjudge.documents.document import command_of


@pytest.mark.parametrize("case_id", ["q1", "$(touch x)", "a b; c", "it's", "-x", "`x`", "q · a vs b"])
def test_every_word_of_a_command_is_one_word_of_a_shell(case_id):
    assert shlex.split(command_of("show", "run", case_id).text) == ["adjudge", "show", "run", case_id]


def test_plain_words_stay_plain():
    assert command_of("show", "pr-12", "q0").text == "adjudge show pr-12 q0"
