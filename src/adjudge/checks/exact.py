"""`exact`: the response is the expected text."""

from typing import Annotated

from msgspec import Struct

from adjudge.checks.check import REFERENCE, RESPONSE, Check, some_texts
from adjudge.checks.expected_text import (
    IGNORE,
    Ignorable,
    describe_ignored,
    expected_texts,
    fold,
    join_quoted,
)
from adjudge.checks.finding import Fields, Finding, failed, not_checked, passed, quoted, response_text
from adjudge.records import Failed


class Exact(Struct, frozen=True, kw_only=True):
    text: Annotated[
        list[str] | None, some_texts("the expected text, or a list of which any one suffices")
    ] = None
    ignore: Annotated[list[Ignorable] | None, IGNORE] = None


def check_exact(fields: Fields, parameters: Exact) -> Finding | Failed:
    response = response_text(fields)
    expected = expected_texts(fields, parameters.text)
    if not expected:
        return not_checked("missing_input", "`reference` is blank", "reference")
    ignore = parameters.ignore or []
    folded, how = fold(response, ignore), describe_ignored(ignore)
    for text in expected:
        if fold(text, ignore) == folded:
            return passed(f"The response is the expected text {quoted(text)}{how}.", expected=quoted(text))
    wanted = quoted(expected[0]) if len(expected) == 1 else f"any of {join_quoted(expected)}"
    return failed(
        f"The response {quoted(response)} is not {wanted}{how}.",
        expected=join_quoted(expected),
        response=quoted(response),
    )


CHECK = Check(
    name="exact",
    version=1,
    parameters=Exact,
    run=check_exact,
    inputs=(RESPONSE, REFERENCE),
    main="text",
    constant="text",
)
