"""What must never be kept or shown: keys, passwords in URLs, and the shapes in which providers echo them."""

import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

from adjudge.patterns import lazy_pattern
from adjudge.records import TokenLogprob
from adjudge.text import shorten

MASK = "[key]"
MESSAGE_CHARS = 300
LOOK_AT_CHARS = 8_192  # scrub before the cut, so that a secret on the cut cannot leave its first half behind

MIN_IN_MESSAGES_CHARS = 4  # a shorter one would turn every other word of an error into a mask
MIN_IN_REPLIES_CHARS = (
    12  # people set `EMPTY` or `ollama` as the key of a local server; replies may say those words
)

CONTROL = lazy_pattern(
    r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+"
)
LOOKS_SECRET = lazy_pattern(
    r"(?<![A-Za-z0-9])sk-(?:[A-Za-z0-9_-]{16,}|[A-Za-z0-9_-]{0,64}[*…•]+[A-Za-z0-9_*…•-]{0,64})"
    r"|(?<![A-Za-z0-9])(?:gsk_|hf_|xai-)[A-Za-z0-9]{10,}"
    r"|(?<![A-Za-z0-9])AIza[A-Za-z0-9_*-]{20,}"
    r"|(?i:(?<![a-z])(?:bearer|basic) [A-Za-z0-9._~+/*=-]{8,})"
)
URL_CREDENTIALS = lazy_pattern(r"://[^\s/@]{1,512}@")


def one_line(text: str) -> str:
    """The text without control and direction characters, white space runs as one space."""
    return " ".join(CONTROL.sub("", text).split())


class Scrubber:
    """Takes known secrets, in the forms they travel in, out of text that is kept or shown."""

    __slots__ = ("_echoes", "_forms", "_loose", "_reply_forms")

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = sorted({secret for secret in secrets if secret}, key=len, reverse=True)
        self._forms = _forms(known, MIN_IN_MESSAGES_CHARS)
        self._reply_forms = _forms(known, MIN_IN_REPLIES_CHARS)
        long = [secret for secret in known if len(secret) >= MIN_IN_REPLIES_CHARS]
        # in other case, or broken by a blank
        self._loose = (
            re.compile("|".join(r"\s?".join(map(re.escape, secret)) for secret in long), re.IGNORECASE)
            if long
            else None
        )
        heads = sorted({re.escape(secret[:4]) for secret in long})
        # `sk-abc***xyz`: providers echo the two ends of a key and stars or dots in between
        self._echoes = (
            re.compile(rf"(?:{'|'.join(heads)})[\w.-]{{0,64}}[*•…]+[\w*•…-]{{0,64}}") if heads else None
        )

    def __repr__(self) -> str:
        return "Scrubber(…)"

    def message(self, text: str) -> str:
        """An error message or a note: one line, no secrets, bounded."""
        return shorten(self._scrub(one_line(text[:LOOK_AT_CHARS])), MESSAGE_CHARS)

    def lines(self, text: str) -> str:
        """A traceback: its lines stay, without secrets."""
        return "\n".join(self._scrub(CONTROL.sub("", line)) for line in text.split("\n"))

    def reply(self, text: str) -> str:
        """A model's words, unchanged unless one of our secrets stands in them."""
        for form in self._reply_forms:
            if form in text:
                text = text.replace(form, MASK)
        return text if self._loose is None else self._loose.sub(MASK, text)

    def logprobs(self, reply: str, logprobs: tuple[TokenLogprob, ...]) -> tuple[TokenLogprob, ...]:
        """Those of a reply's tokens; none where one of our secrets stands in it, and so in them."""
        return logprobs if logprobs and self.reply(reply) == reply else ()

    def _scrub(self, text: str) -> str:
        for form in self._forms:
            text = text.replace(form, MASK)
        if self._loose is not None:
            text = self._loose.sub(MASK, text)
        if self._echoes is not None:
            text = self._echoes.sub(MASK, text)
        return URL_CREDENTIALS.sub("://", LOOKS_SECRET.sub(MASK, text))


def _forms(secrets: Iterable[str], shortest: int) -> tuple[str, ...]:
    forms = set[str]()
    for secret in secrets:
        if len(secret) < shortest:
            continue
        raw = secret.encode("utf-8", "surrogatepass")
        forms |= {secret, quote(secret, safe=""), quote_plus(secret)}
        forms |= {b64encode(raw).decode().rstrip("="), urlsafe_b64encode(raw).decode().rstrip("=")}
    return tuple(sorted(forms, key=len, reverse=True))
