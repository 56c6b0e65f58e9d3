"""`python -m training.calibrate`: outputs on the held-back rows -> curves that make them probabilities, in the adapter."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adjudge.embedded.model.adapter import read_adapter, write_adapter
from adjudge.embedded.model.questions import HEADS, QUESTIONS, Calibration, Question
from training.evaluate import Answers, split
from training.figures import Vector
from training.packed import Packed, read_packed
from training.rows import MEASURED_ONLY

STEPS = 50


def fit(outputs: Vector, targets: Vector, weights: Vector, *, shifted: bool) -> Calibration:
    """The logistic curve of least cross-entropy, by Newton's method; targets may be shares of votes.

    Unless it may be `shifted` only its steepness is fitted, so that a half stays a half.
    """
    slope, intercept = 1.0, 0.0
    for _ in range(STEPS):
        said = 1 / (1 + np.exp(-np.clip(slope * outputs + intercept, -30, 30)))
        error, bend = weights * (said - targets), weights * said * (1 - said)
        gradient = np.array([(error * outputs).sum(), error.sum()])
        across = (bend * outputs).sum()
        # A touch of the identity keeps a hopeless fit (all of one kind) from running away.
        curvature = np.array([[(bend * outputs**2).sum(), across], [across, bend.sum()]]) + 1e-3 * np.eye(2)
        step = (
            np.linalg.solve(curvature, gradient)
            if shifted
            else np.array([gradient[0] / curvature[0, 0], 0.0])
        )
        slope, intercept = slope - step[0], intercept - step[1]
        if np.abs(step).max() < 1e-9:
            break
    return Calibration(slope=float(slope), intercept=float(intercept))


def curves(
    answers: Sequence[Answers], question: Question, chosen: Sequence[NDArray[np.bool_]]
) -> list[Calibration]:
    """One curve an output, over every set that asks the question; a large set counts by the root of its size.

    A yes or no keeps its threshold: the share of yes among the few held-back questions of a set says little about
    other questions, and moving the threshold by it lost accuracy on the half it was not fitted on.
    """
    count = HEADS[question]
    if not any(rows.any() for rows in chosen):
        return [Calibration()] * count
    outputs = np.concatenate([one.outputs[rows] for one, rows in zip(answers, chosen, strict=True)])
    targets = np.concatenate([one.targets[rows] for one, rows in zip(answers, chosen, strict=True)])
    weights = np.concatenate([np.full(rows.sum(), rows.sum() ** -0.5) for rows in chosen if rows.any()])
    return [fit(outputs[:, place], targets[:, place], weights, shifted=count > 1) for place in range(count)]


def half(keys: Sequence[str], question_ids: dict[str, str]) -> NDArray[np.bool_]:
    """An even split of the held-back questions, to fit on one half what is reported on the other."""
    return np.array([sha256(f"half {question_ids[key]}".encode()).digest()[0] % 2 == 0 for key in keys])


def fitted_on(measure: Packed, outputs: NDArray[np.floating]) -> dict[Question, list[Answers]]:
    """The sets that may decide a curve: those trained on, so that the others stay a test of it."""
    asked: dict[Question, list[Answers]] = {question: [] for question in QUESTIONS}
    for answers in split(measure, outputs):
        if answers.source not in MEASURED_ONLY:
            asked[answers.question].append(answers)
    return asked


def calibrate(measure: Packed, outputs: NDArray[np.floating]) -> dict[Question, list[Calibration]]:
    return {
        question: curves(answers, question, [np.ones(len(one.keys), bool) for one in answers])
        for question, answers in fitted_on(measure, outputs).items()
    }


def cross_fitted(
    measure: Packed, outputs: NDArray[np.floating], question_ids: dict[str, str]
) -> list[tuple[Answers, NDArray[np.float64]]]:
    """Every set's probabilities by curves fitted on the other half of the questions."""
    asked = fitted_on(measure, outputs)
    sides = {}
    for side in (True, False):
        for question, answers in asked.items():
            rows = [half(one.keys, question_ids) == side for one in answers]
            sides[question, side] = curves(answers, question, rows)
    found = []
    for one in split(measure, outputs):
        mine = half(one.keys, question_ids)
        said = np.zeros_like(one.outputs)
        for place in range(HEADS[one.question]):
            for side in (True, False):
                curve, here = sides[one.question, not side][place], mine == side
                said[here, place] = 1 / (
                    1 + np.exp(-(curve.slope * one.outputs[here, place] + curve.intercept))
                )
        found.append((one, said))
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prepared", type=Path, default=Path("data/prepared"))
    parser.add_argument("--adapter", type=Path, default=Path("src/adjudge/embedded/adapter.npz"))
    parser.add_argument("outputs", type=Path, help="what `training.measure` wrote for this adapter")
    given = parser.parse_args(arguments)
    measure = read_packed(given.prepared / "measure.npz")
    fitted = calibrate(measure, np.load(given.outputs))
    write_adapter(given.adapter, replace(read_adapter(given.adapter), calibration=fitted))
    for question, many in fitted.items():
        shown = ", ".join(f"{one.slope:.3f} x {one.intercept:+.3f}" for one in many)
        print(f"{question}: {shown}")  # noqa: T201 - what the command has done


if __name__ == "__main__":
    main()
