"""Coverage worked out: each fact, conclusion and term, the ratios, which formula and why, the numbers in it, the rounding."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from adjudge.records import Json
from adjudge.reports.worked_steps import Decider, Step, StepKind, exact_text, fraction_text
from adjudge.scoring.checklist import SHAPES
from adjudge.scoring.rationale import Counts, coverage_score, decimals, formula, read_rationale
from adjudge.scoring.terms import is_quoted
from adjudge.scoring.text import as_text, fold

KINDS: Mapping[str, StepKind] = {"facts": "fact", "conclusions": "conclusion", "terms": "term"}
IN_WORDS: Mapping[str, str] = {
    "facts_ratio": "facts",
    "conclusions_ratio": "conclusions",
    "terms_ratio": "terms",
    "organization_ratio": "organization",
}


def coverage_steps(
    parts: Mapping[str, Json], notes: Sequence[str], references: Sequence[str], decided: Decider = "model"
) -> Iterator[Step]:
    """From a verdict that the scorer `coverage` completed; nothing when it did not."""
    counts = read_counts(parts.get("counts"))
    if counts is None:
        return
    yield from reference_step(parts, references)
    for shape in SHAPES:
        rows = parts.get(shape.category)
        for row in rows if isinstance(rows, list) else []:
            if isinstance(row, dict):
                yield item_step(KINDS[shape.category], row, notes)
    yield organization_step(counts, decided)
    yield from counts_steps(counts)


def rationale_steps(parts: Mapping[str, Json]) -> Iterator[Step]:
    """From the k-of-n lines of a verdict that has them, as the seed prompt asks for; nothing when it has not."""
    counts = read_rationale(parts.get("rationale"))
    if counts is None:
        return
    lines = parts["rationale"]
    assert isinstance(lines, list)
    yield Step(
        kind="said",
        label="the verdict's own lines",
        value="k of n, as the model counted them",
        explanation="The model gave counts and no items, so they cannot be checked one by one.",
        details=tuple((f"line {number}", as_text(line)) for number, line in enumerate(lines[:5], 1)),
    )
    yield organization_step(counts)
    yield from counts_steps(counts)


def read_counts(found: Json) -> Counts | None:
    if not isinstance(found, dict):
        return None
    numbers: dict[str, int] = {}
    for name in ("facts", "matched_facts", "conclusions", "matched_conclusions", "terms", "matched_terms"):
        value = found.get(name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            return None
        numbers[name] = value
    organized = found.get("organized")
    return Counts(**numbers, organized=organized) if isinstance(organized, bool) else None


# ---- what was looked for ----


def reference_step(parts: Mapping[str, Json], references: Sequence[str]) -> Iterator[Step]:
    """With several references, which one the checklist was made from."""
    if len(references) < 2:
        return
    quotes = [
        str(row.get("quote"))
        for shape in SHAPES
        for row in _rows(parts.get(shape.category))
        if isinstance(row.get("quote"), str)
    ]
    folded = [fold(text) for text in references]
    counted = next(
        (place for place, text in enumerate(folded, 1) if all(is_quoted(quote, text) for quote in quotes)),
        None,
    )
    yield Step(
        kind="reference",
        label="reference",
        value=f"{counted} of {len(references)}" if counted else f"one of {len(references)}",
        explanation="Each reference has a checklist of its own; the one that is covered best counts.",
    )


def item_step(kind: StepKind, row: Mapping[str, Json], notes: Sequence[str]) -> Step:
    item_id, matched = as_text(row.get("id")), row.get("matched") is True
    evidence, quote, why = row.get("evidence"), row.get("quote"), row.get("why")
    said = fold(as_text(row.get("text"))).rstrip(".")
    if isinstance(quote, str) and fold(quote).rstrip(".") == said:
        quote = None  # nothing that the item itself does not say
    details = [("why", why), ("quote", quote), ("evidence", evidence)]
    explanation = ""
    if not matched and f"evidence_not_found:{item_id}" in notes:
        explanation = (
            "The model called it matched, but its evidence does not stand in the response: it does not count."
        )
    elif matched and row.get("found") == "code":
        explanation = "Found in the response by code; the model was not asked."
        details = [("quote", quote)]
    return Step(
        kind=kind,
        label=f"{item_id} {as_text(row.get('text'))}",
        value="matched" if matched else "missed",
        explanation=explanation,
        holds=matched,
        details=tuple((name, text) for name, text in details if isinstance(text, str) and text),
    )


def organization_step(counts: Counts, decided: Decider = "model") -> Step:
    seen = "as the model sees it" if decided == "model" else "as the places of the matched passages tell"
    return Step(
        kind="organization",
        label="organization",
        value="matched" if counts.organized else "mismatched",
        explanation=f"Whether the response puts things in the reference's order, {seen}: 1 or 0.",
        holds=counts.organized,
    )


def _rows(rows: Json) -> list[dict[str, Json]]:
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


# ---- what follows from the counts ----


def counts_steps(counts: Counts) -> Iterator[Step]:
    for name, matched, total, empty in (
        ("facts", counts.matched_facts, counts.facts, "1, because there were none to match"),
        ("conclusions", counts.matched_conclusions, counts.conclusions, "left out, because there are none"),
        ("terms", counts.matched_terms, counts.terms, "1, because there were none to match"),
    ):
        yield Step(
            kind="ratio",
            label=f"{name} matched",
            value=fraction_text(matched, total) if total else f"0 of 0: {empty}",
            number=matched / total if total else None if name == "conclusions" else 1.0,
        )
    summands, computed = formula(counts), coverage_score(counts)
    yield Step(
        kind="formula",
        label="formula",
        value="5 × (" + " + ".join(f"{part.weight} × {IN_WORDS[part.name]}" for part in summands) + ")",
        explanation=why_this_formula(counts),
    )
    filled = " + ".join(f"{part.weight} × {exact_text(part.ratio)}" for part in summands)
    inside = sum((part.ratio * Fraction(part.weight) for part in summands), Fraction(0))
    yield Step(
        kind="formula",
        label="with the numbers in it",
        value=f"5 × ({filled}) = 5 × {exact_text(inside)}",
    )
    yield Step(
        kind="exact",
        label="exactly",
        value=f"{exact_text(computed.exact)}{short_of(computed.exact)}",
        number=float(computed.exact),
    )
    yield Step(
        kind="rounding",
        label="rounded",
        value=str(computed.rounded),
        explanation="To the nearest whole number; a half goes up.",
        number=float(computed.rounded),
    )


def short_of(exact: Fraction) -> str:
    written, short = exact_text(exact), decimals(exact)
    if "/" not in written or Fraction(short) == exact:
        return ""
    return f" ≈ {short}"


def why_this_formula(counts: Counts) -> str:
    if counts.facts >= 1 and counts.matched_facts == 0:
        return (
            f"None of the {counts.facts} facts was matched: then conclusions and organization count for nothing. "
            "This rule goes before the other two."
            if counts.facts > 1
            else "The only fact was not matched: then conclusions and organization count for nothing. "
            "This rule goes before the other two."
        )
    if counts.conclusions:
        return "The reference has conclusions, so facts weigh 0.4 and conclusions 0.3."
    return "The reference has no conclusions, so facts weigh 0.7."
