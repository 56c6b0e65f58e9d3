"""Whether the words that would decide also stand in the case, where anyone could have put them."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from adjudge.records import Contract, Json
from adjudge.schemas import properties_of
from adjudge.text import as_text
from adjudge.verdicts.clean import thought_tags, tidy
from adjudge.verdicts.disguise import views
from adjudge.verdicts.labelled import labelled_values
from adjudge.verdicts.marks import bracket_values, line_values, tag_values
from adjudge.verdicts.names import FieldNames, properties
from adjudge.verdicts.objects import find_objects, settled
from adjudge.verdicts.text_reading import Mark, TextReading, only_value, value_of
from adjudge.verdicts.unplaced import find_lists, set_off_values
from adjudge.verdicts.validate import to_verdict
from adjudge.verdicts.values import ValueProblem

DRESSED = re.compile(r"\\[nrt]|\\|[\s\"'`“”„‘’]+|,(?=\s*[}\]])")
MAX_REPAIRS = 200
"""Broken objects of a case that are repaired for the comparison; verbatim copies are found without."""
EMPHASIS = re.compile(r"[*_`#>|]+")


def squeeze(text: str) -> str:
    """Without white space, quotes, backslashes and trailing commas: re-indenting or escaping changes nothing."""
    return DRESSED.sub("", text)


def object_in_case(
    span: str, parts: Mapping[str, Json], contract: Contract, names: FieldNames, case_texts: Sequence[Json]
) -> bool:
    """Whether this object, or one that reads the same, stands in the case."""
    wanted = squeeze(span)
    for text in _views(case_texts):
        if span in text or wanted in squeeze(text):
            return True
        repairs = 0
        for found in find_objects(text, names):
            repairs += found.loose is not None and not found.problem
            if repairs <= MAX_REPAIRS and _is_same(settled(found, names).value, parts, contract, names):
                return True
    return False


def list_in_case(
    span: str, parts: Mapping[str, Json], contract: Contract, names: FieldNames, case_texts: Sequence[Json]
) -> bool:
    """Whether this list, or one that reads the same, stands in the case."""
    wanted, name = squeeze(span), contract.needs[0]
    return any(
        wanted in squeeze(text)
        or any(_is_same({name: found.entries}, parts, contract, names) for found in find_lists(text))
        for text in _views(case_texts)
    )


def _is_same(
    value: Mapping[str, Json] | None, parts: Mapping[str, Json], contract: Contract, names: FieldNames
) -> bool:
    if value is None:
        return False
    verdict = to_verdict(value, contract, names)
    return not isinstance(verdict, ValueProblem) and reads_alike(verdict.parts, parts, contract)


def reads_alike(some: Mapping[str, Json], others: Mapping[str, Json], contract: Contract) -> bool:
    """Whether two verdicts say the same where the score needs it, whatever their free text."""
    schemas = properties(contract)
    return all(
        _gist(some[name], schemas[name]) == _gist(others[name], schemas[name]) for name in contract.needs
    )


def _gist(value: Json, schema: Mapping[str, Json]) -> Json:
    """A needed value without the free text inside its items, which a quotation may shorten."""
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, Mapping):
        return [_gist(each, items) for each in value]
    if not isinstance(value, dict):
        return value
    kept: dict[str, Json] = {
        name: _gist(value[name], rule)
        for name, rule in properties_of(schema).items()
        if name in value and isinstance(rule, Mapping) and not _is_free_text(rule)
    }
    return kept or value


def _is_free_text(schema: Mapping[str, Json]) -> bool:
    kind = schema.get("type")
    return "enum" not in schema and (kind == "string" or (isinstance(kind, list) and "string" in kind))


def words_in_case(text: str, reading: TextReading, contract: Contract, case_texts: Sequence[Json]) -> bool:
    """Whether what decides also stands in the case: the same words, or the same values in marks of the same kind."""
    if all(line_in_case(text[slice(*span)], case_texts, alone=reading.alone) for span in reading.spans):
        return True
    # A line of its own is compared whole: it may be no more than a letter, which any text can hold.
    value_in = only_value if reading.alone else value_of
    written = [
        (name, value_in(text[slice(*span)], contract, name)) for name, span in reading.value_spans.items()
    ]
    if any(isinstance(value, ValueProblem) for _, value in written):
        return False
    views = _views(case_texts)
    marked = MARKED["set off" if contract.form == "last" else reading.mark]
    return bool(written) and all(
        any(found == value for view in views for found in marked(view, contract, name))
        for name, value in written
    )


MARKED: Mapping[Mark, Callable[[str, Contract, str], Iterator[Json | ValueProblem]]] = {
    "label": labelled_values,
    "tag": tag_values,
    "brackets": bracket_values,
    "line": line_values,
    "set off": set_off_values,
}


def line_in_case(span: str, case_texts: Sequence[Json], *, alone: bool) -> bool:
    """Whether these words stand in the case, as whole words; with `alone`, as a line of their own."""
    wanted = _flat(span)
    if not wanted:
        return False
    for text in _views(case_texts):
        if alone:
            if any(_flat(line) == wanted for line in text.splitlines()):
                return True
        elif _whole_words(wanted, _flat(text)):
            return True
    return False


def tags_in_case(case_texts: Sequence[Json]) -> frozenset[str]:
    """The names of the reasoning tags that stand in the case."""
    return frozenset[str]().union(*map(thought_tags, _views(case_texts)))


def _views(case_texts: Sequence[Json]) -> list[str]:
    """Each text as it is, and as a model may write it that was shown it in disguise."""
    return [view for text in case_texts for view in views(tidy(as_text(text)))]


def _flat(text: str) -> str:
    """Without Markdown marks, case and the width of white space."""
    return " ".join(EMPHASIS.sub(" ", text.replace("\\n", "\n")).casefold().split()).strip(" .")


def _whole_words(wanted: str, text: str) -> bool:
    if len(wanted) > 1000:  # nothing that long continues a word by chance
        return wanted in text
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        before = text[at - 1] if at else " "
        after = text[end : end + 1] or " "
        if not (before.isalnum() and wanted[0].isalnum()) and not (after.isalnum() and wanted[-1].isalnum()):
            return True
        at = text.find(wanted, at + 1)
    return False
