"""The whole way on a tiny model: prepare, train, teach, export, measure, calibrate, tabulate."""

import gzip
import json
import random

import numpy as np
import pytest

pytest.importorskip("gguf", reason="needs the `embedded` extra")

import torch
from tiny_base import write_tiny_base

from adjudge.embedded.model.adapter import read_adapter
from adjudge.embedded.model.base import read_base
from adjudge.embedded.model.files import sha256_of
from adjudge.embedded.model.questions import QUESTIONS
from training import calibrate, examples, export, measure, prepare, provenance, table, teach, train
from training.model import Judge
from training.packed import read_packed
from training.rows import MEASURED_ONLY, TRAINED

BINARY = {*examples.CORRECT, *examples.SUPPORTED} - {"mohler"}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Rows of every set, prepared and trained on for a few steps."""
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setattr(examples, "MADE_UP_FIGURES", 4)
    folder = tmp_path_factory.mktemp("made")
    (folder / "data").mkdir()
    for source in (*TRAINED, *MEASURED_ONLY):
        with gzip.open(folder / "data" / f"{source}.jsonl.gz", "wt") as out:
            for number in range(24):
                right = number % 2
                meta = {
                    "qid": f"q{number}", "licence": "MIT", "references": ["Ann", "Bo"],
                    "scus": [{"text": "Ann sat.", "votes": [right, 1]}, {"text": "Bo sat.", "votes": [0, 0]}],
                    "facts": [{"text": "Ann is 5.", "label": "S"}], "scores": {"consistency": 5.0 if right else 1.0},
                }  # fmt: skip
                row = {
                    "id": f"{source}/{number}", "question": "who was it in 1990", "response": "Ann is 5" if right else "Cy",
                    "reference": "Ann / Bo", "context": "Ann sat with Bo.", "label": right if source in BINARY else right + 1, "annotators": [1, 2], "meta": meta,
                }  # fmt: skip
                out.write(json.dumps(row) + "\n")
    base = str(write_tiny_base(folder / "base.gguf"))
    prepared = ["--prepared", str(folder / "prepared")]
    prepare.main(["--data", str(folder / "data"), "--base", base, "--out", prepared[1], "--epochs", "1"])
    for name, hold in (("one", list(range(3, 12))), ("two", list(range(12, 20)))):
        recipe = json.dumps({"rank": 4, "epochs": 1, "hold": hold})
        train.main(["--base", base, *prepared, "--out", str(folder), "--name", name, "--recipe", recipe])
    teach.main(["--base", base, *prepared, str(folder / "one.npz"), str(folder / "two.npz")])
    recipe = json.dumps({"rank": 4, "epochs": 1, "teacher_share": 0.5})
    train.main(["--base", base, *prepared, "--out", str(folder), "--name", "student", "--recipe", recipe])
    monkeypatch.undo()
    return folder


def test_teachers_teach_only_what_they_never_saw(made):
    teacher = np.load(made / "prepared" / "teacher_0.npy")
    assert not np.isnan(teacher).any()
    assert ((teacher >= 0) & (teacher <= 1)).all()


def test_the_exported_adapter_answers_as_the_trained_model_did(made):
    base, prepared = str(made / "base.gguf"), ["--prepared", str(made / "prepared")]
    adapter, outputs = str(made / "adapter.npz"), str(made / "adapter.outputs.npy")
    export.main(["--base", base, "--out", adapter, "--rank", "4", str(made / "student.npz")])
    measure.main(["--base", base, *prepared, "--out", outputs, adapter])
    bias = np.load(made / "student.npz")["bias"]
    trained = np.load(made / "student.outputs.npy").astype(float)
    assert np.abs(np.load(outputs) - trained).max() < 0.02 + np.abs(bias).max()
    calibrate.main([*prepared, "--adapter", adapter, outputs])
    provenance.main(["--data", str(made / "data"), "--adapter", adapter])
    read = read_adapter(made / "adapter.npz")
    assert read.calibration["correct"][0].slope != 1.0
    assert read.provenance["trained_on"]["nq301"]["rows"] > 0
    assert read.provenance["recipes"][0]["rank"] == 4


def test_the_table_names_every_set(made, capsys):
    rows = made / "rows.jsonl.gz"
    student = made / "student.outputs.npy"
    table.main(
        [
            "--data",
            str(made / "data"),
            "--prepared",
            str(made / "prepared"),
            "--rows",
            str(rows),
            str(student),
        ]
    )
    shown = capsys.readouterr().out
    assert "| realsumm, score |" in shown
    with gzip.open(rows, "rt") as lines:
        assert {"id", "logits", "label"} <= set(json.loads(next(lines)))


def test_several_models_average_into_one(made):
    base = read_base(made / "base.gguf")
    models = [dict(np.load(made / f"{name}.npz")) for name in ("one", "two")]
    name = "model.layers.1.mlp.up_proj.weight"
    wanted = sum(up @ down for up, down in (export.added(one, base, name) for one in models)) / 2
    factor = dict(export.merged(models, base, rank=8))[name]
    assert np.abs(factor.product() - wanted).max() < 0.02 * np.abs(wanted).max()


def test_padding_behind_a_sequence_changes_nothing(made):
    base = read_base(made / "base.gguf")
    model = Judge(base.config, base.weights, rank=2, dropout=0.0)
    model.start_heads(base.weights["model.embed_tokens.weight"][5])
    ids = torch.tensor([[1, 7, 9, 2, 0, 0]])
    row, last = torch.tensor([0]), torch.tensor([3])
    assert torch.allclose(model(ids, row, last), model(ids[:, :4], row, last), atol=1e-5)


def test_whole_matrices_can_be_trained_too(made):
    recipe = json.dumps({"rank": 0, "epochs": 1, "learning_rate": 1e-4, "only": ["nq301"]})
    base, prepared = str(made / "base.gguf"), ["--prepared", str(made / "prepared")]
    train.main(["--base", base, *prepared, "--out", str(made), "--name", "whole", "--recipe", recipe])
    export.main(
        ["--base", base, "--out", str(made / "whole.adapter.npz"), "--rank", "16", str(made / "whole.npz")]
    )
    assert any(factor.product().any() for factor in read_adapter(made / "whole.adapter.npz").factors.values())


def test_training_goes_on_from_an_adapter_that_teaches_what_it_knows(made, tmp_path):
    base, prepared = str(made / "base.gguf"), ["--prepared", str(made / "prepared")]
    start = tmp_path / "start.npz"
    export.main(["--base", base, "--out", str(start), "--rank", "4", str(made / "one.npz")])
    recipe = {
        "rank": 4, "epochs": 1, "start": str(start), "learning_rate": 0.0, "weight_decay": 0.0,
        "shares": dict.fromkeys(["correct", "states"], 0.5),
    }  # fmt: skip
    train.main(
        ["--base", base, *prepared, "--out", str(tmp_path), "--name", "same", "--recipe", json.dumps(recipe)]
    )
    measure.main(["--base", base, *prepared, "--out", str(tmp_path / "start.npy"), str(start)])
    same = np.load(tmp_path / "same.outputs.npy").astype(float)
    assert np.abs(same - np.load(tmp_path / "start.npy")).max() < 0.01
    kept = json.loads(np.load(tmp_path / "same.npz")["recipe"].tobytes())
    assert kept["start"] == sha256_of(start)

    before = np.load(made / "prepared" / "teacher_0.npy")
    known = ["--start", str(start), "--known", "correct"]
    teach.main(["--base", base, *prepared, str(made / "one.npz"), str(made / "two.npz"), *known])
    after = np.load(made / "prepared" / "teacher_0.npy")
    packed = read_packed(made / "prepared" / "train_0.npz")
    taught = packed.question[packed.example_of_read] == QUESTIONS.index("correct")
    assert (before[~taught] == after[~taught]).all()
    assert (before[taught] != after[taught]).any()


def test_an_epoch_shows_the_wanted_share_of_a_question(made):
    packed = read_packed(made / "prepared" / "train_0.npz")
    recipe = train.Recipe(shares={"correct": 0.0})
    shown = packed.question[train.chosen(packed, recipe, random.Random(1))]
    assert len(shown)
    assert QUESTIONS.index("correct") not in shown
