"""The corpus of hostile texts, several to a text: a few pages then show them all."""

from collections.abc import Iterator

from xss_corpus import PAYLOADS, Payload

MAX_CHARS = 1_500
"""Characters of a text that holds several; what is longer alone stays alone."""


def packed() -> list[Payload]:
    return [
        Payload(name=f"packed-{number}", text="\n".join(each.text for each in several))
        for number, several in enumerate(_packs())
    ]


def _packs() -> Iterator[list[Payload]]:
    held: list[Payload] = []
    for payload in PAYLOADS:
        if held and sum(len(each.text) for each in held) + len(payload.text) > MAX_CHARS:
            yield held
            held = []
        held.append(payload)
    if held:
        yield held
