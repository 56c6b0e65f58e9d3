"""The output contract of a prompt: which form it asks for, with what parts."""

import re
from collections.abc import Callable
from dataclasses import replace

from adjudge.judges.asking import ask_for, ask_for_text
from adjudge.judges.reading.bare import find_bare, find_two_scores
from adjudge.judges.reading.choices import defined_choice
from adjudge.judges.reading.json_schema import find_json_schema
from adjudge.judges.reading.kinds import ValueKind
from adjudge.judges.reading.listed import (
    find_called_sections,
    find_described_json,
    find_named_fields,
    find_sections,
)
from adjudge.judges.reading.names import OUTPUT_CUE, cued, is_label, is_rating, is_reason
from adjudge.judges.reading.parts import ContractPart, FoundContract, part_schema
from adjudge.judges.reading.recogniser import ask, first
from adjudge.judges.reading.shape import find_json_skeleton, shows_a_list
from adjudge.judges.reading.textual import find_brackets, find_labelled_brackets, find_lines, find_tags
from adjudge.judges.reading.words import meanings_of, word_choices
from adjudge.patterns import lazy_pattern
from adjudge.records import Form, Json

_ALONE = lazy_pattern(
    r"\b(?:only|just)\b|\bnothing else\b|\bno (?:other |additional |extra )?text\b|\bwithout (?:any )?(?:explanation|other text)\b",
    re.IGNORECASE,
)
_LIST_ASKED = lazy_pattern(
    r"\bJSON[ ](?:list|array)\b|\b(?:list|array)[ ]of[ ](?:dictionaries|dicts|JSON\b)|\bJSON\b[^\n.]{0,30}\((?:a[ ])?(?:list|array)\b",
    re.IGNORECASE,
)
_SENTENCE = lazy_pattern(r"[^.!?\n]+[.!?]?")
_EXPLAINED = lazy_pattern(
    r"\bstep[ -]by[ -]step\b|\b(?:explain|justify)(?:ing)? (?:your|why|how|the reason|in )"
    r"|\b(?:provid|giv|writ|begin|start|includ|add|stat|produc|offer|us)(?:e|ing|ning|)\b[^\n]{0,60}"
    r"\b(?:explanation|reasoning|rationale|justification|critique)\b",
    re.IGNORECASE,
)
_NOT_EXPLAINED = lazy_pattern(
    r"(?:\b(?:no|not|never|without|avoid|omit)|n['’]t)\b[^\n]{0,40}\b(?:explain|explanations?|reasoning|justif|rationale|text)",
    re.IGNORECASE,
)
_JUDGED = lazy_pattern(
    r"\b(?:response|answer|output|summary|assistant|model|solution|it|they|whether|if|does|did)\b",
    re.IGNORECASE,
)
"""Before the verb these make it what the judged text does, not what the judge is to do."""
_JSON_ASKED = lazy_pattern(r"\bjson\b|\bdictionary\b", re.IGNORECASE)


def find_contract(text: str) -> FoundContract | None:
    """What the reply has to hold, as far as the prompt tells; None when it tells nothing."""
    return first(REPLIES, text)


def shown_json(text: str) -> FoundContract | None:
    shown = find_json_skeleton(text)
    if shown is None or not (_telling(shown) or cued(text, shown.start) or _named(shown, text)):
        return None
    return _with_meanings(shown, text)


def described_json(text: str) -> FoundContract | None:
    asked = _JSON_ASKED.search(text) and not _LIST_ASKED.search(text)
    return find_described_json(text) if asked else None


def lines_or_sections(text: str) -> FoundContract | None:
    """Marked lines, unless they read better as sections, or are examples of what is asked for after them."""
    lines, sections = ask(find_lines, text), ask(find_sections, text)
    # A numbered list of `Name: what to write` reads as both; the one with more parts is the whole of it.
    if sections is not None and (lines is None or len(sections.parts) > len(lines.parts)):
        return sections
    bare = None if lines is None or sections is not None else find_bare(text)
    if lines is None or bare is None:
        return lines
    if lines.form == "bare":
        return bare if bare.parts[0].kind.options and not lines.parts[0].kind.bounded else lines
    later = bare.start > lines.end and _ALONE.search(text[bare.start : bare.end])
    return bare if later else lines


REPLIES: tuple[Callable[[str], FoundContract | None], ...] = (
    find_json_schema,
    shown_json,
    described_json,
    find_tags,
    find_labelled_brackets,
    find_brackets,
    find_called_sections,
    find_two_scores,
    lines_or_sections,
    find_named_fields,
    find_bare,
)


def says_how_to_answer(text: str) -> bool:
    """Whether the prompt speaks of the form of its reply, so that another one asked for would contradict it."""
    return OUTPUT_CUE.search(text) is not None or _JSON_ASKED.search(text) is not None


def asks_for_list(text: str) -> bool:
    """Whether the reply is a JSON list, which has no one verdict in it."""
    return _LIST_ASKED.search(text) is not None or shows_a_list(text)


def _named(shown: FoundContract, text: str) -> bool:
    """Whether the prose speaks of a field that is shown as one: `the 'verdicts' key`."""
    return any(re.search(rf"[\"'`]{re.escape(part.name)}[\"'`]\s(?:key|field)", text) for part in shown.parts)


def _telling(found: FoundContract) -> bool:
    return any(is_rating(part.name) or is_label(part.name) or part.kind.decides for part in found.parts)


def _with_meanings(shown: FoundContract, text: str) -> FoundContract:
    """A shown verdict with what the prose says its labels mean."""
    parts = []
    for part in shown.parts:
        options = tuple(option for option in part.kind.options if isinstance(option, str))
        if options and (whole := _whole_choice(text, shown, options)):
            part, options = replace(part, kind=replace(part.kind, options=whole)), whole  # noqa: PLW2901
        parts.append(replace(part, meanings=meanings_of(text, options)) if options else part)
    return replace(shown, parts=tuple(parts))


def _whole_choice(text: str, shown: FoundContract, options: tuple[str, ...]) -> tuple[str, ...]:
    """The choice of a sentence that has these labels and more: examples need not show them all."""
    for sentence in _SENTENCE.finditer(text[: shown.start]):
        found = word_choices(sentence[0])
        if len(found) > len(options) and set(map(str.lower, options)) <= set(map(str.lower, found)):
            return () if any(shown[label] for label in found) else found
    return ()


def added_rating(text: str, kind: ValueKind) -> ContractPart:
    """A part for a rating that the prompt asks for without naming its place, called as the prompt calls it."""
    phrase = re.search(
        r"['\"“`*]((?:total|overall|final)?\s?(?:rating|score|grade))['\"”`*]", text, re.IGNORECASE
    )
    scored = re.search(r"\bscor", text, re.IGNORECASE) or not re.search(r"\brating\b", text, re.IGNORECASE)
    called = phrase[1].lower().strip() if phrase else "score" if scored else "rating"
    return ContractPart(name=called.split()[-1], kind=kind, labels=(called,))


def defined_label(text: str) -> ContractPart | None:
    """A part for labels that stand in a list or in rules, with nothing that asks for them in so many words."""
    labels = defined_choice(text)
    if not labels:
        return None
    return ContractPart(
        name="verdict",
        kind=ValueKind(type="string", options=tuple(labels), guess=True),
        labels=("verdict", "label", "answer"),
        meanings={label: meaning for label, meaning in labels.items() if meaning},
    )


def added_reason(text: str) -> ContractPart | None:
    """A part for the explanation that a prompt wants and gives no place."""
    word = re.search(
        r"\b(?:explain|explanation|reasoning|rationale|justif\w+|feedback|critique|reasons? for)\b",
        text,
        re.IGNORECASE,
    )
    if word is None:
        return None
    name = {"explain": "explanation", "reasons": "reason"}.get(said := word[0].lower().split()[0], said)
    name = name if is_reason(name) else "reason"
    return ContractPart(name=name, kind=ValueKind(type="string"), labels=(name,))


def asks_to_explain(text: str) -> int | None:
    """Where a prompt asks for an explanation in the reply; None when it does not, or forbids one."""
    for sentence in _SENTENCE.finditer(text):
        said = sentence[0]
        asked = None if said.endswith("?") or _NOT_EXPLAINED.search(said) else _EXPLAINED.search(said)
        if asked is not None and not _JUDGED.search(said, 0, asked.start()):
            return sentence.start() + asked.start()
    return None


def format_message(form: Form, parts: tuple[ContractPart, ...], rating: ContractPart) -> str:
    """A short message of our own, in the prompt's form, that gives the rating its place under the prompt's own name for it."""
    label = rating.labels[0] if rating.labels else rating.name
    fields: dict[str, Json] = {part.name: part_schema(part) for part in parts}
    if form != "json":
        return ask_for_text(fields, rating.name, label, form=form)
    return ask_for(fields, called={rating.name: label} if label != rating.name else {})
