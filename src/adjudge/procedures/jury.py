"""One verdict from several models' verdicts on a case: votes are counted or averaged in code; nothing is asked."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from statistics import median
from typing import TypeAlias

from msgspec.structs import replace

from adjudge.procedures.pair import INCONSISTENT
from adjudge.procedures.procedure import Ruling, distinct, scored
from adjudge.records import (
    WINNER_SCORES,
    Failed,
    Forced,
    Json,
    Judge,
    Judgement,
    Jury,
    PointsScore,
    Scale,
    Score,
    Scored,
    Verdict,
    Winner,
    winner_of,
)
from adjudge.scoring.scale import exact_float, plain

OF_THE_CASE = frozenset({"missing_input", "bad_row", "not_asked"})
"""Outcomes that say nothing of the jurors: where all have the same one, so has the jury."""
NO_MAJORITY = "no_majority"
LEFT_OUT = "juror_left_out"
VOTES = "votes"
Ballot: TypeAlias = str | bool | float
"""What a vote is for: a label or a winner, whether the case passes, or a score."""


def listed_votes(judgement: Judgement) -> list[Mapping[str, Json]]:
    """The votes that a jury's or a cascade's verdict was made from, as it lists them."""
    listed = judgement.verdict.get(VOTES)
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def votes_by_label(judge: Judge) -> bool:
    """Whether its verdicts are labels, passes and fails, or winners, which can be counted; else they are numbers."""
    if judge.pair is not None or isinstance(judge.score, PointsScore):
        return True
    return judge.passes is not None and judge.scale in {None, Scale(low=0, high=1)}


def decide(judge: Judge, jury: Jury, votes: Sequence[Judgement]) -> Ruling:
    """`votes` in the order of the jury's models; those without a score are left out."""
    listed: list[Json] = [_listed(judge, vote) for vote in votes]
    cast = sorted(
        (vote for vote in votes if isinstance(vote.outcome, Scored | Forced)), key=lambda vote: vote.model
    )  # whose words are taken does not depend on the order in which the models were named
    if len(cast) < jury.quorum:
        return _without_quorum(jury, votes, len(cast), listed)
    ruling = _count(judge, cast) if jury.rule == "majority" else _average(judge, jury, cast)
    left_out = tuple(
        f"{LEFT_OUT}:{vote.model} {vote.outcome.kind}" for vote in votes if isinstance(vote.outcome, Failed)
    )
    notes = tuple(note for vote in cast for note in vote.notes if note != INCONSISTENT)
    verdict = Verdict(parts={**ruling.outcome.verdict.parts, VOTES: listed})
    outcome = replace(ruling.outcome, verdict=verdict)
    if isinstance(outcome, Scored | Forced) and all(isinstance(vote.outcome, Forced) for vote in cast):
        outcome = Forced(score=outcome.score, reason=ruling.reason or "", verdict=verdict)
    return ruling._replace(
        outcome=outcome,
        probability=cast[0].probability if len(votes) == 1 else None,
        notes=distinct(notes, ruling.notes, left_out),
    )


def listed_vote(vote: Judgement) -> dict[str, Json]:
    """As it stands in `verdict.votes`."""
    found: dict[str, Json] = {"model": vote.model, "outcome": vote.outcome.kind}
    if isinstance(vote.outcome, Scored | Forced):
        found |= {"score": vote.outcome.score.value, "passed": vote.passed}
    return found


def _listed(judge: Judge, vote: Judgement) -> dict[str, Json]:
    found = listed_vote(vote)
    if isinstance(vote.outcome, Failed):
        return found
    ballot = _ballot(judge, vote)
    if isinstance(ballot, str):
        found["label"] = ballot
    return found


def failed_alike(
    votes: Sequence[Judgement], parts: Mapping[str, Json], *, for_any_reason: bool = False
) -> Ruling | None:
    """The failure that all votes have, with `parts`; only one that says nothing of the jurors, unless for any reason."""
    first = votes[0]
    outcome = first.outcome
    if not isinstance(outcome, Failed) or any(vote.outcome.kind != outcome.kind for vote in votes):
        return None
    if outcome.kind not in OF_THE_CASE and not for_any_reason:
        return None
    verdict = Verdict(parts={**outcome.verdict.parts, **parts})
    return Ruling(outcome=replace(outcome, verdict=verdict), reason=first.reason, notes=first.notes)


def _without_quorum(jury: Jury, votes: Sequence[Judgement], cast: int, listed: list[Json]) -> Ruling:
    if alike := failed_alike(votes, {VOTES: listed}, for_any_reason=len(votes) == 1):
        return alike
    jurors = "; ".join(f"{vote.model}: {_what_became(vote)}" for vote in votes)
    message = f"{cast} of {len(votes)} jurors voted, and {jury.quorum} are needed: {jurors}"
    return Ruling(
        outcome=Failed(
            kind="unreadable", message=message, error_kind="quorum", verdict=Verdict(parts={VOTES: listed})
        )
    )


def _what_became(vote: Judgement) -> str:
    outcome = vote.outcome
    if isinstance(outcome, Failed):
        return f"{outcome.kind} ({outcome.message})" if outcome.message else outcome.kind
    return outcome.kind if vote.score is None else f"{outcome.kind} {plain(vote.score)}"


# ---- votes that are counted ----------------------------------------------------------------------------


def _ballot(judge: Judge, vote: Judgement) -> Ballot:
    """What a vote is for."""
    if judge.pair is not None:
        return str(vote.verdict.get("winner"))
    if isinstance(judge.score, PointsScore):
        label = vote.verdict.get(judge.score.field)
        if isinstance(label, str):
            return label
    assert isinstance(vote.outcome, Scored | Forced)
    return vote.outcome.score.value if vote.passed is None else vote.passed


def _most(ballots: Sequence[Ballot]) -> Ballot | None:
    """What most votes are for; None where two have as many."""
    (winner, most), *others = Counter(ballots).most_common()
    return None if any(count == most for _, count in others) else winner


def _count(judge: Judge, cast: Sequence[Judgement]) -> Ruling:
    ballots = [_ballot(judge, vote) for vote in cast]
    winner = _most(ballots)
    if judge.pair is not None:
        return _winner(judge, cast, "tie" if winner is None else str(winner))
    if winner is None:
        counted = ", ".join(
            f"{vote.model} {_ballot_text(each)}" for vote, each in zip(cast, ballots, strict=True)
        )
        message = f"no majority: {counted}"
        return Ruling(outcome=Failed(kind="abstained", message=message, error_kind=NO_MAJORITY))
    agreed = [vote for vote, ballot in zip(cast, ballots, strict=True) if ballot == winner]
    return _as_voted(judge, agreed, _middle(agreed))


def _ballot_text(ballot: Ballot) -> str:
    if isinstance(ballot, bool):
        return "passes" if ballot else "fails"
    return ballot if isinstance(ballot, str) else plain(ballot)


def _middle(votes: Sequence[Judgement]) -> Score:
    """Those that pass may do so with different scores."""
    scores = [vote.outcome.score for vote in votes if isinstance(vote.outcome, Scored | Forced)]
    return Score(value=median(each.value for each in scores), exact=median(each.exact for each in scores))


def _winner(judge: Judge, cast: Sequence[Judgement], winner: str) -> Ruling:
    """Of two answers. What the jury says in each order is counted like its verdict."""
    known: Winner = "a" if winner == "a" else "b" if winner == "b" else "tie"
    value = WINNER_SCORES[known]
    return _of_pair(judge, cast, known, Score(value=value, exact=value))


def _of_pair(judge: Judge, cast: Sequence[Judgement], winner: Winner, score: Score) -> Ruling:
    agreed = next((vote for vote in cast if vote.verdict.get("winner") == winner), None)
    parts: dict[str, Json] = {"winner": winner}
    if len(cast) == 1:
        parts |= cast[0].verdict
    elif all("a_first" in vote.verdict for vote in cast):
        for order in ("a_first", "b_first"):
            parts[order] = _text_or_tie(_most([str(vote.verdict[order]) for vote in cast]))
        parts["longer"] = cast[0].verdict.get("longer")
    differs = winner == "tie" and parts.get("a_first") != parts.get("b_first")
    return scored(judge, Verdict(parts=parts), score)._replace(
        reason=_votes_text(cast) if agreed is None else agreed.reason,
        notes=(INCONSISTENT,) if differs else (),
    )


def _text_or_tie(ballot: Ballot | None) -> str:
    return ballot if isinstance(ballot, str) else "tie"


# ---- votes that are averaged ---------------------------------------------------------------------------


def _average(judge: Judge, jury: Jury, cast: Sequence[Judgement]) -> Ruling:
    scores = [vote.outcome.score for vote in cast if isinstance(vote.outcome, Scored | Forced)]

    def combined(values: Sequence[float]) -> float:
        if jury.rule == "median":
            return median(values)
        # exactly, so that three votes of 0.1 are 0.1
        return float(Fraction(sum(map(exact_float, values))) / len(values))

    score = Score(
        value=combined([each.value for each in scores]), exact=combined([each.exact for each in scores])
    )
    if judge.pair is not None and judge.scale is not None:
        return _of_pair(judge, cast, winner_of(score.exact, judge.scale), score)
    ruling = _as_voted(judge, cast, score)
    ratings: dict[str, Json] = {
        rating.name: combined(given)
        for rating in judge.ratings
        if len(given := _numbers(cast, rating.name)) == len(cast)
    }
    if not ratings:
        return ruling
    assert not isinstance(ruling.outcome, Failed)
    verdict = Verdict(parts={**ruling.outcome.verdict.parts, **ratings})
    return ruling._replace(outcome=replace(ruling.outcome, verdict=verdict))


def _numbers(votes: Sequence[Judgement], name: str) -> list[float]:
    values = (vote.verdict.get(name) for vote in votes)
    return [float(each) for each in values if isinstance(each, int | float) and not isinstance(each, bool)]


def _as_voted(judge: Judge, votes: Sequence[Judgement], score: Score) -> Ruling:
    """With the words of the first juror who gave this very score, where one did."""
    for vote in votes:
        outcome = vote.outcome
        if isinstance(outcome, Scored | Forced) and (outcome.score.value, outcome.score.exact) == (
            score.value,
            score.exact,
        ):
            parts = outcome.verdict.parts if outcome.score.parts is None else outcome.score.parts
            ruling = scored(judge, Verdict(parts=parts), score)
            return ruling._replace(reason=vote.reason, passed=vote.passed)
    ruling = scored(judge, Verdict(parts={}), score)
    passed = ruling.passed
    if passed is None and judge.passes is not None:  # a rule over fields that only the votes have
        most = _most([vote.passed for vote in votes if vote.passed is not None] or [0.5])
        passed = most if isinstance(most, bool) else None
    return ruling._replace(reason=_votes_text(votes), passed=passed)


def _votes_text(votes: Sequence[Judgement]) -> str:
    return ", ".join(f"{vote.model} {plain(vote.score or 0)}" for vote in votes) + "."
