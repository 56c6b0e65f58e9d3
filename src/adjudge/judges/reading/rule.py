"""Which part of a verdict is the score, or gives its points, and on what scale."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from adjudge.judges.reading.bare import find_bare
from adjudge.judges.reading.choices import letter_grades
from adjudge.judges.reading.contract import defined_label
from adjudge.judges.reading.kinds import ValueKind
from adjudge.judges.reading.names import (
    is_doubt,
    is_label,
    is_overall,
    is_plain_rating,
    is_rating,
    is_reason,
    snake_case,
)
from adjudge.judges.reading.pair import read_pair_rule
from adjudge.judges.reading.parts import ContractPart
from adjudge.judges.reading.polarity import (
    asks_for_a_bad_thing,
    high_end_is_bad,
    name_polarity,
    points_for,
    rates_a_bad_thing,
)
from adjudge.judges.reading.recogniser import ask
from adjudge.judges.reading.scale import Anchors, anchored_scale, kind_bounds, overall_scale
from adjudge.judges.reading.textual import options_near, spoken
from adjudge.judges.reading.words import meanings_of
from adjudge.patterns import lazy_pattern
from adjudge.records import FieldScore, Json, PointsScore, Scale, ScoreRule
from adjudge.schemas import as_number, properties_of

_EXACT_DECIMALS = lazy_pattern(r"\b(?:float|decimal|floating)|\d\.\d*[1-9]|0\.X", re.IGNORECASE)
_FLAG = lazy_pattern(
    r"(?:contains?|has|have|is|are|was|were|does|did|includes?|mentions?|uses?)(?:_|(?=[A-Z]))"
)
"""A field of such a name says whether something is so, and 1 is good only when that is."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreReading:
    """The score rule as read, with the parts as it leaves them."""

    parts: tuple[ContractPart, ...]
    score: ScoreRule | None = None
    scale: Scale | None = None
    rating: ContractPart | None = None
    anchors: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    binary: bool = False
    better_unsure: bool = False
    """What is rated may be bad, and a high score then the worse one."""
    tie_unsure: bool = False
    """Of the labels of a comparison one is taken for the tie because it is for neither answer."""
    unread: tuple[str, ...] = ()

    @property
    def guesses(self) -> Iterator[str]:
        """Which of the readings are only likely."""
        if any(part.kind.guess and part.kind.options and not part.kind.numeric for part in self.parts):
            yield "labels"
        if self.rating is not None and self.rating.kind.guess and self.rating.kind.numeric:
            yield "scale"
        if self.better_unsure:
            yield "better"
        if self.tie_unsure:
            yield "tie"


def read_rule(
    parts: tuple[ContractPart, ...], text: str, anchors: list[Anchors], *, compared: Sequence[str] = ()
) -> ScoreReading:
    """The rule for these parts; what stands in the way is said in `unread`.

    `compared`: the inputs of a prompt that compares two answers.
    """
    if compared:
        parts = _all_filled(parts, text)
        rule = read_pair_rule(parts, text, compared)
        scale = rule.scale or (None if any(map(_is_choice, parts)) else common_scale(parts, text, anchors))
        return ScoreReading(
            parts=parts,
            score=rule.score if rule.scale else None,
            scale=scale,
            rating=rule.rating,
            words={} if rule.rating is None else _words(rule.rating),
            tie_unsure=rule.guess,
            unread=(rule.unread,) if rule.unread else (),
        )
    if grades := ask(letter_grades, text):
        kind = ValueKind(type="string", options=tuple(grades))
        parts = tuple(
            replace(part, kind=kind, meanings=grades)
            if part.kind.assumed and "grade" in snake_case(part.name).split("_")
            else part
            for part in parts
        )
    numeric = [part for part in parts if part.shape is None and part.kind.numeric and not is_doubt(part.name)]
    labels = [part for part in parts if _is_choice(part)]
    rated = [part for part in numeric if is_rating(part.name)] or ([] if labels else numeric)
    overall = (
        [part for part in rated if is_overall(part.name)]
        or [part for part in rated if is_plain_rating(part.name)]
        or rated
    )
    if len(overall) == 1:
        return _rated(parts, overall[0], text, anchors)
    if rated:
        return _several(parts, rated, text, anchors)
    read = _labelled(parts, labels, text)
    if read.rating is None and any(_nested_numbers(part.shape) for part in parts if part.shape is not None):
        return replace(read, scale=common_scale(parts, text, anchors))
    return read


def _several(
    parts: tuple[ContractPart, ...], rated: list[ContractPart], text: str, anchors: list[Anchors]
) -> ScoreReading:
    """Several ratings and none is the overall one: no score, but the scale they share."""
    changed = {}
    stated = overall_scale(text, anchors)
    if stated is None and all(part.kind.assumed for part in rated):
        changed = {part.name: _worded(part, text) or part for part in rated}
    elif stated is not None and not any(part.kind.bounded for part in rated):
        changed = {part.name: replace(part, kind=stated) for part in rated}
    names = [part.name for part in rated]
    problem = (
        f"the verdict has several numbers and none is the overall one: {_listed(names)}; "
        f"add `score:`, a field or an expression such as `({' + '.join(names)}) / {len(names)}`, and `scale:`"
    )
    parts = tuple(changed.get(part.name, part) for part in parts)
    return ScoreReading(parts=parts, scale=common_scale(parts, text, anchors), unread=(problem,))


def common_scale(parts: tuple[ContractPart, ...], text: str, anchors: list[Anchors]) -> Scale | None:
    """The scale that several ratings share: the one that each of them has, else the one the prompt states."""
    own = {
        kind_bounds(part.kind)
        for part in parts
        if part.shape is None and part.kind.numeric and part.kind.bounded
    }
    own = own or {bounds for part in parts if part.shape is not None for bounds in _nested_bounds(part.shape)}
    if len(own) > 1:
        return None
    if not own and (stated := overall_scale(text, anchors)) is not None:
        own = {kind_bounds(stated)}
    return Scale(low=low, high=high) if own and (low := min(own)[0]) < (high := min(own)[1]) else None


def _is_choice(part: ContractPart) -> bool:
    if part.shape is not None or is_reason(part.name):
        return False
    return part.kind.type == "boolean" or (bool(part.kind.options) and not part.kind.numeric)


def _rated(
    parts: tuple[ContractPart, ...], rating: ContractPart, text: str, anchors: list[Anchors]
) -> ScoreReading:
    kind = rating.kind
    if not kind.bounded:
        stated = overall_scale(text, anchors)
        if stated is None and kind.assumed and (worded := _worded(rating, text)) is not None:
            return _labelled(tuple(worded if part is rating else part for part in parts), [worded], text)
        if stated is None:
            return ScoreReading(
                parts=parts,
                rating=rating,
                score=FieldScore(field=rating.name),
                unread=(f"no scale was found for `{rating.name}`: add `scale: [lo, hi]`",),
            )
        decimals = kind.type == "number" and _EXACT_DECIMALS.search(rating.says) is not None
        kind = replace(stated, type="number") if decimals and not stated.options else stated
    fitting = [item for item in anchors if (item.low, item.high) == kind_bounds(kind)]
    if fitting and not rating.kind.bounded and not kind.options and set(fitting[0].values) == {0.0, 1.0}:
        kind = anchored_scale(fitting[0]) if kind.type == "integer" else kind
    low, high = kind_bounds(kind)
    best = max(fitting, key=lambda item: len(item.texts), default=None)
    flag = kind.options and (low, high) == (0.0, 1.0) and _FLAG.match(rating.name)
    told = f"{text}\n{rating.says}\n{rating.name.replace('_', ' ')}"
    bad = rates_a_bad_thing(told) or high_end_is_bad(text, high, best.texts if best is not None else {})
    if flag and name_polarity(rating.name) < 1:
        bad = bad or f"`{rating.name}` may be bad when it is 1"
    elif kind.options and asks_for_a_bad_thing(text):
        bad = bad or "the question asks for it"
    changed = replace(rating, kind=kind)
    words: dict[str, Json] = {}
    if best is not None:
        whole = kind.type == "integer"
        words = {word: as_number(value) if whole else value for word, value in best.words.items()}
    return ScoreReading(
        parts=tuple(changed if part is rating else part for part in parts),
        rating=changed,
        score=FieldScore(field=rating.name),
        scale=Scale(low=low, high=high),
        anchors=dict(best.texts) if best is not None else {},
        words={rating.name: words} if words else {},
        binary=not bad and bool(kind.options) and (low, high) == (0.0, 1.0) and len(kind.options) == 2,
        better_unsure=bool(bad),
        unread=(_better(bad),) if bad else (),
    )


def _better(bad: str) -> str:
    return f"what is rated may be bad ({bad}): add `better: lower` if a high score is the worse one, `better: higher` if not"


def _worded(rating: ContractPart, text: str) -> ContractPart | None:
    """A `score` whose place says nothing, in a prompt that asks for words and not for numbers."""
    bare = find_bare(text)
    label = bare.parts[0] if bare is not None else None
    if label is None or not label.kind.options or label.kind.numeric:
        label = defined_label(text)
    if label is None or rating.name in label.kind.options:
        return None
    return replace(rating, kind=label.kind, meanings=label.meanings)


def _all_filled(parts: tuple[ContractPart, ...], text: str) -> tuple[ContractPart, ...]:
    filled = []
    for part in parts:
        found = _filled(part, text)
        names_others = any(other.name in found.kind.options for other in parts)
        filled.append(part if names_others else found)
    return tuple(filled)


def _filled(part: ContractPart, text: str) -> ContractPart:
    """A place for a label that says nothing itself, with the labels that the prompt names elsewhere."""
    open_place = part.shape is None and part.kind.type == "string" and not part.kind.options
    if not open_place or not (is_rating(part.name) or is_label(part.name)):
        return part
    return _named_options(part, text) or _worded(part, text) or part


def _named_options(label: ContractPart, text: str) -> ContractPart | None:
    """A label whose place says nothing, with the choice of a sentence that speaks of it by its name."""
    options = tuple(option for option in options_near(text, spoken(label.name)) if option != label.name)
    if len(options) < 2:
        return None
    kind = replace(label.kind, options=options)
    return replace(label, kind=kind, meanings=meanings_of(text, options))


def _labelled(parts: tuple[ContractPart, ...], labels: list[ContractPart], text: str) -> ScoreReading:
    if not labels:
        # The place is there, and its words are named elsewhere in the prompt.
        filled = _all_filled(parts, text)
        worded = [part for part in filled if part not in parts]
        if worded:
            return _labelled(filled, worded[:1], text)
    named = [part for part in labels if is_label(part.name) or is_rating(part.name)]
    chosen = labels if len(labels) == 1 else named if len(named) == 1 else []
    if not chosen:
        return ScoreReading(parts=parts, unread=(_no_label(parts, labels),))
    label = chosen[0]
    words = _words(label)
    options = tuple(map(str, label.kind.options))
    points = _points_by_name(label.name, options or ("true", "false"))
    if points is None and options:
        points = points_for(options, label.meanings, text)
    if points is None:
        problem = (
            f"what the labels of `{label.name}` are worth could not be read: "
            f"add `score: {{{', '.join(f'{option}: …' for option in options)}}}`"
            if options
            else f"whether `{label.name}: true` is good or bad could not be read: "
            'add `score: {"true": 1, "false": 0}` or the other way round'
        )
        return ScoreReading(parts=parts, rating=label, words=words, unread=(problem,))
    return ScoreReading(
        parts=parts,
        rating=label,
        score=PointsScore(field=label.name, points=points),
        scale=Scale(low=0.0, high=1.0),
        words=words,
        binary=True,
    )


def _points_by_name(name: str, options: tuple[str, ...]) -> dict[str, float] | None:
    """`correct: yes` is good whatever the rest of the prompt speaks of."""
    sign = name_polarity(name)
    lowered = {option.lower() for option in options}
    if sign == 0 or len(options) != 2 or not lowered <= {"yes", "no", "true", "false", "y", "n"}:
        return None
    return {option: float((option[0].lower() in "yt") is (sign > 0)) for option in options}


def _words(label: ContractPart) -> dict[str, dict[str, Json]]:
    """One-word meanings of letters: a reply that says the word has said the letter."""
    said = {
        meaning.strip(" .").lower(): option
        for option, meaning in label.meanings.items()
        if re.fullmatch(r"[A-Za-z][A-Za-z_-]{2,30}", meaning.strip(" ."))
    }
    options = {str(option).lower() for option in label.kind.options}
    if not said or len(said) != len(label.kind.options) or set(said) & options:
        return {}
    return {label.name: dict(said)}


def _no_label(parts: tuple[ContractPart, ...], labels: list[ContractPart]) -> str:
    if labels:
        return (
            f"the verdict has several labels and none is the overall one: {_listed([part.name for part in labels])}; "
            "add `score:`, an expression over them"
        )
    nested = [
        f"{part.name}{name.replace('[].', '.')}"
        for part in parts
        if part.shape is not None
        for name in _nested_numbers(part.shape)
    ]
    if nested:
        return (
            f"the numbers stand inside other fields: {_listed(nested)}; add `score:`, an expression such as `{nested[0]}`, "
            "and `scale:`"
        )
    open_label = next(
        (part.name for part in parts if is_label(part.name) and part.kind.type == "string"), None
    )
    if open_label:
        return (
            f"the labels that `{open_label}` may take could not be read: add `verdict:` with `{open_label}: {{enum: […]}}` "
            "and `score:` with the points of each"
        )
    return (
        f"no field of the verdict ({_listed([part.name for part in parts])}) is a rating or a label: add `score:`, "
        "and `verdict:` if the prompt asks for more than was read"
    )


def _nested_numbers(shape: Mapping[str, Json], path: str = "") -> dict[str, Mapping[str, Json]]:
    """The numbers inside an object, or inside the elements of a list (`[]` for numbers that are the elements)."""
    kind, options, items = shape.get("type"), shape.get("enum"), shape.get("items")
    numbers = isinstance(options, list) and all(type(option) in {int, float} for option in options)
    if numbers or (isinstance(kind, str) and kind in {"integer", "number"}):
        return {path: shape}
    inside = {f"{path}.{name}": schema for name, schema in properties_of(shape).items()}
    if isinstance(items, dict):
        inside = {f"{path}[]": items}
    return {
        name: number
        for below, schema in inside.items()
        if isinstance(schema, dict)
        for name, number in _nested_numbers(schema, below).items()
    }


def _nested_bounds(shape: Mapping[str, Json]) -> Iterator[tuple[float, float]]:
    for schema in _nested_numbers(shape).values():
        options = schema.get("enum")
        ends = options if isinstance(options, list) else [schema.get("minimum"), schema.get("maximum")]
        numbers = [float(end) for end in ends if isinstance(end, int | float)]
        if len(numbers) > 1:
            yield min(numbers), max(numbers)


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
