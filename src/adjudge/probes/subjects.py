"""Whose answers are used: the cases a judge is tried on, which of them are right, and copies with one value changed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from random import Random
from typing import Any

import orjson

from adjudge.dataset import read_cases
from adjudge.errors import DatasetError, JudgeFileError
from adjudge.fields import ANSWERS
from adjudge.labels.label_scale import (
    Meaning,
    choice_points,
    is_not_for,
    label_scale_of,
    off_scale_error,
    read_label,
    refuse_zeros_and_ones,
)
from adjudge.prompts.fill import Bindings, Filled, exchange, fill_inputs
from adjudge.records import WINNER_SCORES, BadRow, Case, Json, Judge, Score, winner_of
from adjudge.scoring import normalize, passes
from adjudge.text import as_text, shorten, visible

MIDDLE = 0.5
"""What counts as a pass, on a scale of 0 to 1, where the judge has no rule of its own."""
CORE = 40
"""Right answers, and as many wrong ones, that every probe is tried on; attacks go to all wrong answers."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProbeSubject:
    """One answer with what the judge sees of its case; of two that are compared, A's place is its own."""

    subject_id: str
    case_id: str
    """Of its row: of a pair, both answers have the same."""
    cluster: str
    """What its judgements are evidence of: its question and what the column `cluster` names; of built-in cases, which are
    a fixed set of questions, the answer itself, or the pair that it is one of."""
    field: str
    """Where the answer stands: `response`, or `response_a` beside the one that it is compared with."""
    values: Mapping[str, Json]
    """By the judge's input names."""
    fields: Mapping[str, Json]
    """By canonical field."""
    right: bool | None
    """What its label says, of two whether it is the better one; None: taken for what the judge says of it untouched."""
    label: Json = None

    @property
    def response(self) -> str:
        return as_text(self.fields[self.field])

    @property
    def opponent(self) -> str | None:
        """The answer that it is compared with."""
        return as_text(self.fields[ANSWERS[1]]) if self.field == ANSWERS[0] else None

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
    def compares(self) -> bool:
        return any(subject.opponent is not None for subject in self.subjects)

    @property
    def undecided(self) -> int:
        """Answers of pairs whose label is a tie, or that have none."""
        return sum(subject.right is None for subject in self.subjects) if self.compares else 0

    @property
    def core(self) -> list[ProbeSubject]:
        """Some right and some wrong answers, of as many questions, and as few pairs twice, as there are."""
        right = _spread(self.right)[:CORE]
        taken = {subject.case_id for subject in right}
        wrong = sorted(_spread(self.wrong), key=lambda subject: subject.case_id in taken)
        return [*right, *wrong[:CORE]]


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


def answer_field(judge: Judge) -> str:
    """The field that probes change."""
    return "response" if judge.pair is None else ANSWERS[0]


def built_in_rows(judge: Judge) -> tuple[str, list[dict[str, Json]]]:
    """Short facts for judges that compare 0 or 1 with a reference or a context, explanations for those that rate."""
    compares = "reference" in sources_of(judge) and judge.items is None
    in_context = any(item.source == "context" and item.required for item in judge.inputs)
    name = "facts" if compares or in_context else "explanations"
    text = files("adjudge.probes").joinpath("cases", f"{name}.jsonl").read_text(encoding="utf-8")
    rows_of = _rows if judge.pair is None else _pair_rows
    rows = [row for line in text.splitlines() for row in rows_of(orjson.loads(line))]
    if in_context:
        rows = [{**row, "context": f"{row['question']} {row['reference']}"} for row in rows]
    return name, rows


def _rows(case: Mapping[str, Any]) -> Iterator[dict[str, Json]]:
    """A question of the built-in cases, with its right answer and its wrong ones, as one row for each answer."""
    asked = {"question": case["question"], "reference": case["reference"]}
    yield {"id": f"{case['id']}-right", **asked, "response": case["right"], "label": True}
    for number, response in enumerate(case["wrong"], start=1):
        yield {"id": f"{case['id']}-wrong-{number}", **asked, "response": response, "label": False}


def _pair_rows(case: Mapping[str, Any]) -> Iterator[dict[str, Json]]:
    """The right answer beside each of the wrong ones."""
    asked = {"question": case["question"], "reference": case["reference"]}
    for number, response in enumerate(case["wrong"], start=1):
        answers = dict(zip(ANSWERS, (case["right"], response), strict=True))
        yield {"id": f"{case['id']}-{number}", **asked, **answers, "label": "A"}


def built_in_panel(judge: Judge, bindings: Bindings) -> Panel:
    name, rows = built_in_rows(judge)
    source = f"built-in cases ({name})"
    return seat(
        judge, read_cases(rows, name=source), bindings, most=None, seed=0, source=source, by_question=False
    )


def seat(
    judge: Judge,
    rows: Iterable[Case | BadRow],
    bindings: Bindings,
    *,
    most: int | None,
    seed: int,
    source: str = "cases",
    label_map: Mapping[str, str] | None = None,
    by_question: bool = True,
) -> Panel:
    """At most `most` of the rows, drawn by the seed; where none is labelled wrong, other questions' answers are added.

    `by_question`: answers to one question, or of one `cluster`, are one piece of evidence.
    """
    if answer_field(judge) not in sources_of(judge):
        raise JudgeFileError(
            judge.name,
            "none of its inputs stands for the response, so there is nothing to put a probe into",
            "call the input `response` or one of its other names; `adjudge show` lists what was understood",
        )
    seated: list[list[ProbeSubject]] = []
    left_out = 0
    labels = RightOrWrong(judge, source, label_map or {})
    for row in rows:
        subjects = [] if isinstance(row, BadRow) else _subjects(judge, row, bindings, labels)
        if subjects:
            # neither side of a pair comes first in all of them
            seated.append(subjects[:: -1 if len(seated) % 2 else 1])
        else:
            left_out += 1
    labels.check()
    if not seated:
        raise DatasetError(
            source,
            f"no case has every input that {judge.name} needs ({', '.join(i.name for i in judge.inputs if i.required)})",
            "give cases that have it with --cases, and name columns with --columns input=column",
        )
    if most is not None and len(seated) > most:
        seated = Random(seed).sample(seated, most)  # noqa: S311 - a sample, not a secret
    found = list(_once_each(subject for subjects in seated for subject in subjects))
    if by_question:
        found = _cluster(found)
    if not any(subject.right is False for subject in found):
        found += _misplaced(judge, found)
    return Panel(source=source, subjects=tuple(found), left_out=left_out)


def _cluster(subjects: Sequence[ProbeSubject]) -> list[ProbeSubject]:
    """Whatever shares a question or a `cluster` with another, however far round, is in one cluster with it."""
    roots: dict[tuple[str, str], tuple[str, str]] = {}

    def root(key: tuple[str, str]) -> tuple[str, str]:
        while (above := roots.setdefault(key, key)) != key:
            key = above
        return key

    def keys(subject: ProbeSubject) -> list[tuple[str, str]]:
        named = subject.fields.get("cluster")
        question = " ".join(subject.question.split())
        found = [("question", question)] if question else []
        return [("case", subject.case_id), *found, *([] if named is None else [("cluster", as_text(named))])]

    for subject in subjects:
        for key in keys(subject):
            roots[root(key)] = root(keys(subject)[0])
    return [replace(subject, cluster=" ".join(root(keys(subject)[0]))) for subject in subjects]


def _once_each(subjects: Iterable[ProbeSubject]) -> Iterator[ProbeSubject]:
    """An answer that is compared with several worse ones is one answer, and what takes its place is tried on it once."""
    seen = set()
    for subject in subjects:
        answer = (subject.question, subject.response)
        if subject.opponent is None or subject.right is False or answer not in seen:
            yield subject
        if subject.right is not False:
            seen.add(answer)


def _subjects(judge: Judge, case: Case, bindings: Bindings, labels: "RightOrWrong") -> list[ProbeSubject]:
    """The answer of a case, or each of two beside the other; none where something is lacking."""
    filled = fill_inputs(judge.inputs, case, bindings)
    answers = ("response",) if judge.pair is None else ANSWERS
    if filled.missing or any(not as_text(filled.fields.get(name) or "").strip() for name in answers):
        return []
    fields = {**case.fields, **filled.fields}
    label = fields.get("label")

    def subject(
        subject_id: str,
        filled: Filled,
        label: Json,
        right: bool | None,  # noqa: FBT001 - what the label says
    ) -> ProbeSubject:
        own = {**fields, **filled.fields}
        return ProbeSubject(
            subject_id=subject_id,
            case_id=case.case_id,
            cluster=case.case_id,
            field=answers[0],
            values=dict(filled.values),
            fields={name: value for name, value in own.items() if name not in {"label", "annotators"}},
            right=right,
            label=label,
        )

    if judge.pair is None:
        return [subject(case.case_id, filled, label, labels.read(label))]
    score = _score_of_a(judge, label, f"{labels.source}: case {case.case_id}")
    return [
        subject(f"{case.case_id}+{side}", shown, own, None if own in {None, MIDDLE} else own == 1.0)
        for side, shown, own in (
            ("a", filled, score),
            ("b", exchange(filled, judge.pair), None if score is None else 1.0 - score),
        )
    ]


def _score_of_a(judge: Judge, label: Json, where: str) -> float | None:
    """1 where a label says that A is better, 0 where B is, 0.5 for a tie; None without a label."""
    if is_not_for(label, judge.name):
        return None
    assert judge.scale is not None
    score = read_label(label, judge.name, judge.scale, pass_rule=False, points=choice_points(judge))
    if score is None:
        raise DatasetError(
            where,
            f"the label `{visible(shorten(as_text(label), 40))}` does not say which of the two answers is better",
            "use `A`, `B` or `tie`, or 1, 0 or 0.5 for A",
        )
    return WINNER_SCORES[winner_of(float(score), judge.scale)]


class RightOrWrong:
    """What labels say of answers: a truth value, or a score on the judge's scale that its rule passes."""

    def __init__(self, judge: Judge, source: str, label_map: Mapping[str, str]) -> None:
        self._judge, self.source = judge, source
        # right or wrong can be said of an answer whatever the judge's rule
        self._scale = label_scale_of(judge.name, judge, (), label_map, has_rule=True)
        self._meanings: list[Meaning] = []
        self._strange: list[Json] = []

    def read(self, label: Json) -> bool | None:
        """None where the row has no label for this judge, or one to skip."""
        if is_not_for(label, self._judge.name):
            return None
        meaning = self._scale.place(label)
        if meaning is None:
            self._strange.append(label)
        if meaning is None or isinstance(meaning, str):
            return None
        self._meanings.append(meaning)
        return meaning if isinstance(meaning, bool) else self._passes(meaning)

    def check(self) -> None:
        """An `InputError` for labels that are not on the judge's scale, as `run` gives it."""
        if self._strange:
            raise off_scale_error(self.source, self._strange, self._scale)
        refuse_zeros_and_ones(self.source, self._meanings, self._scale)

    def _passes(self, score: float) -> bool | None:
        passed = passes(self._judge, {}, Score(value=score, exact=score))
        if passed is not None:
            return passed
        share = normalize(self._judge.scale, self._judge.better, score)
        return None if share is None else share >= MIDDLE


def _misplaced(judge: Judge, subjects: Sequence[ProbeSubject]) -> list[ProbeSubject]:
    """Another question's answer under each question: wrong whatever the judge."""
    misplaced = []
    for subject in {subject.case_id: subject for subject in subjects}.values():
        other = next(others(subject, subjects), None)
        if other is not None:
            subject_id = f"{subject.subject_id}+misplaced"
            changed = in_its_place(judge, subject, other.fields[other.field])
            misplaced.append(
                replace(changed, subject_id=subject_id, case_id=subject_id, right=False, label=None)
            )
    return misplaced


def in_its_place(judge: Judge, subject: ProbeSubject, text: Json) -> ProbeSubject:
    """Another text for the answer; of a pair, against the answer itself, so that it is the worse one for certain."""
    changed = with_value(judge, subject, subject.field, text)
    if subject.opponent is None:
        return changed
    return with_value(judge, changed, ANSWERS[1], subject.fields[subject.field])


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
