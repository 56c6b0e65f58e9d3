"""A GGUF file -> the base model's float32 weights under their usual names, and its vocabulary."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SPECIAL = 3
"""GGUF's token type for tokens that steer the model and never come out of plain text."""

LINEAR = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
NORMS = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm"}
OUTER = {"token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight"}


class BaseFileError(InputError):
    """The base model's file is missing, damaged, or another model's."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BaseConfig:
    layers: int
    width: int
    inner_width: int
    heads: int
    heads_kv: int
    rope_base: float
    epsilon: float
    context: int


@dataclass(frozen=True, kw_only=True, slots=True)
class BaseWeights:
    config: BaseConfig
    weights: Mapping[str, "NDArray[np.float32]"]
    """By name as in transformers' Llama (`model.layers.0.self_attn.q_proj.weight`); the output is tied to the input."""
    vocabulary: list[str]
    merges: list[str]
    token_types: list[int]


def read_base(path: Path) -> BaseWeights:
    """Read a Llama-shaped GGUF file; raises BaseFileError for any other."""
    try:
        from gguf import GGUFReader  # noqa: PLC0415 - an optional package
    except ModuleNotFoundError:
        raise MissingExtraError(str(path), "embedded") from None
    if not path.is_file():
        raise refused(path, "there is no such file")
    try:
        reader = GGUFReader(path)
    except Exception as error:  # the reader raises whatever a damaged header runs into
        raise refused(path, f"not a readable GGUF file ({error})") from error
    fields = {name: field.contents() for name, field in reader.fields.items()}
    if fields.get("general.architecture") != "llama":
        raise refused(path, f"its architecture is {fields.get('general.architecture')!r}, not 'llama'")
    try:
        config = read_config(fields)
        weights = dict(named_weight(tensor, config) for tensor in reader.tensors)
        base = BaseWeights(
            config=config,
            weights=weights,
            vocabulary=fields["tokenizer.ggml.tokens"],
            merges=fields["tokenizer.ggml.merges"],
            token_types=fields["tokenizer.ggml.token_type"],
        )
    except (KeyError, ValueError) as error:
        raise refused(path, f"a part is missing or misshapen ({error})") from error
    missing = sorted(expected_names(config) - weights.keys())
    if missing:
        raise refused(path, f"{len(missing)} weights are missing, the first is {missing[0]}")
    return base


def refused(path: Path, problem: str) -> BaseFileError:
    return BaseFileError(str(path), problem, "fetch the base model again")


def read_config(fields: Mapping[str, Any]) -> BaseConfig:
    return BaseConfig(
        layers=fields["llama.block_count"],
        width=fields["llama.embedding_length"],
        inner_width=fields["llama.feed_forward_length"],
        heads=fields["llama.attention.head_count"],
        heads_kv=fields["llama.attention.head_count_kv"],
        rope_base=fields["llama.rope.freq_base"],
        epsilon=round(fields["llama.attention.layer_norm_rms_epsilon"], 9),
        context=fields["llama.context_length"],
    )


def named_weight(tensor: Any, config: BaseConfig) -> tuple[str, "NDArray[np.float32]"]:
    import numpy as np  # noqa: PLC0415 - an optional package
    from gguf.quants import dequantize  # noqa: PLC0415 - an optional package

    weight = np.ascontiguousarray(dequantize(tensor.data, tensor.tensor_type), dtype=np.float32)
    if tensor.name in OUTER:
        return OUTER[tensor.name], weight
    _, layer, kind, _ = tensor.name.split(".")
    if kind == "attn_q":
        weight = in_halves(weight, config.heads)
    elif kind == "attn_k":
        weight = in_halves(weight, config.heads_kv)
    return f"model.layers.{layer}.{(LINEAR | NORMS)[kind]}.weight", weight


def in_halves(weight: "NDArray[np.float32]", heads: int) -> "NDArray[np.float32]":
    """Undo llama.cpp's row order: it interleaves the pairs that rotate together, transformers keeps them in halves."""
    import numpy as np  # noqa: PLC0415 - an optional package

    rows, columns = weight.shape
    paired = weight.reshape(heads, rows // heads // 2, 2, columns)
    return np.ascontiguousarray(paired.swapaxes(1, 2).reshape(rows, columns))


def linear_names(config: BaseConfig) -> list[str]:
    """The weights an adapter may add to."""
    return [
        f"model.layers.{layer}.{kind}.weight" for layer in range(config.layers) for kind in LINEAR.values()
    ]


def expected_names(config: BaseConfig) -> set[str]:
    norms = {
        f"model.layers.{layer}.{kind}.weight" for layer in range(config.layers) for kind in NORMS.values()
    }
    return {*OUTER.values(), *linear_names(config), *norms}
