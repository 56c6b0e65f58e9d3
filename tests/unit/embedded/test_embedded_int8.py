"""The shipped judge in int8 beside the same weights in float32, on real sequences and whatever processor this is.

Without VNNI (AVX2 and earlier), x86 adds two products of bytes in 16 bits, which can saturate. Such a processor is
made of this one by telling the matrix library not to use what is newer; on arm64 that changes nothing.
"""

import json
import os
import platform
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from plain_llama import plain_outputs

from adjudge.embedded.model.adapter import read_adapter
from adjudge.embedded.model.base import read_base
from adjudge.embedded.model.files import CacheError
from adjudge.embedded.model.merge import add
from adjudge.embedded.model.pull import base_file
from adjudge.embedded.ready import ADAPTER, find_merged

CASES = Path(__file__).parents[3] / "examples" / "correctness.jsonl"
READ = """
import asyncio, json, sys
from adjudge.embedded.model.engine import Engine
from adjudge.embedded.model.questions import ask_correct, ask_helpful, ask_relevant
from adjudge.embedded.ready import find_merged

engine = Engine.open(find_merged(), workers=1)
found = []
for line in open(sys.argv[1], encoding="utf-8"):
    case = json.loads(line)
    texts = {"question": case["question"], "response": case["response"]}
    for question, asked in (
        ("correct", ask_correct(engine.tokens, **texts, expected=[case["reference"]])),
        ("relevant", ask_relevant(engine.tokens, **texts)),
        ("helpful", ask_helpful(engine.tokens, **texts)),
    ):
        ((outputs,),) = asyncio.run(engine.logits(question, [asked]))
        found.append({"question": question, "tokens": asked.tokens, "outputs": outputs})
json.dump(found, sys.stdout)
"""
WITHOUT_VNNI = {
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    "CT2_FORCE_CPU_ISA": "AVX2" if platform.machine() in {"x86_64", "AMD64"} else "GENERIC",
}


@pytest.fixture(scope="module")
def trained():
    """The adapter, and what a sequence gives with its weights in floats: worked out once for both processors."""
    try:
        find_merged()
    except CacheError:
        pytest.skip("the embedded judge's model is not on this machine: `adjudge models pull`")
    adapter, base = read_adapter(ADAPTER), read_base(base_file())
    weights = dict(base.weights)
    add(adapter, weights)

    @cache
    def in_floats(question, tokens):
        return plain_outputs(weights, base.config, tokens, adapter.heads[question])[-1].tolist()

    return adapter, in_floats


@pytest.mark.parametrize("environ", [{}, WITHOUT_VNNI], ids=["this-processor", "without-vnni"])
def test_int8_moves_no_probability_far(trained, environ, tmp_path):
    adapter, in_floats = trained
    cases = tmp_path / "cases.jsonl"
    cases.write_text("".join(CASES.read_text(encoding="utf-8").splitlines(keepends=True)[:4]))
    done = subprocess.run(
        [sys.executable, "-c", READ, cases],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environ},
    )
    moved = []
    for asked in json.loads(done.stdout):
        question = asked["question"]
        floats = in_floats(question, tuple(asked["tokens"]))
        for curve, of_int8, of_floats in zip(
            adapter.calibration[question], asked["outputs"], floats, strict=True
        ):
            moved.append(abs(curve.probability(of_int8) - curve.probability(of_floats)))
    assert len(moved) == 4 * (1 + 5 + 3)
    assert sum(moved) / len(moved) < 0.04
    assert max(moved) < 0.15
