"""`python -m training.table`: outputs on the held-back rows -> the model card's table and, if asked, every row's numbers."""

import argparse
import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adjudge.embedded.model.questions import HEADS, LOWEST
from training.calibrate import cross_fitted
from training.evaluate import Answers
from training.figures import Vector, accuracy, interval, kappa, pearson, spearman
from training.packed import read_packed
from training.rows import MEASURED_ONLY, TRAINED, read_rows

SEED = 4
Figure = Callable[[Vector, Vector], float]


def figures_of(answers: Answers) -> dict[str, Figure]:
    if HEADS[answers.question] > 1 or answers.source == "qags":
        return {"Spearman": spearman, "Pearson": pearson}
    if answers.source == "mohler":
        return {"Pearson": pearson, "Spearman": spearman}
    return {"accuracy": accuracy, "κ": kappa}


def lines(answers: Answers, said: NDArray[np.float64], question_ids: dict[str, str]) -> Iterator[str]:
    """A table row: every figure with the interval that resampling questions gives."""
    # Ranks are those of the outputs as they are: two halves' curves, mixed, would shuffle them.
    together = said.sum(axis=1) if HEADS[answers.question] == 1 else answers.said
    clusters = [question_ids[key] for key in answers.keys]
    yield line(
        f"{answers.source}, `{answers.question}`", figures_of(answers), together, answers.label, clusters
    )
    if answers.source == "realsumm":
        keys, owner = np.unique(np.array(answers.keys), return_inverse=True)
        counts = np.bincount(owner)
        rows = np.bincount(owner, together) / counts
        shares = np.bincount(owner, (answers.label > 0.5).astype(float)) / counts
        yield line(
            "realsumm, score", {"Spearman": spearman}, rows, shares, [question_ids[key] for key in keys]
        )


def line(name: str, figures: dict[str, Figure], said: Vector, label: Vector, clusters: Sequence[str]) -> str:
    cells = []
    for figure_name, figure in figures.items():
        low, high = interval(figure, said, label, clusters, seed=SEED)
        cells.append(f"{figure_name} {figure(said, label):.3f} ({low:.3f} to {high:.3f})")
    return f"| {name} | {len(label)} | {len(set(clusters))} | {'; '.join(cells)} |"


def write_rows(
    path: Path, found: Sequence[tuple[Answers, NDArray[np.float64]]], question_ids: dict[str, str]
) -> None:
    """One line a read: the row's id, what was asked, outputs, cross-fitted probabilities and the human label."""
    with gzip.open(path, "wt", encoding="utf-8") as out:
        for answers, said in found:
            for number, key in enumerate(answers.keys):
                one = {
                    "id": key,
                    "qid": question_ids[key],
                    "source": answers.source,
                    "question": answers.question,
                    "logits": [round(float(value), 4) for value in answers.outputs[number]],
                    "probabilities": [round(float(value), 5) for value in said[number]],
                    "label": LOWEST.get(answers.question, 0) + round(float(answers.label[number]), 4),
                }
                out.write(json.dumps(one) + "\n")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the labelled *.jsonl.gz files")
    parser.add_argument("--prepared", type=Path, default=Path("data/prepared"))
    parser.add_argument(
        "--rows", type=Path, help="write every row's outputs, probabilities and label here (*.jsonl.gz)"
    )
    parser.add_argument("outputs", type=Path, help="what `training.measure` wrote")
    given = parser.parse_args(arguments)
    question_ids = {
        row.row_id: row.question_id
        for source in (*TRAINED, *MEASURED_ONLY)
        for row in read_rows(given.data, source)
    }
    found = cross_fitted(read_packed(given.prepared / "measure.npz"), np.load(given.outputs), question_ids)
    if given.rows:
        write_rows(given.rows, found, question_ids)
    for answers, said in found:
        for row in lines(answers, said, question_ids):
            print(row)  # noqa: T201 - what the command is for


if __name__ == "__main__":
    main()
