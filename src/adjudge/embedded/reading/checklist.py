"""A reference -> the checklist that coverage asks a model for, made by rules: facts, conclusions, key terms.

The reply has the shape of coverage's `items` step and passes its checks: every quote is a literal piece of the reference.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from adjudge.embedded.reading.clauses import Clause, split_clauses
from adjudge.embedded.reading.keyterms import key_terms
from adjudge.embedded.reading.sentences import Sentence, split_sentences
from adjudge.embedded.reading.words import is_content, tokenize
from adjudge.records import Json
from adjudge.scoring.terms import is_quoted, term_key
from adjudge.scoring.text import fold

MAX_FACTS = 40
MAX_FACT_CHARS = 400
"""Characters of a statement that the model is shown; the quote may be longer."""
MAX_REFERENCE_CHARS = 50_000
MAX_QUESTION_CHARS = 10_000
MAX_LEAD_CHARS = 160

OPENING_MARKER = re.compile(
    r"(?:and\s+|but\s+)?(?:therefore|thus|hence|consequently|accordingly|as\s+a\s+(?:result|consequence)(?!\s+of\b)|"
    r"in\s+(?:conclusion|summary|short|sum)|to\s+(?:conclude|summari[sz]e|sum\s+up)|overall|all\s+in\s+all|"
    r"because\s+of\s+this|for\s+(?:this|that|these|those)\s+reasons?|so(?=\s*,|\s+(?:the|it|they|we|you|this|he|she)\b)|it\s+follows\s+that)\b\s*,?\s*",
    re.IGNORECASE,
)
"""Left out of the statement: a response that says the rest has said it."""
INNER_MARKER = re.compile(
    r"\b(?:therefore|(?:thus|hence)(?!,?\s+\w+ing\b)|consequently|ought\s+to|"
    r"should(?!\s+(?:have|see|now|automatically|be\s+noted)\b)|"
    r"(?:we|i)\s+(?:\w+\s+)?recommend|(?:is|are)\s+(?:\w+\s+)?(?:recommended|advisable|advised)|"
    r"(?:this|that|which|it|these|results?|findings?|evidence|data)\s+(?:therefore\s+)?"
    r"(?:means?|meant|implies|imply|implied|suggest(?:s|ed)?|indicate[sd]?|demonstrate[sd]?|show(?:s|ed)?)\s+that|"
    r"means\s+that|suggests\s+that|implies\s+that|(?:can|may)\s+(?:be\s+)?conclude[d]?|concludes?\s+that)\b",
    re.IGNORECASE,
)
CITATION = re.compile(r"\s?\[\d{1,3}(?:,\s?\d{1,3})*\]")
REPORTED = re.compile(
    r"\b(?:said|says|told|tells|claims?|claimed|warns?|warned|insists?|insisted|believes?|according\s+to|asked)\b",
    re.IGNORECASE,
)
"""What somebody else recommends is a fact about them."""
YES_OR_NO = re.compile(r"(?:yes|no|true|false|correct|incorrect|maybe|yep|nope)\W*", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """One thing the reference says: as it can be checked alone, and as it stands there."""

    text: str
    quote: str
    is_conclusion: bool = False


def make_checklist(reference: str, question: str) -> dict[str, Json]:
    folded, question = fold(reference), question[:MAX_QUESTION_CHARS]
    sentences = split_sentences(reference[:MAX_REFERENCE_CHARS])
    statements = chosen(sentences, question)
    quoted = [found for statement in statements if (found := with_quote(statement, reference, folded))]
    if not quoted:
        whole = Statement(text=reference.strip()[:MAX_FACT_CHARS], quote=reference.strip())
        quoted = [whole] if is_quoted(whole.quote, folded) else []
    if all(statement.is_conclusion for statement in quoted):
        # A ratio over no facts would count as full marks; and where in doubt, it is a fact.
        quoted = [Statement(text=statement.text, quote=statement.quote) for statement in quoted]
    terms = key_terms([sentence.text for sentence in sentences], question, folded)
    return {
        "facts": [{"fact": s.text, "quote": s.quote} for s in quoted if not s.is_conclusion],
        "conclusions": [{"conclusion": s.text, "quote": s.quote} for s in quoted if s.is_conclusion],
        "terms": [{"term": term, "quote": term} for term in terms],
    }


def chosen(sentences: list[Sentence], question: str) -> list[Statement]:
    """Clause by clause; in a long reference sentence by sentence; of a very long one, sentences at even distances."""
    body = [sentence for sentence in sentences if sentence.kind != "heading"] or sentences
    found = distinct(statements_of(body, question))
    if len(found) > MAX_FACTS:
        found = distinct(statements_of(body, question, whole=True))
    if len(found) > MAX_FACTS:
        found = [found[at * len(found) // MAX_FACTS] for at in range(MAX_FACTS)]
    return found


def distinct(statements: Iterator[Statement]) -> list[Statement]:
    """Without repetitions, which the scorer would drop with a note each."""
    found: dict[str, Statement] = {}
    for statement in statements:
        found.setdefault(term_key(statement.text).strip() or fold(statement.text), statement)
    return list(found.values())


def with_quote(statement: Statement, reference: str, folded: str) -> Statement | None:
    """The statement when its quote passes the scorer's check; odd characters at its edges may keep it from that."""
    if is_quoted(statement.quote, folded):
        return statement
    whole = reference.strip()
    return (
        Statement(text=statement.text, quote=whole)
        if is_quoted(whole, folded) and len(whole) < MAX_FACT_CHARS
        else None
    )


def statements_of(sentences: list[Sentence], question: str, *, whole: bool = False) -> Iterator[Statement]:
    leads = {sentence.lead for sentence in sentences}
    for sentence in sentences:
        if sentence.text in leads:
            continue  # said with the items that it introduces
        clauses = [Clause(text=sentence.text, start=0)] if whole else split_clauses(sentence.text)
        for clause in clauses:
            text = clause.text
            if not any(is_content(token) for token in tokenize(text)):
                continue
            if sentence.lead and clause.start == 0 and len(sentence.lead) <= MAX_LEAD_CHARS:
                text = f"{sentence.lead} {text}"
            if YES_OR_NO.fullmatch(text):
                text = f"{asked_in(question)} {text}".strip()
            marked = OPENING_MARKER.match(text)
            stated = text[marked.end() :] if marked else text
            if any(character.isalnum() for character in stated):
                yield Statement(
                    text=CITATION.sub("", stated)[:MAX_FACT_CHARS].strip() or stated[:MAX_FACT_CHARS],
                    quote=clause.text.strip(),
                    is_conclusion=marked is not None or draws_conclusion(text),
                )


def draws_conclusion(text: str) -> bool:
    found = INNER_MARKER.search(text)
    return found is not None and REPORTED.search(text) is None and not text.rstrip().endswith("?")


def asked_in(question: str) -> str:
    """The sentence that a bare yes or no answers: the first that asks, else the first."""
    sentences = [sentence.text for sentence in split_sentences(question)] or [""]
    asked = next((sentence for sentence in sentences if sentence.endswith("?")), sentences[0])
    return asked[:MAX_LEAD_CHARS]
