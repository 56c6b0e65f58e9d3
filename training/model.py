"""The base model in torch with something trainable added: low-rank factors, or whole matrices."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from adjudge.embedded.model.adapter import Adapter
from adjudge.embedded.model.base import LINEAR, BaseConfig, BaseWeights
from adjudge.embedded.model.questions import HEADS, QUESTIONS

KINDS = tuple(LINEAR.values())
SCALE = 2.0
"""What the factors' product is multiplied by."""
ROWS = {
    question: slice(sum(list(HEADS.values())[:at]), sum(list(HEADS.values())[: at + 1]))
    for at, question in enumerate(QUESTIONS)
}
"""Where each question's outputs lie among all of them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """One layer's weights, ready to multiply."""

    qkv: Tensor
    out: Tensor
    gate_up: Tensor
    down: Tensor
    attention_norm: Tensor
    inner_norm: Tensor


class Judge(nn.Module):
    """Weights of all layers lie in one tensor a kind, so that adding to them and updating them is few, large steps."""

    embedding: Tensor
    input_layernorm: Tensor
    post_attention_layernorm: Tensor
    last_norm: Tensor

    def __init__(
        self, config: BaseConfig, weights: Mapping[str, NDArray[np.float32]], rank: int, dropout: float
    ) -> None:
        """`rank` 0 trains the whole matrices."""
        super().__init__()
        self.config = config
        self.dropout = dropout
        self.block = run_block
        layers = range(config.layers)
        self.base = nn.ParameterDict()
        self.up, self.down = nn.ParameterDict(), nn.ParameterDict()
        for kind in KINDS:
            stacked = np.stack([weights[f"model.layers.{layer}.{kind}.weight"] for layer in layers])
            self.base[plain(kind)] = nn.Parameter(torch.from_numpy(stacked), requires_grad=rank == 0)
            if rank:
                _, rows, columns = stacked.shape
                self.down[plain(kind)] = nn.Parameter(
                    torch.randn(len(layers), rank, columns) / math.sqrt(columns)
                )
                self.up[plain(kind)] = nn.Parameter(torch.zeros(len(layers), rows, rank))
        self.register_buffer("embedding", torch.tensor(weights["model.embed_tokens.weight"]).bfloat16())
        for name in ("input_layernorm", "post_attention_layernorm"):
            norms = np.stack([weights[f"model.layers.{layer}.{name}.weight"] for layer in layers])
            self.register_buffer(name, torch.from_numpy(norms))
        self.register_buffer("last_norm", torch.tensor(weights["model.norm.weight"]))
        self.heads = nn.Parameter(torch.zeros(sum(HEADS.values()), config.width))
        self.bias = nn.Parameter(torch.zeros(sum(HEADS.values())))

    def start_heads(self, direction: NDArray[np.float32]) -> None:
        """Begin where the base model tells yes from no."""
        with torch.no_grad():
            self.heads.copy_(torch.tensor(direction).expand_as(self.heads))

    def weight(self, kind: str) -> Tensor:
        base: Tensor = self.base[plain(kind)]
        if not self.down:
            return base
        up: Tensor = self.up[plain(kind)]
        down: Tensor = self.down[plain(kind)]
        return base + SCALE * torch.bmm(up, down)

    def blocks(self, kind: torch.dtype) -> list[Block]:
        full = {name: self.weight(name).to(kind) for name in KINDS}
        qkv = torch.cat([full[f"self_attn.{one}_proj"] for one in "qkv"], dim=1).unbind(0)
        gate_up = torch.cat([full["mlp.gate_proj"], full["mlp.up_proj"]], dim=1).unbind(0)
        out, down = full["self_attn.o_proj"].unbind(0), full["mlp.down_proj"].unbind(0)
        first, second = self.input_layernorm.to(kind), self.post_attention_layernorm.to(kind)
        return [
            Block(
                qkv=qkv[i],
                out=out[i],
                gate_up=gate_up[i],
                down=down[i],
                attention_norm=first[i],
                inner_norm=second[i],
            )
            for i in range(self.config.layers)
        ]

    def forward(self, ids: Tensor, rows: Tensor, positions: Tensor) -> Tensor:
        """Every output at the places read (`rows`, `positions`); padding may follow a sequence, nothing looks ahead."""
        kind = torch.bfloat16 if ids.is_cuda else torch.float32
        hidden = functional.embedding(ids, self.embedding).to(kind)
        cos, sin = rotation(self.config, ids.shape[1], ids.device, kind)
        dropout = self.dropout if self.training else 0.0
        for block in self.blocks(kind):
            hidden = self.block(
                hidden, block.qkv, block.out, block.gate_up, block.down, block.attention_norm, block.inner_norm, cos, sin,
                self.config.heads, self.config.heads_kv, self.config.epsilon, dropout,
            )  # fmt: skip
        read = functional.rms_norm(
            hidden[rows, positions].float(), (self.config.width,), self.last_norm, self.config.epsilon
        )
        return read @ self.heads.t() + self.bias


def adapted(base: BaseWeights, adapter: Adapter) -> Judge:
    """The model as it will be shipped, in full precision; its outputs are those before calibration."""
    changed = {name: factor.product() for name, factor in adapter.factors.items()}
    weights = {
        name: weight + changed[name] if name in changed else weight for name, weight in base.weights.items()
    }
    model = Judge(base.config, weights, rank=0, dropout=0.0)
    with torch.no_grad():
        model.heads.copy_(
            torch.from_numpy(np.concatenate([adapter.heads[question] for question in QUESTIONS]))
        )
    return model


def run_block(  # noqa: PLR0917 - tensors first and last, as torch's own functions take them
    hidden: Tensor, qkv: Tensor, out: Tensor, gate_up: Tensor, down: Tensor, attention_norm: Tensor, inner_norm: Tensor,
    cos: Tensor, sin: Tensor, heads: int, heads_kv: int, epsilon: float, dropout: float,
) -> Tensor:  # fmt: skip
    """A Llama layer; a plain function of tensors, so that one compilation serves them all."""
    batch, length, width = hidden.shape
    size = width // heads
    mixed = functional.linear(functional.rms_norm(hidden, (width,), attention_norm, epsilon), qkv)
    mixed = mixed.view(batch, length, heads + 2 * heads_kv, size)
    turned = rotated(mixed[:, :, : heads + heads_kv], cos, sin).transpose(1, 2)
    query, key = turned[:, :heads], turned[:, heads:]
    value = mixed[:, :, heads + heads_kv :].transpose(1, 2)
    attended = functional.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
    added = functional.linear(attended.transpose(1, 2).reshape(batch, length, width), out)
    hidden = hidden + (functional.dropout(added, dropout) if dropout else added)
    gate, inner = functional.linear(
        functional.rms_norm(hidden, (width,), inner_norm, epsilon), gate_up
    ).chunk(2, dim=-1)
    added = functional.linear(functional.silu(gate) * inner, down)
    return hidden + (functional.dropout(added, dropout) if dropout else added)


def rotated(part: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Positions by rotation; the sign of the swapped half is in `sin`, which spares a copy."""
    return torch.addcmul(part * cos, part.roll(part.shape[-1] // 2, -1), sin)


def rotation(
    config: BaseConfig, length: int, device: torch.device, kind: torch.dtype
) -> tuple[Tensor, Tensor]:
    size = config.width // config.heads
    speed = config.rope_base ** (-torch.arange(0, size, 2, device=device, dtype=torch.float32) / size)
    angle = torch.outer(torch.arange(length, device=device, dtype=torch.float32), speed)
    cos = angle.cos().repeat(1, 2)[:, None]
    sin = torch.cat([-angle.sin(), angle.sin()], dim=1)[:, None]
    return cos.to(kind), sin.to(kind)


def plain(kind: str) -> str:
    """A parameter's name may not hold a dot."""
    return kind.replace(".", "_")
