"""A Llama forward pass in plain float32 numpy: slow, short, and what the fast ones are held against."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from adjudge.embedded.model.base import BaseConfig

Array = NDArray[np.float32]


def plain_outputs(
    weights: Mapping[str, Array], config: BaseConfig, tokens: Sequence[int], heads: Array
) -> Array:
    """Token × head."""
    hidden = weights["model.embed_tokens.weight"][list(tokens)]
    for layer in range(config.layers):
        own = {
            kind: weights[f"model.layers.{layer}.{kind}.weight"]
            for kind in (
                "input_layernorm",
                "self_attn.q_proj",
                "self_attn.k_proj",
                "self_attn.v_proj",
                "self_attn.o_proj",
                "post_attention_layernorm",
                "mlp.gate_proj",
                "mlp.up_proj",
                "mlp.down_proj",
            )
        }
        hidden = hidden + attend(normed(hidden, own["input_layernorm"], config), own, config)
        inner = normed(hidden, own["post_attention_layernorm"], config)
        gate = inner @ own["mlp.gate_proj"].T
        hidden = (
            hidden + (gate / (1 + np.exp(-gate)) * (inner @ own["mlp.up_proj"].T)) @ own["mlp.down_proj"].T
        )
    return (normed(hidden, weights["model.norm.weight"], config) @ heads.T).astype(np.float32)


def normed(hidden: Array, gain: Array, config: BaseConfig) -> Array:
    return hidden / np.sqrt((hidden * hidden).mean(-1, keepdims=True) + np.float32(config.epsilon)) * gain


def attend(hidden: Array, own: Mapping[str, Array], config: BaseConfig) -> Array:
    count, size = len(hidden), config.width // config.heads
    queries = turned(
        (hidden @ own["self_attn.q_proj"].T).reshape(count, config.heads, size), config.rope_base
    )
    keys = turned(
        (hidden @ own["self_attn.k_proj"].T).reshape(count, config.heads_kv, size), config.rope_base
    )
    values = (hidden @ own["self_attn.v_proj"].T).reshape(count, config.heads_kv, size)
    shared = config.heads // config.heads_kv
    scores = np.einsum("qhd,khd->hqk", queries, keys.repeat(shared, 1)) / np.sqrt(size)
    scores = np.where(np.tri(count, dtype=bool), scores, -np.inf)
    chances = np.exp(scores - scores.max(-1, keepdims=True))
    chances /= chances.sum(-1, keepdims=True)
    seen = np.einsum("hqk,khd->qhd", chances, values.repeat(shared, 1)).reshape(count, -1)
    return (seen @ own["self_attn.o_proj"].T).astype(np.float32)


def turned(rows: Array, base: float) -> Array:
    """Rotary positions, the two halves of a head turning together."""
    half = rows.shape[-1] // 2
    angle = np.arange(len(rows))[:, None] * base ** (-np.arange(half) / half)
    cosine, sine = np.cos(angle)[:, None], np.sin(angle)[:, None]
    left, right = rows[..., :half], rows[..., half:]
    return np.concatenate([left * cosine - right * sine, right * cosine + left * sine], -1).astype(np.float32)
