"""What a model refused: parameters left out, renamed, or a response format stepped down from, for a client's life."""

import re
from dataclasses import dataclass, replace

from adjudge.errors import ModelCallError, ParameterRefusedError

UNSUPPORTED = re.compile(
    r"unsupported|not supported|n't support|not support|unrecogni[sz]ed|unknown|unexpected|not permitted"
    r"|not allowed|deprecated|invalid parameter|no such|extra input|extra field|instead"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Adjustments:
    """How a request has to differ from what we would like to send.

    It only ever grows, and is finite, so that a server that refuses everything is asked a few times and not for ever.
    """

    left_out: frozenset[str] = frozenset()
    renamed: frozenset[str] = frozenset()
    format_step: int = 0
    """How far down the wire's list of response formats."""

    def leaving_out(self, name: str) -> "Adjustments | None":
        """None when it is left out already: then the refusal is about something else."""
        return None if name in self.left_out else replace(self, left_out=self.left_out | {name})

    def renaming(self, name: str) -> "Adjustments | None":
        return None if name in self.renamed else replace(self, renamed=self.renamed | {name})

    def stepping_down(self, steps: int) -> "Adjustments | None":
        step = self.format_step + 1
        return None if step >= steps else replace(self, format_step=step)

    def joined(self, other: "Adjustments") -> "Adjustments":
        return Adjustments(
            left_out=self.left_out | other.left_out,
            renamed=self.renamed | other.renamed,
            format_step=max(self.format_step, other.format_step),
        )


NOTHING_REFUSED = Adjustments()
OUTPUT_LIMIT = "max_tokens"
"""As adjustments call the limit on the length of replies, whatever the provider does."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProviderError:
    """A provider's error body, read: in its own words, not yet scrubbed."""

    status: int
    message: str
    param: str = ""
    code: str = ""
    codes: frozenset[str] = frozenset()
    """All that the body says in place of a code: `code`, `status`, `type`, and those of its details."""
    generated: str = ""
    """What the model wrote, where the service refuses that."""


def names_parameter(error: ProviderError, *names: str) -> bool:
    """Whether the error is about one of these parameters.

    The field `param` decides where a provider fills it in: only then is a word in the message no evidence.
    """
    if error.param:
        head = re.split(r"[.\[]", error.param, maxsplit=1)[0]
        return any(name in (error.param, head) for name in names)
    message = error.message.lower()
    return any(re.search(rf"(?<![a-z0-9_]){re.escape(name.lower())}(?![a-z0-9_])", message) for name in names)


def says_unsupported(error: ProviderError) -> bool:
    """A parameter the model does not know, rather than a value of it that is out of range."""
    return (
        "unsupported" in error.code
        or "unknown" in error.code
        or bool(UNSUPPORTED.search(error.message.lower()))
    )


def refused_parameter(
    sent: Adjustments, learned: Adjustments, refusal: ModelCallError
) -> ParameterRefusedError:
    assert refusal.status is not None
    return ParameterRefusedError(
        refusal.message,
        status=refusal.status,
        lifts_limit=OUTPUT_LIMIT in learned.left_out and OUTPUT_LIMIT not in sent.left_out,
    )
