"""A base model small enough to write in a test: random weights, a byte vocabulary, the real file format."""

from pathlib import Path

import numpy as np
from gguf import GGUFWriter, TokenType

LAYERS, WIDTH, INNER, HEADS, HEADS_KV = 2, 16, 32, 4, 2
SPECIAL_NAMES = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
MERGES = ["y e", "ye s", "n o", "Ġ t", "h e", "Ġt he"]


def byte_letters() -> list[str]:
    """The letters that byte-level BPE writes bytes as: printable ones as they are, the rest moved out of the way."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return [chr(byte) for byte in shown] + [chr(256 + number) for number, _ in enumerate(hidden)]


def vocabulary() -> list[str]:
    return SPECIAL_NAMES + byte_letters() + [merge.replace(" ", "") for merge in MERGES]


def write_tiny_base(path: Path, *, seed: int = 0, architecture: str = "llama", leave_out: str = "") -> Path:
    """Write the GGUF file; `leave_out` names a tensor to forget."""
    rng = np.random.default_rng(seed)
    writer = GGUFWriter(path, architecture)
    words = vocabulary()
    writer.add_block_count(LAYERS)
    writer.add_context_length(2048)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS_KV)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(words)
    writer.add_token_merges(MERGES)
    writer.add_token_types(
        [
            TokenType.CONTROL if number < len(SPECIAL_NAMES) else TokenType.NORMAL
            for number in range(len(words))
        ]
    )
    size_kv = WIDTH // HEADS * HEADS_KV
    shapes = {"token_embd": (len(words), WIDTH), "output_norm": (WIDTH,)}
    for layer in range(LAYERS):
        shapes |= {
            f"blk.{layer}.attn_norm": (WIDTH,),
            f"blk.{layer}.ffn_norm": (WIDTH,),
            f"blk.{layer}.attn_q": (WIDTH, WIDTH),
            f"blk.{layer}.attn_k": (size_kv, WIDTH),
            f"blk.{layer}.attn_v": (size_kv, WIDTH),
            f"blk.{layer}.attn_output": (WIDTH, WIDTH),
            f"blk.{layer}.ffn_gate": (INNER, WIDTH),
            f"blk.{layer}.ffn_up": (INNER, WIDTH),
            f"blk.{layer}.ffn_down": (WIDTH, INNER),
        }
    for name, shape in shapes.items():
        if name != leave_out:
            values = rng.normal(1.0 if name.endswith("norm") else 0.0, 0.3, shape).astype(np.float32)
            writer.add_tensor(f"{name}.weight", values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
