"""Completion -> Verdict: the last complete verdict of a reply, validated, or why there is none."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from msgspec.structs import replace

from adjudge.records import Contract, Form, Json, Verdict
from adjudge.verdicts.clean import blank_thoughts, decoded, is_wrapping, thought_tags, tidy
from adjudge.verdicts.differing import holds_another, is_concluded
from adjudge.verdicts.labelled import read_labelled
from adjudge.verdicts.marks import read_bare, read_brackets, read_tags, tagged_prose
from adjudge.verdicts.names import FieldNames, properties
from adjudge.verdicts.objects import CUT_OFF, FoundObject, find_objects, settled, sole_object
from adjudge.verdicts.planted import list_in_case, object_in_case, reads_alike, tags_in_case, words_in_case
from adjudge.verdicts.text_reading import TextReading
from adjudge.verdicts.unplaced import UNPLACED, FoundList, find_lists, read_last
from adjudge.verdicts.validate import exact_reply, split_bullets, to_verdict
from adjudge.verdicts.values import ValueProblem


@dataclass(frozen=True, kw_only=True, slots=True)
class UnreadReply:
    """It does not validate, or there is nothing to read."""

    why: str
    """One sentence, for a re-ask to the model and for a person; holds no text of the case."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Planted:
    """The last verdict of a reply that may not be the model's own: ask for it alone."""

    verdict: Verdict
    note: Literal["planted_verdict", "differing_verdicts"]
    """It also stands in the case and is not the whole reply; or the reply holds another that differs from it."""


TEXT_FORMS: Mapping[Form, tuple[Callable[[str, Contract], TextReading | None], ...]] = {
    "json": (),
    "list": (),
    "text": (),
    "last": (read_labelled, read_bare, read_last),
    "sections": (read_labelled,),
    "line": (read_labelled,),
    "tags": (read_tags, read_labelled),
    "brackets": (read_brackets, read_labelled),
    "bare": (read_bare, read_labelled),
}
"""How each form is read when the reply is no JSON; the first that finds its mark decides."""

WANTED: Mapping[Form, str] = {
    "json": "The reply holds no JSON object with the fields asked for",
    "list": "The reply holds no JSON list",
    "text": "The reply is empty",
    "last": "The reply names none of the answers asked for",
    "sections": "The reply names no rating",
    "line": "The reply has no line with the verdict's label",
    "tags": "The reply has no tag with the verdict",
    "brackets": "The reply has no verdict in double brackets",
    "bare": "The reply is not one of the answers asked for",
}


AFTER_LABEL = re.compile(r"[^\n:.)\],–—]{0,80}[:.)\],–—-][*_`]{0,4}\s+([^\n]+)")
"""`B: because …` gives its reason on the label's own line."""


MARKS = " \t*_`#>|\"'"
"""Markdown and quotes that belong to the verdict they stand next to."""
SENTENCE_ENDS = ("\n", ". ", "! ", "? ")
MAX_LEAD_WORDS = 4


class Taken(NamedTuple):
    """What was found last: an object or words."""

    text: str
    object: FoundObject | None
    reading: TextReading | None


def read_verdict(
    text: str, contract: Contract, *, whole: bool, case_texts: Sequence[Json]
) -> Verdict | UnreadReply | Planted:
    """Read loosely, validate strictly what the score needs, and never take a planted verdict silently.

    With `whole` the provider held the model to the schema: the reply is the verdict, and nothing else is one.
    """
    cleaned = tidy(text)
    stripped = cleaned.strip()
    if not stripped:
        return _unread("The reply is empty")
    exact = read_exact(stripped, contract) if whole or contract.form == "json" else None
    return exact or search_verdict(cleaned, contract, whole=whole, case_texts=case_texts)


def read_exact(text: str, contract: Contract) -> Verdict | None:
    """The verdict of a reply that is the object asked for and nothing else, as most are; None for every other.

    `search_verdict` would come to the same: there is nothing to look for, to leave out or to turn into its type.
    """
    value = sole_object(text)
    return Verdict(parts=value) if value is not None and exact_reply(contract)(value) else None


def search_verdict(
    cleaned: str, contract: Contract, *, whole: bool, case_texts: Sequence[Json]
) -> Verdict | UnreadReply | Planted:
    """The last thing in a reply that claims to be the verdict, whatever stands around it and however it is spelt."""
    names = FieldNames.of(contract)
    in_case = tags_in_case(case_texts) if thought_tags(cleaned) else frozenset[str]()
    if contract.form == "text":
        reply = _without_thoughts(cleaned, contract, names, in_case).strip()
        return Verdict(parts={contract.needs[0]: reply}) if reply else _unread(WANTED["text"])
    if contract.form == "list" and not whole:
        lists = list(find_lists(_without_thoughts(cleaned, contract, names, in_case)))
        if lists:
            return _from_lists(cleaned, lists, contract, names, case_texts)
    contract = replace(contract, form="json") if whole and contract.form != "json" else contract
    taken = find_last(cleaned, contract, names, in_case)
    if taken.object is None and taken.reading is None:
        unescaped = decoded(cleaned)
        if unescaped is not None:
            taken = find_last(unescaped, contract, names, in_case)
    if taken.object is not None:
        return _from_object(taken.text, taken.object, contract, names, case_texts, whole=whole)
    if taken.reading is not None:
        if contract.form == "tags":
            taken.reading.values.update({**tagged_prose(cleaned, contract), **taken.reading.values})
        return _from_words(taken.text, taken.reading, contract, names, case_texts)
    if not taken.text.strip():
        return _unread("The reply holds only reasoning and no verdict after it")
    return _unread(WANTED[contract.form])


def find_last(
    text: str, contract: Contract, names: FieldNames, in_case: frozenset[str] = frozenset()
) -> Taken:
    """The last thing that claims to be the verdict, outside reasoning blocks, whether or not it validates."""
    text = _without_thoughts(text, contract, names, in_case)
    last: FoundObject | None = None
    for found in find_objects(text, names):
        last = found
    last = settled(last, names) if last is not None else None
    # What stands behind the last object is later than it; what stands inside it is part of it.
    after = last.end if last is not None and last.problem != CUT_OFF else None
    reading = _read_text_forms(text, contract)
    if reading is not None and (last is None or (after is not None and min(reading.spans)[0] >= after)):
        return Taken(text, None, reading)
    return Taken(text, last, None)


def _read_text_forms(text: str, contract: Contract) -> TextReading | None:
    """What the form's own mark says, else the label; a bare reply that is no label may still begin with one."""
    first: TextReading | None = None
    for form in TEXT_FORMS[contract.form]:
        reading = form(text, contract)
        if reading is not None and (not reading.problem or contract.form not in {"bare", "last"}):
            return reading
        first = first or reading
    return first


def _without_thoughts(text: str, contract: Contract, names: FieldNames, in_case: frozenset[str]) -> str:
    """Blank reasoning blocks, except where the tags are quoted inside an object that reads as it stands."""
    if ("<" not in text and "[" not in text) or blank_thoughts(text) == text:
        return text
    objects = [(found.start, found.end) for found in find_objects(text, names) if found.value is not None]
    return blank_thoughts(
        text,
        objects,
        in_case=in_case,
        concluded=lambda before: is_concluded(before, contract, names),
    )


def _from_object(
    text: str,
    found: FoundObject,
    contract: Contract,
    names: FieldNames,
    case_texts: Sequence[Json],
    *,
    whole: bool,
) -> Verdict | UnreadReply | Planted:
    if found.value is None:
        return _unread(found.problem)
    verdict = to_verdict(found.value, contract, names)
    if isinstance(verdict, ValueProblem):
        return _unread(f"In the reply {verdict.text}")
    if is_wrapping(text[: found.start]) and is_wrapping(text[found.end :]):
        return verdict
    if whole:
        return _unread("The reply is not one JSON object and nothing else")
    if holds_another(text, verdict.parts, contract, names):
        return Planted(verdict=verdict, note="differing_verdicts")
    if object_in_case(text[found.start : found.end], verdict.parts, contract, names, case_texts):
        return Planted(verdict=verdict, note="planted_verdict")
    return verdict


def _from_lists(
    text: str, lists: Sequence[FoundList], contract: Contract, names: FieldNames, case_texts: Sequence[Json]
) -> Verdict | UnreadReply | Planted:
    """A list of entries is the one field of its contract: the last one that validates."""
    name = contract.needs[0]
    read = [(each, to_verdict({name: each.entries}, contract, names)) for each in lists]
    valid = [(each, verdict) for each, verdict in read if not isinstance(verdict, ValueProblem)]
    if not valid:
        _, problem = read[-1]
        assert isinstance(problem, ValueProblem)
        return _unread(f"In the reply {problem.text}")
    found, verdict = valid[-1]
    if is_wrapping(text[: found.start]) and is_wrapping(text[found.end :]):
        return verdict
    if any(not reads_alike(other.parts, verdict.parts, contract) for _, other in valid):
        return Planted(verdict=verdict, note="differing_verdicts")
    if list_in_case(text[found.start : found.end], verdict.parts, contract, names, case_texts):
        return Planted(verdict=verdict, note="planted_verdict")
    return verdict


def _from_words(
    text: str, reading: TextReading, contract: Contract, names: FieldNames, case_texts: Sequence[Json]
) -> Verdict | UnreadReply | Planted:
    if reading.problem:
        return _unread(f"In the reply {reading.problem}")
    values = _with_reason(text, reading, contract)
    verdict = to_verdict(values, contract, names)
    if isinstance(verdict, ValueProblem):
        return _unread(f"In the reply {verdict.text}")
    if all(is_wrapping(between) for between in _outside(text, reading.spans)):
        return verdict
    if holds_another(text, verdict.parts, contract, names):
        return Planted(verdict=verdict, note="differing_verdicts")
    if words_in_case(text, reading, contract, case_texts):
        return Planted(verdict=verdict, note="planted_verdict")
    if contract.form == "last":
        return replace(verdict, notes=(*verdict.notes, UNPLACED))
    return verdict


def _outside(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[str]:
    """What stands before, between and after spans, which may overlap."""
    done = 0
    for start, end in sorted(spans):
        yield text[done : max(done, start)]
        done = max(done, end)
    yield text[done:]


def explanation(text: str, contract: Contract) -> str | None:
    """The prose around the verdict of a reply: what stands before it, else what follows it."""
    taken = find_last(tidy(text), contract, FieldNames.of(contract))
    if taken.object is not None:
        start, end = taken.object.start, taken.object.end
        return _prose(taken.text[:start]) or _prose(taken.text[end:]) or None
    return (_words_around(taken.text, taken.reading) or None) if taken.reading is not None else None


def _with_reason(text: str, reading: TextReading, contract: Contract) -> dict[str, Json]:
    """Lists from their bullets; and, where a judge concludes with its label, what stood before it as the reason."""
    values = dict(reading.values)
    schemas = properties(contract)
    for name, value in values.items():
        if isinstance(value, str) and schemas[name].get("type") == "array":
            values[name] = list(split_bullets(value))
    if contract.form == "sections":
        return values
    reason = next(
        (
            n
            for n, s in schemas.items()
            if n not in contract.needs and s.get("type") == "string" and "enum" not in s
        ),
        None,
    )
    if reason is None or reason in values:
        return values
    spoken = _words_around(text, reading)
    return {**values, reason: spoken} if spoken else values


def _words_around(text: str, reading: TextReading) -> str:
    """The prose before the verdict, else on its line or after it."""
    start, end = min(reading.spans)[0], max(reading.spans, key=lambda span: span[1])[1]
    ends = [at + len(mark) for mark in SENTENCE_ENDS if (at := text.rfind(mark, 0, start)) >= 0]
    phrase = max(ends, default=0)
    before = text[:phrase] if _is_lead(text[phrase:start]) else text[:start].rstrip(MARKS)
    same_line = AFTER_LABEL.match(text, start, end) if reading.alone else None
    return _prose(before) or _prose((same_line[1] if same_line else "") + text[end:].lstrip(MARKS))


def _is_lead(text: str) -> bool:
    """Whether the words just before the verdict only lead up to it: `**Rating:**`, `## 2.`."""
    words = text.strip(MARKS)
    leads = words.endswith((":", "：", "=")) and len(words.split()) <= MAX_LEAD_WORDS
    return leads or not any(character.isalpha() for character in words)


def _prose(text: str) -> str:
    """Text with a word in it; code fences around the verdict are no part of it."""
    stripped = text.strip()
    return "" if is_wrapping(stripped) or not any(c.isalnum() for c in stripped) else stripped


def _unread(sentence: str) -> UnreadReply:
    return UnreadReply(why=f"{sentence[:399]}.")
