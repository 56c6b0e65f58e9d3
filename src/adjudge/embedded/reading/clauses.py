"""A sentence -> the parts of it that state something, cut at the words that join two statements.

No grammar: which verb belongs to which subject was worked out once, in a thousand lines, and found nothing that these cuts
do not (decision 27).
"""

import re
from bisect import bisect_left
from dataclasses import dataclass

from adjudge.embedded.reading.words import is_content, tokenize

CUT = re.compile(
    r";\s++|,\s++(?:and|but|so|yet|while|whereas|which|who|because|although|though|then)\s++|(?<=\S)\s++(?:because|but)\s++",
    re.IGNORECASE,
)
MIN_WORDS = 2
"""Words that carry meaning on either side of a cut; `phones, and tablets` stays whole."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Clause:
    """A literal piece of a sentence, without the word that joined it: `because`, `and`."""

    text: str
    start: int


def split_clauses(sentence: str) -> list[Clause]:
    """The clauses of a sentence in their order; the whole sentence where no cut leaves enough on both sides."""
    places = [token.start for token in tokenize(sentence) if is_content(token)]
    clauses: list[Clause] = []
    start = used = 0
    for cut in CUT.finditer(sentence):
        before, behind = bisect_left(places, cut.start()), bisect_left(places, cut.end())
        if before - used >= MIN_WORDS and len(places) - behind >= MIN_WORDS:
            clauses.append(Clause(text=sentence[start : cut.start()], start=start))
            start, used = cut.end(), behind
    return [*clauses, Clause(text=sentence[start:], start=start)]
