"""A pattern that is compiled at its first use is one like any other."""

import re

import pytest

from adjudge.patterns import lazy_pattern


def test_it_does_what_the_compiled_pattern_does():
    source, text = r"(?P<word>[a-z]+)\s", "Some Words and More "
    lazy, compiled = lazy_pattern(source, re.IGNORECASE), re.compile(source, re.IGNORECASE)
    for _ in range(2):  # the second time its methods are its own
        assert lazy.findall(text) == compiled.findall(text)
        assert lazy.sub("-", text) == compiled.sub("-", text)
        assert lazy.search(text)["word"] == compiled.search(text)["word"]
    assert (lazy.pattern, lazy.flags, lazy.groupindex) == (source, compiled.flags, compiled.groupindex)


def test_what_is_wrong_with_it_shows_at_its_first_use():
    pattern = lazy_pattern("(")
    with pytest.raises(re.error):
        pattern.search("text")
