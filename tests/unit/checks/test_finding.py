"""What a check says that it found."""

from check_cases import check, texts
from hypothesis import given
from odd_texts import odd_texts

from adjudge.checks.finding import Finding


@given(odd_texts, odd_texts.filter(str.strip))
def test_reasons_are_short_and_on_one_line(response, reference):
    """Texts of a case come into a sentence of ours shortened and without control characters."""
    for name, parameters in (("exact", {}), ("contains", {}), ("regex", {"pattern": "x"})):
        found = check(name, texts(response, reference), **parameters)
        assert isinstance(found, Finding)
        assert found.reason.isprintable()
        assert len(found.reason) < 1_000
