"""`coverage`: how much of a reference's facts, conclusions and terms an output states, computed from checked matches."""

from collections.abc import Mapping
from dataclasses import dataclass

from adjudge.records import Json, Scale, Score, Verdict
from adjudge.scoring.checklist import (
    SHAPES,
    Category,
    Checklist,
    Item,
    bounded,
    build_checklist,
    named,
    read_checklist,
)
from adjudge.scoring.rationale import Counts, coverage_score, rationale
from adjudge.scoring.rules import on_scale
from adjudge.scoring.scorer import Invalid
from adjudge.scoring.terms import is_quoted, term_text
from adjudge.scoring.text import clipped, fold, text_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What the model said about one item."""

    matched: bool
    evidence: str | None
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """One item, decided."""

    item: Item
    matched: bool
    evidence: str | None
    why: str
    found: str | None = None
    """`code` or `model`: who found a matched term."""

    def as_json(self, category: Category) -> dict[str, Json]:
        row: dict[str, Json] = {
            "id": self.item.item_id,
            "text": self.item.text,
            "quote": self.item.quote,
            "matched": self.matched,
            "evidence": self.evidence,
            "why": self.why,
        }
        return {**row, "found": self.found} if category == "terms" else row


@dataclass(frozen=True, kw_only=True, slots=True)
class CoverageScorer:
    scale: Scale | None

    def check_items(
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

    def score(
        self, verdict: Verdict, fields: Mapping[str, Json], items: Mapping[str, Json] | None
    ) -> Score | Invalid:
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
        return self.decide(
            checklist, answers, text_of(fields, "response"), organized=organization == "matched"
        )

    def decide(
        self, checklist: Checklist, answers: Mapping[str, Answer], output: str, *, organized: bool
    ) -> Score | Invalid:
        folded, words = fold(output), term_text(output)
        matches: dict[Category, list[Match]] = {}
        notes: list[str] = []
        unanswered: list[str] = []
        known: set[str] = set()
        for shape in SHAPES:
            matches[shape.category] = []
            for item in checklist.of(shape.category):
                known.add(item.item_id)
                if shape.category == "terms" and words.has(item.text):
                    match = Match(
                        item=item,
                        matched=True,
                        evidence=item.text,
                        why="the output has the term",
                        found="code",
                    )
                elif item.item_id not in answers:
                    unanswered.append(item.item_id)
                    continue
                else:
                    match = decide_match(
                        item, answers[item.item_id], folded, notes, of_model=shape.category == "terms"
                    )
                matches[shape.category].append(match)
        if unanswered:
            return Invalid(why=f"no answer for {named(unanswered)}; every id has to be answered once")
        notes.extend(f"unknown_id:{clipped(item_id, 20)}" for item_id in answers if item_id not in known)
        return self.result(matches, organized=organized, notes=(*checklist.notes, *bounded(notes)))

    def result(
        self, matches: Mapping[Category, list[Match]], *, organized: bool, notes: tuple[str, ...]
    ) -> Score | Invalid:
        counts = Counts(
            facts=len(matches["facts"]),
            matched_facts=sum(match.matched for match in matches["facts"]),
            conclusions=len(matches["conclusions"]),
            matched_conclusions=sum(match.matched for match in matches["conclusions"]),
            terms=len(matches["terms"]),
            matched_terms=sum(match.matched for match in matches["terms"]),
            organized=organized,
        )
        computed = coverage_score(counts)
        scored = on_scale(self.scale, computed.exact, "the coverage score")
        if isinstance(scored, Invalid):
            return scored
        listed: dict[str, Json] = {
            shape.category: [match.as_json(shape.category) for match in matches[shape.category]]
            for shape in SHAPES
        }
        parts: dict[str, Json] = {
            **listed,
            "organization": "matched" if organized else "mismatched",
            "counts": counts_as_json(counts),
            "rationale": list(rationale(counts)),
            "score": computed.rounded,
        }
        return Score(value=float(computed.rounded), exact=float(computed.exact), notes=notes, parts=parts)


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


def decide_match(
    item: Item, answer: Answer, folded_output: str, notes: list[str], *, of_model: bool
) -> Match:
    """A match counts only with evidence that stands in the output."""
    matched = answer.matched
    if matched and not (answer.evidence is not None and is_quoted(answer.evidence, folded_output)):
        matched = False
        notes.append(f"evidence_not_found:{item.item_id}")
    return Match(
        item=item,
        matched=matched,
        evidence=answer.evidence,
        why=answer.why,
        found="model" if matched and of_model else None,
    )


def read_answers(parts: Mapping[str, Json]) -> dict[str, Answer] | Invalid:
    """The answers by id, whatever list they stand in; an id answered twice says nothing."""
    answers: dict[str, Answer] = {}
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
            answers[item_id] = Answer(
                matched=matched,
                evidence=evidence if isinstance(evidence, str) and evidence.strip() else None,
                why=why if isinstance(why, str) else "",
            )
    if twice:
        return Invalid(why=f"{named(twice)} answered more than once; every id has to be answered once")
    return answers
