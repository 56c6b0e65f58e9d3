"""A stored judgement -> the rows of the pages' index: what is shown of it, filtered by, and searched."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from statistics import fmean
from typing import Any

import orjson

from adjudge.analysis.summary.slices import MAX_VALUE_CHARS
from adjudge.documents.records_json import records_json
from adjudge.labels.label_scale import read_label
from adjudge.records import Failed, Forced, Json, Judge, Judgement
from adjudge.store import KeptLabel, ListedJudgement
from adjudge.text import shorten, value_text

MAX_PREVIEW_CHARS = 280
MAX_NOTE_CHARS = 200
MAX_SEARCHED_CHARS = 20_000
"""Characters of one case that are searched; what stands further on is found by reading."""
MAX_FACETS = 30
"""Metadata columns of one case that it can be filtered by."""
MAX_WORDS = 32

# Words of Chinese, Japanese, Thai and other scripts stand unspaced: each character is a word of the index.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]"
)
_SURROGATES = re.compile("[\ud800-\udfff]")
_WORD_OR_PHRASE = re.compile(r'"([^"]*)"?|([^\s"]+)')

COLUMNS = (
    "made", "case_id", "judge", "model", "repeat", "outcome", "score", "passed", "probability", "cost", "latency_ms",
    "own_score", "own_pass",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseLabels:
    """What people say of a case: scores on the judge's scale, or whether it passes."""

    labels: tuple[float, ...]
    passes: bool

    def against(
        self, score: float | None, passed: int | None, width: float
    ) -> tuple[int, float | None, float | None, float | None]:
        """`labelled`, `label_score`, `label_pass`, `gap`: how far a judgement is from it on average, as `agree` has it."""
        mean, judged = fmean(self.labels), passed if self.passes else score
        gap = None
        if judged is not None:
            gap = fmean(abs(judged - label) for label in self.labels) / (1.0 if self.passes else width)
        return (1, None, mean, gap) if self.passes else (1, mean, None, gap)


NO_LABEL = (0, None, None, None)


def case_labels(labels: Iterable[KeptLabel], judge: Judge) -> dict[str, CaseLabels]:
    """By case; whether it passes, where nobody said more."""
    by_case: dict[str, list[bool | float]] = {}
    for label in labels:
        if label.label is not None:
            by_case.setdefault(label.case_id, []).append(label.label)
    return {
        case_id: CaseLabels(
            labels=tuple(float(each) for each in found),
            passes=judge.passes is not None and all(isinstance(each, bool) for each in found),
        )
        for case_id, found in by_case.items()
    }


def own_label(score: float | None, passed: int | None) -> CaseLabels | None:
    """The label that stands in the case itself."""
    if passed is not None:
        return CaseLabels(labels=(float(passed),), passes=True)
    return None if score is None else CaseLabels(labels=(score,), passes=False)


class Scales:
    """What is known of a run's judges, as far as labels need it: (name, hash) -> scale and pass rule."""

    def __init__(self, judges: Iterable[Judge]) -> None:
        self._known = {(judge.name, judge.hash): judge for judge in judges}

    def own_label(self, listed: ListedJudgement) -> bool | float | None:
        if listed.label is None or listed.score is None:
            return None
        judge = self._known.get((listed.judge, listed.judge_hash))
        scale = judge.scale if judge else None
        return read_label(listed.label, listed.judge, scale, pass_rule=listed.passed is not None)


def search_words(text: str) -> str:
    """An FTS5 query for cases with all these words, the last one and `begin*` as beginnings; "in quotes" they stand side
    by side.

    Nothing in it is syntax. Empty when there is no word in the text.
    """
    found: list[str] = []
    last = ""
    for phrase, word in _WORD_OR_PHRASE.findall(text[:2_000]):
        for part in [_spaced(phrase)] if phrase else _spaced(word).split():
            if any(_is_of_word(character) for character in part):
                found.append(f'"{part}"*' if word.endswith("*") else f'"{part}"')
                last = word
    if last and not last.endswith("*"):
        found[-1] += "*"
    return " ".join(found[:MAX_WORDS])


def _is_of_word(character: str) -> bool:
    """As the index's tokenizer sees it."""
    category = unicodedata.category(character)
    return category[0] in "LN" or category == "Co"


def make_row(listed: ListedJudgement, scales: Scales) -> tuple[Any, ...]:
    """Of `COLUMNS`."""
    own = scales.own_label(listed)
    return (
        listed.number,
        clean(listed.case_id),
        clean(listed.judge),
        clean(listed.model),
        listed.repeat,
        listed.outcome,
        listed.score,
        None if listed.passed is None else int(listed.passed),
        listed.probability,
        listed.cost,
        listed.latency_ms,
        None if isinstance(own, bool) else own,
        int(own) if isinstance(own, bool) else None,
    )


def make_notes(notes: Iterable[str]) -> list[str]:
    return [shorten(clean(note), MAX_NOTE_CHARS) for note in notes]


def make_facets(metadata: Mapping[str, Json]) -> dict[str, str]:
    """Written as the report writes its slices, so that a slice's link finds its cases."""
    return {
        clean(name): _facet(shorten(value_text(value), MAX_VALUE_CHARS))
        for name, value in islice(metadata.items(), MAX_FACETS)
    }


def make_searched(listed: ListedJudgement) -> str:
    texts = [listed.case_id, *(_text(value) for value in listed.columns.values())]
    return _spaced(" ".join([*texts, listed.reason, *listed.notes])[:MAX_SEARCHED_CHARS])


def make_preview(value: Json) -> str:
    """The beginning of a text, in a line."""
    return "" if value is None else shorten(" ".join(_text(value)[:2_000].split()), MAX_PREVIEW_CHARS)


def explained(judgement: Judgement) -> str:
    """Why it was scored so, or why it could not be judged; its beginning."""
    outcome = judgement.outcome
    if isinstance(outcome, Failed):
        text = outcome.message
    elif judgement.reason is None and isinstance(outcome, Forced):
        text = outcome.reason
    else:
        text = judgement.reason or ""
    return shorten(clean(text), MAX_PREVIEW_CHARS)


def clean(text: str) -> str:
    """SQLite takes no lone surrogates."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def _facet(text: str) -> str:
    return text if text.isascii() else str(records_json(text))


def _spaced(text: str) -> str:
    plain = text.replace("\0", " ")
    return plain if plain.isascii() else _UNSPACED.sub(r" \g<0> ", clean(plain))


def _text(value: Json) -> str:
    if isinstance(value, str):
        return clean(value)
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # lone surrogates, outsized integers, endless nesting
        return orjson.dumps(records_json(value)).decode()
