"""The format message in our own words: the verdict's fields in order, what each of them holds, as JSON or as text."""

from collections.abc import Mapping

from adjudge.records import Form, Json
from adjudge.schemas import fields_in_words, kind_in_words


def ask_for(fields: Mapping[str, Json], *, called: Mapping[str, str] | None = None) -> str:
    """A message that gives every field its place; `called` has the prompt's own name for some of them."""
    return (
        "Give your answer as one JSON object and nothing else, with these fields in this order:\n"
        + _listed(fields, called or {})
    )


def ask_for_text(fields: Mapping[str, Json], rating: str, label: str, *, form: Form) -> str:
    """A message that gives the rating a line at the end of an answer in the prompt's own form."""
    line = f"{label[:1].upper()}{label[1:]}: <{kind_in_words(fields[rating])}>"
    ending = f"End your answer with this line, filled in, and nothing after it:\n{line}"
    if form != "sections":
        return ending
    called = {} if label == rating else {rating: label}
    return (
        "Give your answer as text, in the sections that you were asked for and one for the rating, in this order:\n"
        f"{_listed(fields, called)}\n{ending}"
    )


def _listed(fields: Mapping[str, Json], called: Mapping[str, str]) -> str:
    return fields_in_words(fields, {name: f" (the {label})" for name, label in called.items()})
