"""Whether a judge compares two answers: the inputs that hold them, and what front matter or the prompt says of its verdict."""

from collections.abc import Mapping
from typing import NamedTuple

from msgspec.structs import replace

from adjudge.fields import ANSWERS
from adjudge.judges.declared import Declared
from adjudge.judges.reading import PromptReading
from adjudge.judges.reading.pair import PairInputs, find_pair_inputs, label_winners, side_of
from adjudge.judges.reading.parts import ContractPart
from adjudge.records import Input, Pair, PointsScore, Scale, ScoreRule, Winner, winner_of


class FoundPair(NamedTuple):
    pair: Pair | None
    unread: tuple[str, ...] = ()
    """Why a prompt that shows two answers is asked once, in the order given."""


def read_pair(
    read: PromptReading,
    declared: Declared,
    inputs: tuple[Input, ...],
    score: ScoreRule | None,
    scale: Scale | None,
) -> FoundPair:
    """A score that the prompt itself gives for two answers, or that front matter gives to one against the other."""
    found = find_pair_inputs(item.name for item in inputs)
    if found is None:
        if declared.names_winners:
            raise declared.error(
                "score",
                "`score` says which answer each label is for, and the prompt does not show two answers",
                "use the inputs `response_a` and `response_b` in the prompt",
            )
        return FoundPair(None)
    if score is None or scale is None:
        return FoundPair(None)
    if declared.names_winners:
        scale = Scale(low=0.0, high=1.0)
    elif declared.score is None:
        if not read.compares:
            return FoundPair(None)
    elif isinstance(score, PointsScore):
        told = _told(read, score, found)
        if told is None:
            return FoundPair(
                None, (_once(f"score: {{{', '.join(f'{label}: …' for label in score.points)}}}"),)
            )
        _validate_points(declared, score, scale, told)
    elif scale.low != -scale.high:
        return FoundPair(None, (_once("score: rating_a - rating_b"),) if read.compares else ())
    if declared.items is not None:
        raise declared.error("items", "`items` cannot be used with two answers", "remove `items:`")
    return FoundPair(Pair(answers=found.answers, swaps=found.swaps, scale=scale, better=declared.better))


def pair_inputs(pair: Pair, inputs: tuple[Input, ...]) -> tuple[Input, ...]:
    """The inputs with `response_a` and `response_b` for the answers, whatever the prompt calls them."""
    sources = dict(zip(pair.answers, ANSWERS, strict=True))
    return tuple(
        replace(item, source=sources[item.name], required=True, default=None)
        if item.name in sources
        else item
        for item in inputs
    )


def _told(read: PromptReading, score: PointsScore, inputs: PairInputs) -> dict[str, Winner] | None:
    """Label -> the answer that its words, or the prompt's, say it is for; None where no two are for A and for B."""
    part = next((part for part in read.parts if part.name == score.field), ContractPart(name=score.field))
    read_from_prompt = label_winners(part, read.outline, inputs)
    told = {
        label: winner
        for label in score.points
        if (winner := read_from_prompt.get(label) or side_of(label)) is not None
    }
    return told if {"a", "b"} <= set(told.values()) else None


def _validate_points(
    declared: Declared, score: PointsScore, scale: Scale, told: Mapping[str, Winner]
) -> None:
    """Points that go the other way would turn every verdict round."""
    for label, winner in told.items():
        points = score.points[label]
        side = winner_of(points, scale, declared.better)
        if winner not in {side, "tie"}:
            raise declared.error(
                "score",
                f"`{label}` has {points:g} points, which is a verdict for {side.upper() if side != 'tie' else 'neither'}, "
                f"and the prompt uses it for {winner.upper()}",
                "give points to A, the first answer, or name the answers: `score: {A: a, B: b, C: tie}`",
            )


def _once(line: str) -> str:
    return (
        "the prompt shows two responses, and `score` does not say which of them it is for: each case is asked once, in the "
        f"order given; to compare the two in both orders write `{line}` with `a`, `b` or `tie` for each label, or a "
        "difference with a `scale:` around 0"
    )
