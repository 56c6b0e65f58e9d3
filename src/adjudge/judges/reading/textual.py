"""Verdicts asked for as text: `Score: <1-5>`, `<score>…</score>`, `[[5]]`, `[RESULT]`."""

import itertools
import operator
import re
from collections import Counter
from dataclasses import replace

from adjudge.judges.reading.kinds import NUMBER, ValueKind, find_ranges, read_kind
from adjudge.judges.reading.names import (
    REFERENCE,
    cued,
    has_role,
    is_label,
    is_rating,
    is_reason,
    near_example,
    snake_case,
)
from adjudge.judges.reading.parts import ContractPart, FoundContract, choice_part
from adjudge.judges.reading.vocabulary import vocabulary
from adjudge.judges.reading.words import bracketed_meanings, word_choices
from adjudge.patterns import lazy_pattern

# ---- tags ----------------------------------------------------------------------------------------------

_TAG = lazy_pattern(r"<(?P<name>[A-Za-z][\w-]{0,40})>(?P<inside>[^<>]{0,400}|<[^<>/]{0,200}>)</(?P=name)>")
_TAG_MENTION = lazy_pattern(
    r"(?:in|within|inside|between|using|with|enclose[sd]?|wrap(?:ped)?|put)\b[^\n.]{0,80}?[`\"']?<(?P<name>[A-Za-z][\w-]{0,40})>[`\"']?(?:\s{0,2}(?:\.\.\.|…|and|,)?\s{0,2}[`\"']?</(?P=name)>[`\"']?)?(?:\s{0,2}(?:XML\s)?tags?)?",
    re.IGNORECASE,
)
_NOT_PARTS = vocabulary("parts", "not_tags")
_INSTRUCTIONS = lazy_pattern(
    r"rubric|criteri|instruction|guideline|example|reminder|definition|scale|task", re.IGNORECASE
)
"""In the name of a tag that holds what the judge is told."""


_INPUT_OR_OUTPUT = lazy_pattern(
    r"^[ \t]{0,8}[#*_]{0,4}[ \t]*(?:example[ \t])?(?P<kind>input|output)s?[*_]{0,4}[ \t]*:?[*_]{0,4}[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)


def find_tags(text: str) -> FoundContract | None:
    """`<score>…</score>`, and tags that are only spoken of: `inside <verdict> tags`."""
    given = _input_blocks(text)
    filled = {match[1].lower() for match in re.finditer(r"<([A-Za-z][\w-]{0,40})>[^<]{0,40}⟦", text)}
    found: dict[str, tuple[int, int, ContractPart]] = {}
    for match in (*_TAG.finditer(text), *_TAG_MENTION.finditer(text)):
        name, inside = match["name"], match.groupdict().get("inside")
        if name in found or name.lower() in _NOT_PARTS | filled:
            continue
        if inside is None:
            line = text[text.rfind("\n", 0, match.start()) + 1 : match.end()]
            asked = has_role(name) and not REFERENCE.search(line)
        else:
            told = is_rating(name) or not _INSTRUCTIONS.search(name)
            shown = (
                told and not REFERENCE.search(inside) and not any(match.start() in block for block in given)
            )
            asked = shown and (has_role(name) or cued(text, match.start(), within=700))
        if asked:
            part = _tag_part(name, (inside or "").strip(), text)
            found[name] = (match.start("name"), match.end(), part)
    in_order = sorted(found.values(), key=operator.itemgetter(0))
    parts = tuple(part for _, _, part in in_order)
    if not any(is_rating(part.name) or is_label(part.name) for part in parts):
        return None
    if len({part.name for part in parts}) != len(parts):
        return None
    return FoundContract(
        form="tags", parts=parts, start=in_order[0][0], end=max(end for _, end, _ in in_order)
    )


def _input_blocks(text: str) -> list[range]:
    """From a line that says `Input` to the next that says `Output`: what a case looks like, not the reply."""
    heads = [(match.start(), match["kind"].lower()) for match in _INPUT_OR_OUTPUT.finditer(text)]
    return [
        range(start, end)
        for (start, kind), (end, following) in itertools.pairwise(heads)
        if (kind, following) == ("input", "output")
    ]


def _tag_part(tag: str, inside: str, text: str) -> ContractPart:
    """A part named by its tag, or by what stands in it where the tag says nothing (`<S2>your score</S2>`)."""
    words = re.sub(r"^\W*(?:your|the|an?)\b", "", inside, flags=re.IGNORECASE).strip(" .<>[]()")
    if has_role(tag) or not words or len(words.split()) > 4 or not (is_rating(words) or is_reason(words)):
        return text_part(tag, inside, text)
    part = text_part(words, inside, text)
    return replace(part, labels=(tag.lower(), *part.labels))


def text_part(name: str, inside: str, text: str) -> ContractPart:
    """A part from its written place; what the place leaves open is read where the prompt speaks of it."""
    named, rated = snake_case(name), is_rating(snake_case(name))
    if is_reason(named) and not rated:
        return ContractPart(name=named, kind=ValueKind(type="string"), says=inside, labels=(spoken(name),))
    kind = read_kind(inside, whole=True, booleans=False)
    # One word in the place of a label is the name of the place.
    worded = is_label(named) and not rated and re.fullmatch(r"\A\W*[A-Za-z ]{1,30}\W*", inside) is not None
    if not kind.bounded and (worded or not kind.known or kind.type == "string"):
        kind = ValueKind(type="string", options=() if rated else options_near(text, spoken(name)))
        kind = ValueKind(type="integer", assumed=True) if rated else kind
    options = tuple(option for option in kind.options if isinstance(option, str))
    part = choice_part(named, options, text, labels=(spoken(name),), says=inside)
    return replace(part, kind=kind)


def spoken(name: str) -> str:
    return snake_case(name).replace("_", " ")


_JSON_PAIR = lazy_pattern(r"[\"']\s{0,2}:\s{0,2}[\"'\[{]")


_EXPLAINS = lazy_pattern(r"\bexplain(?:ing|s)? (?:why|how)\b", re.IGNORECASE)
"""`Explain why the answer is correct or incorrect` speaks of it and asks for no label."""


def options_near(text: str, name: str) -> tuple[str, ...]:
    """The choice in a sentence that speaks of the part, the last such sentence first."""
    found = (match[0] for match in re.finditer(r"[^\n.]{3,400}", text))
    sentences = [
        sentence
        for sentence in found
        if not ("⟦" in sentence or _JSON_PAIR.search(sentence) or _EXPLAINS.search(sentence))
    ]
    spelled = re.compile(rf"\b{re.escape(name)}\b".replace(r"\ ", "[ _]"), re.IGNORECASE)
    for sentence in reversed(sentences):
        if spelled.search(sentence):
            options = word_choices(sentence)
            if options:
                return options
    return ()


# ---- brackets ------------------------------------------------------------------------------------------

_BRACKETS = lazy_pattern(r"\[\[(?P<inside>[^\[\]\n]{1,60})\]\]")
_BEFORE_BRACKETS = lazy_pattern(r"(?P<label>[^\W\d_](?:[^\W\d_]| ){0,30}?)\s{0,2}[:：]?\s{0,2}[`\"'*]{0,2}$")


_LABELLED_BRACKETS = lazy_pattern(
    r"^[ \t>]*(?:[-*•+][ \t]+)?[*_`]{0,3}(?P<label>[^\W\d_](?:\w|[ /-]){0,40}?)[*_`]{0,3}[ \t]*[:：][*_` \t]{0,4}\[\[(?P<inside>[^\[\]\n]{1,60})\]\]",
    re.MULTILINE,
)


def find_labelled_brackets(text: str) -> FoundContract | None:
    """`Accuracy: [[3]]`, `Fluency: [[4]]`: several ratings, each in brackets of its own."""
    found = [match for match in _LABELLED_BRACKETS.finditer(text) if "⟦" not in match[0]]
    names = dict.fromkeys(match["label"].strip() for match in found)
    if len(names) < 2 or len({snake_case(name) for name in names}) < len(names):
        return None
    if any(word_choices(match["inside"], whole=True) for match in found):
        return None
    kinds = [read_kind(match["inside"], whole=True) for match in found]
    kind = next((kind for kind in kinds if kind.numeric and kind.bounded), ValueKind(type="integer"))
    parts = tuple(ContractPart(name=snake_case(name), kind=kind, labels=(name.lower(),)) for name in names)
    return FoundContract(form="line", parts=parts, start=found[0].start(), end=found[-1].end())


def find_brackets(text: str) -> FoundContract | None:
    labels: list[str] = []
    rating = ""
    kind = ValueKind()
    start, end = len(text), 0
    for match in _BRACKETS.finditer(text):
        inside = match["inside"].strip()
        if "⟦" in inside:
            continue
        start, end = min(start, match.start()), max(end, match.end())
        head, colon, tail = inside.partition(":")
        if colon and is_rating(head):
            rating, kind = snake_case(head), read_kind(tail, whole=True)
        elif re.fullmatch(NUMBER, inside):
            before = _BEFORE_BRACKETS.search(text[max(0, match.start() - 40) : match.start()])
            name = snake_case(before["label"].split()[-1]) if before else "rating"
            rating = rating or (name if is_rating(name) else "rating")
            if "." in inside and not inside.endswith(".0") and not kind.known:
                kind = ValueKind(type="number")
        elif any(is_rating(word) for word in inside.split()):
            rating = "rating" if re.search(r"rating", inside, re.IGNORECASE) else "score"
        elif find_ranges(inside):
            rating, kind = rating or "score", read_kind(inside, whole=True)
        elif choices := word_choices(inside, whole=True):
            labels += [choice for choice in choices if choice not in labels]
        elif len(inside.split()) <= 3 and inside not in labels:
            labels.append(inside)
    if rating:
        part = ContractPart(
            name=rating, kind=kind if kind.numeric else ValueKind(type="integer"), labels=(rating,)
        )
        return FoundContract(form="brackets", parts=(part,), start=start, end=end)
    if len(labels) >= 2:
        part = choice_part("verdict", tuple(labels), text, labels=("verdict",))
        part = replace(part, meanings={**part.meanings, **bracketed_meanings(text)})
        return FoundContract(form="brackets", parts=(part,), start=start, end=end)
    return None


# ---- lines ---------------------------------------------------------------------------------------------

_LINE = lazy_pattern(
    r"^[ \t>]*(?:[-*•+][ \t]+|\d{1,2}[.)][ \t]+|#{1,4}[ \t]*)?[`\"'*_]{0,4}(?P<label>[^\W\d_](?:[^\W\d]|[ /-]){0,40}?)[ \t]*+(?P<aside>\([^()\n]{1,60}\))?[`\"'*_]{0,3}[ \t]*[:：][`\"'*_]{0,3}[ \t]*(?P<value>[^\n]{0,600})$",
    re.MULTILINE,
)
_INLINE = lazy_pattern(
    r"[\"'`“](?P<label>[A-Za-z][A-Za-z _]{0,30}?)\s{0,2}:\s{0,2}(?P<value>[^\"'`“”\n]{1,120})[\"'`”]"
)
_RESULT = lazy_pattern(
    r"\[(?P<label>RESULT|SCORE|RATING|VERDICT|FINAL SCORE|ANSWER|GRADE)\]\s{0,2}(?P<value>\([^()\n]{1,120}\)|<[^<>\n]{1,120}>|followed by [^\n'\"`]{1,120})",
    re.IGNORECASE,
)
_SIDE_BY_SIDE = lazy_pattern(r",\s{1,2}(?=[A-Z][A-Za-z ]{1,30}:\s*[\[<(])")
_PLACE = lazy_pattern(
    r"^\W{0,3}(?:<[^<>]{1,180}>|\[[^\[\]]{1,180}\]|\([^()]{1,180}\)|\{[^{}]{1,180}\}|⟨.{1,80}⟩|_{2,}|\.{2,}|…|\$[A-Z]+|[XYN#]\b|your\b.{0,100}|(?:one of|either|an? (?:integer|number|score|float|brief|short|detailed|concise|single))\b.{0,120}"
    rf"|{NUMBER}(?:\s*/\s*\d+)?|.{{0,60}}(?:\||\bor\b|/).{{0,60}})\W{{0,3}}$",
    re.IGNORECASE,
)
_SPECIFIED = lazy_pattern(
    r"\bformat\b[^\n]{0,40}\b(?:specified|given|shown|described|below)\b[^\n]{0,20}:|\bfollowing fields\b|\bfollowing format\b",
    re.IGNORECASE,
)
_FIELD_NAME = lazy_pattern(r"[a-z][a-z_]{2,40}")
_QUOTED_LABELS = lazy_pattern(r"(?:[\"`][\w/ -]{1,20}[\"`](?:,? or |, | ?[|/] ?| |$)){2,8}")
_EXAMPLE = lazy_pattern(r"[\"'`]?[A-Za-z][\w-]{0,20}[\"'`]?")
_LETTER_BLANK = lazy_pattern(r"(?:[XYN#?]|_{1,20}|\.{3}|…)(?:\s?/\s?\d{1,3})?")
_SLASHED = lazy_pattern(r"[^\W\d_]{1,15}(?:\s?[/|]\s?[^\W\d_]{1,15}){1,5}")
_OPENING = ("<", "[", "(", "{")
_HERE = lazy_pattern(r"(?<!\s)\s++(?:goes\s+)?here\W{0,3}$", re.IGNORECASE)
_OWNED = lazy_pattern(r"^(?:the|your|my)\s+|(?<!\s)\s++(?:is|are)$", re.IGNORECASE)
_FILLED_BELOW = lazy_pattern(r"\s{0,4}⟦")
_SHORT = 12
"""Characters behind the name of something that is filled in below it: `Output (a):`."""
_EXPLAINED_BELOW = lazy_pattern(r"[ \t*]{0,4}\n[A-Z][a-z]+[ \t][^\n:]{40}")
"""A sentence under a line that ends with a colon: a heading of the instructions."""
_FEEDBACK = lazy_pattern(r"\b(?:feedback|explanation|reasoning|rationale|analysis)\b", re.IGNORECASE)
_RATED = lazy_pattern(r"\byour\s(?:\w{1,20}\s)?(?:score|rating|grade)\b", re.IGNORECASE)
_FORM = lazy_pattern(r"\b(?:evaluation|scoring|answer|rating) form\b[^\n]{0,40}:?", re.IGNORECASE)


def find_lines(text: str) -> FoundContract | None:
    """`Label: value` lines the reply should have, and the same inside quotes."""
    result = _find_result_mark(text)
    if result is not None:
        return result
    candidates: list[tuple[int, int, str, str]] = []
    given = {
        match[2].lower()
        for match in _line_matches(text)
        if REFERENCE.search(match[3]) or (len(match[3]) < _SHORT and _FILLED_BELOW.match(text, match[1]))
    }
    last_reference = max((match.end() for match in REFERENCE.finditer(text)), default=0)
    for match in _line_matches(text):
        label, value = match[2], match[3]
        if REFERENCE.search(value) or REFERENCE.search(label) or value.startswith(":"):
            continue
        longest = 6 if _is_choice(value) else 4
        if len(label.split()) > longest or label.lower() in given or _FORM.match(label):
            continue
        if not value.strip() and _EXPLAINED_BELOW.match(text, match[1]):
            continue
        role = has_role(label)
        at_end = match[0] >= last_reference and not value.strip() and match[1] >= len(text.rstrip()) - 3
        in_form = _FORM.search(text, max(0, match[0] - 200), match[0]) is not None
        placed = _is_place(value) if role else _is_blank(value) or _is_choice(value)
        # Whether output is asked for here is the dearest question, so it comes last.
        if (
            in_form
            or (role and at_end)
            or (placed and cued(text, match[0], within=600) and (role or not near_example(text, match[0])))
        ):
            candidates.append(match)
    candidates += _specified(text, given)
    candidates += _shown_again(text, candidates)
    candidates += _reasons_beside(text, candidates)
    inline = list(_INLINE.finditer(text))
    repeated = Counter(quoted["label"] for quoted in inline)
    for quoted in inline:
        label = quoted["label"]
        told = is_rating(label) or is_label(label) or repeated[label] > 1
        # No object has a key twice: `"Winner: A", "Winner: B" or "Winner: tie"` is a list of replies.
        before = text[max(0, quoted.start() - 60) : quoted.start()].rstrip()
        in_json = repeated[label] == 1 and before.endswith(("{", ","))
        if told and not in_json and not REFERENCE.search(quoted[0]):
            candidates.append((quoted.start(), quoted.end(), label, quoted["value"]))
    return _lines_contract(text, candidates) if candidates else None


def _specified(text: str, given: set[str]) -> list[tuple[int, int, str, str]]:
    """`in the format below:`, then `name: what to write there`, each in a sentence."""
    announced = _SPECIFIED.search(text)
    if announced is None:
        return []
    lines = [
        (start, end, label, value if len(value.split()) <= 2 else "")
        for start, end, label, value in _line_matches(text)
        if start > announced.start() and _FIELD_NAME.fullmatch(label) and label not in given
    ]
    roles = [label for _, _, label, _ in lines if has_role(label)]
    return lines if len(roles) > 1 else []


def _shown_again(text: str, candidates: list[tuple[int, int, str, str]]) -> list[tuple[int, int, str, str]]:
    """`score: true` once more in each worked example: what a part can be, only all of them show."""
    shown = {label.lower() for _, _, label, value in candidates if _EXAMPLE.fullmatch(value.strip())}
    known = {start for start, *_ in candidates}
    return [
        match
        for match in _line_matches(text)
        if match[0] not in known and match[2].lower() in shown and _EXAMPLE.fullmatch(match[3].strip())
    ]


def _reasons_beside(
    text: str, candidates: list[tuple[int, int, str, str]]
) -> list[tuple[int, int, str, str]]:
    """`score: true`, then `reasoning: …`: the line next to a rating in two examples or more is a part of the reply."""
    edges = {
        position for start, end, label, _ in candidates if not is_reason(label) for position in (start, end)
    }
    known = {label.lower() for _, _, label, _ in candidates}
    beside: dict[str, list[tuple[int, int, str, str]]] = {}
    for match in _line_matches(text):
        start, end, label, value = match
        told = is_reason(label) and label.lower() not in known and not REFERENCE.search(value)
        if told and (start - 1 in edges or end + 1 in edges):
            beside.setdefault(label.lower(), []).append((start, end, label, ""))
    return [found[0] for found in beside.values() if len(found) > 1]


def _line_matches(text: str) -> list[tuple[int, int, str, str]]:
    found = []
    for match in _LINE.finditer(text):
        value = f"{match['aside'] or ''} {match['value']}".strip()
        pieces = _SIDE_BY_SIDE.split(value)
        found.append((match.start(), match.end(), match["label"].strip(), pieces[0]))
        for piece in pieces[1:]:
            label, _, rest = piece.partition(":")
            found.append((match.start(), match.end(), label.strip(), rest.strip()))
    return found


def _is_blank(value: str) -> bool:
    """Whether it can only be something to fill in: `<…>`, `(…)`, `your analysis here`."""
    opened = value.lstrip()[:1] in _OPENING and _PLACE.match(value) is not None
    return (
        opened
        or _LETTER_BLANK.fullmatch(value.strip()) is not None
        or (value.lower().startswith("your ") and _HERE.search(value) is not None)
    )


def _is_choice(value: str) -> bool:
    """Whether it is labels and nothing else: `"Yes" or "No"`, `yes/no`."""
    if _SLASHED.fullmatch(value.strip()) is not None:
        return bool(word_choices(value, whole=True))
    return _QUOTED_LABELS.fullmatch(value.strip()) is not None and re.search(r" or |[|/]", value) is not None


def _is_place(value: str) -> bool:
    return (
        not value.strip()
        or _PLACE.match(value.strip()) is not None
        or len(value.split()) <= 2
        or bool(word_choices(value, whole=True))
    )


def _lines_contract(text: str, candidates: list[tuple[int, int, str, str]]) -> FoundContract | None:
    values: dict[str, list[str]] = {}
    labels: dict[str, str] = {}
    for _, _, label, value in sorted(candidates):
        name = snake_case(_OWNED.sub("", label) or label)
        labels.setdefault(name, spoken(label))
        shown = values.setdefault(name, [])
        shown += [_HERE.sub("", value.strip())] if value.strip() else []
    parts = tuple(replace(_line_part(name, values[name], text), labels=(labels[name],)) for name in values)
    named = any(is_rating(part.name) or is_label(part.name) or part.kind.decides for part in parts)
    if all(is_reason(part.name) for part in parts) or not (named or _FORM.search(text)):
        return None
    return FoundContract(
        form="bare" if len(parts) == 1 and not any(values.values()) else "line",
        parts=parts,
        start=min(item[0] for item in candidates),
        end=max(item[1] for item in candidates),
    )


def _line_part(name: str, values: list[str], text: str) -> ContractPart:
    """A part from the values that its lines show: one place, or examples."""
    whole = text_part(name, "", text)
    if is_reason(name) and not is_rating(name):
        return replace(whole, says=" ".join(values))
    literal = tuple(dict.fromkeys(value.strip(" \"'`*.[]()") for value in values))
    if {value.lower() for value in literal} == {"true", "false"}:
        return ContractPart(name=name, kind=ValueKind(type="boolean"))
    named = re.compile(rf"(?!{re.escape(spoken(name))})[a-z][\w -]{{0,30}}", re.IGNORECASE)
    if len(literal) > 1 and all(map(named.fullmatch, literal)):
        return choice_part(name, literal, text, labels=())
    for value in values:
        place = re.fullmatch(r"\A\W*([A-Z]{3,})\W*", value)
        if place and (meaning := re.search(rf"\b{place[1]}\b\s+is\s+([^\n.]{{3,120}})", text)):
            options = word_choices(meaning[1], whole=True) or word_choices(meaning[1]) or _letters(meaning[1])
            if options:
                return choice_part(name, options, text, labels=())
        read = text_part(name, value, text)
        if read.kind.bounded or (read.kind.known and read.kind.type != "string"):
            return read
    kind = whole.kind
    if not has_role(name):
        # A line of an evaluation form, or `#thescore: your score here`.
        rated = any(
            _RATED.search(value)
            or value in {"X", "N", "#"}
            or ("/" in value and _LETTER_BLANK.fullmatch(value.strip()) is not None)
            for value in values
        )
        kind = ValueKind(type="integer" if rated or not values else "string", assumed=rated)
    return replace(whole, kind=kind, says=" ".join(values))


def _letters(said: str) -> tuple[str, ...]:
    """`one of CPI`: letters run together."""
    match = re.search(r"\bone of\s+[`\"']?([A-Z]{2,6})[`\"']?\b", said)
    return tuple(match[1]) if match and len(set(match[1])) == len(match[1]) else ()


def _find_result_mark(text: str) -> FoundContract | None:
    """Feedback, then `[RESULT]` and a number."""
    match = _RESULT.search(text)
    if match is None or REFERENCE.search(match[0]):
        return None
    label = match["label"].lower()
    kind = read_kind(match["value"], whole=True, booleans=False)
    name = "score" if kind.numeric and label == "result" else snake_case(label)
    result = ContractPart(name=name, kind=kind, labels=(f"[{label}]", label), says=match["value"])
    reason = _FEEDBACK.search(text, max(0, match.start() - 200), match.start())
    first = (text_part(reason[0].lower(), "", text),) if reason else ()
    return FoundContract(form="line", parts=(*first, result), start=match.start(), end=match.end())
