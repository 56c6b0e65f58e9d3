"""What the API says of two runs held against each other."""

from typing import Any

from pydantic import Field

from adjudge.server.shapes import RunRow, Shape


class Words(Shape):
    """One judge's comparison in sentences, as the command line prints them."""

    judge: str
    finding: str = Field(description="The one sentence to quote.")
    how: str
    facts: list[str]
    people: list[str]
    corrected: list[str]
    slices: str
    flips: str


class CompareResult(Shape):
    """`compared` is what `adjudge compare A B --json` prints."""

    a: RunRow
    b: RunRow
    compared: dict[str, Any]
    words: list[Words]
