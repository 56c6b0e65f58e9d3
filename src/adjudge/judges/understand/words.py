"""The labels of a choice written in words, and what the prompt says they mean: `yes|no`, `either "correct" or "incorrect"`, `one of A, B, C`."""

import re
from collections.abc import Mapping

from adjudge.text import words

NUMBER_LABEL = re.compile(r"-?\d{1,6}(?:\.\d{1,4})?")

_QUOTES = "\"'`“”‘’*"
_QUOTED = re.compile(
    r"(?:\*\*|[\"'`“‘])(?P<word>[^\"'`“”‘’*\n⟦⟧<>]{1,40}?)(?:\*\*|[\"'`”’])"
    r"(?P<aside>\s{0,2}\([^()\n]{0,80}\))?(?P<next>\s{0,2}(?:,\s{0,2}(?:or|and)?|\||/|\bor\b|\bvs\.?|\band\b|\n\s*[-*]?\s*(?=[\"'`]))\s{0,2})?"
)
_PIPES = re.compile(r"(?<!\|)[\w][\w +.'-]{0,40}(?:\s{0,2}\|\s{0,2}[\w][\w +.'-]{0,40}){1,12}(?!\|)")
_SLASHES = re.compile(r"^[\w][\w +-]{0,30}(?:\s{0,2}/\s{0,2}[\w][\w +-]{0,30}){1,8}$")
_OR_LIST = re.compile(
    r"^(?:either\s+)?(?P<list>[\w][\w+-]*(?: [\w+-]+)?(?:\s{0,2},\s{0,2}[\w][\w+-]*(?: [\w+-]+)?){0,10},?\s+or\s+[\w][\w+-]*(?: [\w+-]+)?)$",
    re.IGNORECASE,
)
_CAPITALS = re.compile(
    r"(?<![\w'’.])(?P<list>[A-Z][A-Z_-]*(?:\s{0,2}(?:,|/|\|)\s{0,2}[A-Z][A-Z_-]*){0,10}(?:,?\s+or\s+|\s{0,2}/\s{0,2}|\s{0,2}\|\s{0,2})[A-Z][A-Z_-]*)(?![\w'’])"
)
_TITLES = re.compile(
    r"(?<![\w'’.])(?P<list>[A-Z][a-z_-]+(?:,\s[A-Z][a-z_-]+){0,10},?\s+or\s+[A-Z][a-z_-]+)(?![\w'’])"
)
_ONE_OF = re.compile(
    r"\b(?:one of|either|among|choose from|select from)\b(?: the)?(?: following)?(?: (?:values|labels|options|categories|words|classes|letters))?\s*:?\s*"
    r"(?P<list>[^.\n⟦⟧]{3,200})",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(
    r"\b(?:answer|respond|say|write|output|return|reply|use|put|print)(?: with)? [\"'`“]([A-Za-z][\w -]{0,30})[\"'`”]"
    r"|[\"'`“]([A-Za-z][\w -]{0,30})[\"'`”] (?:if|when|otherwise|for)\b",
    re.IGNORECASE,
)
_PAIRS = (
    ("yes", "no"),
    ("true", "false"),
    ("correct", "incorrect"),
    ("pass", "fail"),
    ("relevant", "irrelevant"),
    ("relevant", "unrelated"),
    ("good", "bad"),
    ("valid", "invalid"),
    ("safe", "unsafe"),
    ("supported", "unsupported"),
    ("consistent", "inconsistent"),
    ("factual", "hallucinated"),
    ("grounded", "hallucinated"),
    ("faithful", "unfaithful"),
    ("accept", "reject"),
    ("toxic", "non-toxic"),
)
_PAIR = re.compile(
    "|".join(
        rf"\b({a})\b\s{{0,2}}(?:/|\||,? or|,)\s{{0,2}}\b({b})\b|\b({b})\b\s{{0,2}}(?:/|\||,? or|,)\s{{0,2}}\b({a})\b"
        for a, b in _PAIRS
    ),
    re.IGNORECASE,
)
_NOT_LABELS = words(
    """
    a an the it is be of to in on at and or not if so e.g i.e etc your you this that number integer string
    text float int bool none null n/a
    """
)
_OR = r"(?<!\s)\s++or\s++"
_COMMA_OR = re.compile(rf",|{_OR}")
_MARK_OR = re.compile(rf"[,/|]|{_OR}")
_ENUMERATED = re.compile(rf",(?:\s*+(?:or|and)\s)?|{_OR}|[/|]")
_LETTERED = re.compile(
    r"^[ \t>]*(?:[-*•+][ \t]+)?(?:Option[ \t]+)?[\[(*`\"']{0,4}(?P<letter>[A-H])[\])*`\"']{0,4}(?P<mark>[ \t]*[:.)=–—-]|[ \t]*→|(?<=[)\]*])[ \t])[ \t]*[*_]{0,2}(?P<text>[^\n]{1,300})$",
    re.MULTILINE,
)
_NUMBERED = re.compile(
    r"^[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]++(?P<text>[^\n\[]{2,120}?)[:\s-]{0,20}\[\[(?P<label>[^\[\]\n]{1,20})\]\]",
    re.MULTILINE,
)


def word_choices(text: str, *, whole: bool = False) -> tuple[str, ...]:
    """The labels of a written choice, as spelled; `whole` when the text is a value's place and nothing else."""
    for found in (_quoted_choices(text), _piped_choices(text)):
        if found:
            return found
    bare = text.strip(" \t\n<>[](){}.\"'`“”*")
    if whole and (match := _SLASHES.match(bare)):
        return _labels(match[0].split("/"))
    if whole and (match := _OR_LIST.match(bare)):
        return _labels(_COMMA_OR.split(match["list"]))
    if match := _CAPITALS.search(text):
        labels = _labels(_MARK_OR.split(match["list"]))
        if labels:
            return labels
    if match := _PAIR.search(text):
        first, second = (group for group in match.groups() if group)
        return (first, second)
    if match := _ONE_OF.search(text):
        labels = _one_of(match["list"])
        if labels:
            return labels
    if (match := _TITLES.search(text)) and len(bare) < 120:
        return _labels(_COMMA_OR.split(match["list"]))
    return _conditional_choices(text)


def _quoted_choices(text: str) -> tuple[str, ...]:
    best: list[str] = []
    run: list[str] = []
    expected = -1
    for match in _QUOTED.finditer(text):
        word = match["word"].strip(" .,;:")
        if not word or len(word.split()) > 4:
            run, expected = [], -1
            continue
        if match.start() != expected:
            run = []
        run.append(word)
        expected = match.end() if match["next"] else -1
        if len(run) > len(best):
            best = list(run)
    return _labels(best) if len(best) > 1 else ()


def _piped_choices(text: str) -> tuple[str, ...]:
    for match in _PIPES.finditer(text):
        pieces = [piece.strip(" \"'`.") for piece in match[0].split("|")]
        # The words around a choice belong to its first and last piece: `one of yes | no and why`.
        if any(len(piece.split()) > 3 for piece in pieces):
            pieces[0], pieces[-1] = pieces[0].split()[-1], pieces[-1].split()[0]
        labels = _labels(pieces)
        if labels:
            return labels
    return ()


def _conditional_choices(text: str) -> tuple[str, ...]:
    """`Answer "yes" if …. Answer "no" otherwise`: each label with its own condition."""
    found = [match[1] or match[2] for match in _CONDITIONAL.finditer(text)]
    return _labels(list(dict.fromkeys(found)))


def _one_of(listed: str) -> tuple[str, ...]:
    pieces = [
        re.sub(r"\([^()]*+\)", "", piece.strip()).strip(f" {_QUOTES}.;:()[]")
        for piece in _ENUMERATED.split(listed.strip(" :;)"))
    ]
    if len(pieces) < 2 or any(not piece or len(piece.split()) > 3 for piece in pieces):
        return ()
    return _labels(pieces)


def _labels(pieces: list[str]) -> tuple[str, ...]:
    labels = [piece.strip() for piece in pieces if piece.strip()]
    lowered = [label.lower() for label in labels]
    if len(labels) < 2 or len(set(lowered)) != len(labels):
        return ()
    if any(re.search(r"[\"“”:]", label) for label in labels):
        return ()
    if any(
        (label.lower() in _NOT_LABELS and label != "A") or not re.search(r"[^\W_]", label) for label in labels
    ):
        return ()
    if any(NUMBER_LABEL.fullmatch(label) or re.match(r"(?:an?|the|your|its) ", label) for label in labels):
        return ()
    return tuple(labels)


def lettered_options(text: str) -> dict[str, str]:
    """A run of consecutive letters from A, each on its line with a meaning; the longest run counts."""
    best: dict[str, str] = {}
    run: dict[str, str] = {}
    for match in _LETTERED.finditer(text):
        if match["letter"] == chr(ord("A") + len(run)):
            run[match["letter"]] = match["text"].strip(" *_.")
        elif match["letter"] == "A":
            run = {"A": match["text"].strip(" *_.")}
        else:
            run = {}
        if len(run) >= 2 and len(run) >= len(best):
            best = dict(run)
    if any("⟦" in meaning for meaning in best.values()):
        return {}
    return best


def bracketed_meanings(text: str) -> dict[str, str]:
    """`1. The response is correct: [[CORRECT]]` -> what stands before each bracketed label."""
    return {match["label"].strip(): match["text"].strip() for match in _NUMBERED.finditer(text)}


def meanings_of(text: str, options: tuple[str, ...]) -> Mapping[str, str]:
    """What the prompt says each label stands for, where it says so."""
    found: dict[str, str] = {}
    for option in options:
        spelled = re.escape(option)
        pattern = re.compile(
            rf"(?<![\w-])[\[(`\"'“*]{{0,4}}{spelled}[\])`\"'”*]{{0,4}}[ \t]*(?:\(|means?\b|if\b|when\b|for\b|indicates\b|stands for\b|[:=–—]|-(?=\s))"
            r"[ \t]*(?:that[ \t])?(?P<text>[^\n;.)]{2,160})",
            # A letter has to be written as one: `a for` would be found everywhere.
            0 if len(option) == 1 else re.IGNORECASE,
        )
        for match in pattern.finditer(text):
            if "⟦" not in match["text"]:
                said = re.split(r",?(?<!\s)\s++(?:or|and)\s++[\"'`\[(*]", match["text"], maxsplit=1)[0]
                found[option] = said.strip(" \"'`*,")
                break
    return found
