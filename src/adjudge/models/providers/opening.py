"""Open a model service: its address, its key, and the wire format it speaks."""

from collections.abc import Callable, Mapping

from adjudge.errors import ModelNameError
from adjudge.models.addresses import BaseUrl, is_own_host, parse_base_url, proxy_for
from adjudge.models.names import SERVICES, HttpProvider, ModelName, first_set
from adjudge.models.prices import Prices
from adjudge.models.providers.anthropic import anthropic_wire
from adjudge.models.providers.batch_api import BATCHES
from adjudge.models.providers.google import google_wire
from adjudge.models.providers.http import HttpClient
from adjudge.models.providers.openai import azure_wire, openai_wire
from adjudge.models.providers.wire import Connection, Wire
from adjudge.models.providers.wire_client import WireClient
from adjudge.models.secrets import Scrubber
from adjudge.options import option

WIRES: Mapping[str, Callable[[Connection, Mapping[str, str]], Wire]] = {
    "openai": openai_wire,
    "azure": azure_wire,
    "anthropic": anthropic_wire,
    "google": google_wire,
}


def open_service(
    name: ModelName,
    *,
    base_url: str | None,
    environ: Mapping[str, str],
    timeout_seconds: float,
    connections: int,
    sends: bool = True,
) -> WireClient:
    """Without `sends` nothing will be sent from here, so that no key is needed."""
    service = SERVICES[name.provider]
    base = find_base_url(name, service, base_url, environ)
    own = is_own_host(base.host, service.hosts)
    variable, key = first_set(environ, service.key_variables)
    if sends and not key and own and base.basic_auth is None:
        raise ModelNameError(
            option("--model", str(name)),
            f"needs a key, and {' or '.join(service.key_variables)} is not set",
            f"set {service.key_variables[0]}, or name another model (`adjudge models` lists them)",
        )
    if any(not "!" <= character <= "~" for character in key):
        raise ModelNameError(
            variable,
            "contains a character that keys never contain",
            "set it again, without spaces, quotes or line breaks",
        )
    proxy = proxy_for(base, environ)
    secrets = [key, *base.secrets]
    if proxy is not None:
        secrets += parse_base_url(proxy, where="the proxy").secrets
    scrubber = Scrubber(secrets)
    connection = Connection(
        model=name.model,
        base=base,
        key=key,
        own_host=own,
        key_variables=service.key_variables,
        key_variable=variable,
    )
    http = HttpClient(
        timeout_seconds=timeout_seconds, connections=connections, scrubber=scrubber, proxy=proxy
    )
    batches = BATCHES.get(name.provider)
    return WireClient(
        name=str(name),
        wire=WIRES[name.provider](connection, environ),
        http=http,
        scrubber=scrubber,
        batches=None if batches is None else batches(connection, str(name), http, scrubber),
        prices=Prices(name.provider if own else None),
    )


def find_base_url(
    name: ModelName, service: HttpProvider, base_url: str | None, environ: Mapping[str, str]
) -> BaseUrl:
    """`--base-url`, else the provider's variable, else the provider's own address."""
    if base_url is not None and base_url.strip():
        return parse_base_url(base_url, where=option("--base-url"))
    variable, text = first_set(environ, service.base_url_variables)
    if text:
        return parse_base_url(text, where=variable)
    if not service.base_url:
        raise ModelNameError(
            option("--model", str(name)),
            f"needs an address, and {variable} is not set",
            f"set {variable} to the address of your resource, such as https://NAME.openai.azure.com",
        )
    return parse_base_url(service.base_url, where=name.provider)
