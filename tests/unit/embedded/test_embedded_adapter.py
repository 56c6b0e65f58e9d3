"""The adapter's file: what is written is read back, small errors and all, and nothing else is taken for one."""

import zipfile

import pytest

pytest.importorskip("numpy", reason="needs the `embedded` extra")

import numpy as np

from adjudge.embedded.model.adapter import Adapter, AdapterError, factorise, read_adapter, write_adapter
from adjudge.embedded.model.questions import HEADS, Calibration

NAME = "model.layers.0.mlp.up_proj.weight"


def an_adapter(seed=0, rank=4):
    rng = np.random.default_rng(seed)
    return Adapter(
        factors={NAME: factorise(up=rng.normal(size=(rank, 12)), down=rng.normal(size=(rank, 8)))},
        heads={question: rng.normal(size=(count, 8)).astype(np.float32) for question, count in HEADS.items()},
        calibration={
            question: [Calibration(slope=1.5, intercept=0.25)] * count for question, count in HEADS.items()
        },
        provenance={"seed": seed, "licence": "Apache-2.0 – ours"},
    )


def test_what_is_written_is_read_back(tmp_path):
    adapter = an_adapter()
    write_adapter(tmp_path / "a.npz", adapter)
    again = read_adapter(tmp_path / "a.npz")
    assert np.array_equal(again.delta(NAME), adapter.delta(NAME))
    assert again.calibration == adapter.calibration
    assert again.provenance == adapter.provenance
    assert all(np.array_equal(again.heads[question], adapter.heads[question]) for question in HEADS)


def test_the_same_adapter_is_the_same_bytes(tmp_path):
    for name in ("a.npz", "b.npz"):
        write_adapter(tmp_path / name, an_adapter())
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_rounding_to_bytes_moves_the_product_little():
    rng = np.random.default_rng(1)
    sizes = np.array([[100.0], [1.0], [0.01]])
    up, down = rng.normal(size=(3, 40)) * sizes, rng.normal(size=(3, 30)) * sizes
    product = factorise(up=up, down=down).product()
    assert product.shape == (40, 30)
    assert np.linalg.norm(product - up.T @ down) < 0.02 * np.linalg.norm(product)


def test_a_rank_of_zeros_stays_zero():
    assert not factorise(up=np.zeros((2, 3)), down=np.zeros((2, 4))).product().any()


def test_other_weights_stay_as_they_are():
    assert an_adapter().delta("model.norm.weight") is None


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(AdapterError, match="install adjudge again"):
        read_adapter(tmp_path / "none.npz")


def test_a_broken_off_file_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    write_adapter(path, an_adapter())
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(AdapterError, match="not a readable adapter"):
        read_adapter(path)


def test_another_archive_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("hello.txt", "hello")
    with pytest.raises(AdapterError, match="not a readable adapter"):
        read_adapter(path)


def test_a_newer_format_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    write_adapter(path, an_adapter())
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["adapter.json"] = members["adapter.json"].replace(b'"version": 1', b'"version": 9')
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(AdapterError, match="version 9"):
        read_adapter(path)


def test_a_question_short_of_outputs_is_refused(tmp_path):
    whole = an_adapter()
    heads = {**whole.heads, "helpful": whole.heads["helpful"][:1]}
    path = tmp_path / "a.npz"
    write_adapter(path, Adapter(factors=whole.factors, heads=heads, calibration=whole.calibration))
    with pytest.raises(AdapterError, match="'helpful' needs 3 outputs"):
        read_adapter(path)
