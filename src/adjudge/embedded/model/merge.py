"""Base model + adapter -> one int8 model in the cache whose outputs are the trained heads; a few seconds, no torch."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from adjudge.embedded.model.adapter import Adapter, read_adapter
from adjudge.embedded.model.base import BaseConfig, BaseWeights, read_base
from adjudge.embedded.model.files import (
    MERGED_FORMAT,
    PULL,
    CacheError,
    cache_folder,
    locked,
    merged_folder,
    new_folder,
    require_space,
    sha256_of,
    writing,
)
from adjudge.embedded.model.questions import QUESTIONS, Question
from adjudge.errors import MissingExtraError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Weights = dict[str, NDArray[np.float32]]

MANIFEST = "judge.json"
TOKENS = "tokens.json"
WEIGHTS = "model.bin"
NEEDED_BYTES = 160_000_000
SEED = 20261115
READERS = {
    "input_layernorm": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "post_attention_layernorm": ("mlp.gate_proj", "mlp.up_proj"),
}
"""The weights that take in the hidden state, by the norm before them."""
WRITERS = ("self_attn.o_proj", "mlp.down_proj")
"""The weights that add to it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FileSeal:
    size: int
    sha256: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Manifest:
    """What a merged model was made from, where its outputs are, and the bytes it must still consist of."""

    format: int
    base: str
    adapter: str
    outputs: Mapping[Question, tuple[int, int]]
    """The first output of each question, and the one after its last."""
    files: Mapping[str, FileSeal]


def merge(base: Path, adapter: Path, *, environ: Mapping[str, str] = os.environ) -> Path:
    """Have the merged model in the cache; nothing is done when it is there and whole."""
    if not base.is_file():
        raise CacheError(str(base), "the base model is not installed", PULL)
    base_sha256, adapter_sha256 = sha256_of(base), sha256_of(adapter)
    final = merged_folder(base_sha256=base_sha256, adapter_sha256=adapter_sha256, environ=environ)
    with locked(cache_folder(environ)):
        if is_whole(final):
            return final
        require_space(final.parent, NEEDED_BYTES)
        with new_folder(final) as folder:
            build(base, adapter, folder, made_from=(base_sha256, adapter_sha256))
    return final


def is_whole(folder: Path) -> bool:
    try:
        read_manifest(folder)
    except CacheError:
        return False
    return True


def read_manifest(folder: Path) -> Manifest:
    """Read it and check every byte it answers for; raises CacheError saying what is wrong and how to fix it."""
    try:
        stored = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        manifest = Manifest(
            format=stored["format"],
            base=stored["base"],
            adapter=stored["adapter"],
            outputs={
                question: (stored["outputs"][question][0], stored["outputs"][question][1])
                for question in QUESTIONS
            },
            files={name: FileSeal(**seal) for name, seal in stored["files"].items()},
        )
    except FileNotFoundError:
        raise CacheError(str(folder), "the embedded judge's model is not installed", PULL) from None
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise CacheError(str(folder / MANIFEST), f"cannot be read ({error})", PULL) from None
    for name, seal in manifest.files.items():
        path = folder / name
        if not path.is_file():
            raise CacheError(str(path), "is missing", PULL)
        if path.stat().st_size != seal.size:
            raise CacheError(str(path), f"has {path.stat().st_size:,} bytes, not {seal.size:,}", PULL)
        if sha256_of(path) != seal.sha256:
            raise CacheError(str(path), "is damaged: its SHA-256 is not the one it was written with", PULL)
    return manifest


def build(
    base_file: Path,
    adapter_file: Path,
    folder: Path,
    *,
    made_from: tuple[str, str],
    quantization: Literal["int8"] | None = "int8",
) -> None:
    """Write the model, its tokens and its manifest into the folder; None keeps the floats, to compare with."""
    import numpy as np  # noqa: PLC0415 - an optional package

    base, adapter = read_base(base_file), read_adapter(adapter_file)
    # Half a gigabyte of floats: each step takes them over from the one before, so that they are not kept twice.
    weights = dict(base.weights)
    base = replace(base, weights={})
    add(adapter, weights)
    heads = np.concatenate([adapter.heads[question] for question in QUESTIONS])
    heads = rotate(weights, heads, base.config)
    tokens = {"vocabulary": base.vocabulary, "merges": base.merges, "token_types": base.token_types}
    with writing(folder):
        save(weights, heads, base, folder, quantization)
        (folder / TOKENS).write_text(json.dumps(tokens, ensure_ascii=False), encoding="utf-8")
        manifest = Manifest(
            format=MERGED_FORMAT,
            base=made_from[0],
            adapter=made_from[1],
            outputs=output_ranges(adapter),
            files={path.name: seal(path) for path in sorted(folder.iterdir())},
        )
        (folder / MANIFEST).write_text(json.dumps(asdict(manifest), indent=1), encoding="utf-8")


def seal(path: Path) -> FileSeal:
    return FileSeal(size=path.stat().st_size, sha256=sha256_of(path))


def output_ranges(adapter: Adapter) -> dict[Question, tuple[int, int]]:
    ranges, first = {}, 0
    for question in QUESTIONS:
        ranges[question] = (first, first + len(adapter.heads[question]))
        first = ranges[question][1]
    return ranges


def add(adapter: Adapter, weights: "Weights") -> None:
    """Add the adapter's part, in place."""
    for name in adapter.factors:
        delta = adapter.delta(name)
        if delta is not None:
            weights[name] = weights[name] + delta


def rotate(weights: "Weights", heads: "NDArray[np.float32]", config: BaseConfig) -> "NDArray[np.float32]":
    """Turn the hidden state by a fixed rotation, in place, so that no column is far larger than the rest; gives the heads.

    A few columns of the hidden state hold values dozens of times the others'; one scale per row of bytes then leaves the
    others little. Turned, all columns are alike, which nearly halves what rounding to bytes changes in the outputs. The
    function stays the same and costs the same: the norms' gains go into the weights after them, the rotation into the
    weights on either side.
    """
    import numpy as np  # noqa: PLC0415 - an optional package

    turn = rotation(config.width)
    weights["model.embed_tokens.weight"] = contiguous(weights["model.embed_tokens.weight"] @ turn)
    for layer in range(config.layers):
        at = f"model.layers.{layer}"
        for norm, readers in READERS.items():
            gain = weights[f"{at}.{norm}.weight"]
            weights[f"{at}.{norm}.weight"] = np.ones_like(gain)
            for reader in readers:
                name = f"{at}.{reader}.weight"
                weights[name] = contiguous((weights[name] * gain) @ turn)
        for writer in WRITERS:
            name = f"{at}.{writer}.weight"
            weights[name] = contiguous(turn.T @ weights[name])
    gain = weights["model.norm.weight"]
    weights["model.norm.weight"] = np.ones_like(gain)
    return contiguous((heads * gain) @ turn)


def rotation(width: int) -> "NDArray[np.float32]":
    """An orthogonal matrix that spreads any one column evenly: Hadamard's as far as the width allows, with random signs."""
    import numpy as np  # noqa: PLC0415 - an optional package

    rng = np.random.default_rng(SEED)
    spread = np.ones((1, 1))
    while width % (2 * len(spread)) == 0:
        spread = np.block([[spread, spread], [spread, -spread]])
    rest = np.linalg.qr(rng.standard_normal((width // len(spread),) * 2))[0]
    signs = rng.choice([-1.0, 1.0], width)
    turn: NDArray[np.float32] = (signs[:, None] * np.kron(rest, spread / np.sqrt(len(spread)))).astype(
        np.float32
    )
    return turn


def save(
    weights: "Weights",
    heads: "NDArray[np.float32]",
    base: BaseWeights,
    folder: Path,
    quantization: str | None,
) -> None:
    """Write CTranslate2's files. The output layer has the heads for rows, and no vocabulary; `weights` is used up."""
    import numpy as np  # noqa: PLC0415 - an optional package

    spec = new_spec(base.config)
    decoder = spec.decoder
    decoder.scale_embeddings = False
    decoder.embeddings.weight = weights.pop("model.embed_tokens.weight")
    decoder.projection.weight = heads
    decoder.layer_norm.gamma = weights["model.norm.weight"]
    for number, layer in enumerate(decoder.layer):
        at = f"model.layers.{number}."
        names = [name for name in weights if name.startswith(at)]
        own = {name.removeprefix(at).removesuffix(".weight"): weights.pop(name) for name in names}
        layer.self_attention.layer_norm.gamma = own["input_layernorm"]
        layer.self_attention.linear[0].weight = np.concatenate(
            [own[f"self_attn.{kind}_proj"] for kind in "qkv"]
        )
        layer.self_attention.linear[1].weight = own["self_attn.o_proj"]
        layer.ffn.layer_norm.gamma = own["post_attention_layernorm"]
        layer.ffn.linear_0.weight = own["mlp.gate_proj"]
        layer.ffn.linear_0_noact.weight = own["mlp.up_proj"]
        layer.ffn.linear_1.weight = own["mlp.down_proj"]
    spec.register_vocabulary(base.vocabulary)
    spec.config.layer_norm_epsilon = base.config.epsilon
    spec.validate()
    spec.optimize(quantization=quantization)
    spec.save(str(folder))


def new_spec(config: BaseConfig) -> Any:
    try:
        from ctranslate2.specs import common_spec, transformer_spec  # noqa: PLC0415 - an optional package
    except ModuleNotFoundError:
        raise MissingExtraError("the embedded judge", "embedded") from None
    return transformer_spec.TransformerDecoderModelSpec.from_config(
        config.layers,
        config.heads,
        activation=common_spec.Activation.SWISH,
        pre_norm=True,
        ffn_glu=True,
        rms_norm=True,
        rotary_dim=0,
        rotary_interleave=False,
        rotary_base=config.rope_base,
        num_heads_kv=config.heads_kv,
    )


def contiguous(weight: "NDArray[Any]") -> "NDArray[np.float32]":
    import numpy as np  # noqa: PLC0415 - an optional package

    return np.ascontiguousarray(weight, dtype=np.float32)
