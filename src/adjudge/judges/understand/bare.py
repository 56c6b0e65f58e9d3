"""Verdicts that are the whole reply, or its last word: `Respond with only "correct" or "incorrect"`."""

import re

from adjudge.judges.understand.kinds import Kind, read_kind, word_choices
from adjudge.judges.understand.names import REFERENCE
from adjudge.judges.understand.options import lettered_options, meanings_of
from adjudge.judges.understand.parts import Found, Part

_ASKED = re.compile(
    r"(?:\b(?:respond|reply|answer|output|return|print|say|write|choose|select|pick|classify|label|state|give|assign|provide|decide|conclude|end|mark|indicate|determine|evaluate|report)\b"
    r"|\byour (?:response|answer|output|reply|verdict|judg(?:e)?ment|decision|final answer) (?:must|should|shall|will|is)\b"
    r"|\b(?:first|last|final) line\b|\b(?:single (?:word|letter|number|integer|character|token))\b|\b(?:answer|verdict|label|decision)\s*:)",
    re.IGNORECASE,
)
_STRICT = re.compile(
    r"\b(?:only|single|just|exactly|strictly|nothing else|no other|without (?:any )?(?:explanation|other)|one word|one of|either|must be|must read|must say|should be|with (?:a|the|one)|do not (?:explain|include|add))\b"
    r"|[\"'`][^\"'`\n]{1,30}[\"'`]\s*(?:or|/|,)",
    re.IGNORECASE,
)
_LETTER_ASKED = re.compile(
    r"\b(?:letter|option|choice|choices|one of the following|A, B|\(A\)|select|choose|categor(?:y|ies)|grade)\b",
    re.IGNORECASE,
)
_NUMBER_ASKED = re.compile(
    r"\b(?:respond|reply|answer|output|return|print|provide|give|write)\b[^\n.]{0,60}\b(?:only|just|single|nothing but)\b[^\n.]{0,60}\b(?:number|integer|score|rating|digit|float|numeric)\b"
    r"|\b(?:only|just|single|nothing but)\b[^\n.]{0,40}\b(?:number|integer|score|rating|digit|float|numeric)\b[^\n.]{0,80}",
    re.IGNORECASE,
)
_FIELDS = re.compile(r"\b(?:keys|fields|properties)\b", re.IGNORECASE)
_CLASS = re.compile(r"\b(?:label|classif|categor)", re.IGNORECASE)
_LIST_LINE = re.compile(
    r"^[ \t]*(?:[-*•+]|\d{1,2}[.)])[ \t]+[`\"'*]{1,3}(?P<label>[A-Za-z][\w -]{0,30})[`\"'*]{1,3}[ \t]*(?:[:(–—-]|$)",
    re.MULTILINE,
)


def find_bare(text: str) -> Found | None:
    """The choice or number that the reply is, from the last sentence that asks for one."""
    numbered = _number(text)
    lettered = _lettered(text)
    worded = _worded(text)
    if lettered is not None and (worded is None or set(_options(worded)) <= set(_options(lettered))):
        return lettered
    found = [item for item in (numbered, worded) if item is not None]
    return max(found, key=lambda item: item.end) if found else None


def _options(found: Found) -> tuple[object, ...]:
    return found.parts[0].kind.options


def _sentences(text: str) -> list[re.Match[str]]:
    return list(re.finditer(r"(?:[^\n.!?]|[.!?](?=[\w\"'`)]))+[.!?]?[\"'`”)]{0,2}", text))


def _worded(text: str) -> Found | None:
    for sentence in reversed(_sentences(text)):
        said = sentence[0]
        if REFERENCE.search(said) or len(said) > 1200 or not _ASKED.search(said) or not _STRICT.search(said):
            continue
        if _FIELDS.search(said):
            continue
        options = word_choices(said)
        if (not options and said.rstrip().endswith(":")) or re.search(
            r"\bfollowing\b|\bone of\b|\bbelow\b", said
        ):
            below = tuple(
                match["label"].strip()
                for match in _LIST_LINE.finditer(text[sentence.end() : sentence.end() + 1500])
            )
            if 2 <= len(below) <= 8 and len(set(below)) == len(below) and not options:
                options = below
        if options and len(options) <= 10:
            name = "label" if _CLASS.search(text) else "verdict"
            part = Part(
                name=name,
                kind=Kind(type="string", options=options),
                says=said.strip(),
                labels=tuple(dict.fromkeys((name, "answer", "verdict"))),
                meanings=meanings_of(text, options),
            )
            return Found(form="bare", parts=(part,), start=sentence.start(), end=sentence.end())
    return None


def _lettered(text: str) -> Found | None:
    options = lettered_options(text)
    if not options or not _LETTER_ASKED.search(text):
        return None
    part = Part(
        name="choice",
        kind=Kind(type="string", options=tuple(options)),
        labels=("choice", "answer"),
        meanings=options,
    )
    return Found(form="bare", parts=(part,), start=0, end=len(text))


def _number(text: str) -> Found | None:
    for match in reversed(list(_NUMBER_ASKED.finditer(text))):
        line_start = text.rfind("\n", 0, match.start()) + 1
        line_end = text.find("\n", match.end())
        line = text[line_start : line_end if line_end >= 0 else len(text)]
        if REFERENCE.search(line):
            continue
        kind = read_kind(line)
        if not kind.numeric:
            kind = Kind(type="number" if re.search(r"\bfloat|decimal", line, re.IGNORECASE) else "integer")
        name = (
            "rating"
            if re.search(r"\brating\b", line, re.IGNORECASE)
            and not re.search(r"\bscore\b", line, re.IGNORECASE)
            else "score"
        )
        part = Part(name=name, kind=kind, labels=(name,), says=line.strip())
        return Found(form="bare", parts=(part,), start=match.start(), end=match.end())
    return None
