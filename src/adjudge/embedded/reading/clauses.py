"""A sentence -> the clauses that state something by themselves, each with the words it needs from the rest.

Rules on word forms, no parser: they split where it is safe (a second subject with its verb, a second verb for the same
subject, `which …`, `because …`, a list that ends the sentence) and leave a sentence whole where it is not.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from adjudge.embedded.reading.enumerations import find_elements
from adjudge.embedded.reading.parsed import Parsed, parse
from adjudge.embedded.reading.words import (
    AUXILIARIES,
    DETERMINERS,
    FINITE_AUXILIARIES,
    IRREGULAR_PASTS,
    MODALS,
    NEGATIONS,
    OPEN_CLASS_BREAKERS,
    PARTICIPLES,
    PREPOSITIONS,
    SUBJECT_PRONOUNS,
    Form,
    is_content,
    is_finite_verb,
    is_word,
    opens_object,
    verb_form,
)
from adjudge.text import words


@dataclass(frozen=True, kw_only=True, slots=True)
class Clause:
    """A literal piece of a sentence; `before` is what it takes over from the rest of it to be understood alone."""

    text: str
    start: int
    before: str = ""
    connector: str = ""
    """The word that joined it: `because`, `so`, `and`; it is not part of the piece."""

    @property
    def statement(self) -> str:
        return f"{self.before} {self.text}" if self.before else self.text


class Joint(NamedTuple):
    """A place where a sentence can be split: what begins behind it, and at which token."""

    kind: Literal["clause", "verb", "relative"]
    resume: int


COORDINATORS = words("and but yet so while whereas although though because plus then")
AFTER_A_COMMA = words("while though although so then yet")
"""Without one, `so`, `then` and `while` mean other things."""
LEADING = words("although though because while whereas")
CONDITIONS = words("if unless when whenever whether until once either neither not only")
"""A sentence that begins with one is said under a condition: what follows holds under it too, and stays with it."""
CIRCUMSTANCES = words("as since given after before during despite")
"""What follows one of these up to the first comma belongs together."""
INNER_CONDITIONS = words("if unless whether when whenever")
OPENERS = words(
    "also then thus therefore hence later now still even not never often usually finally subsequently"
)
BEHIND_AND = words("then that thus therefore hence consequently so")
DASHES = "-–—"
LONGEST_SUBJECT = 12
SUBJECT_REACH = 9
"""Tokens within which a new subject must meet its verb; without a comma before it, four."""
LONGEST_ANTECEDENT = 6
MOST_TOKENS = 200
"""Of a sentence; a longer one is no language."""


def split_clauses(sentence: str) -> list[Clause]:
    """The clauses of a sentence in their order; the whole sentence when no split is safe."""
    parsed = parse(sentence, most=MOST_TOKENS)
    if parsed is None:
        return [Clause(text=sentence, start=0)]
    return [clause for start, end in semicolon_parts(parsed) for clause in part_clauses(parsed, start, end)]


def semicolon_parts(parsed: Parsed) -> Iterator[tuple[int, int]]:
    start, whole = 0, len(parsed.tokens)
    for at, token in enumerate(parsed.tokens):
        if (
            token.text == ";"
            and not parsed.depths[at]
            and states(parsed, start, at)
            and states(parsed, at + 1, whole)
        ):
            yield start, at
            start = at + 1
    yield start, whole


def states(parsed: Parsed, start: int, end: int) -> bool:
    """Whether these words can say anything: two that carry meaning, or one with a verb."""
    content = sum(is_content(token) for token in parsed.tokens[start:end])
    return content >= 2 or (content == 1 and parsed.first_verb(start, end) is not None)


def part_clauses(parsed: Parsed, start: int, end: int) -> Iterator[Clause]:
    conditional = parsed.tokens[start].lower in CONDITIONS
    elements = [] if conditional else find_elements(parsed, start, end)
    if elements:
        stem = parsed.text(start, elements[0][0]).rstrip(" ,-") if elements[0][0] > start else ""
        stem = stem.removeprefix("and ")
        for begin, finish in elements:
            yield piece(parsed, begin, finish, before=stem)
        return
    begin, before, connector = start, "", ""
    opening = leading_end(parsed, start, end) if parsed.tokens[start].lower in LEADING else None
    if opening is not None:
        yield piece(parsed, start + 1, opening, connector=parsed.tokens[start].lower)
        begin = opening + 1
    at = end if conditional else begin + 1
    if parsed.tokens[begin].lower in CIRCUMSTANCES:
        at = next((place + 1 for place in range(begin, end) if parsed.tokens[place].text == ","), end)
    main: int | None = None
    while at < end:
        first = parsed.first_verb(begin, at)
        main = main if first is None else first
        joint = joint_at(parsed, begin, at, end, main)
        if (
            joint is None
            or not states(parsed, joint.resume, end)
            or not (before or states(parsed, begin, at))
        ):
            at += 1
            continue
        yield piece(parsed, begin, at, before=before, connector=connector)
        match joint.kind:
            case "relative":
                before, connector = antecedent(parsed, begin, at) or "", "which"
            case "verb":
                before = before or shared_subject(parsed, begin, at, joint.resume)
                connector = joining_word(parsed, at, joint.resume)
            case "clause":
                before, connector = "", joining_word(parsed, at, joint.resume)
        main = main if joint.kind == "verb" else None
        begin, at = joint.resume, joint.resume + 1
    yield piece(parsed, begin, end, before=before, connector=connector)


def joining_word(parsed: Parsed, at: int, resume: int) -> str:
    return next((token.lower for token in reversed(parsed.tokens[at:resume]) if is_word(token)), "")


def joint_at(parsed: Parsed, begin: int, at: int, end: int, first: int | None) -> Joint | None:
    """What begins at this token, if anything does; `first` is the verb of the clause so far."""
    tokens = parsed.tokens
    if parsed.depths[at] or at + 2 >= end:
        return None
    comma = tokens[at].text == "," or tokens[at].text in DASHES
    joint = at + 1 if comma else at
    word = tokens[joint].lower
    if first is None:
        return None
    if any(token.lower in INNER_CONDITIONS for token in tokens[begin:at]):
        return None  # `p is true if q is false and r is true`: the rest may stand under the condition
    if comma and word in {"which", "who"}:
        ends_here = relative_end(parsed, at, end) == end  # else the main clause goes on behind it
        return Joint("relative", joint + 1) if ends_here and antecedent(parsed, begin, at) else None
    if comma and begins_verb(parsed, first, joint, end, commas_only=True):
        return Joint("verb", joint)
    if word not in COORDINATORS or (word in AFTER_A_COMMA and not comma):
        return None
    if any(token.lower == "that" for token in tokens[parsed.last_verb(begin, at) + 1 : at]):
        return None  # `He said that tiles and the roof are old`: the verb of that clause is still to come
    follows = joint + 1
    if word in {"and", "so"} and tokens[follows].lower in BEHIND_AND:
        follows += 2 if follows + 1 < end and tokens[follows + 1].text == "," else 1
    if follows + 1 >= end:
        return None
    if begins_clause(parsed, follows, end, strict=not comma and word in {"and", "but"}):
        return Joint("clause", follows)
    if word in {"and", "but", "then"} and begins_verb(parsed, first, follows, end):
        return Joint("verb", follows)
    return None


def begins_clause(parsed: Parsed, start: int, end: int, *, strict: bool) -> bool:
    """Whether a subject and its verb begin here; `strict`: only a subject that cannot be one more object before it."""
    tokens = parsed.tokens
    verb = parsed.first_verb(start, end)
    if verb == start and start + 1 < end and tokens[start + 1].lower in FINITE_AUXILIARIES:
        verb = start + 1  # `functions have to …`
    if verb is None or verb == start or verb - start > SUBJECT_REACH:
        return False
    if tokens[start].lower in PREPOSITIONS:
        return False
    between = tokens[start:verb]
    if any(token.text in ",;:" or token.lower in {"that", "which", "who"} for token in between):
        return False  # `tablets that do not last`: the verb is not theirs
    pronoun = tokens[start].lower in SUBJECT_PRONOUNS
    if not pronoun and not any(is_content(token) for token in between):
        return False
    word, after = tokens[verb].lower, tokens[verb + 1] if verb + 1 < end else None
    # `the inclusion of embedded products` has no verb; `rivals earned a point` has one.
    clear = word in FINITE_AUXILIARIES or word in IRREGULAR_PASTS or opens_object(after)
    if not clear and not pronoun:
        return False
    return not strict or verb - start <= 4


def begins_verb(parsed: Parsed, first: int, start: int, end: int, *, commas_only: bool = False) -> bool:
    """Whether a second verb for the same subject begins here: `… and sold the rest`."""
    tokens = parsed.tokens
    while start + 1 < end and (tokens[start].lower in OPENERS or tokens[start].lower.endswith("ly")):
        start += 1
    word, after = tokens[start].lower, tokens[start + 1] if start + 1 < end else None
    if word in FINITE_AUXILIARIES:
        return not commas_only and word not in {"'s", "’s"}
    form = verb_form(word)
    wanted = forms_after(parsed, first)
    if commas_only and first == 1 and first in parsed.bare:
        return False  # `To do this, open the lid`
    if commas_only:
        # `…, arrested by police` and `…, taking bribes` are no second verbs.
        wanted -= {"past"} if first not in parsed.gerunds else set()
        wanted -= {"ing"} if first not in parsed.gerunds else set()
    if form not in wanted or (form != "past" and (after is None or not is_word(after))):
        return False  # `precision and recall.`
    return opens_object(after) or (word in IRREGULAR_PASTS and after is not None and after.text[0].isupper())


def forms_after(parsed: Parsed, first: int) -> set[Form]:
    """The forms a verb can have that stands beside this one."""
    word = parsed.tokens[first].lower
    if word in MODALS:
        return {"base"}
    if word in AUXILIARIES:
        return {"past"}
    form = "base" if first in parsed.bare else verb_form(word)
    return {form} if form else set()


def shared_subject(parsed: Parsed, begin: int, at: int, resume: int) -> str:
    """The subject of the clause that begins here, with its auxiliaries when the second verb needs them too."""
    tokens = parsed.tokens
    # `He says that the hedge can stay but must be cut`: the hedge must be.
    reported = max((i for i in range(begin, at - 1) if tokens[i].lower == "that"), default=begin - 1)
    first = parsed.first_verb(reported + 1, at)
    if first is None:
        return ""
    begin, last = reported + 1, first
    follows = tokens[resume].lower
    auxiliary = tokens[first].lower
    if auxiliary in AUXILIARIES and follows not in FINITE_AUXILIARIES:
        # `were left homeless and met`: a form that is past and participle alike is taken for the past.
        shares = auxiliary in MODALS or follows.endswith("ed") or (follows in PARTICIPLES - IRREGULAR_PASTS)
        while shares and last < at and (tokens[last].lower in AUXILIARIES or tokens[last].lower in NEGATIONS):
            last += 1
    start = begin + 1 if tokens[begin].lower in {"and", "but"} and last - begin > 1 else begin
    if last <= start or last - start > LONGEST_SUBJECT:
        return ""
    return parsed.text(start, last).strip(" ,")


def leading_end(parsed: Parsed, start: int, end: int) -> int | None:
    """The comma that ends `Although …,` when both sides of it have a verb."""
    for at in range(start + 2, end):
        if parsed.tokens[at].text == "," and not parsed.depths[at]:
            both = parsed.first_verb(start, at) is not None and begins_clause(
                parsed, at + 1, end, strict=False
            )
            return at if both and states(parsed, start, at) else None
    return None


def relative_end(parsed: Parsed, at: int, end: int) -> int:
    """Where `, which …` ends: at a comma before a verb of the main clause, else with the sentence."""
    for place in range(at + 2, end - 1):
        if parsed.tokens[place].text == "," and not parsed.depths[place] and place + 1 in parsed.verbs:
            return place
    return end


def antecedent(parsed: Parsed, begin: int, at: int) -> str | None:
    """The noun phrase that ends here; None when what stands here is no noun, so that `which` means the whole clause."""
    tokens = parsed.tokens
    last = tokens[at - 1]
    if not is_content(last) or last.lower.endswith("ly") or last.text[0].isdigit():
        return None
    if at - begin > 1 and (tokens[at - 2].lower in MODALS or tokens[at - 2].lower in AUXILIARIES):
        return None
    defining = next((i for i in range(begin, at) if tokens[i].lower == "that"), None)
    if defining is not None:  # `A structure that can store elements, which has …`: the structure has it
        return parsed.text(begin, defining) if 0 < defining - begin <= LONGEST_ANTECEDENT else None
    start = at - 1
    while start > begin and at - start < LONGEST_ANTECEDENT:
        word = tokens[start - 1]
        if not is_word(word) or word.lower in OPEN_CLASS_BREAKERS - DETERMINERS:
            break
        if is_finite_verb(tokens, start - 1) or (start > 1 and tokens[start - 2].lower in MODALS):
            break
        start -= 1
        if word.lower in DETERMINERS:
            break
    if at - start == 1 and last.text.islower():
        return None  # `done by hand, which takes time`: not the hand does
    return parsed.text(start, at)


def piece(parsed: Parsed, start: int, end: int, *, before: str = "", connector: str = "") -> Clause:
    tokens = parsed.tokens
    while end - 1 > start and (tokens[end - 1].text in ",;:" or tokens[end - 1].lower in {"and", "or", "&"}):
        end -= 1
    while start < end - 1 and (
        tokens[start].text in ",;:"
        or tokens[start].lower in {"and", "or", "&"}
        or (
            tokens[start].text in DASHES and tokens[start + 1].start > tokens[start].end
        )  # `-3.7` keeps its sign
    ):
        start += 1
    return Clause(text=parsed.text(start, end), start=tokens[start].start, before=before, connector=connector)
