"""Base and adapter become one model that computes the same function, sealed byte by byte."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from plain_llama import plain_outputs
from tiny_judge import write_tiny_judge

from adjudge.embedded.model.adapter import read_adapter
from adjudge.embedded.model.base import read_base
from adjudge.embedded.model.files import CacheError
from adjudge.embedded.model.merge import (
    MANIFEST,
    WEIGHTS,
    add,
    is_whole,
    merge,
    read_manifest,
    rotate,
    rotation,
)
from adjudge.embedded.model.questions import HEADS, QUESTIONS


@pytest.fixture
def made(tmp_path):
    environ = {"ADJUDGE_CACHE": str(tmp_path / "cache")}
    base, adapter = write_tiny_judge(tmp_path)
    return merge(base, adapter, environ=environ), base, adapter, environ


@pytest.mark.parametrize("width", [16, 24, 576])
def test_a_rotation_keeps_lengths_and_spreads_a_single_column(width):
    turn = rotation(width)
    assert np.allclose(turn @ turn.T, np.eye(width), atol=1e-5)
    assert np.abs(turn).max() < 0.95


def test_rotating_changes_no_output(tmp_path):
    base_file, adapter_file = write_tiny_judge(tmp_path)
    base, adapter = read_base(base_file), read_adapter(adapter_file)
    weights = dict(base.weights)
    add(adapter, weights)
    heads = np.concatenate([adapter.heads[question] for question in QUESTIONS])
    tokens = [1, 40, 50, 60, 2, 9]
    before = plain_outputs(weights, base.config, tokens, heads)
    turned_heads = rotate(weights, heads, base.config)
    assert np.allclose(plain_outputs(weights, base.config, tokens, turned_heads), before, atol=1e-3)
    assert not np.allclose(before, plain_outputs(base.weights, base.config, tokens, heads), atol=0.1)


def test_the_outputs_of_the_questions_stand_side_by_side(made):
    outputs = read_manifest(made[0]).outputs
    assert outputs[QUESTIONS[0]] == (0, 1)
    assert {question: last - first for question, (first, last) in outputs.items()} == HEADS
    assert [outputs[question][0] for question in QUESTIONS[1:]] == [
        outputs[question][1] for question in QUESTIONS[:-1]
    ]


def test_a_whole_model_is_not_made_again(made):
    folder, base, adapter, environ = made
    before = (folder / WEIGHTS).stat().st_mtime_ns
    assert merge(base, adapter, environ=environ) == folder
    assert (folder / WEIGHTS).stat().st_mtime_ns == before


def test_another_adapter_is_another_model(made, tmp_path):
    folder, base, _, environ = made
    (tmp_path / "other").mkdir()
    other = merge(base, write_tiny_judge(tmp_path / "other", seed=2)[1], environ=environ)
    assert other != folder
    assert is_whole(folder)
    assert is_whole(other)


@pytest.mark.parametrize("harm", ["flip", "cut", "remove", "manifest", "empty manifest"])
def test_a_damaged_model_says_how_to_mend_it_and_is_made_again(made, harm):
    folder, base, adapter, environ = made
    weights = folder / WEIGHTS
    if harm == "flip":
        content = bytearray(weights.read_bytes())
        content[len(content) // 2] ^= 1
        weights.write_bytes(content)
    elif harm == "cut":
        weights.write_bytes(weights.read_bytes()[:-10])
    elif harm == "remove":
        weights.unlink()
    elif harm == "manifest":
        said = json.loads((folder / MANIFEST).read_text())
        del said["outputs"]
        (folder / MANIFEST).write_text(json.dumps(said))
    else:
        (folder / MANIFEST).write_text("")
    with pytest.raises(CacheError, match="adjudge models pull"):
        read_manifest(folder)
    assert merge(base, adapter, environ=environ) == folder
    assert is_whole(folder)


def test_a_model_that_was_never_made_says_so(tmp_path):
    with pytest.raises(CacheError, match="is not installed") as caught:
        read_manifest(tmp_path / "nothing")
    assert "adjudge models pull" in caught.value.hint


def test_a_missing_base_says_so(made, tmp_path):
    _, _, adapter, environ = made
    with pytest.raises(CacheError, match="adjudge models pull"):
        merge(tmp_path / "none.gguf", adapter, environ=environ)


def test_two_at_once_make_one_model_and_leave_nothing_else(tmp_path):
    environ = {"ADJUDGE_CACHE": str(tmp_path / "cache")}
    base, adapter = write_tiny_judge(tmp_path)
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(lambda _: merge(base, adapter, environ=environ), range(2))
    assert first == second
    assert is_whole(first)
    assert [path.name for path in first.parent.iterdir() if path.is_dir()] == [first.name]
