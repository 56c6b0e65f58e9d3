"""Azure OpenAI: the OpenAI wire format at a deployment's address, with the key in a header of its own."""

from collections.abc import Mapping
from urllib.parse import quote

from adjudge.models.openai import OpenAIWire
from adjudge.models.wire import Home

API_VERSION = "2024-10-21"  # the stable version that has JSON-schema output


def azure_wire(home: Home, environ: Mapping[str, str]) -> OpenAIWire:
    version = environ.get("AZURE_OPENAI_API_VERSION", "").strip() or API_VERSION
    return OpenAIWire(
        provider="azure",
        model=None,
        endpoint=home.endpoint(
            home.base.join(
                f"/openai/deployments/{quote(home.model, safe='')}/chat/completions",
                drop=("/openai",),
                query=f"api-version={quote(version, safe='')}",
            ),
            {"api-key": home.key} if home.key else {},
            hint_404="; check the deployment's name and AZURE_OPENAI_API_VERSION",
        ),
        limit_name="max_tokens",
    )
