"""Correctness worked out: every number compared, as quoted and as read, with its margin; and the rule that gave 0 or 1."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from adjudge.records import Json
from adjudge.reports.worked_steps import Decider, Step, exact_text
from adjudge.scoring.codes import Code
from adjudge.scoring.correctness import (
    CALCULATION_MARGIN,
    LOOKED_AT,
    MARGIN,
    SCALE_QUESTION,
    YEAR_QUESTION,
    QuotedPair,
    compare_pair,
    read_pairs,
)
from adjudge.scoring.moments import Moment
from adjudge.scoring.numbers import (
    Comparison,
    compare_spans,
    in_unit_of,
    percent,
    read_name,
    rescaled,
    within,
)
from adjudge.scoring.quantities import Amount, Span, read_spans
from adjudge.scoring.scorer import Invalid
from adjudge.scoring.text import as_text, clipped
from adjudge.scoring.units import find_scale

FLAGS = (
    ("contradicts", "contradicts the expected output", "does not contradict the expected output"),
    ("misses_critical", "misses something critical", "misses nothing critical"),
)


BY_RULE = {
    "contradicts": "the model gives less than 50 % that the response agrees, and it shares words with the expected answer",
    "misses_critical": "the model gives less than 50 % that the response agrees, and it shares no word with the expected "
    "answer",
}
"""When the embedded judge sets a flag."""


def correctness_steps(
    parts: Mapping[str, Json], fields: Mapping[str, Json] | None, decided: Decider = "model"
) -> Iterator[Step]:
    """From a verdict of the scorer `correctness`; nothing when it is none. `fields` None: the case is not there."""
    pairs = read_pairs(parts.get("numbers"))
    if isinstance(pairs, Invalid) or not isinstance(parts.get("contradicts"), bool):
        return
    wrong: list[str] = []
    for name, so, not_so in FLAGS:
        said = parts.get(name) is True
        reason = f"the response {so}" if decided == "model" else BY_RULE[name]
        wrong += [reason] if said else []
        yield Step(
            kind="flag",
            label=name,
            value="true" if said else "false",
            explanation=flag_words(name, so if said else not_so, decided),
            holds=not said,
        )
    margin = CALCULATION_MARGIN if parts.get("calculation") else MARGIN
    if pairs:
        yield margin_step(margin)
    question = None if fields is None else as_text(fields.get("question") or "")[:LOOKED_AT]
    stored = parts.get("numbers")
    rows = stored if isinstance(stored, list) else []
    for pair, row in zip(pairs, rows, strict=True):
        kept = row.get("agrees") if isinstance(row, dict) else None
        if question is None:
            agrees = kept is True
            yield stored_step(pair, agrees=agrees)
        else:
            comparison = compare_pair(pair, margin, question)
            agrees = comparison.agrees
            yield number_step(pair, comparison, margin, question)
        if pair.critical and not agrees:
            wrong.append(f"the critical number {clipped(pair.expected, 40)} does not agree")
    yield rule_step(wrong, numbers=sum(pair.critical for pair in pairs), decided=decided)


def flag_words(name: str, says: str, decided: Decider) -> str:
    match decided:
        case "model":
            return f"The model says that the response {says}."
        case "code":
            return "The model was not asked: the expected answer is a number, which is compared in code."
        case "rule":
            return f"The model was not asked; set by rule when {BY_RULE[name]}."


def margin_step(margin: Fraction) -> Step:
    pure = margin == CALCULATION_MARGIN
    return Step(
        kind="margin",
        label="margin",
        value=f"m = {exact_text(margin)} ({percent(margin)})",
        explanation=(
            "The question is pure calculation, so the margin is 2 % and not 4 %."
            if pure
            else "The question is not pure calculation (that would be 2 %)."
        )
        + " A number agrees when |response − expected| ≤ m · |expected|, the bound included; years, dates, times, "
        "ordinals, versions and identifiers have no margin.",
        number=float(margin),
    )


def rule_step(wrong: list[str], *, numbers: int, decided: Decider) -> Step:
    if wrong:
        found = "; ".join(wrong)
        return Step(
            kind="rule",
            label="rule",
            value="0",
            explanation=f"{found[0].upper()}{found[1:]}. {'That alone' if len(wrong) == 1 else 'One of these'} is enough "
            "for a 0.",
            number=0.0,
            holds=False,
        )
    agreed = {
        0: "and no number is critical",
        1: "and the critical number agrees",
    }.get(numbers, f"and all {numbers} critical numbers agree")
    return Step(
        kind="rule",
        label="rule",
        value="1",
        explanation={
            "model": f"Nothing contradicts, nothing critical is missing, {agreed}.",
            "code": "The expected number agrees.",
            "rule": "The model gives 50 % or more that the response agrees with the expected answer.",
        }[decided],
        number=1.0,
        holds=True,
    )


# ---- one number ----


def stored_step(pair: QuotedPair, *, agrees: bool) -> Step:
    return Step(
        kind="number",
        label=_against(pair),
        value=_agreement(agrees),
        explanation="As stored: the case itself is not there to compare again.",
        holds=agrees,
        details=(*_quoted(pair), ("critical", _critical(pair))),
    )


def number_step(pair: QuotedPair, comparison: Comparison, margin: Fraction, question: str) -> Step:
    scale = SCALE_QUESTION.search(question)
    scale_asked = None if scale is None else find_scale(scale[1])
    details = [*_quoted(pair)]
    if pair.response is not None:
        year_asked = YEAR_QUESTION.search(question) is not None
        details += as_read(
            pair.expected, pair.response, comparison, margin, scale_asked, year_asked=year_asked
        )
    details += [("result", comparison.how), ("critical", _critical(pair))]
    return Step(
        kind="number",
        label=_against(pair),
        value=_agreement(comparison.agrees),
        explanation="" if pair.critical else "Not critical, so it does not decide.",
        number=None if comparison.difference is None else _float(comparison.difference),
        holds=comparison.agrees,
        details=tuple(details),
    )


def as_read(
    expected: str,
    response: str,
    comparison: Comparison,
    margin: Fraction,
    scale_asked: Fraction | None,
    *,
    year_asked: bool,
) -> Iterator[tuple[str, str]]:
    """The readings that were compared: those that alone come to the same comparison."""
    if comparison.how.startswith("compared exactly"):
        for side, text in (("expected", expected), ("response", response)):
            yield f"{side}, as read", name_text(read_name(text, year_asked=year_asked), text)
        return
    for ours in read_spans(expected):
        for theirs in read_spans(response):
            if compare_spans([ours], [theirs], margin, scale_asked) != comparison:
                continue
            yield "expected, as read", span_text(ours)
            yield "response, as read", span_text(theirs)
            yield from bound(ours, theirs, comparison, margin, scale_asked)
            return


def bound(
    ours: Span, theirs: Span, comparison: Comparison, margin: Fraction, scale_asked: Fraction | None
) -> Iterator[tuple[str, str]]:
    """`|7.4 − 7.5| = 0.1 ≤ 0.04 · 7.5 = 0.3`, for single numbers; ranges say it in words."""
    if ours.high is not None or theirs.high is not None:
        return
    second = any(amount.numeral.second for amount in (ours.low, theirs.low))
    allowed = Fraction(0) if second else margin
    readings = [("", ours.low, theirs.low)]
    if scale_asked is not None:
        wide_ours, wide_theirs = rescaled(ours, scale_asked).low, rescaled(theirs, scale_asked).low
        readings += [
            ("the question asks for this scale", a, b)
            for a, b in ((wide_ours, wide_theirs), (wide_ours, theirs.low), (ours.low, wide_theirs))
        ]
    for why, wanted, said in readings:
        for value in in_unit_of(wanted, said):
            if within(value, wanted.value, allowed) != comparison:
                continue
            if value != theirs.low.value or why:
                unit = wanted.unit.name if wanted.unit else ""
                yield (
                    "response, in the expected unit",
                    f"{exact_text(value)} {unit}".strip() + (f" ({why})" if why else ""),
                )
            if second:
                yield "margin", "none: digits are read in their less likely way, so they have to be equal"
            off, most = abs(value - wanted.value), allowed * abs(wanted.value)
            sign = "≤" if off <= most else ">"
            left = f"|{exact_text(value)} − {exact_text(wanted.value)}| = {exact_text(off)}"
            right = f"{exact_text(allowed)} · |{exact_text(wanted.value)}| = {exact_text(most)}"
            yield "difference", f"{left} {sign} {right}"
            return


def span_text(span: Span) -> str:
    low = amount_text(span.low)
    return low if span.high is None else f"{low} to {amount_text(span.high)}"


def amount_text(amount: Amount) -> str:
    unit = amount.unit
    if unit is None:
        return exact_text(amount.value)
    name = "/".join(sorted(unit.currencies)) if 0 < len(unit.currencies) <= 3 else unit.name
    return f"{exact_text(amount.value)} {name}"


def name_text(name: Moment | Code | None, text: str) -> str:
    if isinstance(name, Moment):
        return f"{name.word.removesuffix('s')} {clipped(text, 60)}: compared exactly"
    if isinstance(name, Code):
        return f"{name.kind} {clipped(text, 60)}: compared exactly"
    return clipped(text, 60)


def _quoted(pair: QuotedPair) -> tuple[tuple[str, str], ...]:
    return (("expected", pair.expected), ("response", pair.response or "nothing was quoted"))


def _against(pair: QuotedPair) -> str:
    said = "nothing" if pair.response is None else clipped(pair.response, 60)
    return f"{said} against {clipped(pair.expected, 60)}"


def _agreement(agrees: bool) -> str:  # noqa: FBT001 - it is all that this function is about
    return "agrees" if agrees else "does not agree"


def _critical(pair: QuotedPair) -> str:
    return "yes: it decides" if pair.critical else "no"


def _float(value: Fraction) -> float | None:
    try:
        return float(value)
    except OverflowError:
        return None
