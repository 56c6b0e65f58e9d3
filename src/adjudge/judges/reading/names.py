"""The words prompts use for the parts of a verdict, and for where they ask for it."""

import re

from adjudge.judges.reading.vocabulary import vocabulary
from adjudge.patterns import lazy_pattern

_RATING, _OVERALL, _LABEL, _REASON, _DOUBT = (
    vocabulary("parts", name) for name in ("rating", "overall", "label", "reason", "doubt")
)

OUTPUT_CUE = lazy_pattern(
    r"\b(?:output|answer|response|reply|return|result|verdict|evaluation|judg(?:e)?ment|score|rating)s?[ -](?:format|schema|template|structure|form)\b"
    r"|\b(?:respond|reply|return|output|answer|provide|produce|give|write|print|format|structure|present|submit|generate|state|end|conclude|finish|include)"
    r"(?:s|ed)?\b[^\n.]{0,80}\b(?:json|format|following|as follows|structure|only|exactly|verdict|score|rating|tags?|with|below|object|line|schema|either|form|like this|as shown)\b"
    r"|\b(?:in|using|following|use|match(?:es|ing)?|with) (?:the |this |that |exactly |an? )*(?:following |exact |specified |strict )*(?:json|yaml|xml|format|structure|schema|template|form|keys|fields)\b"
    r"|\byour (?:final |entire |whole )?(?:response|answer|output|reply|verdict|evaluation|judg(?:e)?ment|result) (?:must|should|shall|will|needs|has|is)\b"
    r"|\bshould look (?:like|as)\b|\b(?:json|output) (?:only|object|output|dictionary|response|format)\b|输出|格式|形式|出力|형식|출력|\bformato?\W{0,4}$|\bformato\b|\bформат|\bausgabe|\bfolgende[mns]?\sformat|^#+\s*output\b|^\W{0,4}(?:output|response|format|answer format|expected output)\W{0,4}$",
    re.IGNORECASE | re.MULTILINE,
)
EXAMPLE_CUE = lazy_pattern(
    r"\b(?:examples?|e\.g|for instance|sample|fallback|such cases|worked|demonstration|illustration|few[- ]shot|shot \d)\b",
    re.IGNORECASE,
)
REFERENCE = lazy_pattern(r"⟦([^⟦⟧\n]{1,200})⟧")
"""How an outline shows a place that is filled from the case."""


def snake_case(phrase: str) -> str:
    """`Detailed Analysis` -> `detailed_analysis`; `finalScore` -> `final_score`; JSON names that are one word stay."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", phrase.strip())
    return re.sub(r"[\W_]+", "_", spaced).strip("_").lower() or "value"


def _tokens(name: str) -> list[str]:
    """The words of a name; of one without blanks, such as a Chinese one, also what it ends with."""
    words = snake_case(name).split("_")
    return words if name.isascii() else [*words, *(word[-length:] for word in words for length in (2, 3))]


def is_rating(name: str) -> bool:
    tokens = _tokens(name)
    return bool(_RATING & set(tokens)) and not set(tokens) & (_DOUBT | _REASON)


def is_overall(name: str) -> bool:
    tokens = set(_tokens(name))
    return bool(tokens & _OVERALL and tokens & _RATING) or (
        tokens <= (_OVERALL | {"scores"}) and bool(tokens)
    )


def is_plain_rating(name: str) -> bool:
    return snake_case(name) in {"score", "rating", "grade", "mark", "points", "stars"}


def is_label(name: str) -> bool:
    tokens = _tokens(name)
    return bool(_LABEL & set(tokens)) and not is_reason(name)


def is_reason(name: str) -> bool:
    tokens = _tokens(name)
    return tokens[-1] in _REASON or (tokens[0] in _REASON and tokens[-1] not in _RATING | _LABEL)


def has_role(name: str) -> bool:
    """A word that prompts use for a part of the verdict."""
    return is_rating(name) or is_label(name) or is_reason(name)


def is_doubt(name: str) -> bool:
    return bool(_DOUBT & set(_tokens(name)))


def cued(text: str, start: int, *, within: int = 400) -> bool:
    """Whether the words before a place ask for output there."""
    return OUTPUT_CUE.search(text[max(0, start - within) : start]) is not None


def near_example(text: str, start: int) -> bool:
    """Whether a heading or the words just before say that what follows is an example."""
    return EXAMPLE_CUE.search(text[max(0, start - 120) : start]) is not None
