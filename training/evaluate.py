"""`python -m training.evaluate`: a model's outputs on the held-back rows -> agreement with people, set by set."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adjudge.embedded.model.questions import HEADS, QUESTIONS, Question
from training.figures import Vector, accuracy, kappa, pearson, spearman
from training.packed import Packed, read_packed


@dataclass(frozen=True, kw_only=True, slots=True)
class Answers:
    """What was said and what people said, for one set and one question."""

    source: str
    question: Question
    keys: list[str]
    outputs: NDArray[np.float64]
    """One row a read, one column an output, before calibration."""
    targets: NDArray[np.float64]

    @property
    def said(self) -> Vector:
        """The probability, or for a scale the sum of the steps' probabilities."""
        return np.asarray((1 / (1 + np.exp(-self.outputs))).sum(axis=1))

    @property
    def surprise(self) -> float:
        """Mean cross-entropy; it moves with smaller changes than a share of right decisions does."""
        wide = np.logaddexp(0, self.outputs) - self.targets * self.outputs
        return float(wide.mean())

    @property
    def label(self) -> Vector:
        return np.asarray(self.targets.sum(axis=1))

    def by_row(self) -> "tuple[Vector, Vector]":
        """For facts: each row's mean probability, and the share of its facts that most voters found."""
        _, owner = np.unique(np.array(self.keys), return_inverse=True)
        counts = np.bincount(owner)
        found = (self.label > 0.5).astype(float)
        return np.bincount(owner, self.said) / counts, np.bincount(owner, found) / counts


def split(measure: Packed, outputs: NDArray[np.floating]) -> Iterator[Answers]:
    owner = measure.example_of_read
    for number, source in enumerate(measure.sources):
        for asked, question in enumerate(QUESTIONS):
            reads = np.flatnonzero((measure.source[owner] == number) & (measure.question[owner] == asked))
            if len(reads):
                found = Answers(
                    source=source,
                    question=question,
                    keys=[measure.keys[one] for one in owner[reads]],
                    outputs=outputs[reads, : HEADS[question]].astype(np.float64),
                    targets=measure.target[reads, : HEADS[question]].astype(np.float64),
                )
                yield as_responses(found) if question == "supported" else found


def as_responses(answers: Answers) -> Answers:
    """Claims are measured as the responses they come from, each as well supported as its least supported claim."""
    rows: dict[str, list[int]] = {}
    for number, key in enumerate(answers.keys):
        rows.setdefault(key.partition("#")[0], []).append(number)
    least = [min(members, key=lambda one: answers.outputs[one, 0]) for members in rows.values()]
    return replace(answers, keys=list(rows), outputs=answers.outputs[least], targets=answers.targets[least])


def summary(answers: Answers) -> dict[str, float]:
    said, label = answers.said, answers.label
    if answers.source == "mohler":
        return {"pearson": pearson(said, label), "spearman": spearman(said, label)}
    if answers.source == "realsumm":
        rows, shares = answers.by_row()
        return {
            "accuracy": accuracy(said, label),
            "kappa": kappa(said, label),
            "spearman": spearman(rows, shares),
        }
    if HEADS[answers.question] > 1 or answers.source == "qags":
        return {"pearson": pearson(said, label), "spearman": spearman(said, label)}
    return {
        "accuracy": accuracy(said, label),
        "kappa": kappa(said, label),
        "ones": float((said > 0.5).mean()),
    }


def summary_lines(measure: Packed, outputs: NDArray[np.floating]) -> Iterator[str]:
    for answers in split(measure, outputs):
        figures = " ".join(f"{name} {value:.3f}" for name, value in summary(answers).items())
        yield f"{answers.source}:{answers.question} n {len(answers.label)} {figures} surprise {answers.surprise:.3f}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prepared", type=Path, default=Path("data/prepared"))
    parser.add_argument("outputs", type=Path, nargs="+", help="*.outputs.npy files; several are averaged")
    given = parser.parse_args(arguments)
    measure = read_packed(given.prepared / "measure.npz")
    outputs = np.mean([np.load(path).astype(np.float64) for path in given.outputs], axis=0)
    for line in summary_lines(measure, outputs):
        print(line)  # noqa: T201 - what the command is for


if __name__ == "__main__":
    main()
