"""The score of a rubric: points earned of those that could be earned, whatever order the criteria are answered in."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from adjudge.records import Json, Scale, Score, Verdict
from adjudge.rubrics import earned_share
from adjudge.scoring.rules import on_scale, with_steps
from adjudge.scoring.scale import exact_float, plain
from adjudge.scoring.scorer import Invalid, Scorer, Scoring
from adjudge.scoring.steps import CriterionStep, PointsStep, RubricStep

SENTENCE = "passed"
"""What the verdict on a rubric of one sentence says: whether the response meets it."""
_WORTH: Mapping[str, float] = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True, kw_only=True, slots=True)
class RubricScorer(Scorer):
    """`rubric`: earned points over the sum of the positive ones, from 0 to 1; of a sentence: 1 where it is met."""

    scale: Scale | None

    def items_to_ask(self, items: Mapping[str, Json], fields: Mapping[str, Json]) -> Json:
        """The criteria by number; what they are worth is no part of the question."""
        del fields
        return [{"id": each["id"], "criterion": each["criterion"]} for each in _entries(items)]

    def items_in(self, parts: Mapping[str, Json]) -> Mapping[str, Json] | None:
        entries = _entries(parts)
        if not entries or not all("points" in each for each in entries):
            return None
        return {
            "criteria": [{name: each[name] for name in ("id", "criterion", "points")} for each in entries]
        }

    def explain(
        self, verdict: Verdict, fields: Mapping[str, Json], items: Mapping[str, Json] | None
    ) -> Scoring | Invalid:
        del fields
        parts = verdict.parts
        criteria = _entries(items or self.items_in(parts) or {})
        if not criteria:
            return self._sentence(parts)
        answers, notes, problem = _answers(parts, criteria)
        if problem:
            return Invalid(why=problem)
        steps = tuple(
            CriterionStep(
                number=int(str(each["id"])),
                criterion=str(each["criterion"]),
                points=exact_float(float(str(each["points"]))),
                met=answers[each["id"]]["met"] is True,
                why=str(answers[each["id"]].get("reason") or ""),
            )
            for each in criteria
        )
        earned = sum((step.points for step in steps if step.met), Fraction(0))
        possible = sum((step.points for step in steps if step.points > 0), Fraction(0))
        share = earned_share((step.points, step.met) for step in steps)
        completed: list[Json] = [
            {**each, "reason": step.why, "met": step.met} for each, step in zip(criteria, steps, strict=True)
        ]
        score = on_scale(
            self.scale,
            share,
            "the rubric's score",
            notes=notes,
            parts={"reason": _in_words(steps), "criteria": completed},
        )
        return with_steps(score, *steps, RubricStep(earned, possible, share))

    def _sentence(self, parts: Mapping[str, Json]) -> Scoring | Invalid:
        met = parts.get(SENTENCE)
        if not isinstance(met, bool):
            return Invalid(why=f"`{SENTENCE}` has to be true or false")
        label = "true" if met else "false"
        step = PointsStep(SENTENCE, label, _WORTH, _WORTH[label])
        return Scoring(Score(value=_WORTH[label], exact=_WORTH[label]), (step,))


def _entries(parts: Mapping[str, Json]) -> list[dict[str, Json]]:
    found = parts.get("criteria")
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _answers(
    parts: Mapping[str, Json], criteria: list[dict[str, Json]]
) -> tuple[dict[Json, dict[str, Json]], tuple[str, ...], str]:
    """Criterion -> what was said of it, notes, and what the model is asked again for."""
    known = [each["id"] for each in criteria]
    answers: dict[Json, dict[str, Json]] = {}
    notes: list[str] = []
    for entry in _entries(parts):
        number = entry.get("id")
        if number not in known:
            notes.append(f"unknown_id:{number}")
        elif not isinstance(entry.get("met"), bool):
            return answers, (), f"`met` of criterion {number} has to be true or false"
        elif number in answers and answers[number]["met"] is not entry["met"]:
            return answers, (), f"criterion {number} is answered twice, once as met and once as not met"
        else:
            answers.setdefault(number, entry)
    missing = [str(number) for number in known if number not in answers]
    if missing:
        which = f"criterion {missing[0]}" if len(missing) == 1 else f"criteria {', '.join(missing)}"
        return answers, (), f"{which} of {len(known)} has no answer in `criteria`; answer each by its `id`"
    return answers, tuple(dict.fromkeys(notes)), ""


def _in_words(steps: tuple[CriterionStep, ...]) -> str:
    """What was met and what was not, for people."""
    met = sum(step.met for step in steps)
    lines = [f"{met} of {len(steps)} {'criterion' if len(steps) == 1 else 'criteria'} met."]
    for step in steps:
        if step.met is (step.points < 0):
            said = f": {step.why}" if step.why else ""
            lines.append(f"{'Met' if step.met else 'Not met'} ({plain(step.points)}): {step.criterion}{said}")
    return "\n".join(lines)
