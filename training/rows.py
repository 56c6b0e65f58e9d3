"""Labelled files -> rows, each on its side of the split and with leave to train on it or not."""

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

FOLDS = 20
HELD_BACK = frozenset({0, 1, 2})
"""Folds that no adapter is trained on: about 15 % of the questions, the same in every file."""

TRAINED = (
    "evouna_nq", "evouna_tq", "nq301", "semeval13_beetle", "semeval13_scientsbank", "truthfulqa", "inject_synth",
    "masterkey", "realsumm", "factscore_bio", "feedbackqa", "medquad_liveqa", "alce_utility", "roscoe", "summeval",
    "halueval_general", "begin", "summedits",
)  # fmt: skip
MEASURED_ONLY = ("financebench", "mohler", "qags", "faithbench")
"""No licence to train on these, or none stated: all their rows measure what the adapter does on sets it never saw."""

FORBIDDEN = ("nc", "none stated")


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    row_id: str
    source: str
    question: str
    response: str
    reference: str
    references: list[str]
    """Every accepted answer where the set lists them, else the one reference."""
    context: str
    label: float
    votes: list[float]
    """What each annotator said, where the set tells."""
    question_id: str
    licence: str
    meta: Mapping[str, Any]

    @property
    def fold(self) -> int:
        return fold_of(self.question_id)

    @property
    def trainable(self) -> bool:
        allowed = self.source in TRAINED and not self.licence.lower().startswith(FORBIDDEN)
        return allowed and self.fold not in HELD_BACK


def fold_of(question_id: str) -> int:
    """A question lies in one fold whatever the file, because its id does."""
    return int(sha256(question_id.encode()).hexdigest()[:8], 16) % FOLDS


def read_rows(folder: Path, source: str) -> list[Row]:
    return list(rows_of(folder / f"{source}.jsonl.gz", source))


def rows_of(path: Path, source: str) -> Iterator[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            raw = json.loads(line)
            meta = raw["meta"]
            reference = str(raw.get("reference") or "")
            context = raw.get("context") or ""
            yield Row(
                row_id=raw["id"],
                source=source,
                question=raw["question"],
                response=raw["response"] or "",
                reference=reference,
                references=meta.get("references") or ([reference] if reference else []),
                context=context if isinstance(context, str) else json.dumps(context, ensure_ascii=False),
                label=float(raw["label"]),
                votes=[float(vote) for vote in raw.get("annotators") or []],
                question_id=meta["qid"],
                licence=meta["licence"],
                meta=meta,
            )
