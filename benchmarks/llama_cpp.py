"""The embedded judge's questions asked of llama.cpp: the base as it comes, our adapter beside it, its prefix cache on."""

import multiprocessing
import resource
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SET_UPS = ((1, 2), (2, 1))
"""Processes × threads on two cores: one server on both, as people run it, and a server on each, which wastes less."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Speed:
    set_up: str
    judgements_per_second: float
    cpu_ms: float
    """Per judgement, all threads."""


def write_lora(adapter_file: Path, path: Path) -> Path:
    """Our adapter in llama.cpp's format: the rows of B for q and k interleaved as the base's are there."""
    import numpy as np  # noqa: PLC0415 - the process that measures stays small
    from gguf import GGUFWriter  # noqa: PLC0415 - likewise

    from adjudge.embedded.model.adapter import read_adapter  # noqa: PLC0415 - likewise
    from adjudge.embedded.model.base import LINEAR  # noqa: PLC0415 - likewise

    heads = {"attn_q": 9, "attn_k": 3}
    kinds = {ours: theirs for theirs, ours in LINEAR.items()}
    factors = read_adapter(adapter_file).factors
    writer = GGUFWriter(path, "llama")
    writer.add_string("general.type", "adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(len(next(iter(factors.values())).down)))
    for name, factor in factors.items():
        _, _, layer, kind = name.removesuffix(".weight").split(".", 3)
        down = factor.down.astype(np.float32) * factor.down_scale[:, None]
        up = (factor.up.astype(np.float32) * factor.up_scale[:, None]).T
        if kinds[kind] in heads:
            rows, columns = up.shape
            up = up.reshape(heads[kinds[kind]], 2, -1, columns).swapaxes(1, 2).reshape(rows, columns)
        for part, weight in (("lora_a", down), ("lora_b", up)):
            named = f"blk.{layer}.{kinds[kind]}.weight.{part}"
            writer.add_tensor(named, np.ascontiguousarray(weight, dtype=np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def speed(
    base: Path, lora: Path, judgements: Sequence[Sequence[list[int]]], processes: int, threads: int
) -> Speed:
    """A judgement is one prompt, or several that share their beginning."""
    shares = [judgements[number::processes] for number in range(processes)]
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        took = pool.starmap(ask_all, [(base, lora, share, threads) for share in shares], chunksize=1)
    return Speed(
        set_up=f"{processes} × {threads} thread{'s' if threads > 1 else ''}",
        judgements_per_second=sum(len(share) / wall for share, (wall, _) in zip(shares, took, strict=True)),
        cpu_ms=1000 * sum(cpu for _, cpu in took) / len(judgements),
    )


def ask_all(
    base: Path, lora: Path, judgements: Sequence[Sequence[list[int]]], threads: int
) -> tuple[float, float]:
    """Wall and CPU seconds, the model already loaded and warm."""
    server = open_server(base, lora, threads)
    ask(server, judgements[0][0])
    start, used = time.perf_counter(), cpu_seconds()
    for prompts in judgements:
        for prompt in prompts:
            ask(server, prompt)
    return time.perf_counter() - start, cpu_seconds() - used


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def open_server(base: Path, lora: Path, threads: int) -> Any:
    import xllamacpp  # noqa: PLC0415 - only this benchmark needs it

    wanted = xllamacpp.CommonParams()
    wanted.model.path = str(base)
    wanted.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(lora), 1.0)]
    wanted.n_ctx = 2048
    wanted.n_parallel = 1
    wanted.cpuparams.n_threads = threads
    wanted.cpuparams_batch.n_threads = threads
    wanted.cache_prompt = True
    wanted.verbosity = -1
    return xllamacpp.Server(wanted)


def ask(server: Any, prompt: list[int]) -> None:
    """Have the next token's likeliest few: as near to reading one logit as its interface comes."""
    question = {"prompt": prompt, "n_predict": 1, "n_probs": 4, "temperature": 0, "cache_prompt": True}
    answer = server.handle_completions(question)
    assert answer["choices"][0]["logprobs"]["content"], answer
