"""Which rows may be trained on, and that a question never lies on both sides."""

import gzip
import json

import pytest

from training.rows import FOLDS, HELD_BACK, MEASURED_ONLY, TRAINED, fold_of, read_rows


def write(folder, source, *rows):
    with gzip.open(folder / f"{source}.jsonl.gz", "wt") as out:
        for number, changes in enumerate(rows):
            meta = {"qid": "q3", "licence": "MIT", **changes.pop("meta", {})}
            row = {
                "id": f"{source}/{number}",
                "question": "q",
                "response": "r",
                "label": 1,
                "meta": meta,
            } | changes
            out.write(json.dumps(row) + "\n")


def question_in(folds):
    return next(f"q{number}" for number in range(1000) if fold_of(f"q{number}") in folds)


def test_folds_are_stable_and_even():
    assert fold_of("bcfd17ec1ebc") == fold_of("bcfd17ec1ebc")
    counts = [sum(fold_of(str(number)) == fold for number in range(4000)) for fold in range(FOLDS)]
    assert min(counts) > 140


@pytest.mark.parametrize(
    ("source", "licence", "trainable"),
    [
        ("nq301", "MIT", True),
        ("nq301", "NC (CC-BY-NC-4.0)", False),
        ("nq301", "none stated (UNT)", False),
        ("mohler", "MIT", False),
    ],
)
def test_only_allowed_rows_are_trained_on(tmp_path, source, licence, trainable):
    free = question_in(set(range(FOLDS)) - HELD_BACK)
    write(tmp_path, source, {"meta": {"licence": licence, "qid": free}})
    assert [row.trainable for row in read_rows(tmp_path, source)] == [trainable]


def test_held_back_questions_are_never_trained_on(tmp_path):
    write(tmp_path, "nq301", {"meta": {"qid": question_in(HELD_BACK)}})
    assert not read_rows(tmp_path, "nq301")[0].trainable


def test_references_fall_back_to_the_one_given(tmp_path):
    write(
        tmp_path,
        "nq301",
        {"reference": "a / b", "meta": {"references": ["a", "b"]}},
        {"reference": "c"},
        {"response": None},
    )
    rows = read_rows(tmp_path, "nq301")
    assert [row.references for row in rows] == [["a", "b"], ["c"], []]
    assert rows[2].response == ""


def test_no_set_is_both_trained_on_and_only_measured():
    assert not set(TRAINED) & set(MEASURED_ONLY)
