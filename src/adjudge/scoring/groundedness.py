"""`groundedness`: which share of a response's claims the context supports, by passages that occur in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from adjudge.records import Json, Scale, Verdict
from adjudge.scoring.checklist import MAX_ITEMS, bounded, misquoted, statement_key, unanswered, unknown_ids
from adjudge.scoring.claims import UNFOUND, VERDICTS, context_text, entries
from adjudge.scoring.rules import on_scale, with_steps
from adjudge.scoring.scorer import Invalid, Scorer, Scoring
from adjudge.scoring.steps import ClaimStep, ClaimVerdict, ShareStep
from adjudge.scoring.terms import is_quoted
from adjudge.scoring.text import clipped, fold, text_of


@dataclass(frozen=True, kw_only=True, slots=True)
class GroundednessScorer(Scorer):
    scale: Scale | None

    def validate_items(
        self, parts: Mapping[str, Json], fields: Mapping[str, Json]
    ) -> Mapping[str, Json] | Invalid:
        """The claims, numbered; each stands in the response, and none twice."""
        rows = parts.get("claims")
        if not isinstance(rows, list) or len(rows) > MAX_ITEMS:
            return Invalid(why=f"`claims` has to be a list of at most {MAX_ITEMS} claims")
        folded = fold(text_of(fields, "response"))
        seen: set[str] = set()
        claims: list[Json] = []
        wrong: list[str] = []
        for position, row in enumerate(rows, start=1):
            claim, quote = (row.get("claim"), row.get("quote")) if isinstance(row, dict) else (None, None)
            if not isinstance(claim, str) or not claim.strip() or not isinstance(quote, str):
                return Invalid(why=f"claim {position} has to be an object with `claim` and `quote`")
            if not is_quoted(quote, folded):
                wrong.append(f"claim {position} (`{clipped(quote)}`)")
                continue
            key = statement_key(claim)
            if key not in seen:
                seen.add(key)
                claims.append({"id": f"C{len(claims) + 1}", "claim": claim.strip(), "quote": quote.strip()})
        if wrong:
            return misquoted(wrong, "response")
        return {"claims": claims}

    def items_to_ask(self, items: Mapping[str, Json], fields: Mapping[str, Json]) -> Json:
        del fields
        return [{"id": each["id"], "claim": each["claim"]} for each in entries(items)]

    def items_in(self, parts: Mapping[str, Json]) -> Mapping[str, Json] | None:
        found = entries(parts)
        if not found or not all({"id", "claim", "quote"} <= each.keys() for each in found):
            return None
        return {"claims": [{name: each[name] for name in ("id", "claim", "quote")} for each in found]}

    def explain(
        self, verdict: Verdict, fields: Mapping[str, Json], items: Mapping[str, Json] | None
    ) -> Scoring | Invalid:
        claims = entries(items or {})
        if not claims:
            return Invalid(why="there are no claims to score")
        answers = read_answers(verdict.parts)
        if isinstance(answers, Invalid):
            return answers
        ids = [str(each["id"]) for each in claims]
        if open_ids := [each for each in ids if each not in answers]:
            return unanswered(open_ids)
        notes: list[str] = []
        folded = _folded(context_text(fields.get("context")))
        steps = [_check(each, answers[str(each["id"])], folded, notes) for each in claims]
        notes += unknown_ids(answers, ids)
        supported = sum(step.verdict == "supported" for step in steps)
        score = on_scale(
            self.scale,
            Fraction(supported, len(steps)),
            "the share of supported claims",
            notes=bounded(notes),
            parts={"reason": _in_words(steps), "claims": [_as_json(step) for step in steps]},
        )
        return with_steps(score, *steps, ShareStep(supported, len(steps)))


def read_answers(parts: Mapping[str, Json]) -> dict[str, dict[str, Json]] | Invalid:
    """What was said of each claim, by id; two answers to one say nothing."""
    answers: dict[str, dict[str, Json]] = {}
    for position, entry in enumerate(entries(parts), start=1):
        claim_id = str(entry.get("id") or "").strip().upper()
        if not claim_id:
            return Invalid(why=f"answer {position} of `claims` has no `id`")
        if entry.get("verdict") not in VERDICTS:
            return Invalid(why=f"`verdict` of {clipped(claim_id, 20)} has to be {', '.join(VERDICTS)}")
        if claim_id in answers:
            return Invalid(
                why=f"{clipped(claim_id, 20)} is answered more than once; every id has to be answered once"
            )
        answers[claim_id] = entry
    return answers


@lru_cache(maxsize=8)
def _folded(text: str) -> str:
    return fold(text)


def _check(claim: Mapping[str, Json], answer: Mapping[str, Json], folded: str, notes: list[str]) -> ClaimStep:
    """A verdict stands only with a passage that occurs in the context."""
    found, why = answer.get("passage"), answer.get("why")
    passage = found if isinstance(found, str) and found.strip() else None
    verdict: ClaimVerdict = next(each for each in VERDICTS if each == answer["verdict"])
    if verdict != "not_found" and (passage is None or not is_quoted(passage, folded)):
        verdict = "not_found"
        notes.append(f"{UNFOUND}{claim['id']}")
    return ClaimStep(
        claim_id=str(claim["id"]),
        claim=str(claim["claim"]),
        quote=str(claim["quote"]),
        verdict=verdict,
        passage=passage,
        why=why if isinstance(why, str) else "",
    )


def _as_json(step: ClaimStep) -> dict[str, Json]:
    return {
        "id": step.claim_id,
        "claim": step.claim,
        "quote": step.quote,
        "passage": step.passage,
        "why": step.why,
        "verdict": step.verdict,
    }


def _in_words(steps: list[ClaimStep]) -> str:
    """What is not supported, for people."""
    supported = sum(step.verdict == "supported" for step in steps)
    lines = [f"{supported} of {len(steps)} {'claim' if len(steps) == 1 else 'claims'} supported."]
    for step in steps:
        if step.verdict != "supported":
            word = "Contradicted" if step.verdict == "contradicted" else "Not found"
            lines.append(f"{word}: {step.claim}{f' ({step.why})' if step.why else ''}")
    return "\n".join(lines)
