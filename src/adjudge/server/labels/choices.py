"""A judge's scale as buttons and keys: what a person can say of a case in one stroke."""

from collections.abc import Sequence
from typing import Any

from adjudge.documents.numbers import whole
from adjudge.labels.label_scale import LabelScale
from adjudge.records import Criterion, FieldScore, Judge, NamedScore
from adjudge.scoring import base_scorer
from adjudge.server.labels.shapes import Choices, LabelButton, NumberField, PartField
from adjudge.text import encodable

MAX_BUTTONS = 10
_ORDINALS = "1234567890"


def choices_of(judge: Judge | None, label_scale: LabelScale, *, parts: Sequence[PartField] = ()) -> Choices:
    """Buttons where the scale has ten steps at most; a field for a number where it has more, or others in between."""
    better = judge.better if judge else "higher"
    listed = list(parts)
    if 0 < len(label_scale.points) <= MAX_BUTTONS:
        return Choices(
            options=_named(judge, label_scale),
            number=None,
            wanted=label_scale.wanted(),
            better=better,
            parts=listed,
        )
    scale = label_scale.scale
    values = _values(judge, label_scale)
    if values == [0.0, 1.0] and label_scale.has_rule and label_scale.passes is not None:
        options = _two_ends(judge, label_scale)
    elif values:
        options = [_option(judge, value, [key]) for value, key in zip(values, _keys(values), strict=True)]
    elif scale is None and label_scale.has_rule:
        options = [
            LabelButton(value=True, text="pass", keys=["p", "y", "1"], anchor=""),
            LabelButton(value=False, text="fail", keys=["f", "n", "0"], anchor=""),
        ]
    else:
        options = []
    typed = not options or not _only_these(judge, values)
    number = (
        NumberField(low=scale.low if scale else None, high=scale.high if scale else None)
        if typed and not (scale is None and options)
        else None
    )
    return Choices(options=options, number=number, wanted=label_scale.wanted(), better=better, parts=listed)


def parts_of(judge: Judge | None, criteria: Sequence[Criterion]) -> list[PartField]:
    """Criteria or ratings, in the order in which a list of labels has them."""
    if criteria:
        return [
            PartField(name=encodable(each.criterion), low=None, high=None, better="higher")
            for each in criteria
        ]
    return [
        PartField(name=each.name, low=each.scale.low, high=each.scale.high, better=each.better)
        for each in (judge.ratings if judge else ())
    ]


def _named(judge: Judge | None, label_scale: LabelScale) -> list[LabelButton]:
    """The judge's own words, the lowest points first; `p`, `f`, `y` and `n` press the one word that begins so.

    Of two answers the one that is A comes first.
    """
    words = list(label_scale.points)
    if judge is None or judge.pair is None:
        words.sort(key=lambda word: label_scale.points[word])
    first = [word[:1].casefold() for word in words]
    return [
        LabelButton(
            value=word,
            text=word,
            keys=[
                _ORDINALS[at],
                *([first[at]] if first[at] in {"p", "f", "y", "n"} and first.count(first[at]) == 1 else []),
            ],
            anchor=_anchor(judge, label_scale.points[word], word),
        )
        for at, word in enumerate(words)
    ]


def _two_ends(judge: Judge | None, label_scale: LabelScale) -> list[LabelButton]:
    assert label_scale.passes is not None
    found = []
    for value, digit in ((1.0, "1"), (0.0, "0")):
        passes = label_scale.passes(value)
        found.append(
            LabelButton(
                value=value,
                text="pass" if passes else "fail",
                keys=[digit, *(("p", "y") if passes else ("f", "n"))],
                anchor=_anchor(judge, value),
            )
        )
    if found[0].text == found[1].text:  # a rule that both ends keep, or neither
        return [_option(judge, value, [key]) for value, key in ((0.0, "0"), (1.0, "1"))]
    return found


def _option(judge: Judge | None, value: float, keys: list[str]) -> LabelButton:
    return LabelButton(value=value, text=f"{whole(value)}", keys=keys, anchor=_anchor(judge, value))


def _values(judge: Judge | None, label_scale: LabelScale) -> list[float]:
    """The scores to choose from, ascending; none where there would be too many, or only fractions."""
    listed = _listed(judge)
    if listed:
        return listed if len(listed) <= MAX_BUTTONS else []
    scale = label_scale.scale
    if scale is None or scale.low != int(scale.low) or scale.high != int(scale.high):
        return []
    width = int(scale.high - scale.low)
    if width < 1 or width >= MAX_BUTTONS or (width == 1 and not _is_whole(judge)):
        return []
    return [scale.low + step for step in range(width + 1)]


def _listed(judge: Judge | None) -> list[float]:
    """The numbers of an enumeration in the verdict that is the score."""
    options = _rating(judge).get("enum")
    if not isinstance(options, list) or not all(
        isinstance(each, int | float) and not isinstance(each, bool) for each in options
    ):
        return []
    return sorted({float(each) for each in options})


def _is_whole(judge: Judge | None) -> bool:
    if judge is not None and isinstance(judge.score, NamedScore):
        return base_scorer(judge).whole_points
    return _rating(judge).get("type") in {"integer", "boolean"}


def _only_these(judge: Judge | None, values: Sequence[float]) -> bool:
    """Whether the judge itself can give no score between the buttons."""
    return bool(_listed(judge)) or _is_whole(judge) or not values


def _rating(judge: Judge | None) -> dict[str, Any]:
    if judge is None or judge.contract is None or not isinstance(judge.score, FieldScore):
        return {}
    properties = judge.contract.schema.get("properties")
    found = properties.get(judge.score.field) if isinstance(properties, dict) else None
    return dict(found) if isinstance(found, dict) else {}


def _keys(values: Sequence[float]) -> list[str]:
    """The digit of the score itself, where every score has one; else the place in the row."""
    if all(value in range(10) for value in values):
        return [f"{value:.0f}" for value in values]
    if all(value in range(1, 11) for value in values):
        return [f"{value % 10:.0f}" for value in values]
    return list(_ORDINALS[: len(values)])


def _anchor(judge: Judge | None, value: float, word: str | None = None) -> str:
    for written, meaning in judge.anchors.items() if judge else ():
        if written == word:
            return meaning
        try:
            if float(written) == value:
                return meaning
        except ValueError:
            continue
    return ""
