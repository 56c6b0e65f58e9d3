"""A reference -> the checklist that coverage asks a model for, made by rules: facts, conclusions, key terms.

The reply has the shape of coverage's `items` step and passes its checks: every quote is a literal piece of the reference.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from adjudge.embedded.reading.clauses import Clause, split_clauses
from adjudge.embedded.reading.keyterms import key_terms
from adjudge.embedded.reading.sentences import Sentence, split_sentences
from adjudge.embedded.reading.words import (
    AUXILIARIES,
    IRREGULAR_PASTS,
    PREPOSITIONS,
    SUBJECT_PRONOUNS,
    Words,
    is_content,
    is_finite_verb,
    is_word,
    opens_object,
    tokenize,
)
from adjudge.records import Json
from adjudge.scoring.terms import is_quoted, term_key
from adjudge.scoring.text import fold

MOST_FACTS = 40
LONGEST_FACT = 400
"""Characters of a statement that the model is shown; the quote may be longer."""
LONGEST_REFERENCE = 50_000
LONGEST_QUESTION = 10_000
LONGEST_LEAD = 160
LONGEST_SUBJECT = 8
VERB_REACH = 7
"""Tokens of a list item within which its verb stands, if it is a sentence."""

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
OPENING_WORD = re.compile(
    r"(?:but|and|however|also|moreover|furthermore|additionally|in\s+addition(?!\s+to\b)|besides|that\s+is|i\.e\.|e\.g\.|"
    r"for\s+example|for\s+instance|meanwhile|then|so)\s*,?\s+",
    re.IGNORECASE,
)
"""What ties a sentence to the one before it says nothing by itself."""
CITATION = re.compile(r"\s?\[\d{1,3}(?:,\s?\d{1,3})*\]")
REPORTED = re.compile(
    r"\b(?:said|says|told|tells|claims?|claimed|warns?|warned|insists?|insisted|believes?|according\s+to|asked)\b",
    re.IGNORECASE,
)
"""What somebody else recommends is a fact about them."""
EMPTY_LEAD = re.compile(
    r"\b(?:following|follows|below|namely|e\.g\.|i\.e\.)\b|\b(?:includes?|including|such\s+as|like|are|is|were|was|has|have)\s*:?\s*$",
    re.IGNORECASE,
)
LAST_WORD = re.compile(
    r"\b(?:and|which|primarily|mainly|mostly|largely|due\s{1,4}to|because\s{1,4}of|because|by|for|of|with|in|as|to)\Z",
    re.IGNORECASE,
)
LONGEST_LAST_WORD = 16
YES_OR_NO = re.compile(r"(?:yes|no|true|false|correct|incorrect|maybe|yep|nope)\W*", re.IGNORECASE)
PAIR = re.compile(r"\A((?:[^\s,.;:()]+ ){0,2}[^\s,.;:()]+) and ((?:[^\s,.;:()]+ ){0,2}[^\s,.;:()]+)\s?\.?")
ASKS_SEVERAL = re.compile(
    r"\b(?:what|which|who)\s+(?:\w+\s+){0,3}(?:are|were)\b|\b(?:two|both|list|name)\b", re.IGNORECASE
)
IMPERSONAL = re.compile(
    r"it\s+(?:is|was|'s|’s|has\s+been|had\s+been|will\s+be|would\s+be|seems?|appears?|takes|took)\s+(?:\w+\s+){0,3}(?:that|to|if|whether|when|who|how)\b",
    re.IGNORECASE,
)
PLURAL_NOUNS = frozenset({"people", "police", "men", "women", "children", "officials"})
POSSESSIVES = {"his": "he", "her": "she", "its": "it", "their": "they"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """One thing the reference says: as it can be checked alone, and as it stands there."""

    text: str
    quote: str
    is_conclusion: bool = False


def make_checklist(reference: str, question: str) -> dict[str, Json]:
    folded, question = fold(reference), question[:LONGEST_QUESTION]
    sentences = split_sentences(reference[:LONGEST_REFERENCE])
    statements = chosen(sentences, question)
    quoted = [found for statement in statements if (found := with_quote(statement, reference, folded))]
    if not quoted:
        whole = Statement(text=reference.strip()[:LONGEST_FACT], quote=reference.strip())
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
    if len(found) > MOST_FACTS:
        found = distinct(statements_of(body, question, whole=True))
    if len(found) > MOST_FACTS:
        found = [found[at * len(found) // MOST_FACTS] for at in range(MOST_FACTS)]
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
        if is_quoted(whole, folded) and len(whole) < LONGEST_FACT
        else None
    )


def statements_of(sentences: list[Sentence], question: str, *, whole: bool = False) -> Iterator[Statement]:
    subject = ""
    for sentence in sentences:
        clauses = [Clause(text=sentence.text, start=0)]
        if not whole:
            clauses = asked_for_pair(sentence.text, question) or split_clauses(sentence.text)
        for number, clause in enumerate(clauses):
            is_lead = number + 1 == len(clauses) and sentence.text.endswith(":")
            quote = stated_lead(clause.text) if is_lead else clause.text
            if not any(is_content(token) for token in tokenize(quote)):
                continue
            text = restored(f"{clause.before} {quote}" if clause.before else quote, subject)
            if not clause.before and not text.startswith(subject or "\0"):
                subject = subject_in(text)
            if sentence.lead and number == 0:
                text = under_lead(text, sentence.lead)
            if YES_OR_NO.fullmatch(text):
                text = f"{asked_in(question)} {text}".strip()
            marked = OPENING_MARKER.match(text)
            stated = text[marked.end() :] if marked else text
            if any(character.isalnum() for character in stated):
                yield Statement(
                    text=CITATION.sub("", stated)[:LONGEST_FACT].strip() or stated[:LONGEST_FACT],
                    quote=quote.strip(),
                    is_conclusion=is_conclusion(text, clause, marked=marked is not None),
                )


def asked_for_pair(text: str, question: str) -> list[Clause]:
    """`Abstraction and reusability` as two things where several were asked for; `supply and demand` may be one."""
    pair = PAIR.fullmatch(text)
    if pair is None or ASKS_SEVERAL.search(question) is None or has_verb(tokenize(text)):
        return []
    found = [Clause(text=pair[number], start=pair.start(number)) for number in (1, 2)]
    return found if all(any(map(is_content, tokenize(clause.text))) for clause in found) else []


def is_conclusion(text: str, clause: Clause, *, marked: bool) -> bool:
    if marked or clause.connector in {"so", "therefore", "thus", "hence"}:
        return True
    found = INNER_MARKER.search(text)
    return found is not None and REPORTED.search(text) is None and not text.rstrip().endswith("?")


def stated_lead(text: str) -> str:
    """What the words before a list state themselves: nothing in `The steps are:`, a fact in `It fell, mainly due to:`."""
    if not EMPTY_LEAD.search(text):
        return _without_tail(text)
    main = text.rpartition(",")[0]
    tokens = tokenize(main)
    says = sum(is_content(token) for token in tokens) > 2 and has_verb(tokens) and not EMPTY_LEAD.search(main)
    return main if says else ""


def _without_tail(text: str) -> str:
    """`It fell, mainly due to:` without the words that only lead on to the list."""
    end = len(text.rstrip().removesuffix(":").rstrip())
    while found := LAST_WORD.search(text, max(0, end - LONGEST_LAST_WORD), end):
        end = found.start()
        while end and text[end - 1].isspace():
            end -= 1
    return text[:end].rstrip(" ,\t\r\n\v\f")


def has_verb(tokens: Words) -> bool:
    return any(is_finite_verb(tokens, at) for at in range(len(tokens)))


def under_lead(text: str, lead: str) -> str:
    """A list item that is no sentence, behind the words that introduce the list."""
    complete = has_verb(tokenize(text)[:VERB_REACH]) or ":" in text or "=" in text
    return text if complete or len(lead) > LONGEST_LEAD else f"{lead} {text}"


def asked_in(question: str) -> str:
    """The sentence that a bare yes or no answers: the first that asks, else the first."""
    sentences = [sentence.text for sentence in split_sentences(question)] or [""]
    asked = next((sentence for sentence in sentences if sentence.endswith("?")), sentences[0])
    return asked[:LONGEST_LEAD]


def restored(text: str, subject: str) -> str:
    """The clause with the subject of what stands before it in place of the pronoun, or the nothing, it begins with."""
    tied = OPENING_WORD.match(text)
    if tied and tied.end() < len(text):
        text = text[tied.end() :]
    tokens = tokenize(text)
    if not subject or not tokens or IMPERSONAL.match(text) or text.endswith("?"):
        return text
    first = tokens[0].lower
    if begins_without_subject(tokens, tied=tied is not None):
        return f"{subject} {text[:1].lower()}{text[1:]}"
    pronoun = POSSESSIVES.get(first, first)
    if pronoun not in {"he", "she", "it", "they"} or not can_stand_for(subject, pronoun):
        return text
    return f"{subject}{'’s' if first in POSSESSIVES else ''}{text[tokens[0].end :]}"


def begins_without_subject(tokens: Words, *, tied: bool) -> bool:
    """`Has a huge following`, `Raised £7,000`: notes leave the subject out."""
    if len(tokens) < 3 or not (tied or tokens[0].text.istitle()):
        return False
    first, second = tokens[0].lower, tokens[1]
    if not is_word(second) and second.text not in "$£€":  # `Rose 's total`, `Read: …`
        return False
    if first in {"has", "had", "was", "were", "is"}:
        return second.lower not in SUBJECT_PRONOUNS and not second.text[0].isupper()
    past = first in IRREGULAR_PASTS or (first.endswith("ed") and len(first) > 3)
    return (
        past
        and opens_object(second)
        and second.lower not in {"in", "by", "on", "and", "or", "to", "of", "with"}
    )


def can_stand_for(subject: str, pronoun: str) -> bool:
    """Whether a noun phrase agrees with a pronoun, as far as their forms tell; in doubt the pronoun stays."""
    phrase = subject.split()
    first, last = phrase[0], phrase[-1]
    starts_small = first.lower() in {"the", "a", "an"}
    if last[0].isupper() and last.endswith("s") and first == last:
        return False  # `Researchers`, `Apples`, `James`
    several = " and " in subject or last.lower() in PLURAL_NOUNS
    several |= not last[0].isupper() and last.endswith("s") and not last.endswith(("ss", "us", "is"))
    match pronoun:
        case "they":
            return several
        case "it":
            named = any(word.isupper() and len(word) > 1 for word in phrase)
            return not several and (starts_small or named)
        case _:
            return not several and (last[0].isupper() or starts_small)


def subject_in(text: str) -> str:
    """The noun phrase before the first verb; empty when there is none that could stand for a pronoun."""
    tokens = tokenize(text)[: LONGEST_SUBJECT + 2]
    verb = next((at for at in range(len(tokens)) if is_finite_verb(tokens, at)), None)
    if not verb or verb > LONGEST_SUBJECT:
        return ""
    phrase = tokens[:verb]
    unfit = any(not is_word(token) or token.lower in PREPOSITIONS | AUXILIARIES for token in phrase)
    while phrase and (not is_content(phrase[-1]) or phrase[-1].lower == "first"):
        phrase = phrase[:-1]
    if not phrase or unfit or phrase[0].lower in SUBJECT_PRONOUNS - {"this", "these", "those"}:
        return ""
    is_noun_phrase = phrase[0].text[0].isupper() or phrase[0].lower in {"the", "a", "an"}
    return text[phrase[0].start : phrase[-1].end] if is_noun_phrase else ""
