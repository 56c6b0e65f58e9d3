"""`contains`: the response contains the expected text."""

from typing import Annotated, Literal

from msgspec import Struct

from adjudge.checks.check import REFERENCE, RESPONSE, Check, one_of, some_texts
from adjudge.checks.expected_text import (
    IGNORE,
    Ignorable,
    describe_ignored,
    expected_texts,
    fold,
    join_quoted,
)
from adjudge.checks.finding import Fields, Finding, failed, not_checked, passed, response_text
from adjudge.records import Failed

Need = Literal["all", "any", "none"]


class Contains(Struct, frozen=True, kw_only=True):
    text: Annotated[list[str] | None, some_texts("the expected text, or a list")] = None
    need: Annotated[
        Need | None,
        one_of(
            Need,
            "how many of several texts are to be found; `all` for a list in the file, `any` for references",
        ),
    ] = None
    ignore: Annotated[list[Ignorable] | None, IGNORE] = None


def check_contains(fields: Fields, parameters: Contains) -> Finding | Failed:
    expected = expected_texts(fields, parameters.text)
    if not expected:
        return not_checked("missing_input", "`reference` is blank", "reference")
    ignore = parameters.ignore or []
    folded, how = fold(response_text(fields), ignore), describe_ignored(ignore)
    need = parameters.need or ("any" if parameters.text is None else "all")
    found = [text for text in expected if fold(text, ignore) in folded]
    missing = [text for text in expected if text not in found]
    details = {"found": join_quoted(found) or "none", "not found": join_quoted(missing) or "none"}
    if need == "none":
        if found:
            return failed(f"The response contains {join_quoted(found)}{how}.", **details)
        return passed(f"The response contains none of {join_quoted(expected)}{how}.", **details)
    if missing and (need == "all" or not found):
        return failed(f"The response does not contain {join_quoted(missing)}{how}.", **details)
    return passed(f"The response contains {join_quoted(found)}{how}.", **details)


CHECK = Check(
    name="contains",
    version=1,
    parameters=Contains,
    run=check_contains,
    inputs=(RESPONSE, REFERENCE),
    main="text",
    constant="text",
)
