"""Model names, what is needed to open one, and the messages a person gets when it cannot be opened."""

import subprocess
import sys
from types import ModuleType

import pytest

from adjudge.errors import MissingExtraError, ModelNameError, install_command
from adjudge.models import known_providers, open_model, parse_model_name


@pytest.mark.parametrize(
    ("text", "provider", "model"),
    [
        ("openai:gpt-x", "openai", "gpt-x"),
        ("openai/gpt-x", "openai", "gpt-x"),
        ("OpenAI:GPT-x", "openai", "GPT-x"),
        (" openai:gpt-x ", "openai", "gpt-x"),
        ("openai:meta/llama:free", "openai", "meta/llama:free"),
        ("litellm/groq/llama-3", "litellm", "groq/llama-3"),
        ("google:models/gemini-x", "google", "gemini-x"),
        ("scripted:dir/a b.jsonl", "scripted", "dir/a b.jsonl"),
        ("scripted:C:\\x\\a.jsonl", "scripted", "C:\\x\\a.jsonl"),
    ],
)
def test_a_name_is_a_provider_and_a_model(text, provider, model):
    name = parse_model_name(text)
    assert (name.provider, name.model, str(name)) == (provider, model, f"{provider}:{model}")


@pytest.mark.parametrize(
    ("text", "problem", "meant"),
    [
        ("gpt-5-mini", "names no provider", "did you mean 'openai:gpt-5-mini'?"),
        ("claude-x", "names no provider", "did you mean 'anthropic:claude-x'?"),
        ("gemini-x", "names no provider", "did you mean 'google:gemini-x'?"),
        ("", "names no provider", ""),
        ("openia:gpt-x", "unknown provider 'openia'", "did you mean 'openai:gpt-x'?"),
        ("gemini:pro", "unknown provider 'gemini'", "did you mean 'google:pro'?"),
        ("groq:llama", "unknown provider 'groq'", "did you mean 'litellm:groq/llama'?"),
        (
            "ollama:qwen",
            "unknown provider 'ollama'",
            "did you mean 'openai:qwen' with `--base-url http://localhost:11434/v1`?",
        ),
        ("http://evil.test/x", "unknown provider 'http'", ""),
        ("xyzzy:m", "unknown provider 'xyzzy'", ""),
        ("openai:", "names no model of openai", ""),
        ("openai:a\x1b[31m", "has control characters in it", ""),
    ],
)
def test_a_wrong_name_says_what_was_probably_meant_and_what_can_be_used(text, problem, meant):
    with pytest.raises(ModelNameError) as caught:
        parse_model_name(text)
    assert caught.value.problem == problem
    assert caught.value.hint.startswith(meant)
    assert ("did you mean" in caught.value.hint) == bool(meant)
    assert "openai:" in caught.value.hint
    assert str(caught.value).replace("\n", "").isprintable()


def test_a_name_of_a_megabyte_is_refused_in_a_short_message():
    with pytest.raises(ModelNameError) as caught:
        parse_model_name("gpt-" + "x" * 1_000_000)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("openai:m", "OPENAI_API_KEY"),
        ("anthropic:m", "ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN"),
        ("google:m", "GOOGLE_API_KEY or GEMINI_API_KEY"),
    ],
)
def test_at_the_providers_own_host_a_missing_key_is_named_before_any_call(name, variable):
    with pytest.raises(ModelNameError, match=f"needs a key, and {variable} is not set"):
        open_model(name, environ={})


def test_azure_needs_an_address_and_then_a_key():
    with pytest.raises(ModelNameError, match="AZURE_OPENAI_ENDPOINT is not set"):
        open_model("azure:dep", environ={})
    with pytest.raises(ModelNameError, match="AZURE_OPENAI_API_KEY or AZURE_OPENAI_AD_TOKEN is not set"):
        open_model("azure:dep", environ={"AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com"})


@pytest.mark.parametrize(
    ("base_url", "problem"),
    [
        ("localhost:8000/v1", "is not http or https ('localhost')"),
        ("127.0.0.1/v1", "has no http:// or https://"),
        ("ftp://host/v1", "is not http or https ('ftp')"),
        ("file:///etc/passwd", "is not http or https ('file')"),
        ("http://", "has no host"),
        ("http:///v1", "has no host"),
        ("http://a..b/v1", "has an invalid host name"),
        (f"http://{'x' * 64}.com/v1", "has an invalid host name"),
        ("http://ho st/v1", "has no host"),
        ("http://[::1", "cannot be read"),
        ("http://host:notaport", "cannot be read"),
    ],
)
def test_a_base_url_that_is_none_is_refused_without_showing_it(base_url, problem):
    with pytest.raises(ModelNameError) as caught:
        open_model("openai:m", base_url=base_url, environ={})
    assert caught.value.where == "--base-url"
    assert caught.value.problem == f"the base URL {problem}"


def test_a_bad_base_url_with_a_password_in_it_does_not_show_the_password():
    with pytest.raises(ModelNameError) as caught:
        open_model("openai:m", environ={"OPENAI_BASE_URL": "htp://me:hunter22@host/v1"})
    assert caught.value.where == "OPENAI_BASE_URL"
    assert "hunter22" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-abc def", "sk-äöü", "“sk-abc”", "sk-abc\nX-Evil: 1"])
def test_a_key_that_cannot_be_a_header_is_refused_without_showing_it(key):
    with pytest.raises(ModelNameError) as caught:
        open_model("openai:m", environ={"OPENAI_API_KEY": key})
    assert caught.value.where == "OPENAI_API_KEY"
    assert "abc" not in str(caught.value)


def test_a_key_with_a_line_break_at_its_end_is_taken_without_it():
    client = open_model("openai:m", environ={"OPENAI_API_KEY": "sk-abcdefgh\n"})
    assert client._wire.endpoint.auth == {"Authorization": "Bearer sk-abcdefgh"}


def test_a_socks_proxy_is_refused_by_name():
    with pytest.raises(ModelNameError, match="ALL_PROXY: only http and https proxies"):
        open_model("openai:m", environ={"OPENAI_API_KEY": "sk-abcdefgh", "ALL_PROXY": "socks5://h:1"})


@pytest.mark.parametrize(
    ("no_proxy", "used"),
    [
        ("", True),
        ("example.test", False),
        (".example.test", False),
        ("*", False),
        ("other.test", True),
        ("ample.test", True),
    ],
)
def test_no_proxy_is_honoured(no_proxy, used):
    from adjudge.models.addresses import parse_base_url, proxy_for

    base = parse_base_url("https://api.example.test/v1", where="test")
    found = proxy_for(base, {"HTTPS_PROXY": "proxy:3128", "no_proxy": no_proxy})
    assert found == ("http://proxy:3128" if used else None)


def test_litellm_without_its_package_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "litellm", None)
    with pytest.raises(MissingExtraError) as caught:
        open_model("litellm:groq/llama", environ={})
    assert str(caught.value) == "litellm:groq/llama: needs the `litellm` extra\n\nhint: " + install_command(
        "litellm"
    )


def test_a_script_has_no_base_url():
    with pytest.raises(ModelNameError, match="has no base URL"):
        open_model("scripted:x.jsonl", base_url="http://localhost", environ={})


def test_known_providers_tell_what_the_environment_sets_without_credentials():
    environ = {
        "OPENAI_API_KEY": "k",
        "OPENAI_BASE_URL": "https://me:secret@host:8000/v1/",
        "GOOGLE_API_KEY": " ",
    }
    providers = {provider.name: provider for provider in known_providers(environ)}
    assert list(providers) == ["openai", "azure", "anthropic", "google", "litellm", "scripted"]
    assert (providers["openai"].key_set, providers["openai"].base_url) == (True, "https://host:8000/v1")
    assert (providers["azure"].key_set, providers["azure"].base_url) == (False, None)
    assert (providers["google"].key_set, providers["google"].key_variables) == (
        False,
        ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    )
    assert providers["anthropic"].base_url == "https://api.anthropic.com"
    assert (providers["scripted"].key_set, providers["scripted"].key_variables) == (False, ())
    assert "secret" not in repr(providers)


@pytest.mark.parametrize(("package", "extra"), [(None, "litellm"), (ModuleType("litellm"), None)])
def test_a_package_is_needed_only_where_it_is_missing(monkeypatch, package, extra):
    monkeypatch.setitem(sys.modules, "litellm", package)
    providers = {provider.name: provider for provider in known_providers({})}
    assert providers["litellm"].extra == extra


def test_every_example_is_a_name_that_parses():
    for provider in known_providers({}):
        assert parse_model_name(provider.example).provider == provider.name


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("api.openai.com", True),
        ("eu.api.openai.com", True),
        ("evil-api.openai.com", False),
        ("api.openai.com.evil.test", False),
        ("openai.com", False),
    ],
)
def test_only_the_providers_hosts_are_its_own(host, own):
    from adjudge.models.names import SERVICES
    from adjudge.models.providers.opening import is_own_host

    assert is_own_host(host, SERVICES["openai"].hosts) is own


def test_importing_models_loads_neither_aiohttp_nor_prices():
    code = "import sys, adjudge.models; print(sorted({'aiohttp', 'genai_prices', 'litellm', 'pydantic'} & sys.modules.keys()))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_public_names_are_sorted_and_exist():
    import adjudge.models
    import adjudge.testing

    for module in (adjudge.models, adjudge.testing):
        assert module.__all__ == sorted(module.__all__)
        assert all(hasattr(module, name) for name in module.__all__)
