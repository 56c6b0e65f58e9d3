"""Names in addresses: every name has one, no name reaches beyond its part of a path."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adjudge.errors import InputError
from adjudge.server.keys import from_key, to_key

NAMES = st.text(st.characters(exclude_categories=()))  # lone surrogates too


@given(NAMES)
@example("a/b")
@example("..")
@example(".")
@example("~2F")
@example("%2e%2e/")
@example("\ud800")
@example("\ud83d\udca9 and 💩")
@example("correctness@e2b84945e43c")
@example("\x00\n\r")
@example("")
def test_a_name_comes_back_from_its_key(name):
    assert from_key(to_key(name)) == name


@given(NAMES)
def test_a_key_is_one_plain_part_of_a_path(name):
    assert re.fullmatch(r"(?:[A-Za-z0-9_@-]|~[0-9A-F]{2})*", to_key(name))


@given(NAMES, NAMES)
def test_two_names_have_two_keys(one, other):
    assert (to_key(one) == to_key(other)) == (one == other)


@given(st.text(max_size=12))
@example("~")
@example("~2f")
@example("~GG")
@example("~C3")
@example("a.b")
@example("é")
@example("~٣٣")
def test_any_text_is_read_as_a_name_that_has_a_key_or_refused(key):
    try:
        name = from_key(key)
    except InputError:
        return
    assert from_key(to_key(name)) == name


@pytest.mark.parametrize(
    "key", ["a/b", "..", "a%2Fb", "~2", "~2f", "~zz", "~FF", "~C3~28", "a b", "é", "~٣٣"]
)
def test_an_address_that_nobody_wrote_is_refused(key):
    with pytest.raises(InputError, match="is not a valid key"):
        from_key(key)
