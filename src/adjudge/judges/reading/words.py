"""The labels of a choice written in words, and what the prompt says they mean: `yes|no`, `either "correct" or "incorrect"`, `one of A, B, C`."""

import re
from collections.abc import Iterator, Mapping

from adjudge.judges.reading.recogniser import first
from adjudge.judges.reading.vocabulary import alternatives, vocabulary
from adjudge.patterns import lazy_pattern

NUMBER_LABEL = lazy_pattern(r"-?\d{1,6}(?:\.\d{1,4})?")

_MAX_LABEL_CHARS = 6
"""Words of a label in quotes: `The final answer is yes.`"""
_QUOTES = "\"'`“”‘’*"
_OR_WORD = alternatives("choice", "or")
_QUOTED = lazy_pattern(
    r"(?:\*\*|[\"'`“‘„«「])(?P<word>[^\"'`“”‘’„«»「」*\n⟦⟧<>]{1,60}?)(?:\*\*|[\"'`”’“»」])(?P<aside>\s{0,2}\([^()\n]{0,80}\))?"
    rf"(?P<next>\s{{0,2}}(?:,\s{{0,2}}(?:(?:{_OR_WORD}|and)(?!\w))?|\||/|(?:{_OR_WORD})(?!\w)|\bvs\.?|\band\b|\n\s*[-*]?\s*(?=[\"'`]))\s{{0,2}})?"
)
_MARKED = lazy_pattern(r"\w[\w +.'-]{0,40}(?:\s{0,2}[/|]\s{0,2}\w[\w +.'-]{0,40}){1,12}")
_PIPES = lazy_pattern(r"\w[\w.'-]{0,40}(?:\s{0,2}\|\s{0,2}\w[\w.'-]{0,40}){1,12}")
_OR_LIST = lazy_pattern(
    r"^(?:either\s+)?(?P<list>\w[\w+=-]*(?: [\w+=-]+)?(?:(?:\s{0,2},\s{0,2}|\s+or\s+)\w[\w+=-]*(?: [\w+=-]+)?){0,10},?\s+or\s+\w[\w+=-]*(?: [\w+=-]+)?)$",
    re.IGNORECASE,
)
_CAPITALS = lazy_pattern(
    r"(?<![\w'’.])(?P<list>[A-Z][\w-]*(?:\s{0,2}(?:,|/|\|)\s{0,2}[A-Z][\w-]*){0,10}(?:,?\s+or\s+|\s{0,2}/\s{0,2}|\s{0,2}\|\s{0,2})[A-Z][\w-]*)(?![\w'’])"
)
_ONE_OF = lazy_pattern(
    r"\b(?:one of|either|among|choose from|select from)\b(?: the)?(?: following)?(?: (?:values|labels|options|categories|words|classes|letters))?(?: as)?\s*:?\s*"
    r"(?P<list>[^.\n⟦⟧]{3,200})",
    re.IGNORECASE,
)
_CONDITIONAL = lazy_pattern(
    r"\b(?:answer|respond|say|write|output|return|reply|use|put|print)(?: with)? [\"'`“]([A-Za-z][\w -]{0,30})[\"'`”]"
    r"|\b(?:mark|label|rate|grade|classify)(?:ed|led|d)?(?: it| the \w{1,20})?(?: as)? [\"'`“]([A-Za-z][\w -]{0,30})[\"'`”]"
    r"|[\"'`“]([A-Za-z][\w -]{0,30})[\"'`”] (?:if|when|otherwise|for)\b",
    re.IGNORECASE,
)
_PAIRS = [pair.split("/") for pair in sorted(vocabulary("choice", "pairs"))]
_PAIR = lazy_pattern(
    "|".join(
        rf"\b({a})\b\s{{0,2}}(?:/|\||,? or|,)\s{{0,2}}\b({b})\b"
        for pair in _PAIRS
        for a, b in (pair, pair[::-1])
    ),
    re.IGNORECASE,
)
_NOT_LABELS = vocabulary("choice", "not_labels")
_AROUND = " \t\n<>[](){}.\"'`“”*"
_NO_LABEL = lazy_pattern(rf"[\"“”:<>]|\A[\W_]*\Z|\A{NUMBER_LABEL.pattern}\Z|\A(?:an?|the|your|its) ")
_ONLY_QUOTED = {"none", "n/a"}
_AFTER_CHOICE = lazy_pattern(
    r"\s(?:using|based|according|with|for|if|when|depending|to|in|as|and|by|on|from)\s"
)
_OR = r"(?<!\s)\s++or\s++"
_COMMA_OR = lazy_pattern(rf",|{_OR}")
_MARK_OR = lazy_pattern(rf"[,/|]|{_OR}")
_ENUMERATED = lazy_pattern(rf",(?:\s*+(?:or|and)\s)?|{_OR}|[/|]")
_LETTERED = lazy_pattern(
    r"^[ \t>]*(?:[-*•+][ \t]+)?(?:Option[ \t]+)?[\[(*`\"']{0,4}(?P<letter>[A-H])[\])*`\"']{0,4}(?P<mark>[ \t]*[:.)=–—]|[ \t]*-(?=\s)|[ \t]*→|(?<=[)\]*])[ \t])[ \t]*[*_]{0,2}(?P<text>[^\n]{1,300})$",
    re.MULTILINE,
)
_INLINE_LETTERED = lazy_pattern(
    r"(?<![\w'’-])[\"'`“]?(?P<letter>[A-H])[\"'`”]?[ \t]?(?:=[ \t]?|\((?=[^()\n]{2,60}\)))(?P<text>[^\n,;=()]{1,60})"
)
"""The same in one line."""
_NUMBERED = lazy_pattern(
    r"^[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]++(?P<text>[^\n\[]{2,120}?)[:\s-]{0,20}\[\[(?P<label>[^\[\]\n]{1,20})\]\]",
    re.MULTILINE,
)


def word_choices(text: str, *, whole: bool = False) -> tuple[str, ...]:
    """The labels of a written choice, as spelled; `whole` when the text is a value's place and nothing else."""
    ways = (*WRITTEN[:1], *WHOLE, *WRITTEN[1:]) if whole else WRITTEN
    return first(ways, text) or ()


def _marked_choices(text: str) -> tuple[str, ...]:
    """`yes / no / partly`, `low | medium | high`."""
    match = _MARKED.fullmatch(text.strip(_AROUND))
    return _labels(re.split(r"[/|]", match[0])) if match else ()


def _piped_choices(text: str) -> tuple[str, ...]:
    """The same with bars, between other words: `one of low | high and why`."""
    found = (_labels(match[0].split("|")) for match in _PIPES.finditer(text))
    return next(filter(None, found), ())


def _or_list(text: str) -> tuple[str, ...]:
    match = _OR_LIST.match(text.strip(_AROUND))
    return _labels(_COMMA_OR.split(match["list"])) if match else ()


def _capitals(text: str) -> tuple[str, ...]:
    """`PASS or FAIL` anywhere, `Warm, Cool, or Cold` in a short text: in a long one these may be names."""
    for match in _CAPITALS.finditer(text):
        if match["list"] == match["list"].upper().replace(" OR ", " or ") or len(text.strip(_AROUND)) < 120:
            return _labels(_MARK_OR.split(match["list"]))
    return ()


def _plain_words(text: str) -> tuple[str, ...]:
    """Labels with nothing around them: in capitals, or a pair that prompts often have, such as `yes/no`."""
    if found := _capitals(text):
        return found
    match = _PAIR.search(text)
    return tuple(group for group in match.groups() if group) if match else ()


def _quoted_choices(text: str) -> tuple[str, ...]:
    best: list[str] = []
    run: list[str] = []
    expected = -1
    for match in _QUOTED.finditer(text):
        word = match["word"].strip(" ,;:")
        word = word if len(word.split()) > 3 else word.strip(" .")  # a short one ends before the full stop
        if not word or len(word.split()) > _MAX_LABEL_CHARS:
            run, expected = [], -1
            continue
        if match.start() != expected:
            run = []
        run += [word] if word not in run else []
        expected = match.end() if match["next"] else -1
        if len(run) > len(best):
            best = list(run)
    return _labels(best, quoted=True) if len(best) > 1 else ()


def conditional_choices(text: str) -> tuple[str, ...]:
    """`Answer "yes" if …. Answer "no" otherwise`: each label with its own condition."""
    found = [match[1] or match[2] or match[3] for match in _CONDITIONAL.finditer(text)]
    return _labels(list(dict.fromkeys(found)))


def _one_of(text: str) -> tuple[str, ...]:
    match = _ONE_OF.search(text)
    return _enumerated(match["list"]) if match else ()


def _enumerated(listed: str) -> tuple[str, ...]:
    pieces = [
        re.sub(r"\([^()]*+\)", "", piece.strip()).strip(f" {_QUOTES}.;:()[]")
        for piece in _ENUMERATED.split(listed.strip(" :;)"))
    ]
    pieces[-1] = _AFTER_CHOICE.split(pieces[-1], maxsplit=1)[0].strip()
    if len(pieces) < 2 or any(not piece or len(piece.split()) > 3 for piece in pieces):
        return ()
    return _labels(pieces)


def _labels(pieces: list[str], *, quoted: bool = False) -> tuple[str, ...]:
    labels = tuple(
        stripped for piece in pieces if (stripped := piece.strip().removeprefix("[[").removesuffix("]]"))
    )
    distinct = {label.lower() for label in labels}
    if len(labels) < 2 or len(distinct) < len(labels):
        return ()
    # A number is a label where quotes say so and another label is a word: `"1", "2" or "tie"`.
    numbers = [label for label in labels if NUMBER_LABEL.fullmatch(label)]
    words = [label for label in labels if not (quoted and label in numbers)]
    if not words or any(map(_NO_LABEL.search, words)):
        return ()
    refused = _NOT_LABELS - _ONLY_QUOTED if quoted else _NOT_LABELS
    refused -= {"a"} if "b" in distinct else set()
    return () if any(label.lower() in refused and label != "A" for label in labels) else labels


WRITTEN = (_quoted_choices, _piped_choices, _plain_words, _one_of, conditional_choices)
WHOLE = (_marked_choices, _or_list)
"""Only where the text is a value's place."""


def lettered_options(text: str) -> dict[str, str]:
    """A run of consecutive letters from A, each with a meaning; the longest run counts. Where none stand on lines of
    their own, one in a line: `A (agrees), B (partly), C (disagrees)`.
    """
    if listed := _letter_run(_LETTERED.finditer(text)):
        return listed
    runs = (_letter_run(_INLINE_LETTERED.finditer(line)) for line in text.split("\n"))
    return max(runs, key=len, default={})


def _letter_run(found: Iterator[re.Match[str]]) -> dict[str, str]:
    best: dict[str, str] = {}
    run: dict[str, str] = {}
    for match in found:
        if match["letter"] == chr(ord("A") + len(run)):
            run[match["letter"]] = match["text"].strip(" *_.")
        elif match["letter"] == "F" and len(run) == 4:  # grades leave out E
            run["F"] = match["text"].strip(" *_.")
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
