"""Prompts that compare two answers: which inputs hold them, and which of them a label or two ratings prefer."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from adjudge.fields import canonical_field
from adjudge.judges.reading.names import (
    is_doubt,
    is_label,
    is_overall,
    is_plain_rating,
    is_rating,
    is_reason,
    snake_case,
)
from adjudge.judges.reading.parts import ContractPart
from adjudge.judges.reading.scale import kind_bounds
from adjudge.judges.reading.words import meanings_of
from adjudge.patterns import lazy_pattern
from adjudge.records import WINNER_SCORES, ExpressionScore, PointsScore, Scale, ScoreRule, Winner

_RESPONSE = lazy_pattern(
    r"ans(?:wer)?|response|output|completion|candidate|assistant|model|summary|reply|generation|system|translation|essay|baseline"
)
"""In the names of two things of which a prompt asks for the better one; two expressions or queries it may well hold equal."""
_FIRST = lazy_pattern(r"(?:^|(?<=_)|(?<=[a-z]{3}))(?:a|1|one|first|left)(?=_|$)")
_SECOND = {"a": "b", "1": "2", "one": "two", "first": "second", "left": "right"}
_THIRD = {"a": "c", "1": "3", "one": "three", "first": "third"}
_SIDES: Mapping[str, Winner] = {
    **dict.fromkeys(_SECOND, "a"),
    **dict.fromkeys(_SECOND.values(), "b"),
}
_COMPARED = lazy_pattern(r"(?P<left>[ab12])(?P<sign>>{1,3}|<{1,3}|={1,3}|≈|~=?|\+{1,3})(?P<right>[ab12])?")
_TIE = lazy_pattern(
    r"\b(?:tie|ties|tied|draw|equal|equals|equally|same|both|neither|even|comparable|similar|undecided|no (?:clear )?(?:preference|winner|difference))\b"
    r"|égalité|unentschieden|gleich|empate|pareggio|平局|平手|引き分け|同点|무승부|동점",
    re.IGNORECASE,
)
_BESIDE_A_SIDE = lazy_pattern(
    r"(?:response|answer|output|assistant|model|completion|candidate|summary|system|option|reply|the|is|wins?|winner|"
    r"(?:much|slightly|significantly|far|a bit|only|clearly)|better|best|preferred|prefer|choose)"
)
_BETTER = lazy_pattern(
    r"\b(?P<side>a|b|1|2|one|two|first|second|left|right)\b(?:\W{1,3}(?:one|response|answer|output))?"
    r"(?:['’]s [a-z]{1,20})?\W{1,3}(?:is|was|wins|provides|gives|has|performs|does|serves|answers)\b",
    re.IGNORECASE,
)
WANTED_LABELS = "`verdict: {winner: {enum: [A, B, tie]}}` and `score: {A: a, B: b, tie: tie}`"


@dataclass(frozen=True, kw_only=True, slots=True)
class PairInputs:
    answers: tuple[str, str]
    """The inputs that hold A and B."""
    swaps: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class PairRule:
    """How one reply says which answer is better."""

    rating: ContractPart | None = None
    score: ScoreRule | None = None
    scale: Scale | None = None
    needs: tuple[str, ...] = ()
    guess: bool = False
    unread: str = ""


def find_pair_inputs(names: Iterable[str]) -> PairInputs | None:
    """Two inputs that differ in `a`/`b` or `1`/`2` alone and hold answers, or a response beside a baseline."""
    named = {snake_case(name): name for name in names}
    swaps: list[tuple[str, str]] = []
    answers: tuple[str, str] | None = None
    for spelled, name in named.items():
        for first in _FIRST.finditer(spelled):
            second, third = (
                f"{spelled[: first.start()]}{letters.get(first[0])}{spelled[first.end() :]}"
                for letters in (_SECOND, _THIRD)
            )
            if second in named and third not in named:
                swaps.append((name, named[second]))
                if answers is None and _RESPONSE.search(spelled):
                    answers = swaps[-1]
                break
    if answers is not None:
        return PairInputs(answers=answers, swaps=tuple(swaps))
    # One under test beside the one it is measured against.
    tested = [name for name in named.values() if canonical_field(name) == "response"]
    baselines = [name for spelled, name in named.items() if "baseline" in spelled and name not in tested]
    if len(tested) == 1 and len(baselines) == 1:
        return PairInputs(answers=(tested[0], baselines[0]), swaps=((tested[0], baselines[0]), *swaps))
    return None


def is_pairwise(names: Iterable[str], parts: tuple[ContractPart, ...]) -> bool:
    """Two answers, and no single rating of one of them."""
    if find_pair_inputs(names) is None:
        return False
    single = any(
        part.kind.numeric and (is_plain_rating(part.name) or is_overall(part.name)) for part in parts
    )
    return not single or _pair_of(parts) is not None


def read_pair_rule(parts: tuple[ContractPart, ...], text: str, names: Sequence[str]) -> PairRule:
    """By a label that names the better one, else by two ratings; what stands in the way is said in `unread`."""
    inputs = find_pair_inputs(names)
    labelled = [
        part for part in parts if part.shape is None and part.kind.options and not is_reason(part.name)
    ]
    read = {part.name: label_winners(part, text, inputs) for part in labelled if not is_doubt(part.name)}
    decided = [part for part in labelled if _both_sides(read.get(part.name, {}).values())]
    chosen = [part for part in decided if is_overall(part.name)] or decided
    if len(chosen) > 1:
        chosen = [part for part in chosen if is_label(part.name) or is_rating(part.name)]
    if len(chosen) == 1:
        return _by_label(chosen[0], read[chosen[0].name])
    rated = _pair_of([part for part in parts if _is_rating(part)])
    if rated is not None and not decided:
        return _by_ratings(*rated)
    return PairRule(unread=_unread(parts, decided or labelled))


def label_winners(part: ContractPart, text: str, inputs: PairInputs | None) -> dict[str, Winner | None]:
    """Label -> the answer it prefers; None where that cannot be told."""
    turned = inputs is not None and _is_turned(inputs, text)
    found: dict[str, Winner | None] = {}
    options = tuple(map(str, part.kind.options))
    meanings = part.meanings or meanings_of(text, options)
    for option in options:
        winner = side_of(option)
        meaning = meanings.get(option, "")
        if winner is None:
            winner = "tie" if _TIE.search(meaning) or _before_tie(option, text) else _better_in(meaning)
        if winner is None and inputs is not None:
            placed = _placed(option, inputs, text)
            if placed is not None:
                found[option] = placed
                continue
        found[option] = _turned(winner) if turned else winner
    return found


def side_of(label: str) -> Winner | None:
    """What a label says by its own words: `[[A]]`, `Response 2`, `A>>B`, `tie`."""
    plain = re.sub(r"[\[\](){}\"'`*.:_#-]", " ", label).strip().lower()
    compared = _COMPARED.fullmatch(re.sub(r"\s+", "", plain))
    if compared is not None and not (compared["sign"][0] == "+" and compared["right"]):
        left = _SIDES[compared["left"]]
        if compared["sign"][0] in "=≈~":
            return "tie" if compared["right"] else None
        return left if compared["sign"][0] in ">+" else _turned(left)
    if _TIE.search(plain):
        return "tie"
    rest = [word for word in plain.split() if not _BESIDE_A_SIDE.fullmatch(word)]
    return _SIDES.get(rest[0]) if len(rest) == 1 else None


def _before_tie(label: str, text: str) -> bool:
    """`and "[[C]]" for a tie`."""
    after = re.compile(
        rf"(?<!\w)[\"'“`\[(]{{1,3}}{re.escape(label)}[\"'”`\])]{{1,3}}(?P<after>[^\n.;,\"\[]{{0,40}})"
    )
    return any(_TIE.search(match["after"]) for match in after.finditer(text))


def _better_in(meaning: str) -> Winner | None:
    """`Answer 1 is better` -> a."""
    found = {_SIDES[match["side"].lower()] for match in _BETTER.finditer(meaning)}
    return found.pop() if len(found) == 1 and "wors" not in meaning else None


def _turned(winner: Winner | None) -> Winner | None:
    return {"a": "b", "b": "a"}.get(winner or "", winner)  # type: ignore[return-value]  # the same words, turned


def _is_turned(inputs: PairInputs, text: str) -> bool:
    """Whether the prompt shows the baseline first: its `A` is then not the answer under test."""
    a, b = (text.find(f"⟦{name}⟧") for name in inputs.answers)
    return "baseline" in snake_case(inputs.answers[1]) and 0 <= b < a


def _placed(label: str, inputs: PairInputs, text: str) -> Winner | None:
    """The answer that a label stands just before: `{"model": "m", "output": ⟦output_1⟧}`."""
    sides: tuple[tuple[Winner, str], ...] = (("a", inputs.answers[0]), ("b", inputs.answers[1]))
    found = [
        side
        for side, name in sides
        if re.search(
            rf"(?<!\w){re.escape(label)}(?!\w)[^⟦\n]{{0,60}}(?:\n[^⟦\n]{{0,60}})?⟦{re.escape(name)}⟧", text
        )
    ]
    return found[0] if len(found) == 1 else None


def _both_sides(winners: Collection[Winner | None]) -> bool:
    return {"a", "b"} <= set(winners)


def _by_label(part: ContractPart, winners: Mapping[str, Winner | None]) -> PairRule:
    untold = [label for label, winner in winners.items() if winner is None]
    if len(untold) > 1 or (untold and "tie" in winners.values()):
        listed = ", ".join(f"{label}: {winner or '…'}" for label, winner in winners.items())
        return PairRule(
            rating=part,
            unread=f"the prompt compares two responses, and which of them {_listed(untold)} of `{part.name}` stands for "
            f"could not be read: add `score: {{{listed}}}` with `a`, `b` or `tie` for each",
        )
    points = {label: WINNER_SCORES[winner or "tie"] for label, winner in winners.items()}
    score = PointsScore(field=part.name, points=points)
    return PairRule(
        rating=part, score=score, scale=Scale(low=0.0, high=1.0), needs=(part.name,), guess=bool(untold)
    )


def _is_rating(part: ContractPart) -> bool:
    return part.shape is None and part.kind.numeric and not is_doubt(part.name) and part.name.isidentifier()


def _pair_of(parts: Sequence[ContractPart]) -> tuple[ContractPart, ContractPart] | None:
    """The only two of these that differ in `a`/`b` or `1`/`2` alone."""
    named = {snake_case(part.name): part for part in parts if _is_rating(part)}
    found = [
        (part, named[second])
        for spelled, part in named.items()
        for first in _FIRST.finditer(spelled)
        if (second := f"{spelled[: first.start()]}{_SECOND[first[0]]}{spelled[first.end() :]}") in named
    ]
    overall = [pair for pair in found if is_overall(pair[0].name)] or found
    return overall[0] if len(overall) == 1 else None


def _by_ratings(first: ContractPart, second: ContractPart) -> PairRule:
    score = ExpressionScore(text=f"{first.name} - {second.name}")
    bounds = [kind_bounds(part.kind) for part in (first, second) if part.kind.bounded]
    needs = (first.name, second.name)
    if len(bounds) < 2 or bounds[0] != bounds[1]:
        return PairRule(
            score=score,
            needs=needs,
            unread=f"no scale was found for `{first.name}` and `{second.name}`: add `scale: [-N, N]` with their widest difference",
        )
    width = bounds[0][1] - bounds[0][0]
    return PairRule(score=score, scale=Scale(low=-width, high=width), needs=needs)


def _unread(parts: tuple[ContractPart, ...], labelled: Sequence[ContractPart]) -> str:
    what = "the prompt compares two responses, and"
    if len(labelled) > 1:
        return f"{what} several fields name a better one ({_listed(part.name for part in labelled)}): add `score:`, an expression over them"
    if labelled:
        options = ", ".join(f"{option}: …" for option in labelled[0].kind.options)
        return (
            f"{what} which of them the labels of `{labelled[0].name}` stand for could not be read: add "
            f"`score: {{{options}}}` with `a`, `b` or `tie` for each"
        )
    named = f" in {_listed(part.name for part in parts)}" if parts else ""
    return (
        f"{what} what says which is better could not be read{named}: add {WANTED_LABELS}, or two ratings and "
        "`score: rating_a - rating_b` with `scale:`"
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
