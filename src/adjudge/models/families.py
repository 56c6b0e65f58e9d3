"""Whether two names are of one model, or of models of one family, whoever serves them."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from adjudge.models.names import EXAMPLES

Relation = Literal["model", "family"]
_WORDS: Mapping[str, str] = {
    "gpt": "GPT", "chatgpt": "GPT", "o1": "GPT", "o3": "GPT", "o4": "GPT", "davinci": "GPT",
    "claude": "Claude",
    "gemini": "Gemini", "gemma": "Gemini", "palm": "Gemini",
    "llama": "Llama", "vicuna": "Llama", "alpaca": "Llama", "codellama": "Llama",
    "mistral": "Mistral", "mixtral": "Mistral", "ministral": "Mistral", "codestral": "Mistral", "magistral": "Mistral",
    "qwen": "Qwen", "qwq": "Qwen",
    "deepseek": "DeepSeek", "phi": "Phi", "command": "Command", "grok": "Grok", "nova": "Nova", "glm": "GLM",
    "kimi": "Kimi", "moonshot": "Kimi", "smollm": "SmolLM", "yi": "Yi", "jamba": "Jamba", "granite": "Granite",
}  # fmt: skip
_DATE = re.compile(r"[-@_](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{4}|latest)$")
_WORD = re.compile(r"[a-z]+|\d+")
_MAX_CHARS = 200


@lru_cache(maxsize=4096)
def related(one: str, other: str) -> Relation | None:
    """`model` where the names differ by provider, date and case at most; `family` where both belong to the same one."""
    first, second = _bare(one), _bare(other)
    if not first or not second:
        return None
    if first == second:
        return "model"
    family = family_of(one)
    return "family" if family is not None and family == family_of(other) else None


def family_of(name: str) -> str | None:
    """None for a name that says nothing of it."""
    bare = _bare(name)
    for word in re.split(r"[^a-z0-9]", bare):
        letters = _WORD.match(word)
        for part in (word, letters[0] if letters else ""):
            if part in _WORDS:
                return _WORDS[part]
    return None


def _bare(name: str) -> str:
    """Without provider, folders and the date of the version."""
    text = name[:_MAX_CHARS].strip().lower()
    text = text.rpartition("/")[2]
    provider, _, model = text.partition(":")
    text = model if model and provider in EXAMPLES else text
    return _DATE.sub("", text.partition("@")[0])
