"""A value that no option may have is refused by the option's name."""

import pytest

from adjudge.errors import SettingsError
from adjudge.options import RunOptions
from adjudge.options.values import validate_values


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"jobs": 0}, "--jobs"),
        ({"jobs": 5000}, "--jobs"),
        ({"repeat": 0}, "--repeat"),
        ({"repeat": "auto"}, "--repeat"),
        ({"repeat": True}, "--repeat"),
        ({"first": 0}, "--first"),
        ({"sample": -1}, "--sample"),
        ({"jury": "most"}, "--jury"),
        ({"cascade": ("embedded",)}, "--cascade"),
        ({"retry": frozenset({"scored"})}, "--retry"),
        ({"parameters": {"stream": True}}, "--param"),
    ],
    ids=str,
)
def test_a_value_out_of_range_is_named(values, named):
    with pytest.raises(SettingsError) as caught:
        validate_values(RunOptions(**values))
    assert caught.value.where == named


def test_all_that_is_in_range_passes():
    validate_values(
        RunOptions(jobs=2_000, jury="median", cascade=("a:b", "c:d"), retry=frozenset({"refused"}))
    )
