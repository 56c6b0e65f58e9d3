"""The output contract of a prompt: which form it asks for, with what parts."""

import re
from dataclasses import replace

from adjudge.judges.asking import ask_for, ask_for_text
from adjudge.judges.understand.bare import find_bare
from adjudge.judges.understand.kinds import ValueKind
from adjudge.judges.understand.names import cued, is_label, is_rating, is_reason
from adjudge.judges.understand.parts import ContractPart, FoundContract, part_schema
from adjudge.judges.understand.prose import find_described_json
from adjudge.judges.understand.sections import find_sections
from adjudge.judges.understand.shape import find_json_skeleton, shows_a_list
from adjudge.judges.understand.textual import find_brackets, find_lines, find_tags
from adjudge.judges.understand.words import meanings_of
from adjudge.records import Form, Json

_ALONE = re.compile(
    r"\b(?:only|just)\b|\bnothing else\b|\bno (?:other |additional |extra )?text\b|\bwithout (?:any )?(?:explanation|other text)\b",
    re.IGNORECASE,
)
_LIST_ASKED = re.compile(
    r"\bJSON[ ](?:list|array)\b|\b(?:list|array)[ ]of[ ](?:dictionaries|dicts|JSON\b)|\bJSON\b[^\n.]{0,30}\((?:a[ ])?(?:list|array)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_EXPLAINED = re.compile(
    r"\bstep[ -]by[ -]step\b|\b(?:explain|justify)(?:ing)? (?:your|why|how|the reason|in )"
    r"|\b(?:provid|giv|writ|begin|start|includ|add|stat|produc|offer|us)(?:e|ing|ning|)\b[^\n]{0,60}"
    r"\b(?:explanation|reasoning|rationale|justification|critique)\b",
    re.IGNORECASE,
)
_NOT_EXPLAINED = re.compile(
    r"(?:\b(?:no|not|never|without|avoid|omit)|n['’]t)\b[^\n]{0,40}\b(?:explain|explanations?|reasoning|justif|rationale|text)",
    re.IGNORECASE,
)
_JUDGED = re.compile(
    r"\b(?:response|answer|output|summary|assistant|model|solution|it|they|whether|if|does|did)\b",
    re.IGNORECASE,
)
"""Before the verb these make it what the judged text does, not what the judge is to do."""
_JSON_ASKED = re.compile(r"\bjson\b|\bdictionary\b", re.IGNORECASE)


def find_contract(text: str) -> FoundContract | None:
    """What the reply has to hold, as far as the prompt tells; None when it tells nothing."""
    shown = find_json_skeleton(text)
    if shown is not None and (_telling(shown) or cued(text, shown.start) or _named(shown, text)):
        return _with_meanings(shown, text)
    if shown is None and shows_a_list(text):
        return None
    if _JSON_ASKED.search(text) and not _LIST_ASKED.search(text):
        described = find_described_json(text)
        if described is not None:
            return described
    for find in (find_tags, find_brackets):
        found = find(text)
        if found is not None:
            return found
    lines, sections, bare = find_lines(text), find_sections(text), find_bare(text)
    if lines is not None and sections is not None:
        # A numbered list of `Name: what to write` reads as both; the one with more parts is the whole of it.
        return sections if len(sections.parts) > len(lines.parts) else lines
    if lines is not None and bare is not None and bare.start > lines.end and lines.form == "line":
        # What is asked for after the lines, and for nothing beside it, is the reply; the lines were examples.
        return bare if _ALONE.search(text[bare.start : bare.end]) else lines
    if lines is not None and bare is not None and lines.form == "bare":
        return bare if bare.parts[0].kind.options and not lines.parts[0].kind.bounded else lines
    return lines or sections or bare


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
        parts.append(replace(part, meanings=meanings_of(text, options)) if options else part)
    return FoundContract(form=shown.form, parts=tuple(parts), start=shown.start, end=shown.end)


def added_rating(text: str, kind: ValueKind) -> ContractPart:
    """A part for a rating that the prompt asks for without naming its place, called as the prompt calls it."""
    phrase = re.search(
        r"['\"“`*]((?:total|overall|final)?\s?(?:rating|score|grade))['\"”`*]", text, re.IGNORECASE
    )
    if phrase:
        name = phrase[1].lower().split()[-1]
        return ContractPart(name=name, kind=kind, labels=(phrase[1].lower().strip(),))
    name = (
        "rating"
        if not re.search(r"\bscor", text, re.IGNORECASE) and re.search(r"\brating\b", text, re.IGNORECASE)
        else "score"
    )
    return ContractPart(name=name, kind=kind, labels=(name,))


def added_reason(text: str) -> ContractPart | None:
    """A part for the explanation that a prompt wants and gives no place."""
    word = re.search(
        r"\b(?:explain|explanation|reasoning|rationale|justif\w+|feedback|critique|reasons? for)\b",
        text,
        re.IGNORECASE,
    )
    if word is None:
        return None
    name = word[0].lower().split()[0]
    known = (
        name
        if is_reason(name) and name not in {"explain", "reasons"}
        else "explanation"
        if name == "explain"
        else "reason"
    )
    return ContractPart(name=known, kind=ValueKind(type="string"), labels=(known,))


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
