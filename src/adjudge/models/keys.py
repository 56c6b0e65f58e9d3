"""The key under which a completion is stored: a hash of all that decides it, and of nothing that does not.

Clients that send bytes hash those; wrappers ask the client inside; for a client with no key of its own, what it is asked
is hashed.
"""

import json
from hashlib import sha256

from adjudge.records import ModelClient, Request
from adjudge.text import json_default


def request_key(client: ModelClient, request: Request) -> str:
    """SHA-256, in hex, of provider, address without credentials, what is sent, and the repeat; never of the API key.

    A `RejectedError` when the request cannot be sent at all.
    """
    own = client.request_key(request)
    return semantic_key(client.name, "", request) if own is None else own


def wire_key(provider: str, address: str, body: bytes, request: Request) -> str:
    """The key of a request whose body is known to the byte."""
    head = f"{provider}\0{address}\0{repeat_of(request)}\0"
    hashed = sha256(head.encode("utf-8", "surrogatepass"))
    hashed.update(body)
    return hashed.hexdigest()


def semantic_key(name: str, address: str, request: Request) -> str:
    """The key of a request whose body we do not see: the model's name and what it is asked."""
    return wire_key(name, address, sent_parts(request), request)


def repeat_of(request: Request) -> int:
    """A shared request (a checklist) is one for all repeats."""
    return 0 if request.shared else request.repeat


def sent_parts(request: Request) -> bytes:
    """All that is sent; the order of the schema's properties is part of it, as models answer in that order."""
    temperature = request.temperature
    sent = [
        request.schema,
        [(message.role, message.content) for message in request.prompt.messages],
        None if temperature is None else float(temperature),
        request.max_output_tokens,
        sorted(request.parameters.items()),
    ]
    return json.dumps(sent, default=json_default).encode()
