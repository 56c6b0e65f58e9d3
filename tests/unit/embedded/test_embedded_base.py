"""The base model's file is read whole, in the usual names and order, or refused with a word on what to do."""

import numpy as np
import pytest

pytest.importorskip("gguf", reason="needs the `embedded` extra")

from gguf import GGUFReader
from tiny_base import HEADS, LAYERS, SPECIAL_NAMES, WIDTH, write_tiny_base

from adjudge.embedded.model.base import BaseFileError, expected_names, in_halves, linear_names, read_base


def test_weights_come_under_their_usual_names(tmp_path):
    base = read_base(write_tiny_base(tmp_path / "base.gguf"))
    assert set(base.weights) == expected_names(base.config)
    assert len(linear_names(base.config)) == 7 * LAYERS
    assert base.weights["model.layers.1.mlp.down_proj.weight"].dtype == np.float32
    assert base.vocabulary[: len(SPECIAL_NAMES)] == SPECIAL_NAMES
    assert base.config.epsilon == 1e-5


def test_the_row_order_of_queries_is_undone(tmp_path):
    path = write_tiny_base(tmp_path / "base.gguf")
    stored = next(np.array(one.data) for one in GGUFReader(path).tensors if one.name == "blk.0.attn_q.weight")
    read = read_base(path).weights["model.layers.0.self_attn.q_proj.weight"]
    size = WIDTH // HEADS
    for head in range(HEADS):
        rows = stored[head * size : (head + 1) * size]
        assert np.array_equal(read[head * size : (head + 1) * size], np.concatenate([rows[0::2], rows[1::2]]))


def test_halving_keeps_every_row():
    weight = np.arange(24, dtype=np.float32).reshape(8, 3)
    assert sorted(map(tuple, in_halves(weight, 2))) == sorted(map(tuple, weight))


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(BaseFileError, match="no such file"):
        read_base(tmp_path / "none.gguf")


@pytest.mark.parametrize("keep", [0, 3, 200, 9000])
def test_a_broken_off_file_is_refused(tmp_path, keep):
    path = write_tiny_base(tmp_path / "base.gguf")
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(BaseFileError, match="hint: fetch the base model again"):
        read_base(path)


def test_another_architecture_is_refused(tmp_path):
    with pytest.raises(BaseFileError, match="'gpt2', not 'llama'"):
        read_base(write_tiny_base(tmp_path / "base.gguf", architecture="gpt2"))


def test_a_forgotten_weight_is_named(tmp_path):
    path = write_tiny_base(tmp_path / "base.gguf", leave_out="blk.1.ffn_up")
    with pytest.raises(BaseFileError, match=r"model\.layers\.1\.mlp\.up_proj"):
        read_base(path)
