"""A stored judgement -> the rows of the pages' index: what is shown of it, filtered by, and searched."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from statistics import fmean
from typing import Any

import orjson

from adjudge.records import Failed, Forced, Json, Judge
from adjudge.reports.compare_match import value_text
from adjudge.reports.format import plain_json, shorten
from adjudge.reports.labels import read_label
from adjudge.reports.slices import LONGEST_VALUE
from adjudge.store import Entry

LONGEST_PREVIEW = 280
LONGEST_NOTE = 200
LONGEST_SEARCHED = 20_000
"""Characters of one item that are searched; what stands further on is found by reading."""
MOST_FACETS = 30
"""Metadata columns of one item that it can be filtered by."""
MOST_WORDS = 32

# Words of Chinese, Japanese, Thai and other scripts stand unspaced: each character is a word of the index.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]"
)
_SURROGATES = re.compile("[\ud800-\udfff]")
_WORD_OR_PHRASE = re.compile(r'"([^"]*)"?|([^\s"]+)')

COLUMNS = (
    "made", "case_id", "judge", "judge_hash", "model", "repeat", "outcome", "error_kind", "score", "exact", "passed",
    "probability", "cost", "latency_ms", "calls", "from_store", "at", "cluster", "own_score", "own_pass",
)  # fmt: skip
PREVIEWS = ("made", "question", "response", "reason", "notes", "metadata")


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
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


NOTHING_SAID = (0, None, None, None)


class Scales:
    """What is known of a run's judges, as far as labels need it: (name, hash) -> scale and pass rule."""

    def __init__(self, judges: Iterable[Judge]) -> None:
        self._known = {(judge.name, judge.hash): judge for judge in judges}

    def own_label(self, entry: Entry) -> bool | float | None:
        judgement = entry.judgement
        if judgement.label is None or isinstance(judgement.outcome, Failed):
            return None
        judge = self._known.get((judgement.judge, judgement.judge_hash))
        scale = judge.scale if judge else None
        return read_label(judgement.label, judgement.judge, scale, pass_rule=judgement.passed is not None)


def search_words(text: str) -> str:
    """An FTS5 query for items with all these words, the last one and `begin*` as beginnings; "in quotes" they stand side
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
    return " ".join(found[:MOST_WORDS])


def _is_of_word(character: str) -> bool:
    """As the index's tokenizer sees it."""
    category = unicodedata.category(character)
    return category[0] in "LN" or category == "Co"


def make_row(entry: Entry, scales: Scales) -> tuple[Any, ...]:
    """Of `COLUMNS`."""
    judgement, outcome = entry.judgement, entry.judgement.outcome
    own = None if judgement.label is None else scales.own_label(entry)
    cost = judgement.cost
    return (
        entry.number,
        clean(judgement.case_id),
        clean(judgement.judge),
        judgement.judge_hash,
        clean(judgement.model),
        judgement.repeat,
        outcome.kind,
        clean(outcome.error_kind) if isinstance(outcome, Failed) else "",
        judgement.score,
        judgement.exact,
        None if judgement.passed is None else int(judgement.passed),
        judgement.probability,
        None if cost is None else float(cost),
        judgement.latency_ms,
        len(judgement.calls),
        int(judgement.from_store),
        judgement.at.timestamp(),
        None if judgement.cluster is None else clean(judgement.cluster),
        None if isinstance(own, bool) else own,
        int(own) if isinstance(own, bool) else None,
    )


def make_preview(entry: Entry, facets: Iterable[tuple[str, str]]) -> tuple[Any, ...]:
    """Of `PREVIEWS`: what is read only for the rows that are shown."""
    fields = entry.case.fields if entry.case else {}
    return (
        entry.number,
        _preview(fields.get("question")),
        _preview(fields.get("response")),
        shorten(clean(_said(entry)), LONGEST_PREVIEW),
        orjson.dumps(list(make_notes(entry))).decode(),
        orjson.dumps(dict(facets)).decode(),
    )


def make_notes(entry: Entry) -> Iterator[str]:
    return (shorten(clean(note), LONGEST_NOTE) for note in entry.judgement.notes)


def make_facets(entry: Entry) -> list[tuple[str, str]]:
    """Written as the report writes its slices, so that a slice's link finds its items."""
    return [
        (clean(name), _facet(shorten(value_text(value), LONGEST_VALUE)))
        for name, value in islice(entry.judgement.metadata.items(), MOST_FACETS)
    ]


def make_searched(entry: Entry) -> str:
    texts = [entry.judgement.case_id]
    if entry.case is not None:
        texts += [_text(value) for value in entry.case.columns.values()]
    texts.append(_said(entry))
    texts += entry.judgement.notes
    return _spaced(" ".join(texts)[:LONGEST_SEARCHED])


def clean(text: str) -> str:
    """SQLite takes no lone surrogates."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def _said(entry: Entry) -> str:
    judgement, outcome = entry.judgement, entry.judgement.outcome
    if isinstance(outcome, Failed):
        return outcome.message
    if judgement.reason is None and isinstance(outcome, Forced):
        return outcome.reason
    return judgement.reason or ""


def _facet(text: str) -> str:
    return text if text.isascii() else str(plain_json(text))


def _spaced(text: str) -> str:
    plain = text.replace("\0", " ")
    return plain if plain.isascii() else _UNSPACED.sub(r" \g<0> ", clean(plain))


def _preview(value: Json) -> str:
    return "" if value is None else shorten(" ".join(_text(value)[:2_000].split()), LONGEST_PREVIEW)


def _text(value: Json) -> str:
    if isinstance(value, str):
        return clean(value)
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # lone surrogates, outsized integers, endless nesting
        return orjson.dumps(plain_json(value)).decode()
