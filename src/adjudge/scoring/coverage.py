"""`coverage`: how much of a reference's facts, conclusions and terms an output states, computed from checked matches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal, NamedTuple

from adjudge.records import Json, Scale, Verdict
from adjudge.scoring.checklist import (
    SHAPES,
    Checklist,
    bounded,
    build_checklist,
    named,
    read_checklist,
    unanswered,
    unknown_ids,
)
from adjudge.scoring.rationale import FORCED_RATIONALE, Counts, coverage_score, rationale
from adjudge.scoring.rules import on_scale, with_steps
from adjudge.scoring.scorer import Invalid, Scorer, Scoring
from adjudge.scoring.steps import ItemStep
from adjudge.scoring.terms import is_quoted, term_text
from adjudge.scoring.text import clipped, fold, text_of


class ItemAnswer(NamedTuple):
    """What the model said about one item."""

    matched: bool
    evidence: str | None
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class CoverageScorer(Scorer):
    scale: Scale | None
    whole_points: ClassVar[bool] = True

    def validate_items(
        self, parts: Mapping[str, Json], fields: Mapping[str, Json]
    ) -> Mapping[str, Json] | Invalid:
        built = build_checklist(parts, text_of(fields, "reference"))
        return built if isinstance(built, Invalid) else built.as_json()

    def items_to_ask(self, items: Mapping[str, Json], fields: Mapping[str, Json]) -> Json:
        """Ids and texts; terms that code finds in the output are not asked about."""
        checklist = read_checklist(items)
        if isinstance(checklist, Invalid):
            return dict(items)
        output = term_text(text_of(fields, "response"))
        asked: dict[str, Json] = {}
        for shape in SHAPES:
            asked[shape.category] = [
                {"id": item.item_id, shape.key: item.text}
                for item in checklist.of(shape.category)
                if shape.category != "terms" or not output.has(item.text)
            ]
        return asked

    def items_in(self, parts: Mapping[str, Json]) -> Mapping[str, Json] | None:
        items: dict[str, Json] = {}
        for shape in SHAPES:
            rows = parts.get(shape.category)
            items[shape.category] = [
                {"id": row.get("id"), shape.key: row.get("text"), "quote": row.get("quote")}
                for row in (rows if isinstance(rows, list) else [])
                if isinstance(row, dict)
            ]
        return items

    def parts_unasked(self, value: float) -> Mapping[str, Json]:
        return {"score": value, "rationale": list(FORCED_RATIONALE)}

    def explain(
        self, verdict: Verdict, fields: Mapping[str, Json], items: Mapping[str, Json] | None
    ) -> Scoring | Invalid:
        checklist = Invalid(why="there is no checklist to score") if items is None else read_checklist(items)
        if isinstance(checklist, Invalid):
            return checklist
        if not checklist.facts and not checklist.conclusions:
            return Invalid(why="the checklist has neither a fact nor a conclusion")
        organization = verdict.parts.get("organization")
        if organization not in {"matched", "mismatched"}:
            return Invalid(why="`organization` has to be matched or mismatched")
        answers = read_answers(verdict.parts)
        if isinstance(answers, Invalid):
            return answers
        notes: list[str] = []
        matches = match_items(checklist, answers, text_of(fields, "response"), notes)
        if isinstance(matches, Invalid):
            return matches
        return self.result(
            matches, organized=organization == "matched", notes=(*checklist.notes, *bounded(notes))
        )

    def result(
        self, matches: Sequence[ItemStep], *, organized: bool, notes: tuple[str, ...]
    ) -> Scoring | Invalid:
        by_category = {
            shape.category: [match for match in matches if match.category == shape.category]
            for shape in SHAPES
        }
        totals = {category: len(found) for category, found in by_category.items()}
        matched = {
            f"matched_{category}": sum(match.matched for match in found)
            for category, found in by_category.items()
        }
        computed = coverage_score(Counts(**totals, **matched, organized=organized))
        listed: dict[str, Json] = {
            category: [as_json(match) for match in found] for category, found in by_category.items()
        }
        parts: dict[str, Json] = {
            **listed,
            "organization": "matched" if organized else "mismatched",
            "counts": counts_as_json(computed.counts),
            "rationale": list(rationale(computed)),
            "score": computed.rounded,
        }
        scored = on_scale(
            self.scale,
            Fraction(computed.rounded),
            "the coverage score",
            exact=computed.exact,
            notes=notes,
            parts=parts,
        )
        return with_steps(scored, *matches, computed)


def match_items(
    checklist: Checklist, answers: Mapping[str, ItemAnswer], output: str, notes: list[str]
) -> list[ItemStep] | Invalid:
    """Each item, decided: a match counts only with evidence that stands in the output, and code looks for terms first."""
    folded, words = fold(output), term_text(output)
    matches: list[ItemStep] = []
    open_ids: list[str] = []
    known: set[str] = set()
    for shape in SHAPES:
        is_term = shape.category == "terms"
        for item in checklist.of(shape.category):
            known.add(item.item_id)
            about = (shape.category, item.item_id, item.text, item.quote)
            if is_term and words.has(item.text):
                matches.append(ItemStep(*about, True, item.text, "the output has the term", "code"))
                continue
            answer = answers.get(item.item_id)
            if answer is None:
                open_ids.append(item.item_id)
                continue
            matched = answer.matched
            if matched and not (answer.evidence is not None and is_quoted(answer.evidence, folded)):
                matched = False
                notes.append(f"evidence_not_found:{item.item_id}")
            found: Literal["model"] | None = "model" if matched and is_term else None
            matches.append(ItemStep(*about, matched, answer.evidence, answer.why, found))
    if open_ids:
        return unanswered(open_ids)
    notes += unknown_ids(answers, known)
    return matches


def as_json(match: ItemStep) -> dict[str, Json]:
    row: dict[str, Json] = {
        "id": match.item_id,
        "text": match.text,
        "quote": match.quote,
        "matched": match.matched,
        "evidence": match.evidence,
        "why": match.why,
    }
    return {**row, "found": match.found} if match.category == "terms" else row


def counts_as_json(counts: Counts) -> dict[str, Json]:
    return {
        "facts": counts.facts,
        "matched_facts": counts.matched_facts,
        "conclusions": counts.conclusions,
        "matched_conclusions": counts.matched_conclusions,
        "terms": counts.terms,
        "matched_terms": counts.matched_terms,
        "organized": counts.organized,
    }


def read_answers(parts: Mapping[str, Json]) -> dict[str, ItemAnswer] | Invalid:
    """The answers by id, whatever list they stand in; an id answered twice says nothing."""
    answers: dict[str, ItemAnswer] = {}
    twice: list[str] = []
    for shape in SHAPES:
        rows = parts.get(shape.category)
        if rows is None:
            continue
        if not isinstance(rows, list):
            return Invalid(why=f"`{shape.category}` has to be a list")
        for position, row in enumerate(rows, 1):
            item_id = row.get("id") if isinstance(row, dict) else None
            if not isinstance(row, dict) or not isinstance(item_id, str) or not item_id.strip():
                return Invalid(why=f"answer {position} of `{shape.category}` has no `id`")
            item_id = item_id.strip().upper()
            matched, evidence, why = row.get("matched"), row.get("evidence"), row.get("why")
            if not isinstance(matched, bool):
                return Invalid(why=f"`matched` of {clipped(item_id, 20)} has to be true or false")
            if item_id in answers:
                twice.append(clipped(item_id, 20))
            answers[item_id] = ItemAnswer(
                matched=matched,
                evidence=evidence if isinstance(evidence, str) and evidence.strip() else None,
                why=why if isinstance(why, str) else "",
            )
    if twice:
        return Invalid(why=f"{named(twice)} answered more than once; every id has to be answered once")
    return answers
