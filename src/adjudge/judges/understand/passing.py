"""The pass rule a prompt states: `a score of 3 or above passes`, `threshold of 0.7`."""

import re

from adjudge.judges.understand.kinds import NUMBER

_VALUE = rf"(?P<value>{NUMBER})"
_PERCENT = re.compile(r"\s{0,4}(?:%|percent)")
_PATTERNS = (
    (
        rf"\b(?:scores?|ratings?|grades?)?\s*(?:of\s+)?(?:at least\s+)?{_VALUE}\s*(?:or|and)\s+(?:above|higher|more|greater|over|up)\b[^.\n]{{0,40}}\b(?:pass(?:es|ed|ing)?|acceptable)\b",
        ">=",
    ),
    (
        rf"\bpass(?:es|ed|ing)?\b[^.\n]{{0,60}}?(?:>=|≥|\bat least\b|\bof\b|\bminimum(?: of)?\b|\bis\b)\s*{_VALUE}\s*(?:or|and)\s+(?:above|higher|more|greater)\b",
        ">=",
    ),
    (rf"\bpass(?:es|ed|ing)?\b[^.\n]{{0,60}}?(?:>=|≥|\bat least\b)\s*{_VALUE}", ">="),
    (
        rf"\bpass(?:es|ed|ing)?\b[^.\n]{{0,60}}?(?:>|\babove\b|\bgreater than\b|\bmore than\b|\bexceeds?\b)\s*{_VALUE}",
        ">",
    ),
    (rf"(?:>=|≥|\bat least\b)\s*{_VALUE}[^.\n]{{0,30}}\bpass(?:es|ed|ing)?\b", ">="),
    (rf"(?:>|\babove\b|\bgreater than\b)\s*{_VALUE}[^.\n]{{0,30}}\bpass(?:es|ed|ing)?\b", ">"),
    (
        rf"\b(?:pass(?:ing)?|acceptance|success)\s+(?:score|threshold|mark|grade)\b\s*(?:is|of|:|=)?\s*{_VALUE}",
        ">=",
    ),
    (rf"\bthreshold\b\s*(?:for passing\s*)?(?:is|of|:|=)\s*{_VALUE}", ">="),
)
_RULES = tuple((re.compile(pattern, re.IGNORECASE), operator) for pattern, operator in _PATTERNS)


def find_pass_rule(text: str, low: float, high: float) -> str | None:
    """The rule as an expression over `score`; None when the prompt states none on its own scale."""
    for pattern, operator in _RULES:
        for match in pattern.finditer(text):
            if low <= float(match["value"]) <= high and not _PERCENT.match(text, match.end("value")):
                return f"score {operator} {match['value']}"
    return None
