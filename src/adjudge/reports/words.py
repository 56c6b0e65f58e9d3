"""What outcomes and notes mean and what to do about them, and the lines that every written report has."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from adjudge.documents.numbers import (
    NOTHING_TO_SHOW,
    show_count,
    show_duration,
    show_mean,
    show_money,
    show_percent,
    show_rate,
)
from adjudge.embedded.card import Card, read_card
from adjudge.records import Scale
from adjudge.reports.evidence_words import grouping_facts, rest_cell, slices_aid
from adjudge.reports.summary import Agreement, Failure, Summary
from adjudge.stats.intervals import Estimate
from adjudge.text import shorten, visible


class Advice(NamedTuple):
    means: str
    do: str


FAILURES: Mapping[str, Advice] = {
    "missing_input": Advice(
        "something the judge needs is absent or blank",
        "fill the column, or map the input to another one",
    ),
    "bad_row": Advice("the row could not be read as a case", "mend the lines named"),
    "unreadable": Advice(
        "the model replied, but with no verdict of the form asked for",
        "try a stronger model, or ask for the form more plainly: `adjudge lint` on the judge says where",
    ),
    "refused": Advice("the model declined to answer", "read what was sent, or use another model"),
    "truncated": Advice(
        "the reply was cut off, twice", "allow longer replies: max_output_tokens in the judge file"
    ),
    "too_long": Advice(
        "the prompt does not fit the model", "shorten the case, or use a model with a larger context"
    ),
    "call_failed": Advice(
        "the model could not be reached or would not take the request",
        "see the message; when it is about the service, run the same command again",
    ),
    "not_asked": Advice(
        "the run stopped before its turn", "run the same command again, with a higher limit if one was hit"
    ),
}

NOTES: Mapping[str, str] = {
    "empty_response": "the response was blank: scored by rule, with no call",
    "planted_verdict": "the verdict also stood in the case, so the model was asked for it again, alone",
    "tool_calls_unknown": "whether tools were called is not known; the prompt may say that none were",
    "boundary_in_value": "a value holds the tag that ends it in the prompt",
    "left_out": "the model refuses a parameter, so it was not sent",
    "renamed": "the model wants a parameter under another name",
    "response_format": "the service refuses the usual way of asking for the form, so another was used",
    "evidence_not_found": "what was quoted does not stand in the response, so the item does not count",
    "unknown_id": "the model matched an item that is not on the checklist; it does not count",
    "term_dropped": "a number, stopword or formatting word is not a term",
    "duplicate_dropped": "an item stood on the checklist twice",
    "number": "numbers were compared in code; the rows say how far apart they are",
    "rationale_mismatch": "the score given is not the one the reply's own lines add up to",
    "reason_not_english": "the reason is not in English",
    "shared": "a request that several rows have in common was sent once",
    "missing_field": "a part of the verdict that the score does not need is missing",
    "wrong_type": "a part of the verdict that the score does not need has another form than was asked for",
    "list_length": "a list in the verdict is longer or shorter than was asked for",
    "extra_field": "the verdict holds a part that was not asked for",
    "uncertain": "close to the threshold: half of such verdicts are little better than a coin",
    "compared_in_code": "the expected answer is a number, so it was compared by rule and not by the model",
    "hidden_text": "the response holds characters that do not show; the embedded judge's model did not see them",
    "encoded_text": "the response holds encoded material nobody asked for; the embedded judge's model did not see it",
    "repeated_text": "the response says a sentence three times or more; the embedded judge's model saw it once",
    "language": "not English, which is all that the embedded judge was trained and measured on",
}


def _labels(agreement: Agreement, scale: Scale | None) -> str:
    if agreement.off_scale:
        on = f"{scale.low:g} to {scale.high:g}" if scale else "a number"
        example = visible(agreement.off_scale_example)
        return (
            f"labels: not compared: {show_count(agreement.off_scale)} of {show_count(agreement.labelled)} are on another "
            f"scale than the judge's, {on} (such as `{example}`); `adjudge agree RUN --label-map {example}=…` says what "
            "each stands for"
        )
    lost = agreement.labelled - agreement.judged
    near = f"; within one step {show_rate(agreement.within_one)}" if agreement.within_one else ""
    return (
        f"labels: {show_count(agreement.equal)} of {show_count(agreement.judged)} judged rows with a label agree, "
        f"{show_rate(agreement.rate)}{near}" + (f"; {_rows(lost)} with a label not judged" if lost else "")
    )


def facts(summary: Summary) -> list[str]:
    """Sentences beside the figures, safe to show on a terminal."""
    lines = []
    if summary.forced:
        lines.append(
            f"{_rows(summary.forced)} got a score by rule, with no call; mean without: "
            f"{show_mean(summary.mean_without_forced)} (n {show_count(summary.scored)})"
        )
    if summary.distribution:
        counts = ", ".join(f"{score}: {show_count(count)}" for score, count in summary.distribution.items())
        lines.append(f"scores given: {counts}")
    if summary.agreement:
        lines.append(_labels(summary.agreement, summary.scale))
    card = card_of(summary)
    if card:
        lines.append(
            f"how far {visible(summary.model)} agrees with people elsewhere: {card.in_words(summary.judge)}"
        )
    if summary.pass_rate and summary.pass_bounds and summary.pass_rate.n < summary.asked:
        low, high = show_percent(summary.pass_bounds.low), show_percent(summary.pass_bounds.high)
        lines.append(f"pass rate if all the rest failed: {low}; if all passed: {high}")
    lines += temperature_facts(summary)
    lines += grouping_facts(summary)
    if summary.from_store:
        lines.append(f"{_rows(summary.from_store)} answered from the store, with no call and no cost")
    lines += _effort(summary)
    for kind, count in summary.notes.items():
        meaning = f": {NOTES[kind]}" if kind in NOTES else ""
        lines.append(f"note {visible(kind)} on {_rows(count)}{meaning}")
    return lines


def temperature_facts(summary: Summary) -> list[str]:
    """Named wherever it is not the usual 0, and with repeats, whose noise depends on it."""
    usual = summary.temperatures in {(), (0.0,)} and summary.repeats < 2
    if usual or not summary.temperatures:
        return []
    if summary.model.startswith("embedded@"):
        return ["temperature: none, the embedded judge says the same every time"]
    asked = ["the provider's default" if degree is None else f"{degree:g}" for degree in summary.temperatures]
    return [f"temperature: {', '.join(asked)}"]


def card_of(summary: Summary) -> Card | None:
    """The card of the embedded judge, where it is this version of it that judged."""
    if not summary.model.startswith("embedded@"):
        return None
    card = read_card()
    return card if card.model == summary.model and card.for_judge(summary.judge) else None


def failure_heading(kind: str, summary: Summary) -> str:
    """`3 unreadable: what that means. What to do.`"""
    advice = FAILURES[kind]
    finer = {name: count for name, count in summary.error_kinds.get(kind, {}).items() if name != kind}
    detail = (
        f" ({', '.join(f'{visible(name)} {show_count(n)}' for name, n in finer.items())})" if finer else ""
    )
    return f"{show_count(summary.outcomes[kind])} {kind}{detail}: {advice.means}. {advice.do[0].upper()}{advice.do[1:]}."


def failure_line(failure: Failure) -> str:
    """`case c7 (cases.jsonl line 8): what was wrong`, on one line."""
    place = f" ({failure.place})" if failure.place and str(failure.place) not in failure.message else ""
    return visible(shorten(f"case {failure.case_id}{place}: {failure.message}", 500))


def reading_aids(summaries: Sequence[Summary]) -> list[str]:
    """How the figures were made: only what applies to these."""
    lines = []
    parts = [
        f"{figure} by {methods}"
        for figure, methods in (
            ("mean", _methods({summary.judge: summary.mean for summary in summaries})),
            ("pass rate", _methods({summary.judge: summary.pass_rate for summary in summaries})),
        )
        if methods
    ]
    if parts:
        lines.append(f"[low, high] is a 95 % interval: {'; '.join(parts)}.")
    if any(summary.not_judged and summary.bounds for summary in summaries):
        lines.append(
            "If the rest: the mean, had all rows that were not judged got the lowest, or the highest, score."
        )
    return lines + slices_aid(summaries)


def _methods(estimates: Mapping[str, Estimate | None]) -> str:
    """`t`, or `t (correctness, coverage), the whole scale (one case) (relevance)`."""
    judges: dict[str, list[str]] = {}
    for judge, estimate in estimates.items():
        if estimate:
            judges.setdefault(estimate.method, []).append(visible(judge))
    if len(judges) == 1:
        return next(iter(judges))
    return ", ".join(f"{method} ({', '.join(names)})" for method, names in judges.items())


def _effort(summary: Summary) -> list[str]:
    """What the calls took; nothing for replies that came from a file in no time."""
    parts = []
    if summary.latency and summary.latency.p95_ms >= 0.5:
        middle, most = show_duration(summary.latency.p50_ms), show_duration(summary.latency.p95_ms)
        parts.append(f"time per judgement: {middle} (95 in 100 within {most})")
    counts = (("in", summary.usage.input), ("cached", summary.usage.cached), ("out", summary.usage.output))
    tokens = [f"{show_count(count)} {word}" for word, count in counts if count is not None]
    if tokens:
        parts.append(f"tokens: {', '.join(tokens)}")
    return ["; ".join(parts)] if parts else []


def judge_name(summary: Summary) -> str:
    """`name@hash`, the hash as short as it stays telling."""
    digest = summary.judge_hash
    return visible(f"{summary.judge}@{digest if len(digest) <= 16 else digest[:12]}")


def model_name(summary: Summary) -> str:
    return visible(summary.model) or NOTHING_TO_SHOW


def if_the_rest(summary: Summary) -> str:
    return rest_cell(summary.bounds, summary.not_judged)


def cost(summary: Summary) -> str:
    return show_money(summary.cost, summary.cost_unknown)


def _rows(count: int) -> str:
    return f"{show_count(count)} row" if count == 1 else f"{show_count(count)} rows"
