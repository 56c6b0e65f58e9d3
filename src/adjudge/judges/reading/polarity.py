"""Which of two labels is the good one, from a fixed list of words; what is not plain is not guessed."""

import re
from collections.abc import Mapping

from adjudge.judges.reading.vocabulary import alternatives, first_letters, vocabulary
from adjudge.patterns import lazy_pattern

POSITIVE, NEGATIVE = vocabulary("polarity", "good"), vocabulary("polarity", "bad")
_DEPENDS = vocabulary("polarity", "answers")
_BAD_THING = lazy_pattern(
    rf"{first_letters(vocabulary('polarity', 'bad_things'))}\b(?:{alternatives('polarity', 'bad_things')})\b",
    re.IGNORECASE,
)
_RATED_BEFORE = lazy_pattern(
    r"\b(?:(?:degree|level|amount|extent|severity|likelihood)\s+(?P<of>of)|evaluate|rate|score|assess|measure)\s+(?:the\s+)?\Z",
    re.IGNORECASE,
)
_RATED_AFTER = lazy_pattern(r"\s{1,8}(?:(?:score|rating|scale|level)\b|(?P<of>of|in)\b)", re.IGNORECASE)
_SEVERITY = lazy_pattern(
    r"\b(?:highest|increasing)\s+severity\b|\bseverity\s+(?:score|rating|scale|levels?)\b", re.IGNORECASE
)
_SENTENCE = lazy_pattern(r"[^\n.?!]++\??")
_MEANS = lazy_pattern(
    r"\b(?P<value>\d{1,3}(?:\.\d{1,2})?)\s{1,2}(?:signif\w+|indicat\w+|is|means?|meaning|being|represent\w*|denot\w+)\s(?P<text>[^.;\n]{3,120})",
    re.IGNORECASE,
)
_NEGATED = lazy_pattern(
    r"\b(?:no|not|none|never|non|without|free|avoid\w*|lacks?|zero|little|minimal|neither|nor|any|refus\w*)\b",
    re.IGNORECASE,
)
_ASKS = lazy_pattern(
    r"\?\Z|\bwhether\b|\bdetermine if\b|\b(?:decide|check|judge|assess|evaluate|tell|detect|identify)\b[^\n.?!]{0,10}\bif\b",
    re.IGNORECASE,
)


def label_polarity(label: str) -> int:
    """1 for a good word, -1 for a bad one, 0 where the list does not say."""
    words = re.sub(r"[^a-z]+", " ", label.lower()).split()
    if len(words) == 2 and words[0] in {"not", "non", "no"}:
        return -label_polarity(words[1])
    joined = "".join(words)
    return (joined in POSITIVE) - (joined in NEGATIVE)


def name_polarity(name: str) -> int:
    """Whether a field called so is good when true: `is_correct`, `criteria_met` against `hallucinated`, `has_pii`."""
    words = [
        word
        for word in re.sub(r"[^a-z]+", " ", name.lower()).split()
        if word not in {"is", "has", "contains", "was"}
    ]
    if "not" in words or "no" in words:
        return 0
    signs = {
        1 if word in POSITIVE else -1 if word in NEGATIVE or _BAD_THING.fullmatch(word) else 0
        for word in words
    } - {0}
    return signs.pop() if len(signs) == 1 else 0


def points_for(labels: tuple[str, ...], meanings: Mapping[str, str], text: str) -> dict[str, float] | None:
    """1 for each good label and 0 for each bad one when every label is plainly one of the two, else None."""
    signs: dict[str, int] = {}
    for label in labels:
        sign = label_polarity(label)
        meaning = meanings.get(label, "")
        if sign == 0 and meaning:
            sign = _meaning_polarity(meaning)
        elif label.lower() in _DEPENDS and not (sign < 0 and meaning):
            # What a `no` stands for may well speak of something bad; what a `yes` stands for may not.
            about = meaning or asked_question(text)
            if _BAD_THING.search(about):
                return None
        signs[label] = sign
    if 0 in signs.values() or set(signs.values()) != {1, -1}:
        return None
    return {label: 1.0 if sign > 0 else 0.0 for label, sign in signs.items()}


def _meaning_polarity(meaning: str) -> int:
    """`A: CORRECT` and `C for correct answers`: the first word that is on the list, when it is the only one."""
    plain = re.sub(
        r"\b(?:the|a|an|answers?|responses?|model|is|it|are|completely|fully|entirely|totally)\b",
        " ",
        meaning.lower(),
    )
    words = re.sub(r"[^a-z]+", " ", plain).split()
    return label_polarity(" ".join(words[:2])) or (
        label_polarity(words[0]) if words and len(words) <= 2 else 0
    )


def rates_a_bad_thing(text: str) -> str | None:
    """The words that say so, when what is rated is plainly something bad: `the degree of hallucination`."""
    for bad in _BAD_THING.finditer(text):
        before = _RATED_BEFORE.search(text, max(0, bad.start() - 40), bad.start())
        after = _RATED_AFTER.match(text, bad.end())
        if before and before["of"]:
            after = None
        elif after is None or (after["of"] and not before):
            continue
        start, end = before.start() if before else bad.start(), after.end() if after else bad.end()
        return " ".join(text[start:end].split()).lower()
    severe = _SEVERITY.search(text)
    return None if severe is None else " ".join(severe[0].split()).lower()


def high_end_is_bad(text: str, high: float, anchors: Mapping[str, str]) -> str | None:
    """What is said of the highest point, when it speaks of something bad: `10 signifies a full violation`."""
    said = [match["text"] for match in _MEANS.finditer(text) if float(match["value"]) == high]
    said += [meaning for written, meaning in anchors.items() if written.rpartition("-")[2] == f"{high:g}"]
    for meaning in said:
        bad = _BAD_THING.search(meaning)
        if bad is not None and not _NEGATED.search(meaning, 0, bad.start()):
            return f"{high:g} is said to be {' '.join(meaning[: bad.end()].split())}"
    return None


def asks_for_a_bad_thing(text: str) -> bool:
    return _BAD_THING.search(asked_question(text)) is not None


def asked_question(text: str) -> str:
    """The sentences that say what yes and no are answers to."""
    return " ".join(match[0] for match in _SENTENCE.finditer(text) if _ASKS.search(match[0]))
