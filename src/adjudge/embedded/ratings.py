"""`relevance` and `helpfulness` on the small model: the expected value of the scale, and reasons found in code."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from adjudge.embedded.model.questions import LOWEST, Question, expected_value
from adjudge.embedded.model.small_model import TextModel
from adjudge.embedded.reading.evidence import overlap, unanswered
from adjudge.embedded.reading.signs import DECLINES
from adjudge.embedded.reply import UNCERTAIN, JobReply, percent
from adjudge.records import Json, Measured
from adjudge.scoring.text import text_of

RULE_MADE = "Written by rules from what could be counted in the text; the rating is the model's."
SPECIFIC = re.compile(r"\d|https?://|`[^`]+`|\b[A-Z][a-z]+ [A-Z][a-z]+\b")
STEPS = re.compile(r"^[^\S\n]*+(?:[-*•]|\d+[.)])\s++\S", re.MULTILINE)
HEDGES = re.compile(
    r"\b(?:it depends|may|might|perhaps|possibly|generally|usually|i(?: a|')m not sure|as an ai)\b",
    re.IGNORECASE,
)
SHORT_WORDS, LONG_WORDS = 12, 400


async def judge_relevance(model: TextModel, fields: Mapping[str, Json]) -> JobReply:
    question, response = request_of(fields), text_of(fields, "response")
    answer = await model.relevant(question=with_context(question, fields), response=response)
    rated = rate("relevant", answer.probabilities)
    missing = unanswered(question, response)
    reasons = [f"The model's expected relevance is {rated.exact:.2f} on a scale of 0 to 5."]
    reasons.append(
        f"Going by the words they share, it does not touch on {quoted(missing)}."
        if missing
        else "Going by the words they share, it touches on every part of the request that could be told apart."
    )
    reasons += [sentence for _, sentence in faults(response) if sentence]
    return JobReply(
        parts={"reason": " ".join(reasons), "score": rated.value},
        measured=Measured(probability=rated.probability, exact=rated.exact),
        notes=rated.notes,
        tokens=answer.tokens,
        read=answer.read,
    )


async def judge_helpfulness(model: TextModel, fields: Mapping[str, Json]) -> JobReply:
    question, response = text_of(fields, "question"), text_of(fields, "response")
    answer = await model.helpful(question=question, response=response)
    rated = rate("helpful", answer.probabilities)
    missing = unanswered(question, response)
    strengths, weaknesses, advice = sides(question, response, missing)
    parts: dict[str, Json] = {
        "evaluation": f"The model's expected helpfulness is {rated.exact:.2f} on a scale of 1 to 4. {RULE_MADE}",
        "strengths": list(strengths),
        "weaknesses": list(weaknesses),
        "detailed_analysis": analysis(question, response, answer.probabilities, missing),
        "recommendations": list(advice),
        "rating": rated.value,
    }
    return JobReply(
        parts=parts,
        measured=Measured(probability=rated.probability, exact=rated.exact),
        notes=rated.notes,
        tokens=answer.tokens,
        read=answer.read,
    )


class Rated(NamedTuple):
    """A place on a scale."""

    value: int
    exact: float
    probability: float
    """That the whole number is the right one."""
    notes: tuple[str, ...]


def rate(question: Question, steps: Sequence[float]) -> Rated:
    """The place that the probabilities of reaching each step of the scale amount to."""
    exact, low = expected_value(question, steps), LOWEST[question]
    value = min(low + len(steps), int(exact + 0.5))
    at_least = [1.0, *steps, 0.0]
    near_a_half = abs(exact % 1 - 0.5) < UNCERTAIN
    return Rated(
        value=value,
        exact=exact,
        probability=at_least[value - low] - at_least[value - low + 1],
        notes=("uncertain",) if near_a_half else (),
    )


def request_of(fields: Mapping[str, Json]) -> str:
    """The request itself; where the parameters name none, all of them."""
    return text_of(fields, "question") or text_of(fields, "parameters")


def with_context(question: str, fields: Mapping[str, Json]) -> str:
    """What came with the request stands behind it, as in training; of a long one the beginning and the end are read."""
    context = text_of(fields, "context")
    return f"{question} {context}" if context.strip() else question


def quoted(parts: Sequence[str]) -> str:
    return ", ".join(f"“{part}”" for part in parts)


def faults(response: str) -> list[tuple[str, str]]:
    """What can be counted against a response whatever was asked: (its short name, a sentence)."""
    words = len(response.split())
    found: list[tuple[str, str]] = []
    if DECLINES.search(response[:400]):
        found.append(("refuses", "It says that it cannot answer."))
    if words < SHORT_WORDS:
        found.append(("short", f"It has only {words} words."))
    if words > LONG_WORDS:
        found.append(("long", f"It has {words} words, more than most questions need."))
    if len(HEDGES.findall(response)) > max(2, words // 40):
        found.append(("hedged", "Much of it is hedged."))
    return found


def sides(question: str, response: str, missing: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Two or three strengths, two or three weaknesses, one or two recommendations, each tied to something counted."""
    words = len(response.split())
    weak = dict(faults(response))
    steps = len(STEPS.findall(response))
    specifics = len(SPECIFIC.findall(response))
    shared = overlap(question, response)
    strengths = [
        f"It takes up {percent(shared)} of the question's content words." if shared >= 0.5 else "",
        f"It sets out {steps} points or steps." if steps >= 2 else "",
        f"It is specific: {specifics} figures, names, links or code fragments." if specifics >= 2 else "",
        f"It keeps to {words} words." if SHORT_WORDS <= words <= LONG_WORDS else "",
        "It does not hedge." if "hedged" not in weak and "refuses" not in weak else "",
    ]
    weaknesses = [
        f"It does not touch on {quoted(missing)}." if missing else "",
        *weak.values(),
        f"It takes up only {percent(shared)} of the question's content words." if shared < 0.5 else "",
        "It gives no figures, names, links or code." if not specifics else "",
        "It gives no separate points or steps to follow." if steps < 2 else "",
    ]
    advice = [
        f"Answer {quoted(missing)}." if missing else "",
        "Answer the question, or say what would be needed to answer it." if "refuses" in weak else "",
        "Add figures, names or an example." if not specifics else "",
        "Shorten it to what was asked." if "long" in weak else "",
        "Say more than the bare answer." if "short" in weak else "",
    ]
    return (
        chosen(strengths, fewest=2, most=3, filler="No further strength was found by counting."),
        chosen(weaknesses, fewest=2, most=3, filler="No further weakness was found by counting."),
        chosen(advice, fewest=1, most=2, filler="Nothing to recommend was found by counting."),
    )


def chosen(sentences: Sequence[str], *, fewest: int, most: int, filler: str) -> list[str]:
    found = [sentence for sentence in sentences if sentence][:most]
    return found + [filler] * (fewest - len(found))


def analysis(question: str, response: str, steps: Sequence[float], missing: Sequence[str]) -> str:
    """One paragraph through what was measured, and an honest word on what was not."""
    likely = ", ".join(
        f"at least {LOWEST['helpful'] + number}: {percent(step)}" for number, step in enumerate(steps, 1)
    )
    return (
        f"Relevance: {percent(overlap(question, response))} of the question's content words are taken up"
        f"{f', {quoted(missing)} not at all' if missing else ''}. "
        f"Utility: {len(STEPS.findall(response))} separate points or steps. "
        f"Probabilities of the rating: {likely}. "
        "Accuracy, clarity, reasoning and tone were weighed by the model only as part of its rating. "
        f"{RULE_MADE}"
    )
