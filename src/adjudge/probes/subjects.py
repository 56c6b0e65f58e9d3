"""Whose answers are used: the cases a judge is tried on, which of them are right, and copies with one value changed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from math import isfinite
from random import Random
from typing import Any

import orjson

from adjudge.dataset import read_cases
from adjudge.errors import DatasetError, JudgeFileError
from adjudge.prompts.fill import Bindings, fill_inputs
from adjudge.records import BadRow, Case, Json, Judge, Score
from adjudge.scoring import normalize, passes
from adjudge.text import as_text

MIDDLE = 0.5
"""What counts as a pass, on a scale of 0 to 1, where the judge has no rule of its own."""
CORE = 40
"""Right answers, and as many wrong ones, that every probe is tried on; attacks go to all wrong answers."""
_WORDS = {"true": True, "false": False, "1": True, "0": False}


@dataclass(frozen=True, kw_only=True, slots=True)
class ProbeSubject:
    """One answer with what the judge sees of its case."""

    subject_id: str
    values: Mapping[str, Json]
    """By the judge's input names."""
    fields: Mapping[str, Json]
    """By canonical field."""
    right: bool | None
    """What its label says; None: unlabelled, and taken for what the judge says of it untouched."""
    label: Json = None

    @property
    def response(self) -> str:
        return as_text(self.fields["response"])

    @property
    def question(self) -> str:
        return as_text(self.fields.get("question"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Panel:
    """The subjects of one examination."""

    source: str
    subjects: tuple[ProbeSubject, ...]
    left_out: int = 0
    """Rows that lack an input, or could not be read."""

    @property
    def right(self) -> list[ProbeSubject]:
        return [subject for subject in self.subjects if subject.right is not False]

    @property
    def wrong(self) -> list[ProbeSubject]:
        return [subject for subject in self.subjects if subject.right is False]

    @property
    def core(self) -> list[ProbeSubject]:
        """Some right and some wrong answers, of as many questions as there are."""
        return [*_spread(self.right)[:CORE], *_spread(self.wrong)[:CORE]]


def _spread(subjects: Iterable[ProbeSubject]) -> list[ProbeSubject]:
    """One answer of every question first, then a second one."""
    seen: Counter[str] = Counter()
    ranked = []
    for subject in subjects:
        ranked.append((seen[subject.question], subject))
        seen[subject.question] += 1
    return [subject for _, subject in sorted(ranked, key=lambda item: item[0])]


def sources_of(judge: Judge) -> set[str]:
    return {item.source for item in judge.inputs}


def built_in_rows(judge: Judge) -> tuple[str, list[dict[str, Json]]]:
    """Short facts for judges that compare 0 or 1 with a reference or a context, explanations for those that rate."""
    compares = "reference" in sources_of(judge) and judge.items is None
    in_context = any(item.source == "context" and item.required for item in judge.inputs)
    name = "facts" if compares or in_context else "explanations"
    text = files("adjudge.probes").joinpath("cases", f"{name}.jsonl").read_text(encoding="utf-8")
    rows = [row for line in text.splitlines() for row in _rows(orjson.loads(line))]
    if in_context:
        rows = [{**row, "context": f"{row['question']} {row['reference']}"} for row in rows]
    return name, rows


def _rows(case: Mapping[str, Any]) -> Iterator[dict[str, Json]]:
    """A question of the built-in cases, with its right answer and its wrong ones, as one row for each answer."""
    asked = {"question": case["question"], "reference": case["reference"]}
    yield {"id": f"{case['id']}-right", **asked, "response": case["right"], "label": True}
    for number, response in enumerate(case["wrong"], start=1):
        yield {"id": f"{case['id']}-wrong-{number}", **asked, "response": response, "label": False}


def built_in_panel(judge: Judge, bindings: Bindings) -> Panel:
    name, rows = built_in_rows(judge)
    source = f"built-in cases ({name})"
    return seat(judge, read_cases(rows, name=source), bindings, most=None, seed=0, source=source)


def seat(
    judge: Judge,
    rows: Iterable[Case | BadRow],
    bindings: Bindings,
    *,
    most: int | None,
    seed: int,
    source: str = "cases",
) -> Panel:
    """At most `most` of the rows, drawn by the seed; where none is labelled wrong, other questions' answers are added."""
    if judge.pair is not None:
        raise JudgeFileError(
            judge.name,
            "it compares two answers, and the probes are made for judges of one",
            "its reports say how far the order and the length of the answers decide; `adjudge agree` compares it with people",
        )
    if "response" not in sources_of(judge):
        raise JudgeFileError(
            judge.name,
            "none of its inputs stands for the response, so there is nothing to put a probe into",
            "call the input `response` or one of its other names; `adjudge show` lists what was understood",
        )
    found: list[ProbeSubject] = []
    left_out = 0
    for row in rows:
        subject = None if isinstance(row, BadRow) else _subject(judge, row, bindings)
        if subject is None:
            left_out += 1
        else:
            found.append(subject)
    if not found:
        raise DatasetError(
            source,
            f"no case has every input that {judge.name} needs ({', '.join(i.name for i in judge.inputs if i.required)})",
            "give cases that have it with --cases, and name columns with --columns input=column",
        )
    if most is not None and len(found) > most:
        found = Random(seed).sample(found, most)  # noqa: S311 - a sample, not a secret
    if not any(subject.right is False for subject in found):
        found += _misplaced(judge, found)
    return Panel(source=source, subjects=tuple(found), left_out=left_out)


def _subject(judge: Judge, case: Case, bindings: Bindings) -> ProbeSubject | None:
    filled = fill_inputs(judge.inputs, case, bindings)
    response = filled.fields.get("response")
    if filled.missing or response is None or not as_text(response).strip():
        return None
    fields = {**case.fields, **filled.fields}
    label = fields.pop("label", None)
    fields.pop("annotators", None)
    return ProbeSubject(
        subject_id=case.case_id,
        values=dict(filled.values),
        fields=fields,
        right=is_right(label, judge),
        label=label,
    )


def is_right(label: Json, judge: Judge) -> bool | None:
    """What a label says of an answer: a truth value, or a score that the judge's rule passes."""
    if isinstance(label, dict):
        label = label.get(judge.name)
    if isinstance(label, str):
        label = _WORDS.get(label.strip().lower())
    if isinstance(label, bool) or label is None:
        return label
    if not isinstance(label, int | float) or not isfinite(label):
        return None
    passed = passes(judge, {}, Score(value=float(label), exact=float(label)))
    if passed is not None:
        return passed
    share = normalize(judge.scale, judge.better, float(label))
    return None if share is None else share >= MIDDLE


def _misplaced(judge: Judge, subjects: Sequence[ProbeSubject]) -> list[ProbeSubject]:
    """Another question's answer under each question: wrong whatever the judge."""
    misplaced = []
    for subject in subjects:
        other = next(others(subject, subjects), None)
        if other is not None:
            misplaced.append(
                replace(
                    with_value(judge, subject, "response", other.fields["response"]),
                    subject_id=f"{subject.subject_id}+misplaced",
                    right=False,
                    label=None,
                )
            )
    return misplaced


def others(subject: ProbeSubject, subjects: Sequence[ProbeSubject]) -> Iterator[ProbeSubject]:
    """Those that follow, going round, and were asked something else and answered something else."""
    at = next((place for place, each in enumerate(subjects) if each.subject_id == subject.subject_id), -1)
    for other in (*subjects[at + 1 :], *subjects[: at + 1]):
        if other.question != subject.question and other.response != subject.response:
            yield other


def with_value(judge: Judge, subject: ProbeSubject, source: str, value: Json) -> ProbeSubject:
    """The same subject with another value for what fills these inputs."""
    names = {item.name for item in judge.inputs if item.source == source}
    return replace(
        subject,
        values={name: value if name in names else own for name, own in subject.values.items()},
        fields={**subject.fields, source: value},
    )


def without(judge: Judge, subject: ProbeSubject, source: str) -> ProbeSubject:
    """The same subject with nothing for these inputs."""
    names = {item.name for item in judge.inputs if item.source == source}
    removed = {source, "question", "context"} if source == "parameters" else {source}
    return replace(
        subject,
        values={name: own for name, own in subject.values.items() if name not in names},
        fields={name: own for name, own in subject.fields.items() if name not in removed},
    )
