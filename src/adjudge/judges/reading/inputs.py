"""What a prompt asks for: which inputs, from which fields, which of them may be absent, and what is no placeholder here."""

import re

from adjudge.fields import canonical_field, strip_namespace
from adjudge.patterns import lazy_pattern
from adjudge.records import Dialect, Input
from adjudge.templates import TemplateInput

DATE_NAMES = frozenset({"current_date", "date", "today", "now", "todays_date", "today_date", "currentdate"})

_MAY_LACK = (
    r"(?:\boptional(?:ly)?\b|\bif (?:it is |they are |one is |any is )?(?:provided|present|given|available|supplied|applicable|specified)\b|\bif any\b(?=[ \t]*(?:[),.;:\]\n]|\Z))|"
    r"\b(?:may|might|can|could|will)(?: sometimes| also)? be (?:empty|absent|missing|blank|omitted|left out|unavailable|null|none)\b|"
    r"\bsometimes\b[^.\n]{0,60}\b(?:empty|absent|missing|blank)\b|\bwhen (?:provided|available|present)\b|\bleft (?:blank|empty)\b|\bwhere available\b)"
)
_LACKING = lazy_pattern(_MAY_LACK, re.IGNORECASE)
_LABEL_LACKING = lazy_pattern(rf"\([^()\n]{{0,40}}{_MAY_LACK}[^()\n]{{0,40}}\)\W{{0,20}}\Z", re.IGNORECASE)
"""At the end of what stands before an input: its label, on its line or the one above."""
_ODD = lazy_pattern(r"\$\{(?P<inside>[^{}\n]{1,120})\}")
_NAME = lazy_pattern(r"\A[ \t]*[^\W\d]\w*(?:\.\w+)*[ \t]*")
_ESCAPED = lazy_pattern(r"\{\{\s{0,200}\"")


def input_source(name: str) -> str:
    """The field that fills an input: the canonical one it stands for (`Answer`, `Reference Answer`), else its own name."""
    bare = strip_namespace(name)
    folded = bare.lower().replace(" ", "_")
    return bare if bare == "parameters" else canonical_field(name) or canonical_field(folded) or bare


def read_inputs(
    references: tuple[TemplateInput, ...], outline: str, declared: frozenset[str] = frozenset()
) -> tuple[Input, ...]:
    """In prompt order; for one of `declared` the prose is not asked whether it may be absent."""
    found: dict[str, Input] = {}
    for reference in references:
        if reference.name in found:
            continue
        name = reference.name
        dated = strip_namespace(name).lower() in DATE_NAMES
        optional = reference.guarded or dated or (name not in declared and may_lack(name, outline))
        found[name] = Input(
            name=name,
            required=not optional,
            source="current_date" if dated else input_source(name),
            default="today" if dated else None,
        )
    return tuple(found.values())


def may_lack(name: str, outline: str) -> bool:
    """Whether the prose near an input, or about it, says that it may be empty or absent."""
    spoken = _spoken(name)
    before = outline[: outline.find(f"⟦{name}⟧")][-600:].rpartition("⟧")[2]
    if _LABEL_LACKING.search(before):
        return True
    for match in _LACKING.finditer(before):
        told, label = before[max(0, match.start() - 160) : match.end()], before[match.end() :]
        if re.search(spoken, told, re.IGNORECASE) and re.search(spoken, label, re.IGNORECASE):
            return True
    patterns = (
        rf"(?:^|[^\w\s][ \t]*|\b(?:the|an?|any|this|that|your|its)[ \t]+)[`\"'*<]{{0,3}}{spoken}[`\"'*>]{{0,3}}(?:\s+(?:input|field|section|is))?[\s,(]{{1,3}}{_MAY_LACK}",
        rf"\boptional(?:ly)?[\s,]{{1,2}}(?:an?\s|the\s)?[`\"'*<]{{0,3}}{spoken}\b",
        rf"\bif\s+(?:an?\s|the\s|no\s)?[`\"'*<]{{0,3}}{spoken}[`\"'*>]{{0,3}}\s+(?:is|are|was|were)\s+(?:not\s+)?(?:provided|given|available|supplied|present|included|empty|blank)\b",
    )
    return any(re.search(pattern, outline, re.IGNORECASE | re.MULTILINE) for pattern in patterns)


def _spoken(name: str) -> str:
    """A pattern for the ways prose writes a name: `reference_answer`, `reference answer`, `referenceAnswer`."""
    bare = strip_namespace(name).split(".")[-1]
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", bare).split("_")
    return r"[ _-]?".join(re.escape(word) for word in words if word) or re.escape(bare)


def left_over(body: str, dialect: Dialect, references: tuple[TemplateInput, ...]) -> tuple[str, ...]:
    """What looks like a placeholder and is sent as it stands: a sentence for each kind; nothing is said where the dialect has other placeholders."""
    said = []
    if dialect == "shell" or not references:
        odd = dict.fromkeys(f"`{match[0]}`" for match in _ODD.finditer(body) if not _NAME.fullmatch(match[1]))
        if odd:
            listed = ", ".join([*odd][:3]) + (" and others" if len(odd) > 3 else "")
            said.append(
                f"only a name is allowed inside `${{…}}`, so {listed} is sent as text: write `${{name}}` in its place"
            )
    if dialect in {"mustache", "none"} and not references and _ESCAPED.search(body):
        said.append(
            "the double braces around JSON are sent as they are: if they are escapes of Python's `format`, "
            "add `dialect: python`"
        )
    return tuple(said)
