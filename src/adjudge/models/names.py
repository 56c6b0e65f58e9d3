"""Names of models, what is needed to use them, and the one function that opens a client."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from adjudge.errors import ModelNameError
from adjudge.models.addresses import parse_base_url
from adjudge.options import option
from adjudge.records import ModelClient
from adjudge.text import closest

AZURE_HOSTS = (
    ".openai.azure.com",
    ".cognitiveservices.azure.com",
    ".services.ai.azure.com",
    ".api.cognitive.microsoft.com",
)
SHAPE = re.compile(r"([A-Za-z][A-Za-z0-9_-]{0,39})[:/](.*)", re.DOTALL)
FAMILIES = {
    "gpt": "openai",
    "chatgpt": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
    "claude": "anthropic",
    "gemini": "google",
    "gemma": "google",
}
OTHER_WORDS = {
    "gemini": "google",
    "claude": "anthropic",
    "gpt": "openai",
    "chatgpt": "openai",
    "vertex": "google",
}
OTHER_WORDS |= dict.fromkeys(
    ("groq", "mistral", "bedrock", "cohere", "together", "deepseek", "xai"), "litellm"
)
COMPATIBLE_SERVERS = {
    "ollama": "http://localhost:11434/v1",
    "vllm": "http://localhost:8000/v1",
    "lmstudio": "http://localhost:1234/v1",
    "llamacpp": "http://localhost:8080/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "local": "http://localhost:8000/v1",
}
"""Spoken to as `openai:`, each at the address that it has unless told otherwise."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelName:
    """`provider:model`, as `--model` takes it; `provider/model` means the same."""

    provider: str
    model: str

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Provider:
    """What `adjudge models` shows of one provider, as the environment stands."""

    name: str
    example: str
    key_variables: tuple[str, ...] = ()
    key_set: bool = False
    """One of the key variables is set."""
    base_url: str | None = None
    """Where requests go as things stand, without credentials; None where there is no single place."""
    base_url_variable: str | None = None
    extra: str | None = None
    """The extra to install first; None when nothing more is needed, or all of it is installed."""
    description: str = ""


class HttpProvider(NamedTuple):
    """A provider spoken to over HTTP."""

    example: str
    key_variables: tuple[str, ...]
    base_url_variables: tuple[str, ...]
    base_url: str
    """Empty: the person has to set one."""
    hosts: tuple[str, ...]
    """The provider's own: equal to, or with a leading dot a domain above."""
    description: str


SERVICES: Mapping[str, HttpProvider] = {
    "openai": HttpProvider(
        "openai:gpt-5-mini",
        ("OPENAI_API_KEY",),
        ("OPENAI_BASE_URL",),
        "https://api.openai.com/v1",
        ("api.openai.com", ".api.openai.com"),
        "OpenAI, and with --base-url any compatible server (vLLM, llama.cpp, Ollama, LM Studio, OpenRouter)",
    ),
    "azure": HttpProvider(
        "azure:my-deployment",
        ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"),
        ("AZURE_OPENAI_ENDPOINT",),
        "",
        AZURE_HOSTS,
        "Azure OpenAI; the name is the deployment's, AZURE_OPENAI_API_VERSION is optional",
    ),
    "anthropic": HttpProvider(
        "anthropic:claude-sonnet-5",
        ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
        ("ANTHROPIC_BASE_URL",),
        "https://api.anthropic.com",
        ("api.anthropic.com",),
        "Anthropic",
    ),
    "google": HttpProvider(
        "google:gemini-3.5-flash",
        ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        ("GEMINI_BASE_URL", "GOOGLE_BASE_URL"),
        "https://generativelanguage.googleapis.com",
        ("generativelanguage.googleapis.com",),
        "Google Gemini",
    ),
}
SAMPLING = frozenset(
    {
        *("top_p", "top_k", "min_p", "seed", "frequency_penalty", "presence_penalty", "repetition_penalty"),
        *("logprobs", "top_logprobs", "reasoning_effort", "verbosity"),
    }
)
FILE_PARAMETERS: Mapping[str, frozenset[str]] = {
    "openai": SAMPLING,
    "azure": SAMPLING,
    "anthropic": frozenset({"top_p", "top_k", "thinking"}),
    "google": frozenset({"topP", "topK", "seed", "frequencyPenalty", "presencePenalty", "thinkingConfig"}),
    "litellm": frozenset(
        {"top_p", "top_k", "seed", "frequency_penalty", "presence_penalty", "reasoning_effort"}
    ),
}
"""What a config file may say with `param`: how the model draws its words. Not where a request goes or who pays for it,
what else is run for it (tools, a server's chat template), and what is kept of it there."""
LITELLM_EXAMPLE = "litellm:groq/llama-3.3-70b-versatile"
SCRIPTED_EXAMPLE = "scripted:replies.jsonl"
EXAMPLES: Mapping[str, str] = {
    **{name: service.example for name, service in SERVICES.items()},
    "litellm": LITELLM_EXAMPLE,
    "scripted": SCRIPTED_EXAMPLE,
}


def parse_model_name(name: str) -> ModelName:
    """The provider and its model; an error that lists what can be used, and what was probably meant."""
    where = option("--model", name[:80] if name.isprintable() else repr(name[:80]))
    match = SHAPE.fullmatch(name.strip())
    if match is None:
        raise ModelNameError(where, "names no provider", _usable(_meant(name)))
    provider, model = match[1].lower(), match[2].strip()
    if provider not in EXAMPLES:
        raise ModelNameError(
            where,
            f"unknown provider {match[1]!r}",
            _usable(_meant(name, match[1], model), COMPATIBLE_SERVERS.get(provider)),
        )
    if provider == "google":
        model = model.removeprefix("models/")
    if not model:
        raise ModelNameError(where, f"names no model of {provider}", f"write it as {EXAMPLES[provider]}")
    if any(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in model):
        raise ModelNameError(where, "has control characters in it", f"write it as {EXAMPLES[provider]}")
    return ModelName(provider=provider, model=model)


def known_providers(environ: Mapping[str, str] = os.environ) -> tuple[Provider, ...]:
    """Every provider that can be named, with what the environment sets for it."""
    services = [
        Provider(
            name=name,
            example=service.example,
            key_variables=service.key_variables,
            key_set=first_set(environ, service.key_variables)[1] != "",
            base_url=_public_base_url(service, environ),
            base_url_variable=service.base_url_variables[0],
            description=service.description,
        )
        for name, service in SERVICES.items()
    ]
    return (
        *services,
        Provider(
            name="litellm",
            example=LITELLM_EXAMPLE,
            extra=None if is_installed("litellm") else "litellm",
            description="any provider LiteLLM knows; keys as LiteLLM names them",
        ),
        Provider(
            name="scripted",
            example=SCRIPTED_EXAMPLE,
            description="replies written in a JSONL file, for tests and docs; never calls anything",
        ),
    )


def open_model(
    name: str,
    *,
    base_url: str | None = None,
    environ: Mapping[str, str] = os.environ,
    timeout_seconds: float = 120.0,
    connections: int = 64,
    sends: bool = True,
) -> ModelClient:
    """A client for this model. Nothing is sent before the first `complete`; without `sends` there will be none."""
    parsed = parse_model_name(name)
    if parsed.provider == "scripted":
        from adjudge.models.providers.scripted import open_script  # noqa: PLC0415 - keeps start-up fast

        if base_url is not None:
            raise ModelNameError(
                option("--model", str(parsed)),
                "is answered from a file and has no base URL",
                f"leave {option('--base-url')} out",
            )
        return open_script(Path(parsed.model))
    if parsed.provider == "litellm":
        from adjudge.models.providers.litellm import open_litellm  # noqa: PLC0415 - an optional package

        return open_litellm(parsed.model, base_url=base_url, environ=environ, timeout_seconds=timeout_seconds)
    from adjudge.models.providers.opening import open_service  # noqa: PLC0415 - aiohttp takes a fifth of a second to import

    return open_service(
        parsed,
        base_url=base_url,
        environ=environ,
        timeout_seconds=timeout_seconds,
        connections=connections,
        sends=sends,
    )


def is_installed(package: str) -> bool:
    """Whether a package could be imported; it is not, as that takes seconds for some."""
    try:
        return find_spec(package) is not None
    except ValueError:  # it was made in memory
        return True


def first_set(environ: Mapping[str, str], variables: tuple[str, ...]) -> tuple[str, str]:
    """The first variable that is set to something, and its value; the first one and nothing when none is."""
    for variable in variables:
        if value := environ.get(variable, "").strip():
            return variable, value
    return variables[0], ""


def _public_base_url(service: HttpProvider, environ: Mapping[str, str]) -> str | None:
    variable, text = first_set(environ, service.base_url_variables)
    try:
        return parse_base_url(text, where=variable).public if text else service.base_url or None
    except ModelNameError:
        return None  # opening it says what is wrong with it


def _meant(name: str, provider: str = "", model: str = "") -> str:
    """What was probably meant, or nothing."""
    word = provider.lower()
    if word:
        guess = "openai" if word in COMPATIBLE_SERVERS else OTHER_WORDS.get(word) or closest(word, EXAMPLES)
        if guess == "litellm":
            return f"litellm:{word}/{model}"
        return f"{guess}:{model}" if guess else ""
    head = re.split(r"[-:/.\s]", name.strip().lower(), maxsplit=1)[0]
    if head in FAMILIES:
        return f"{FAMILIES[head]}:{name.strip()}"
    close = closest(head, EXAMPLES, cutoff=0.75)
    return EXAMPLES[close] if close else ""


def _usable(meant: str, base_url: str | None = None) -> str:
    there = f" with `{option('--base-url', base_url)}`" if base_url else ""
    question = f"did you mean {meant[:80]!r}{there}? " if meant and meant.isprintable() else ""
    return f"{question}what can be used: {', '.join(EXAMPLES.values())}"
