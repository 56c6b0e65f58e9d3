"""`correctness` on the small model: a numeric reference is compared in code, everything else by the model."""

from collections.abc import Mapping, Sequence

from adjudge.embedded.model.small_model import ModelAnswer, TextModel
from adjudge.embedded.reading.numbers import NumberFound, any_number
from adjudge.embedded.reading.signs import correctness_signs, signs_seen, weighed
from adjudge.embedded.reply import UNCERTAIN, JobReply, alternatives, percent
from adjudge.records import Json, Measured
from adjudge.scoring.text import NumberText, clipped, text_of

THRESHOLD = 0.5
SURE = 0.95
"""How sure a comparison in code is taken to be where the model agrees with it."""


async def judge_correctness(model: TextModel, fields: Mapping[str, Json]) -> JobReply:
    question, response = text_of(fields, "question"), text_of(fields, "response")
    expected = alternatives(fields, "reference")
    number = any_number(question, expected, response)
    if number is not None and not quotable(number, expected, response):
        number = None
    answer = await model.correct(question=question, expected=expected, response=response)
    signs = correctness_signs(question, expected, response)
    if number is None:
        return by_model(answer, signs)
    return by_code(number, weighed(answer.probabilities[0], signs), answer)


def quotable(number: NumberFound, expected: Sequence[str], response: str) -> bool:
    """Whether both quotations will be found where they were taken from; the scorer looks."""
    in_reference = any(NumberText(text).has(number.expected) for text in expected)
    return in_reference and (number.response is None or NumberText(response).has(number.response))


def by_code(number: NumberFound, likely: float, answer: ModelAnswer) -> JobReply:
    """The scorer compares the two numbers once more, with its own margins, and decides."""
    agreeing = max(SURE, likely) if number.agrees else min(1 - SURE, likely)
    finding = (
        f"the response gives {clipped(number.response)}"
        if number.response
        else "the response gives no such number"
    )
    return JobReply(
        parts={
            "reason": f"The expected answer is the number {clipped(number.expected)}; {finding} ({number.how}). Compared in code.",
            "contradicts": False,
            "misses_critical": False,
            "calculation": False,
            "numbers": [{"expected": number.expected, "response": number.response, "critical": True}],
        },
        measured=Measured(probability=agreeing if number.agrees else 1 - agreeing),
        notes=("compared_in_code",),
        tokens=answer.tokens,
        read=answer.read,
    )


def by_model(answer: ModelAnswer, signs: Mapping[str, float]) -> JobReply:
    likely = weighed(answer.probabilities[0], signs)
    agrees = likely >= THRESHOLD
    estimate = f"The model gives {percent(answer.probabilities[0])} that the response agrees with the expected answer"
    if seen := signs_seen(signs):
        estimate += f", set to {percent(likely)} by rule because {' and '.join(seen)}"
    return JobReply(
        parts={
            "reason": f"{estimate}.",
            # what is not there, whether or not something else is said instead: the model was not asked which
            "contradicts": False,
            "misses_critical": not agrees,
            "calculation": False,
            "numbers": [],
        },
        measured=Measured(probability=likely if agrees else 1 - likely),
        notes=("uncertain",) if abs(likely - THRESHOLD) < UNCERTAIN else (),
        tokens=answer.tokens,
        read=answer.read,
    )
