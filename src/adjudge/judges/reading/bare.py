"""Verdicts that are the whole reply, or its last word: `Respond with only "correct" or "incorrect"`."""

import re
from dataclasses import replace

from adjudge.judges.reading.choices import letter_grades
from adjudge.judges.reading.kinds import ValueKind, read_kind
from adjudge.judges.reading.names import REFERENCE
from adjudge.judges.reading.parts import ContractPart, FoundContract, choice_part
from adjudge.judges.reading.recogniser import ask
from adjudge.judges.reading.scale import find_anchors, overall_scale
from adjudge.judges.reading.vocabulary import foreign
from adjudge.judges.reading.words import lettered_options, word_choices
from adjudge.patterns import lazy_pattern

_ASKED = lazy_pattern(
    r"(?:\b(?:respond|reply|answer|output|return|print|say|write|choose|select|pick|classify|label|state|give|assign|provide|decide|conclude|end|mark|indicate|determine|evaluate|report)\b"
    r"|\byour (?:response|answer|output|reply|verdict|judg(?:e)?ment|decision|final answer) (?:must|should|shall|will|is)\b"
    r"|^\W*either\b|\b(?:first|last|final) line\b|\b(?:single (?:word|letter|number|integer|character|token))\b|\b(?:answer|verdict|label|decision)\s*:"
    rf"|^\s{{0,4}}\([A-Za-z]{{1,20}}(?:\s?[/|]\s?[A-Za-z]{{1,20}}){{1,5}}\)\W{{0,3}}$|{foreign('asked')})",
    re.IGNORECASE,
)
"""`Is it so? (yes/no)` too: what is in brackets stands as a sentence of its own."""
_STRICT = lazy_pattern(
    rf"{foreign('only')}|"
    r"\b(?:only|single|just|exactly|strictly|nothing else|no other|without (?:any )?(?:explanation|other)|one word|one of|either|must be|must read|must say|should be|with (?:a|the|one)|do not (?:explain|include|add))\b"
    r"|[\"'`][^\"'`\n]{1,30}[\"'`]\s*(?:or|/|,)|\([A-Za-z]{1,20}/[A-Za-z]{1,20}\)|[\"'`“][^\"'`”\n]{1,30}[\"'`”]\s+if\b"
    r"|\b(?:output|return|respond|reply|answer|say|write|print|choose|select)\b[^.\n]{0,20}\b(?-i:[A-Z][A-Z_]{0,20},? or [A-Z][A-Z_]{0,20})\b",
    re.IGNORECASE,
)
_LETTER_ASKED = lazy_pattern(
    r"\b(?:letter|option|choice|choices|one of the following|A, B|\(A\)|select|choose|categor(?:y|ies)|grade)\b|选项|选择|選択|보기|선택",
    re.IGNORECASE,
)
_NUMBER_ASKED = lazy_pattern(
    r"\b(?:respond|reply|answer|output|return|print|provide|give|write)\b[^\n.]{0,60}\b(?:only|just|single|nothing but)\b[^\n.]{0,60}\b(?:number|integer|score|rating|digit|float|numeric|percentage)\b"
    r"|\b(?:number|integer|score|rating|grade|digit)\b[^\n.]{0,60}\b(?:nothing else|no (?:other|additional|extra) (?:text|words|output))\b"
    r"|\b(?:respond|reply|answer|output|return|print|provide|give|write)\b[^\n.]{0,60}\b(?:number|integer|digit|percentage)\b[^\n.]{0,40}\bonly\b"
    r"|\b(?:only|just|single|nothing but)\b[^\n.]{0,40}\b(?:number|integer|score|rating|digit|float|numeric|percentage)\b[^\n.]{0,80}",
    re.IGNORECASE,
)
_TWO_SCORES = lazy_pattern(
    r"\bline\b[^\n]{0,60}\btwo (?:values|scores|numbers|integers|ratings)\b"
    r"|\btwo (?:values|scores|numbers|integers|ratings)\b[^\n]{0,80}\b(?:separated by (?:a |one )?(?:single )?(?:space|comma)|on (?:a|one) (?:single )?line)\b"
    r"|두 (?:점수|값)[^\n]{0,12}공백",
    re.IGNORECASE,
)
_INSTANCE = lazy_pattern(
    r"\b(?:like|such as|e\.g\.,?|for example,?|for instance,?|including|phrases?)\s{0,2}[\"'`“]",
    re.IGNORECASE,
)
"""Quoted words after these are instances of something in the text that is judged."""
_JSON_PAIR = lazy_pattern(r"\"\s{0,2}:\s{0,2}\"")
_FIELDS = lazy_pattern(
    r"\b(?:keys|fields|properties|json)\b|\bif the (?:(?:verdict|label) is\b|answer is\s[\"'`“])",
    re.IGNORECASE,
)
_CLASS = lazy_pattern(r"\b(?:label|classif|categor)", re.IGNORECASE)
_LIST_LINE = lazy_pattern(
    r"^[ \t]*(?:[-*•+]|\d{1,2}[.)])[ \t]+[`\"'*]{1,3}(?P<label>[A-Za-z][\w -]{0,30})[`\"'*]{1,3}[ \t]*(?:[:(–—-]|$)",
    re.MULTILINE,
)
_PLAIN_LIST_LINE = lazy_pattern(
    r"\s{0,4}(?:[-*•+]|\d{1,2}[.)])[ \t]+(?P<label>[^\W\d][\w-]{0,30}(?:[ ][\w-]{1,20})?)[ \t]*(?:[:(–—]|-[ ])[^\n⟦]{2,300}(?=\n|\Z)"
)
_CHOSEN = lazy_pattern(
    r"\b(?:label|categor(?:y|ies)|class|option|verdict|outcome|one of|following)\b", re.IGNORECASE
)


_CONDITIONED = lazy_pattern(
    r"\b(?:return|respond|reply|answer|output|say|print|write)(?: with)? [\"'`]?(?P<one>true|yes|pass|correct)[\"'`]? (?:if|when)\b"
    r"[^\n]{1,200}?[,;.] ?(?:and |or |otherwise,? |(?:return|respond|reply|answer|output|say|print|write)(?: with)? )*[\"'`]?(?P<other>false|no|fail|incorrect)[\"'`]?"
    r"(?= (?:otherwise|if|when)\b|[.\n]|\Z)",
    re.IGNORECASE,
)


def find_bare(text: str) -> FoundContract | None:
    """The choice or number that the reply is, from the last sentence that asks for one."""
    numbered, lettered, worded = ask(_number_asked, text), ask(_lettered, text), ask(_worded, text)
    if lettered is not None and (worded is None or set(_options(worded)) <= set(_options(lettered))):
        # Where the letters are asked for is where the contract stands.
        return lettered if worded is None else replace(lettered, start=worded.start, end=worded.end)
    found = [item for item in (numbered, worded) if item is not None]
    return max(found, key=lambda item: item.end, default=None) or ask(_true_or_false, text)


def _options(found: FoundContract) -> tuple[object, ...]:
    return found.parts[0].kind.options


def _sentences(text: str) -> list[re.Match[str]]:
    return list(re.finditer(r"(?:[^\n.!?]|[.!?](?=[\w\"'`)]))+[.!?]?[\"'`”)]{0,2}", text))


def _worded(text: str) -> FoundContract | None:
    for sentence in reversed(_sentences(text)):
        said = max(REFERENCE.split(sentence[0])[::2], key=len)  # what is filled in ends what it can say
        if len(said) > 1200 or not _ASKED.search(sentence[0]) or not _STRICT.search(said):
            continue
        if _FIELDS.search(said) or _INSTANCE.search(said) or _JSON_PAIR.search(said):
            continue
        options = word_choices(said)
        ended = said.rstrip().endswith(":")
        if not options and (ended or re.search(r"\bfollowing\b|\bone of\b|\bbelow\b", said)):
            following = text[sentence.end() : sentence.end() + 1500]
            below = tuple(dict.fromkeys(match["label"].strip() for match in _LIST_LINE.finditer(following)))
            if not below and ended and _CHOSEN.search(said):
                below = _plain_list(following)
            below = below or (word_choices(following.lstrip().split("\n", 1)[0]) if ended else ())
            options = below if 2 <= len(below) <= 8 else ()
        if options and len(options) <= 10:
            name = "label" if _CLASS.search(text) else "verdict"
            labels = tuple(dict.fromkeys((name, "answer", "verdict")))
            part = choice_part(name, options, text, labels=labels, says=said.strip())
            return FoundContract(form="bare", parts=(part,), start=sentence.start(), end=sentence.end())
    return None


def _plain_list(following: str) -> tuple[str, ...]:
    """`- billing: charges and refunds`, line by line below the sentence that asks for one of them."""
    labels: list[str] = []
    position = 0
    while match := _PLAIN_LIST_LINE.match(following, position):
        labels.append(match["label"])
        position = match.end()
    return tuple(dict.fromkeys(labels))


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
            kind = ValueKind(type="integer")
        rating = re.search(r"\brating\b", line, re.IGNORECASE)
        name = "rating" if rating and not re.search(r"\bscore\b", line, re.IGNORECASE) else "score"
        part = ContractPart(name=name, kind=kind, labels=(name,), says=line.strip())
        return FoundContract(form="bare", parts=(part,), start=match.start(), end=match.end())
    return None


def _true_or_false(text: str) -> FoundContract | None:
    """`Return true if the response is correct, false otherwise`."""
    match = _CONDITIONED.search(text)
    if match is None:
        return None
    part = choice_part(
        "verdict", (match["one"], match["other"]), text, labels=("verdict", "answer"), says=match[0]
    )
    return FoundContract(form="bare", parts=(part,), start=match.start(), end=match.end())


def find_two_scores(text: str) -> FoundContract | None:
    """`a single line containing only two values, the scores for Assistant 1 and 2`: one number for each of two answers."""
    match = _TWO_SCORES.search(text)
    if match is None:
        return None
    kind = overall_scale(text, find_anchors(text)) or ValueKind(type="integer", assumed=True)
    parts = tuple(ContractPart(name=name, kind=kind, labels=()) for name in ("score_1", "score_2"))
    return FoundContract(form="bare", parts=parts, start=match.start(), end=match.end())


BARE = (_number_asked, _lettered, _worded, _true_or_false)
