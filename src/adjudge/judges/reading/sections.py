"""Verdicts asked for as a list of sections: `1. **Evaluation**: …`, `2. **Strengths**: List 2-3 …`."""

import re

from adjudge.judges.reading.kinds import ValueKind, read_kind
from adjudge.judges.reading.names import REFERENCE, has_role, is_label, is_rating, is_reason, snake_case
from adjudge.judges.reading.parts import ContractPart, FoundContract

_ANNOUNCED = re.compile(
    r"^(?=[^\n]{0,300}:[ \t*]*$)[^\n]{0,200}\b(?:provide|include|output|respond|write|give|return|produce|contain|structure|format|sections?|report|expected to)\b[^\n]{0,200}$",
    re.IGNORECASE | re.MULTILINE,
)
_ITEM = re.compile(
    r"^[ \t]{0,3}(?:(?:\d{1,2}[.)]|[-*•+])[ \t]+|#{1,4}[ \t]+(?:\d{1,2}[.)][ \t]+)?)(?P<bold>\*\*|__)?(?P<name>(?:An?[ \t]|The[ \t]|Your[ \t])?[A-Za-z][A-Za-z /&-]{1,50}?)(?:\*\*|__)?[ \t]*(?P<aside>\([^()\n]{1,80}\))?(?:[ \t]*[:–—](?:\*\*|__)?[ \t]*(?P<text>[^\n]{0,400})|[ \t]*(?P<rest>(?:explaining|justifying|describing|of|that|summarizing|for|with|to|in)\b[^\n]{0,300})|[.]?[ \t]*)$"
)
_NOT_SECTIONS = re.compile(
    r"\b(?:criteria|criterion|aspects?|factors?|dimensions?|consider|rubric|scale|guidelines|rules|steps|instructions|inputs?|given|options|labels|based on|whether|if|when|true|(?:may|might|can|could)[ ](?:also[ ])?(?:include|contain))\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"^\W*(?:list|enumerate|name|bullet)\b|^\W*(?:suggest|provide|give|identify|offer|mention|include)\s+(?:up to\s+|at least\s+)?(?:\d|two|three|several|a few|some|one or two|any)",
    re.IGNORECASE,
)
_PLURAL = re.compile(r"(?<![siu])s$", re.IGNORECASE)


def find_sections(text: str) -> FoundContract | None:
    """The sections a reply should have, from the last list that announces them."""
    for announced in reversed(list(_ANNOUNCED.finditer(text))):
        if _NOT_SECTIONS.search(announced[0]):
            continue
        parts, end = _items(text, announced.end())
        names = [part.name for part in parts]
        if len(parts) < 2 or len(set(names)) != len(names):
            continue
        if not any(has_role(name) for name in names):
            continue
        return FoundContract(form="sections", parts=tuple(parts), start=announced.start(), end=end)
    return None


def _items(text: str, start: int) -> tuple[list[ContractPart], int]:
    parts: list[ContractPart] = []
    position = start
    blank = 0
    for line in text[start : start + 6000].split("\n")[1:]:
        position += len(line) + 1
        if not line.strip():
            blank += 1
            if blank > 2 + 2 * len(parts):
                break
            continue
        match = _ITEM.match(line)
        if match is None or REFERENCE.search(line) or line.rstrip().endswith("?"):
            if parts and line.startswith(("  ", "\t")):
                continue
            break
        parts.append(_part(match))
    return parts, position


def _part(match: re.Match[str]) -> ContractPart:
    spoken = re.sub(
        r"^(?:(?:an?|the|your)\s+)?(?:brief |short |concise )?",
        "",
        match["name"].strip(),
        flags=re.IGNORECASE,
    )
    name = snake_case(spoken)
    said = f"{match['aside'] or ''} {match['text'] or match['rest'] or ''}".strip()
    kind = ValueKind(type="string")
    if is_rating(name):
        read = read_kind(said)
        kind = read if read.numeric or read.options else ValueKind(type="integer", assumed=True)
    elif _SEVERAL.match(match["text"] or "") or (
        _PLURAL.search(spoken) and spoken.split()[-1].lower() not in {"thoughts", "comments"}
    ):
        kind = ValueKind(type="array")
    elif is_label(name) and not is_reason(name):
        read = read_kind(said, booleans=False)
        kind = read if read.options and not read.numeric else ValueKind(type="string")
    return ContractPart(name=name, kind=kind, says=said, labels=(snake_case(spoken).replace("_", " "),))
