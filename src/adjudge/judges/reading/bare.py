"""Verdicts that are the whole reply, or its last word: `Respond with only "correct" or "incorrect"`."""

import re
from dataclasses import replace

from adjudge.judges.reading.choices import letter_grades
from adjudge.judges.reading.kinds import ValueKind, read_kind
from adjudge.judges.reading.names import REFERENCE
from adjudge.judges.reading.parts import ContractPart, FoundContract, choice_part
from adjudge.judges.reading.recogniser import ask, first
from adjudge.judges.reading.words import lettered_options, word_choices

_ASKED = re.compile(
    r"(?:\b(?:respond|reply|answer|output|return|print|say|write|choose|select|pick|classify|label|state|give|assign|provide|decide|conclude|end|mark|indicate|determine|evaluate|report)\b"
    r"|\byour (?:response|answer|output|reply|verdict|judg(?:e)?ment|decision|final answer) (?:must|should|shall|will|is)\b"
    r"|^\W*either\b|\b(?:first|last|final) line\b|\b(?:single (?:word|letter|number|integer|character|token))\b|\b(?:answer|verdict|label|decision)\s*:)",
    re.IGNORECASE,
)
_STRICT = re.compile(
    r"\b(?:only|single|just|exactly|strictly|nothing else|no other|without (?:any )?(?:explanation|other)|one word|one of|either|must be|must read|must say|should be|with (?:a|the|one)|do not (?:explain|include|add))\b"
    r"|[\"'`][^\"'`\n]{1,30}[\"'`]\s*(?:or|/|,)|\([A-Za-z]{1,20}/[A-Za-z]{1,20}\)|[\"'`“][^\"'`”\n]{1,30}[\"'`”]\s+if\b"
    r"|\b(?:output|return|respond|reply|answer|say|write|print|choose|select)\b[^.\n]{0,20}\b(?-i:[A-Z][A-Z_]{0,20},? or [A-Z][A-Z_]{0,20})\b",
    re.IGNORECASE,
)
_LETTER_ASKED = re.compile(
    r"\b(?:letter|option|choice|choices|one of the following|A, B|\(A\)|select|choose|categor(?:y|ies)|grade)\b|选项|选择|選択|보기|선택",
    re.IGNORECASE,
)
_NUMBER_ASKED = re.compile(
    r"\b(?:respond|reply|answer|output|return|print|provide|give|write)\b[^\n.]{0,60}\b(?:only|just|single|nothing but)\b[^\n.]{0,60}\b(?:number|integer|score|rating|digit|float|numeric)\b"
    r"|\b(?:number|integer|score|rating|grade|digit)\b[^\n.]{0,60}\b(?:nothing else|no (?:other|additional|extra) (?:text|words|output))\b"
    r"|\b(?:respond|reply|answer|output|return|print|provide|give|write)\b[^\n.]{0,60}\b(?:number|integer|digit)\b[^\n.]{0,40}\bonly\b"
    r"|\b(?:only|just|single|nothing but)\b[^\n.]{0,40}\b(?:number|integer|score|rating|digit|float|numeric)\b[^\n.]{0,80}",
    re.IGNORECASE,
)
_INSTANCE = re.compile(
    r"\b(?:like|such as|e\.g\.,?|for example,?|for instance,?|including|phrases?)\s{0,2}[\"'`“]",
    re.IGNORECASE,
)
"""Quoted words after these are instances of something in the text that is judged."""
_JSON_PAIR = re.compile(r"\"\s{0,2}:\s{0,2}\"")
_EACH_IF = re.compile(
    r"(?:^|[.!?;,:]\s|\botherwise,?\s|[-*•]\s)\s{0,8}(?:answer|respond|reply|output|return|say|write|print)(?:\s+with)?\s+"
    r"[\"'`“](?P<label>[A-Za-z][\w-]{0,30})[\"'`”](?=\s*(?:only\s+)?(?:if|when|otherwise|unless)\b|\s*[.\n]|\s*\Z)",
    re.IGNORECASE | re.MULTILINE,
)
"""A label that has a sentence of its own to say when it is right."""
_LAST_WORDS = re.compile(r"\b(?P<name>score|rating|grade)\s+is\s*:?[\s\[<(]*\Z", re.IGNORECASE)
_FIELDS = re.compile(
    r"\b(?:keys|fields|properties|json)\b|\bif the (?:(?:verdict|label) is\b|answer is\s[\"'`“])",
    re.IGNORECASE,
)
_CLASS = re.compile(r"\b(?:label|classif|categor)", re.IGNORECASE)
_LIST_LINE = re.compile(
    r"^[ \t]*(?:[-*•+]|\d{1,2}[.)])[ \t]+[`\"'*]{1,3}(?P<label>[A-Za-z][\w -]{0,30})[`\"'*]{1,3}[ \t]*(?:[:(–—-]|$)",
    re.MULTILINE,
)


def find_bare(text: str) -> FoundContract | None:
    """The choice or number that the reply is, from the last sentence that asks for one."""
    numbered, lettered, worded = ask(_number_asked, text), ask(_lettered, text), ask(_worded, text)
    if lettered is not None and (worded is None or set(_options(worded)) <= set(_options(lettered))):
        # Where the letters are asked for is where the contract stands.
        return lettered if worded is None else replace(lettered, start=worded.start, end=worded.end)
    found = [item for item in (numbered, worded) if item is not None]
    if found:
        return max(found, key=lambda item: item.end)
    return first((_each_with_condition, _last_words), text)


def _each_with_condition(text: str) -> FoundContract | None:
    """`Output "yes" if …. Output "no" if …`: the choice is spread over sentences."""
    found = list(_EACH_IF.finditer(text))
    options = tuple(dict.fromkeys(match["label"] for match in found))
    if not 2 <= len(options) <= 6 or len({option.lower() for option in options}) != len(options):
        return None
    part = choice_part("verdict", options, text, labels=("verdict", "answer"))
    return FoundContract(form="bare", parts=(part,), start=found[0].start(), end=found[-1].end())


def _last_words(text: str) -> FoundContract | None:
    """A prompt that ends where the number has to follow: `… the relevance score is`."""
    match = _LAST_WORDS.search(text, max(0, len(text) - 200))
    if match is None:
        return None
    name = match["name"].lower()
    part = ContractPart(name=name, kind=ValueKind(type="integer", assumed=True), labels=(name,))
    return FoundContract(form="bare", parts=(part,), start=match.start(), end=match.end())


def _options(found: FoundContract) -> tuple[object, ...]:
    return found.parts[0].kind.options


def _sentences(text: str) -> list[re.Match[str]]:
    return list(re.finditer(r"(?:[^\n.!?]|[.!?](?=[\w\"'`)]))+[.!?]?[\"'`”)]{0,2}", text))


def _worded(text: str) -> FoundContract | None:
    for sentence in reversed(_sentences(text)):
        said = max(re.split(REFERENCE, sentence[0])[::2], key=len)  # what is filled in ends what it can say
        if len(said) > 1200 or not _ASKED.search(sentence[0]) or not _STRICT.search(said):
            continue
        if _FIELDS.search(said) or _INSTANCE.search(said) or _JSON_PAIR.search(said):
            continue
        options = word_choices(said)
        if (not options and said.rstrip().endswith(":")) or re.search(
            r"\bfollowing\b|\bone of\b|\bbelow\b", said
        ):
            following = text[sentence.end() : sentence.end() + 1500]
            below = tuple(match["label"].strip() for match in _LIST_LINE.finditer(following))
            if not below and said.rstrip().endswith(":"):
                below = word_choices(following.lstrip().split("\n", 1)[0])
            if 2 <= len(below) <= 8 and len(set(below)) == len(below) and not options:
                options = below
        if options and len(options) <= 10:
            name = "label" if _CLASS.search(text) else "verdict"
            labels = tuple(dict.fromkeys((name, "answer", "verdict")))
            part = choice_part(name, options, text, labels=labels, says=said.strip())
            return FoundContract(form="bare", parts=(part,), start=sentence.start(), end=sentence.end())
    return None


def _lettered(text: str) -> FoundContract | None:
    options = ask(letter_grades, text) or lettered_options(text)
    if not options or not _LETTER_ASKED.search(text):
        return None
    part = ContractPart(
        name="choice",
        kind=ValueKind(type="string", options=tuple(options)),
        labels=("choice", "answer"),
        meanings=options,
    )
    return FoundContract(form="bare", parts=(part,), start=0, end=len(text))


def _number_asked(text: str) -> FoundContract | None:
    for match in reversed(list(_NUMBER_ASKED.finditer(text))):
        # What is filled in on the same line, before or after, ends what the request can say.
        line_start = max(text.rfind("\n", 0, match.start()), text.rfind("⟧", 0, match.start())) + 1
        line_end = text.find("\n", match.end())
        line = text[line_start : line_end if line_end >= 0 else len(text)].split("⟦", 1)[0]
        if line_start + len(line) < match.end() or ("⟦" in text[match.end() : match.end() + 1]):
            continue
        kind = read_kind(line)
        if not kind.numeric:
            kind = ValueKind(
                type="number" if re.search(r"\bfloat|decimal", line, re.IGNORECASE) else "integer"
            )
        name = (
            "rating"
            if re.search(r"\brating\b", line, re.IGNORECASE)
            and not re.search(r"\bscore\b", line, re.IGNORECASE)
            else "score"
        )
        part = ContractPart(name=name, kind=kind, labels=(name,), says=line.strip())
        return FoundContract(form="bare", parts=(part,), start=match.start(), end=match.end())
    return None


BARE = (_number_asked, _lettered, _worded, _each_with_condition, _last_words)
